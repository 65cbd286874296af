"""Equal rows merged to distinct tuples in their order, with counts."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.compiled.kernel import kernel

__all__ = ["merge_rows"]


def merge_rows(matrix: IntMatrix, sizes: IntVector) -> tuple[IntMatrix, IntVector, IntVector]:
    """Return (columns, counts, row_tuple): equal rows of (p, n) codes merged, tuples in lexicographic order.

    Cost: near-linear.  Codes are packed into a 64-bit word together with the row number, and the words
    are sorted by radix; where the codes do not fit, those so far are replaced by their rank first.
    """
    n = matrix.shape[1]
    if n == 0:
        return matrix.copy(), np.zeros(0, np.int64), np.zeros(0, np.int64)
    room = 64 - (n - 1).bit_length()
    key = np.zeros(n, np.uint64)
    bits = 0
    for codes, size in zip(matrix, sizes, strict=True):
        need = max(int(size) - 1, 0).bit_length()
        while need > 0:
            if bits + need > room:
                rank, counts, _ = _merge_keys(key, bits)
                key, bits = rank.astype(np.uint64), (len(counts) - 1).bit_length()
            take = min(need, room - bits)
            need -= take
            _push(key, codes, need, take)
            bits += take
    rank, counts, first = _merge_keys(key, bits)
    return np.ascontiguousarray(matrix[:, first]), counts, rank


@kernel
def _push(key, codes, skip, take):  # type: ignore[no-untyped-def]
    """Append `take` bits of each code, those above its lowest `skip` bits, to its key."""
    left, right = np.uint64(take), np.uint64(skip)
    mask = (np.uint64(1) << left) - np.uint64(1)
    for i in range(key.shape[0]):
        key[i] = (key[i] << left) | ((np.uint64(codes[i]) >> right) & mask)


@kernel
def _merge_keys(key, bits):  # type: ignore[no-untyped-def]
    """Return (rank, counts, first): each key's rank among the distinct ones, and their rows and first rows.

    key (n,) uint64 of which the lowest `bits` bits are used; all returned are int64.
    """
    n = key.shape[0]
    row_bits = 0
    while (n - 1) >> row_bits > 0:
        row_bits += 1
    row_mask = (np.uint64(1) << np.uint64(row_bits)) - np.uint64(1)
    word = np.empty(n, np.uint64)
    other = np.empty(n, np.uint64)
    for i in range(n):
        word[i] = (key[i] << np.uint64(row_bits)) | np.uint64(i)
    # least digit first, each pass stable, so equal keys stay in the order of their rows
    n_passes = max((bits + 10) // 11, 1)
    digit = (bits + n_passes - 1) // n_passes
    digit_mask = np.uint64((1 << digit) - 1)
    place = np.empty((1 << digit) + 1, np.int64)
    for x in range(n_passes):
        shift = np.uint64(row_bits + x * digit)
        place[:] = 0
        for i in range(n):
            place[((word[i] >> shift) & digit_mask) + np.uint64(1)] += 1
        for b in range(1 << digit):
            place[b + 1] += place[b]
        for i in range(n):
            b = (word[i] >> shift) & digit_mask
            other[place[b]] = word[i]
            place[b] += 1
        word, other = other, word
    rank = np.empty(n, np.int64)
    counts = np.zeros(n, np.int64)
    first = np.empty(n, np.int64)
    distinct = -1
    previous = np.uint64(0)
    for i in range(n):
        row = word[i] & row_mask
        this = word[i] >> np.uint64(row_bits)
        if i == 0 or this != previous:
            distinct += 1
            first[distinct] = np.int64(row)
            previous = this
        counts[distinct] += 1
        rank[row] = distinct
    return rank, counts[: distinct + 1].copy(), first[: distinct + 1].copy()
