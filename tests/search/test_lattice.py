"""The search of a lattice finds the best node of any monotone worth, without looking at all nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from covey.search.optimal_recoding.lattice import Node, Worth, best_node


def random_worth(random: np.random.Generator, n_levels: tuple[int, ...]) -> dict[Node, Worth]:
    """Return a worth of every node: legal above some nodes, bounds that rise, costs of at least the bounds above."""
    nodes = list(itertools.product(*(range(n) for n in n_levels)))
    top = tuple(n - 1 for n in n_levels)
    starts = [top] + [nodes[i] for i in random.integers(0, len(nodes), int(random.integers(0, 4)))]
    own = {node: int(random.integers(0, 4)) for node in nodes}
    tight = random.random() < 0.5  # bound and cost are the same if nothing can be suppressed
    worth = {}
    for node in nodes:
        below = [other for other in nodes if all(a <= b for a, b in zip(other, node, strict=True))]
        bound = max(own[other] for other in below)
        cost = bound if tight else bound + int(random.integers(0, 4))
        worth[node] = Worth(any(start in below for start in starts), bound, cost)
    return worth


def test_the_best_node_is_that_of_a_search_through_all() -> None:
    random = np.random.default_rng(2)
    judged, in_all = 0, 0
    for _ in range(2000):
        n_levels = tuple(int(n) for n in random.integers(1, 5, int(random.integers(1, 4))))
        worth = random_worth(random, n_levels)
        expected = min((w.cost, sum(node), node) for node, w in worth.items() if w.is_legal)[2]
        found, n_judged = best_node(n_levels, worth.__getitem__)
        assert found == expected, worth
        judged += n_judged
        in_all += len(worth)
    assert judged < 0.6 * in_all


def test_no_node_is_judged_twice() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        worth = random_worth(random, (4, 3, 3))
        seen: list[Node] = []

        def judge(node: Node, worth: dict[Node, Worth] = worth, seen: list[Node] = seen) -> Worth:
            seen.append(node)
            return worth[node]

        assert best_node((4, 3, 3), judge)[1] == len(seen) == len(set(seen))


@pytest.mark.parametrize("n_levels", [(), (1,), (1, 1), (1,) * 70])
def test_a_lattice_of_one_node(n_levels: tuple[int, ...]) -> None:
    assert best_node(n_levels, lambda node: Worth(True, 3, 3)) == ((0,) * len(n_levels), 1)


def test_columns_of_one_level_are_no_dimension() -> None:
    n_levels = (1,) * 70 + (3,)
    found, _ = best_node(n_levels, lambda node: Worth(node[-1] > 0, node[-1], node[-1]))
    assert found == (0,) * 70 + (1,)
