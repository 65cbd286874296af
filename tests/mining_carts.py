"""The carts of Friedman, Wolff and Schuster 2008, section 4.3, with the counts that the paper gives."""

from __future__ import annotations


def carts_of_section_4_3() -> list[set[str]]:
    """Return 1,000 carts: 112 with cherries, 84 of these with Viagra; 30 with candles too, 24 of these with Tylenol."""
    carts = []
    for i in range(1000):
        cart = set()
        if i < 112:
            cart.add("Cherries")
            if i < 84:
                cart.add("Viagra")
            if 70 <= i < 100:
                cart.add("Birthday Candles")
                if i < 94:
                    cart.add("Tylenol")
        elif i < 150:  # candles without cherries, and private items of others, which the rules say nothing of
            cart |= {"Birthday Candles", "Tylenol"} if i % 2 else {"Birthday Candles", "Viagra"}
        carts.append(cart)
    return carts
