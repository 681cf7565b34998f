"""Algorithms by Pleach and by other libraries of Python, from columns of edges to the result: milliseconds, the conversion included.

    python bindings/python/benches/libraries.py [--edges 10000,100000,1000000] [--limit SECONDS] [--only pagerank,bfs]

The graphs are R-MAT graphs with the parameters of the Graph 500, undirected, without loops and duplicates; every library gets the same two
NumPy columns of edges, and converts them by the fastest way that its documentation has. Libraries take turns, and each figure is a
median. A library that took longer than the limit is not tried on larger graphs. Results that can be compared are compared with ours.
Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
import warnings

import numpy as np

import pleach_graph as pl

#: Searches of a sampled betweenness.
SAMPLE = 16


@functools.lru_cache(maxsize=1)
def rmat(edges: int, seed: int = 1):
    """The number of vertices, and about so many edges as two columns."""
    scale = max(6, int(np.ceil(np.log2(edges / 16))))
    random = np.random.default_rng(seed)
    found = np.empty(0, np.int64)
    while found.size < edges:
        src = dst = np.zeros(edges + edges // 4, np.int64)
        for _ in range(scale):
            draw = random.random(src.size)
            down, right = draw >= 0.76, ((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)
            src, dst = src * 2 + down, dst * 2 + right
        low, high = np.minimum(src, dst), np.maximum(src, dst)
        found = np.unique(np.concatenate([found, (low * 2**scale + high)[low < high]]))
    found = random.permutation(found)[:edges]
    names = random.permutation(2**scale)
    return 2**scale, names[found >> scale], names[found & (2**scale - 1)]


@functools.lru_cache(maxsize=1)
def weights(count: int) -> np.ndarray:
    """A weight above 0 and up to 1 for each edge."""
    return 1.0 - np.random.default_rng(2).random(count)


class Pleach:
    """This library."""

    @staticmethod
    def graph(n, src, dst):
        return pl.Graph((src, dst), directed=False, num_vertices=n)

    @staticmethod
    def weighted(n, src, dst):
        return pl.Graph((src, dst, weights(src.size)), directed=False, num_vertices=n)

    def pagerank(self, *edges):
        return pl.pagerank(self.graph(*edges), tol=1e-7)

    def weighted_pagerank(self, *edges):
        return pl.pagerank(self.weighted(*edges), tol=1e-7, weight=True)

    def weighted_closeness(self, *edges):
        return pl.closeness_centrality(self.weighted(*edges), distance=True, wf_improved=False)

    def bfs(self, *edges):
        return self.graph(*edges).bfs(int(edges[1][0])).distance

    def components(self, *edges):
        return pl.number_connected_components(self.graph(*edges))

    def triangles(self, *edges):
        return pl.number_of_triangles(self.graph(*edges))

    def betweenness(self, *edges):
        return pl.betweenness_centrality(self.graph(*edges), normalized=False)

    def sampled_betweenness(self, *edges):
        return pl.betweenness_centrality(self.graph(*edges), k=SAMPLE)

    def louvain(self, *edges):
        return pl.louvain_communities(self.graph(*edges))


class NetworkX:
    """NetworkX without a backend."""

    def __init__(self):
        import networkx

        self.nx = networkx

    def graph(self, n, src, dst):
        graph = self.nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(zip(src.tolist(), dst.tolist()))
        return graph

    def weighted(self, n, src, dst):
        graph = self.nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weights(src.size).tolist()))
        return graph

    def pagerank(self, *edges):
        return self.ranks(self.graph(*edges))

    def weighted_pagerank(self, *edges):
        return self.ranks(self.weighted(*edges))

    def ranks(self, graph):
        return np.fromiter(self.nx.pagerank(graph, tol=1e-7 / len(graph), max_iter=1000).values(), float)

    def weighted_closeness(self, *edges):
        found = self.nx.closeness_centrality(self.weighted(*edges), distance="weight", wf_improved=False)
        return np.fromiter(found.values(), float)

    def bfs(self, *edges):
        return dict(self.nx.single_source_shortest_path_length(self.graph(*edges), int(edges[1][0])))

    def components(self, *edges):
        return self.nx.number_connected_components(self.graph(*edges))

    def triangles(self, *edges):
        return sum(self.nx.triangles(self.graph(*edges)).values()) // 3

    def betweenness(self, *edges):
        return np.fromiter(self.nx.betweenness_centrality(self.graph(*edges), normalized=False).values(), float)

    def sampled_betweenness(self, *edges):
        return self.nx.betweenness_centrality(self.graph(*edges), k=SAMPLE, seed=1)

    def louvain(self, *edges):
        return self.nx.community.louvain_communities(self.graph(*edges), seed=1)


class Igraph:
    """python-igraph."""

    def __init__(self):
        import igraph

        self.igraph = igraph

    def graph(self, n, src, dst):
        return self.igraph.Graph(n, np.column_stack([src, dst]))

    def pagerank(self, *edges):
        return np.array(self.graph(*edges).pagerank())

    def weighted_pagerank(self, *edges):
        return np.array(self.graph(*edges).pagerank(weights=weights(edges[1].size).tolist()))

    def weighted_closeness(self, *edges):
        # No number where nothing else is reached.
        return np.nan_to_num(np.array(self.graph(*edges).closeness(weights=weights(edges[1].size).tolist())))

    def bfs(self, *edges):
        return np.array(self.graph(*edges).distances(int(edges[1][0]))[0])

    def components(self, *edges):
        return len(self.graph(*edges).connected_components())

    def triangles(self, *edges):
        return len(self.graph(*edges).list_triangles())

    def betweenness(self, *edges):
        return np.array(self.graph(*edges).betweenness())

    def sampled_betweenness(self, *edges):
        return self.graph(*edges).betweenness(sources=range(SAMPLE))

    def louvain(self, *edges):
        return self.graph(*edges).community_multilevel()


class NetworKit:
    """NetworKit."""

    def __init__(self):
        import networkit

        self.nk = networkit
        networkit.setNumberOfThreads(pl.get_threads())

    def graph(self, n, src, dst):
        return self.nk.GraphFromCoo((src, dst), n=n, directed=False, weighted=False)

    def weighted(self, n, src, dst):
        return self.nk.GraphFromCoo((weights(src.size), (src, dst)), n=n, directed=False, weighted=True)

    # An algorithm does not keep its graph alive.
    def pagerank(self, *edges):
        return self.ranks(self.graph(*edges))

    def weighted_pagerank(self, *edges):
        return self.ranks(self.weighted(*edges))

    def weighted_closeness(self, *edges):
        graph = self.weighted(*edges)
        self.nk.centrality.Closeness(graph, False, self.nk.centrality.ClosenessVariant.GENERALIZED).run().scores()
        # Nothing to compare: its scale is another one.

    def ranks(self, graph):
        sinks = self.nk.centrality.SinkHandling.DistributeSinks
        return np.array(self.nk.centrality.PageRank(graph, 0.85, 1e-8, distributeSinks=sinks).run().scores())

    def bfs(self, *edges):
        graph = self.graph(*edges)
        return np.array(self.nk.distance.BFS(graph, int(edges[1][0]), False).run().getDistances())

    def components(self, *edges):
        graph = self.graph(*edges)
        return self.nk.components.ParallelConnectedComponents(graph, False).run().numberOfComponents()

    def triangles(self, *edges):
        graph = self.graph(*edges)
        graph.indexEdges()
        return sum(self.nk.sparsification.TriangleEdgeScore(graph).run().scores()) // 3

    def betweenness(self, *edges):
        graph = self.graph(*edges)
        return np.array(self.nk.centrality.Betweenness(graph).run().scores()) / 2

    def sampled_betweenness(self, *edges):
        graph = self.graph(*edges)
        return self.nk.centrality.EstimateBetweenness(graph, SAMPLE, False, True).run().scores()

    def louvain(self, *edges):
        graph = self.graph(*edges)
        return self.nk.community.PLM(graph, True).run().getPartition()


class Rustworkx:
    """rustworkx."""

    def __init__(self):
        import rustworkx

        self.rx = rustworkx

    def filled(self, graph, edges):
        n, src, dst = edges
        graph.add_nodes_from(range(n))
        graph.extend_from_edge_list(list(zip(src.tolist(), dst.tolist())))
        return graph

    def graph(self, *edges):
        return self.filled(self.rx.PyGraph(), edges)

    def pagerank(self, n, src, dst):
        both = n, np.concatenate([src, dst]), np.concatenate([dst, src])
        ranks = self.rx.pagerank(self.filled(self.rx.PyDiGraph(), both), tol=1e-7 / n, max_iter=1000)
        return np.fromiter(ranks.values(), float)

    def weighted_pagerank(self, n, src, dst):
        graph = self.rx.PyDiGraph()
        graph.add_nodes_from(range(n))
        ends = np.concatenate([src, dst]).tolist(), np.concatenate([dst, src]).tolist()
        graph.extend_from_weighted_edge_list(list(zip(*ends, np.tile(weights(src.size), 2).tolist())))
        ranks = self.rx.pagerank(graph, weight_fn=lambda weight: weight, tol=1e-7 / n, max_iter=1000)
        return np.fromiter(ranks.values(), float)

    def bfs(self, *edges):
        return dict(self.rx.dijkstra_shortest_path_lengths(self.graph(*edges), int(edges[1][0]), lambda _: 1.0))

    def components(self, *edges):
        return self.rx.number_connected_components(self.graph(*edges))

    def triangles(self, *edges):
        # It has no count of triangles; this one counts them.
        self.rx.transitivity(self.graph(*edges))

    def betweenness(self, *edges):
        return np.fromiter(self.rx.betweenness_centrality(self.graph(*edges), normalized=False).values(), float)


class GraphBLAS:
    """graphblas-algorithms on SuiteSparse:GraphBLAS."""

    def __init__(self):
        import graphblas
        import graphblas_algorithms

        self.gb, self.ga = graphblas, graphblas_algorithms

    def graph(self, n, src, dst, values=1.0):
        both = np.concatenate([src, dst]), np.concatenate([dst, src])
        matrix = self.gb.Matrix.from_coo(*both, values, nrows=n, ncols=n)
        return self.ga.Graph(matrix)

    def pagerank(self, *edges):
        return self.ranks(self.graph(*edges), edges)

    def weighted_pagerank(self, *edges):
        return self.ranks(self.graph(*edges, np.tile(weights(edges[1].size), 2)), edges)

    def ranks(self, graph, edges):
        return self.ga.algorithms.pagerank(graph, tol=1e-7 / edges[0], max_iter=1000).to_dense(fill_value=0.0)

    def bfs(self, *edges):
        return self.ga.algorithms.single_source_shortest_path_length(self.graph(*edges), int(edges[1][0]))

    def triangles(self, *edges):
        return self.ga.algorithms.total_triangles(self.graph(*edges))


WORK = ["pagerank", "weighted_pagerank", "bfs", "components", "triangles", "betweenness", "sampled_betweenness", "weighted_closeness", "louvain"]
LIBRARIES = [Pleach, Igraph, NetworKit, Rustworkx, GraphBLAS, NetworkX]


def agrees(work: str, ours, theirs) -> bool | None:
    """Whether two results are the same; ``None`` where they need not be."""
    if theirs is None or work in ("sampled_betweenness", "louvain"):
        return None
    if work in ("components", "triangles"):
        return int(ours) == int(theirs)
    if work == "bfs":
        if isinstance(theirs, dict):
            return sum(theirs.values()) == int(ours[ours > 0].sum())
        if not isinstance(theirs, np.ndarray):
            return None
        reached = ours >= 0
        return np.array_equal(theirs[reached], ours[reached])
    tolerance = 1e-6 if work.endswith("pagerank") else 1e-6 * float(np.abs(ours).sum())
    return float(np.abs(np.asarray(theirs) - ours).sum()) <= tolerance


def measure(work: str, edges, libraries: dict, late: set, limit: float, seconds: float) -> dict[str, float]:
    """Median times by library, in seconds."""
    times: dict[str, list[float]] = {}
    ours = None
    end = time.perf_counter() + seconds
    for turn in range(9):
        for name, library in libraries.items():
            if (name, work) in late or not hasattr(library, work) or (turn and name not in times):
                continue
            start = time.perf_counter()
            try:
                found = getattr(library, work)(*edges)
            except Exception as error:
                print(f"  {name} {work}: {type(error).__name__}: {error}", file=sys.stderr)
                late.add((name, work))
                continue
            spent = time.perf_counter() - start
            times.setdefault(name, []).append(spent)
            if spent > limit:
                late.add((name, work))
            if name == "Pleach":
                ours = found
            elif turn == 0 and agrees(work, ours, found) is False:
                print(f"  {name} {work}: the result differs from ours", file=sys.stderr)
            del found
        if time.perf_counter() > end and turn >= 2:
            break
    return {name: statistics.median(spent) for name, spent in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", default="10000,100000,1000000,10000000")
    parser.add_argument("--only", default=",".join(WORK))
    parser.add_argument("--libraries", default=",".join(kind.__name__ for kind in LIBRARIES))
    parser.add_argument("--limit", type=float, default=20.0, help="seconds")
    parser.add_argument("--seconds", type=float, default=5.0, help="of turns for a row, and at least three turns")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    libraries = {}
    for kind in LIBRARIES:
        if kind.__name__ not in options.libraries.split(","):
            continue
        try:
            libraries[kind.__name__] = kind()
        except ImportError as error:
            print(f"  {kind.__name__} is left out: {error}", file=sys.stderr)
    late: set[tuple[str, str]] = set()
    print(f"{pl.get_threads()} threads; milliseconds")
    print("| algorithm | edges | " + " | ".join(libraries) + " |")
    print("|---|---|" + "---|" * len(libraries))
    for work in options.only.split(","):
        for size in map(int, options.edges.split(",")):
            if ("Pleach", work) in late:
                continue
            found = measure(work, rmat(size), libraries, late, options.limit, options.seconds)
            cells = (f"{1e3 * found[name]:,.1f}" if name in found else "" for name in libraries)
            print(f"| {work.replace('_', ' ')} | {size:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
