"""Plain ID3: the attribute with the greatest information gain, a branch per value, each attribute once."""

from __future__ import annotations

import numpy as np

LEAST_GAIN = 1e-6


def entropy(labels):
    """Return the entropy of 0/1 labels in bits."""
    shares = np.bincount(labels) / len(labels)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def id3(table, labels, questions):
    """Return the label (0 or 1) that a tree over (p, n) values and n labels gives to each column of `questions`.

    A value that no row of the node has takes the node's majority; a tie of labels takes that of the node above.
    """
    guessed = np.zeros(questions.shape[1], int)

    def grow(rows, asked, used, above):
        share = labels[rows].mean()
        majority = above if share == 0.5 else int(share > 0.5)
        guessed[asked] = majority
        best, most = -1, LEAST_GAIN
        for j in set(range(len(table))) - used:
            gain = entropy(labels[rows])
            for value in np.unique(table[j, rows]):
                part = labels[rows[table[j, rows] == value]]
                gain -= len(part) / len(rows) * entropy(part)
            if gain > most:
                best, most = j, gain
        if best >= 0:
            for value in np.unique(table[best, rows]):
                below = rows[table[best, rows] == value]
                grow(below, asked[questions[best, asked] == value], used | {best}, majority)

    grow(np.arange(table.shape[1]), np.arange(questions.shape[1]), frozenset(), 0)
    return guessed
