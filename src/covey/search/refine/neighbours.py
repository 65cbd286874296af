"""Neighbourhood search: a dear class and some near ones are made anew.

What loses more is kept now and then, the more so the higher the temperature, which falls as the tries go on.
"""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel, lean_kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.streams import below, draw
from covey.search.refine.growth import grow_anew
from covey.search.refine.improve import improve
from covey.search.refine.met import record
from covey.search.refine.pool import CLASSES, ROWS, is_legal, pool_loss
from covey.search.refine.scene import HOW_MANY, NEAR, look_around, put

__all__ = ["MANY_ROWS", "chance", "make_anew"]

LEAVE_OUT = 30
"""Of a hundred near tuples so many, twice as many or none are left out."""
MANY_ROWS = 512
"""If a neighbourhood may have more, each try takes so long that it pauses."""
LOOKS = 8
"""So many rows of a near tuple are looked at: the others are alike, and in as many classes again."""


@kernel
def make_anew(scene, pool, k, most_classes, first_try, end, total, key, warmth, coolness, bias, met) -> float:
    """Try the neighbourhoods first_try..end-1 of `total`; return by how much the loss fell.

    most_classes: of a neighbourhood; warmth and coolness: the temperature at the first and after the last of all tries;
    bias: classes grow by weights that are off by a factor of e^bias at most; met: `Met`, the classes of all tries that
    come near to what is there.
    """
    gained = 0.0
    for turn in range(first_try, end):
        if turn & DEAR_TURNS == 0 or pool.label.shape[0] > MANY_ROWS:
            pause(turn, total)
        own = draw(key, turn)
        first = _dear_row(scene, own)
        if scene.extent[scene.label[first]] == 0.0:
            continue
        look_around(scene, scene.tuples[first])
        n_chosen = _choose(scene, pool, first, most_classes, draw(own, 2))
        if n_chosen < 2:
            continue
        before = _fill(scene, pool, n_chosen, draw(own, 3))
        _bias(pool, bias, draw(own, 5))
        grow_anew(pool, k)
        improve(pool, k)
        after = pool_loss(pool)
        heat = warmth + (coolness - warmth) * turn / total
        is_kept = after <= before or after - before <= -heat * np.log(chance(draw(own, 4)))
        if (after > before + met.tolerance and not is_kept) or not is_legal(pool, k):
            continue
        if after <= before + met.tolerance:
            m, n = pool.size[ROWS], pool.size[CLASSES]
            record(met, pool.label[:m], pool.items[:m], pool.rows[:n], pool.extent[:n])
        if is_kept and _is_stored(scene, pool, n_chosen):
            gained += before - after
    return gained


@kernel
def chance(number):
    """Return a number above 0 and below 1 from a random uint64."""
    return (np.float64(number >> np.uint64(11)) + 1.0) / 9007199254740993.0


@lean_kernel
def _dear_row(scene, key):
    """Return the row in the class with the greater extent, of two that are drawn."""
    n = scene.label.shape[0]
    one, other = below(draw(key, 0), n), below(draw(key, 1), n)
    return other if scene.extent[scene.label[other]] > scene.extent[scene.label[one]] else one


@lean_kernel
def _choose(scene, pool, first, most_classes, key):
    """Choose the class of a row and classes of rows with near tuples; return how many: they are in `pool.before`.

    There are 2 at least, if there are so many near, and no more rows than the pool has room for.
    """
    chosen, most_rows = pool.before, pool.label.shape[0]
    want = 2 + below(draw(key, 0), most_classes - 1)
    leave_out = LEAVE_OUT * below(draw(key, 1), 3)
    chosen[0] = scene.label[first]
    n_chosen, rows = 1, scene.rows[chosen[0]]
    for place in range(NEAR):
        near = scene.near[scene.tuples[first], place]
        if near < 0 or n_chosen == want or rows >= most_rows:
            break
        if below(draw(key, 2 + 2 * place), 100) < leave_out:
            continue
        begin, alike = scene.begin[near], scene.begin[near + 1] - scene.begin[near]
        start = below(draw(key, 3 + 2 * place), alike)
        for look in range(min(alike, LOOKS)):
            c = scene.label[scene.of_tuple[begin + (start + look) % alike]]
            if n_chosen < want and rows + scene.rows[c] <= most_rows and not _is_among(chosen, n_chosen, c):
                chosen[n_chosen] = c
                n_chosen += 1
                rows += scene.rows[c]
                if scene.extent[c] == 0.0:  # others of equal rows are of no more use
                    break
    return n_chosen


@lean_kernel
def _is_among(chosen, n_chosen, c):
    found = False
    for place in range(n_chosen):
        found |= chosen[place] == c
    return found


@lean_kernel
def _fill(scene, pool, n_chosen, key):
    """Let the pool have the rows of the classes chosen, in random order; return what they lose."""
    m, lost, row = 0, 0.0, pool.row
    for place in range(n_chosen):
        c = pool.before[place]
        lost += scene.rows[c] * scene.extent[c]
        i = scene.head[c]
        while i >= 0:
            row[m] = i
            m += 1
            i = scene.after[i]
    for i in range(m - 1, 0, -1):
        other = below(draw(key, i), i + 1)
        row[i], row[other] = row[other], row[i]
    for i in range(m):
        pool.items[i] = scene.items[row[i]]
        point = scene.points[scene.tuples[row[i]]]
        for j in range(point.shape[0]):
            pool.points[j, i] = point[j]
    pool.size[ROWS] = m
    return lost


@lean_kernel
def _bias(pool, most, key) -> None:
    """Draw the weights by which the classes of a pool grow."""
    for j in range(pool.weights.shape[0]):
        pool.biased.weights[j] = pool.weights[j] * np.exp(most * (2.0 * chance(draw(key, j)) - 1.0))


@lean_kernel
def _is_stored(scene, pool, n_chosen):
    """Put the classes of a pool in the place of those that its rows had; False, and nothing is done, without room."""
    free, n_new = scene.free, 0
    for c in range(pool.size[CLASSES]):
        n_new += pool.rows[c] > 0
    if n_new > n_chosen + free[HOW_MANY]:
        return False
    for i in range(pool.size[ROWS]):  # the old classes, each once, are free now
        c = scene.label[pool.row[i]]
        if scene.rows[c] > 0:
            scene.rows[c], scene.extent[c], scene.head[c] = 0, 0.0, -1
            free[free[HOW_MANY]] = c
            free[HOW_MANY] += 1
    number = pool.before
    for c in range(pool.size[CLASSES]):
        if pool.rows[c] > 0:
            free[HOW_MANY] -= 1
            number[c] = free[free[HOW_MANY]]
            scene.rows[number[c]], scene.extent[number[c]] = pool.rows[c], pool.extent[c]
    for i in range(pool.size[ROWS]):
        put(scene, pool.row[i], number[pool.label[i]])
    return True
