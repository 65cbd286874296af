"""The plain twin of `LossCut`: the same rule, every box computed again from its tuples."""

from __future__ import annotations

import math

ORDERED, FLAT, TREE = 0, 1, 2


class PlainLossCut:
    """Cuts weighted tuples; `parts` holds per column positions (ordered), nothing (flat) or gaps (tree)."""

    def __init__(self, tuples, counts, kinds, weights, parts, k, reach, block, deep=64):
        self.tuples, self.counts = [tuple(map(int, t)) for t in tuples], [int(c) for c in counts]
        self.kinds, self.weights, self.parts = list(kinds), [float(w) for w in weights], parts
        self.k, self.reach, self.block, self.deep = k, reach, block, deep

    def labels(self):
        """Return the class of every tuple."""
        label = {}
        first = 0
        for classes in self.blocks(list(range(len(self.tuples)))):
            for number, members in enumerate(self.after_moves(classes)):
                label.update(dict.fromkeys(members, first + number))
            first += len(classes)
        return [label[t] for t in range(len(self.tuples))]

    def blocks(self, members, depth=0):
        """Return the classes of each block; members stay in the order of the tuples."""
        if len(members) <= self.block:
            return [self.classes(members, depth)]
        parts = self.cut(members, depth)
        if parts is None:
            return [[members]]
        return self.blocks(parts[0], depth + 1) + self.blocks(parts[1], depth + 1)

    def classes(self, members, depth):
        parts = self.cut(members, depth)
        if parts is None:
            return [members]
        return self.classes(parts[0], depth + 1) + self.classes(parts[1], depth + 1)

    def cut(self, members, depth):
        """Return the two parts of the best cut, or None."""
        eighth = self.rows(members) // 8
        if depth >= self.deep and eighth > self.k:
            return self.cut_leaving(eighth, members) or self.cut_leaving(self.k, members)
        return self.cut_leaving(self.k, members)

    def cut_leaving(self, least, members):
        """Return the two parts of the best cut that leaves `least` rows on either side, or None."""
        pace = self.pace(members)
        best, best_parts = math.inf, None
        for j in range(len(self.kinds)):
            if self.weights[j] == 0:
                continue
            for codes in self.code_sets(j, members):
                inside = [t for t in members if self.tuples[t][j] in codes]
                outside = [t for t in members if self.tuples[t][j] not in codes]
                if self.rows(inside) < least or self.rows(outside) < least:
                    continue
                loss = self.expected_loss(inside, pace) + self.expected_loss(outside, pace)
                if loss < best:
                    best, best_parts = loss, (inside, outside)
        return best_parts

    def pace(self, members):
        """Return 1/5, or half the share of the dearest column in the extent if that is less."""
        costs = []
        for j, weight in enumerate(self.weights):
            codes = [self.tuples[t][j] for t in members]
            costs.append(weight * self.price(j, min(codes), max(codes)))
        total = self.extent(members)
        return min(0.2, 0.5 * max(costs) / total) if total > 0 else 0.2

    def code_sets(self, j, members):
        """Return the sets of codes of column j that are tried against the rest, in order."""
        rows = {}
        for t in members:
            code = self.tuples[t][j]
            rows[code] = rows.get(code, 0) + self.counts[t]
        codes = sorted(rows)
        if self.kinds[j] == FLAT:
            codes = sorted(rows, key=lambda code: (-rows[code], code))
        prefixes = [(x, 0, set(codes[:x])) for x in range(1, len(codes))]
        if self.kinds[j] == FLAT:
            singles = [(x, 1, {codes[x]}) for x in range(1, len(codes) - 1)]
            return [codes for _, _, codes in sorted(prefixes + singles, key=lambda cut: cut[:2])]
        return [codes for _, _, codes in prefixes] + (self.subtrees(j, codes) if self.kinds[j] == TREE else [])

    def subtrees(self, j, codes):
        """Return the sets of codes below a node, apart from prefixes and suffixes: by last code, small first."""
        found = []
        for last in range(1, len(codes) - 1):
            for first in range(last, 0, -1):
                inner = self.price(j, codes[first], codes[last])
                before = self.price(j, codes[first - 1], codes[first])
                after = self.price(j, codes[last], codes[last + 1])
                if first == last or (inner < before and inner < after):
                    found.append(set(codes[first : last + 1]))
        return found

    def after_moves(self, classes):
        """Return the classes after tuples that widen a class of more than k rows found a better one near by."""
        now = [list(members) for members in classes]
        for e, members in enumerate(classes if self.reach else []):
            for t in members:
                rest = [u for u in now[e] if u != t]
                if self.rows(rest) < self.k or not self.extent(rest) < self.extent(now[e]):
                    continue
                n_leave, whole, left = self.counts[t], self.extent(now[e]), self.extent(rest)
                saved = n_leave * whole + self.rows(rest) * (whole - left)
                best, home = 1e-9, None
                for f in range(max(0, e - self.reach), min(len(now), e + self.reach + 1)):
                    if f == e:
                        continue
                    room = saved - n_leave * self.extent(now[f])
                    widened = self.extent([*now[f], t]) - self.extent(now[f])
                    gain = room - (self.rows(now[f]) + n_leave) * widened
                    if gain > best:
                        best, home = gain, f
                if home is not None:
                    now[e] = rest
                    now[home].append(t)
        return now

    def expected_loss(self, members, pace):
        rows = self.rows(members)
        classes = rows // self.k
        power = classes.bit_length() - 1
        beyond = classes / 2**power - 1.0
        logarithm = power + beyond * (1.0 + 0.34375 * (1.0 - beyond))  # about log2(classes)
        return rows * self.extent(members) / (1.0 + pace * logarithm)

    def rows(self, members):
        return sum(self.counts[t] for t in members)

    def extent(self, members):
        total = 0.0
        for j, weight in enumerate(self.weights):
            codes = [self.tuples[t][j] for t in members]
            total += weight * self.price(j, min(codes), max(codes))
        return total

    def price(self, j, low, high):
        if low == high:
            return 0.0
        if self.kinds[j] == FLAT:
            return 1.0
        if self.kinds[j] == ORDERED:
            return min(self.parts[j][high] - self.parts[j][low], 1.0)
        return max(self.parts[j][low:high])
