"""Words that headers are made of, and words that people write in the place of a number."""

from __future__ import annotations

__all__ = ["HEADER_WORDS", "NUMBER_WORDS", "PREPOSITIONS", "UNTOLD"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNTOLD = _words(
    "approx ask aucun aucune ca cannot circa confidential declined desconocido environ etwa forgot forgotten geheim "
    "inconnu kein keine keiner later missing nada nicht nichts niente nieznany nil not nothing okänd onbekend pending "
    "prefer private redacted refuse refused refuses rien sconosciuto secret see siehe soon tbd unavailable unbekannt "
    "undisclosed ungefähr unknown unspecified voir weiss weiß withheld"
)
"""Words of somebody who did not tell a number, or not exactly."""
NUMBER_WORDS = _words(
    "acht achtzig cent cento cien cinco cincuenta cinq cinquanta cinquante cinque cuarenta cuatro deux dieci diez dix "
    "dos douze drei dreißig due eight eighteen eighty eins eleven elf fifteen fifty five forty four fourteen fourty "
    "fünf fünfzig huit hundert hundred neuf neun neunzig nine nineteen ninety novanta nove noventa nueve null ochenta "
    "ocho one onze ottanta otto quaranta quarante quatre quattro sechs sechzig sei seis sept sesenta sessanta setenta "
    "settanta sette seven seventeen seventy sieben siebzig siete six sixteen sixty soixante ten thirteen thirty three "
    "tre treinta trenta trente tres trois twelve twenty two uno veinte venti vier vierzig vingt zehn zero zwanzig zwei "
    "zwölf"
)
PREPOSITIONS = _words(
    "a ab about al am an as at au auf aus aux avec bei bis by chez con da dal dans del di en for from im in mit of off "
    "ohne on over per sans seit senza sin since sur to under until von vor with within without zu zur à"
)
"""Words that begin `in care`, which is no name of a column of numbers."""
HEADER_WORDS = _words(
    "abschluss abteilung account achternaam active activity actor actual address admission admitted adresse age agent "
    "airline airport album alter amount animal annee anno answer apellido apellidos area arrival art artist arzt "
    "attribute author average azienda año bairro balance bank base befund begin bemerkung beroep beruf beschreibung "
    "bezeichnung bildung birth birthdate birthday blood body born branch brand breed budget building bundesland "
    "business calle campaign candidate cantidad capital car card carrier case caste categoria categorie category "
    "categoría catégorie cause cell center centre certificate change channel child children choroba cidade citizenship "
    "citta città city ciudad civil civile clase class classe client clinic club code cognome col color colore colour "
    "column comment commune company comune condition consent contact continent contract cost couleur council count "
    "country county course court created credit crime crop currency customer dag data date datum day days death debt "
    "default degree departement department dept depth description destination device dia diagnose diagnosi diagnosis "
    "diagnostico diagnóstico diet diplôme direccion dirección director disability discharge disease distance district "
    "doctor doenca doença dose drug duration département día ecole edad educacion educación education educational "
    "efternamn einkommen election email emploi employed employee employer employment empresa end enfermedad entreprise "
    "entry escuela estado eta ethnic ethnicity età event exam expense eye eyes factor faculty familienstand family "
    "farbe fare feature fecha fee field file final firma first flag flight floor fnlwgt food full fur förnamn gain "
    "geburtsdatum geburtsjahr geburtsort gehalt gemeente gemeinde gender genere genero genre geschlecht geslacht "
    "giorno goal grade group groupe growth grupo gruppe gruppo guess género habitat hair hausnummer head health height "
    "hobby home hospital hour hours house household housing icd id idade identifier ill illness imie imię income index "
    "indirizzo industry ingreso ingresos inkomen inkomst insurance insured interest invoice istruzione item jaar jahr "
    "job joined kategorie key kind klasse klinik kommun konfession krankheit kreis kunde kundennummer kön label labour "
    "land landkreis language last lat latitude league leeftijd left length level license line link list loan location "
    "lon longitude loss län maand mail main maladie malattia manufacturer marital mark market marriage married "
    "material maximum mean measure medication member menge merchant mes mese message method metier miasto middle "
    "military minimum mobile mode model modified module monat month mother movie municipio métier naam nachname "
    "nacimiento naissance name names namn nascita nation national nationality nationalität native nazwisko news nom "
    "nombre nome note notes number nummer object occupation ocupacion ocupación offence offense office open operation "
    "option order organisation organization origin ort outcome owner paese page pain pais parent party passport "
    "patient patientin pay payment pays país period person phone place plan plant player plec plz poids point policy "
    "population port position post postal postcode precio preis prenom prezzo price primary prix process product "
    "profesion profesión profession professione profissao profissão profit program project province provincia "
    "provincie prénom purchase płeć quality quantity quantità quantité question race rank rate rating reason record "
    "reddito ref region regione relation relationship religion remarque renda rent report residence response result "
    "revenu role room route row rua rue région salaire salario salary sale sales sample school schule score scuola "
    "season sect sector segment seller series service sesso sex sexe sexo shape shift ship shop side size sjukdom "
    "skill skin sku smoke smoker smoking sobrenome soil song source speciality species speed sport staat stad stadt "
    "stage start state station stato status statut stipendio straat strasse street student subject sum supplier "
    "surname symptom system tag taille tamaño target tax team tel telefono telephone teléfono temperature term test "
    "text ticket time tipo title total town township transaction treatment tree tribe trip typ type téléphone ulica "
    "unit university update updated url use user username valeur valor valore value values var variable vehicle vendor "
    "verdict version vessel via view village ville visa visit volume voornaam vorname vote waarde ward weather week "
    "weight wert width wiek wohnort wohnung wojewodztwo województwo word work workclass worker year years yrke zawod "
    "zawód ziekte zip zipcode zone âge ålder école"
)
