"""A spanning tree of points: the minimum one, or for many points that of their nearest neighbours, joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.base.arrays import FloatMatrix, FloatVector, IntMatrix, IntVector

__all__ = ["MOST_DENSE", "N_NEIGHBOURS", "spanning_tree"]

MOST_DENSE = 4000
"""Up to so many points all distances are kept (128 MB) and the tree is the minimum one."""
N_NEIGHBOURS = 32


def spanning_tree(points: FloatMatrix, *, most_dense: int = MOST_DENSE) -> tuple[IntMatrix, FloatVector]:
    """Return the edges (t - 1, 2) of a spanning tree of distinct points, lower number first, and their lengths.

    Up to `most_dense` points it is the minimum spanning tree.  Above, it is that of the graph of every point's 32
    nearest neighbours; parts of that graph that hang apart are joined by their exact shortest links.

    >>> edges, lengths = spanning_tree(np.array([[0.0], [3.0], [1.0]]))
    >>> edges.tolist(), lengths.tolist()
    ([[0, 2], [1, 2]], [1.0, 2.0])
    """
    if len(points) < 2:
        return np.zeros((0, 2), np.int64), np.zeros(0)
    from scipy.sparse.csgraph import minimum_spanning_tree

    graph = _all_distances(points) if len(points) <= most_dense else _neighbours(points)
    tree = minimum_spanning_tree(graph).tocoo()
    edges = np.sort(np.stack([tree.row, tree.col], axis=1).astype(np.int64), axis=1)
    order = np.lexsort([edges[:, 1], edges[:, 0]])
    return edges[order], np.asarray(tree.data, np.float64)[order]


def _all_distances(points: FloatMatrix) -> FloatMatrix:
    from scipy.spatial.distance import cdist

    distances = cdist(points, points)
    # scipy takes a zero for no edge: points so near that their distance vanishes are next to each other
    distances[distances == 0] = np.finfo(np.float64).tiny
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances, np.float64)


def _neighbours(points: FloatMatrix) -> Any:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from sklearn.neighbors import NearestNeighbors

    n_neighbours = min(N_NEIGHBOURS, len(points) - 1)
    distances, found = NearestNeighbors(n_neighbors=n_neighbours).fit(points).kneighbors()
    one = np.repeat(np.arange(len(points)), n_neighbours)
    two = found.reshape(-1)
    length = distances.reshape(-1)
    while True:
        lengths = np.maximum(length, np.finfo(np.float64).tiny)  # a zero would be no edge
        graph = coo_array((lengths, (one, two)), shape=(len(points), len(points))).tocsr()
        n_parts, part = connected_components(graph, directed=False)
        if n_parts == 1:
            return graph  # an edge that was found from both sides counts once, by its smaller length
        links = [_shortest_link(points, part == number) for number in range(n_parts)]
        a, b, distance = zip(*links, strict=True)
        one, two, length = np.append(one, a), np.append(two, b), np.append(length, distance)


def _shortest_link(points: FloatMatrix, inside: IntVector) -> tuple[int, int, float]:
    """Return the nearest two points of which one lies inside and one outside, and their distance."""
    from sklearn.neighbors import NearestNeighbors

    within, beyond = np.flatnonzero(inside), np.flatnonzero(~inside)
    distances, found = NearestNeighbors(n_neighbors=1).fit(points[beyond]).kneighbors(points[within])
    nearest = int(distances[:, 0].argmin())
    return int(within[nearest]), int(beyond[found[nearest, 0]]), float(distances[nearest, 0])
