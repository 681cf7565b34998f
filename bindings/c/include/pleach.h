/* Pleach: graphs that change while they are read.
 *
 * A graph has vertices, named by ids of the caller's choice (any 64-bit numbers), and edges, directed or not, with weights or without.
 * Any number of threads may call any function at the same time.
 *
 * Changes. A function that changes a graph returns when the change is applied: every later call of any thread sees it. Changes that several
 * threads make at the same time are collected and applied as one batch, by one of these threads, while the others sleep; the library starts
 * no thread for it. A change is applied whole or not at all.
 *
 * Snapshots. A snapshot is the graph as it was when the snapshot was taken. It takes constant time to take one, it never changes, and it
 * stays valid when the graph is freed. Algorithms run on snapshots, on all cores; the environment variable RAYON_NUM_THREADS sets another
 * number of threads.
 *
 * Errors. Functions return PLEACH_OK or say why they fail; pleach_last_error() has the message. A function that fails changes nothing, and
 * writes no results unless its comment says so. No function ends the program because of a defect of its own: it returns PLEACH_PANIC.
 *
 * What the library notices: null pointers, arrays that are too short by their stated length or not aligned, handles that were freed or never
 * created, and handles of another kind. Freeing a handle while another thread uses it is allowed: that call ends as if nothing had happened.
 *
 * What the caller must see to, because the library cannot: pointers that are not null point to memory of their type, arrays have as many
 * elements as stated, and no two results of a call share memory, nor does another thread use them during the call.
 */
#ifndef PLEACH_H
#define PLEACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. */
typedef enum pleach_status {
    PLEACH_OK = 0,
    PLEACH_NULL_POINTER = 1,     /* a pointer is null that must not be */
    PLEACH_BAD_HANDLE = 2,       /* a handle names nothing, nothing any more, or something of another kind */
    PLEACH_BAD_ARGUMENT = 3,     /* an argument is not one that the function takes, such as a weight that is not a number */
    PLEACH_NO_VERTEX = 4,        /* a vertex is not in the graph */
    PLEACH_NO_WEIGHTS = 5,       /* the edges of the graph have no weights */
    PLEACH_BUFFER_TOO_SMALL = 6, /* an array is too short for the result */
    PLEACH_TOO_MANY = 7,         /* more than 2^32 - 1 vertices were named, or there are too many handles */
    PLEACH_OUT_OF_MEMORY = 8,    /* memory cannot be allocated */
    PLEACH_CANCELLED = 9,        /* pleach_snapshot_cancel was called */
    PLEACH_PANIC = 10            /* a defect of Pleach; please report it with the message */
} pleach_status;

/* The handle of a graph. A copy names the same graph. An id of zero names nothing. */
typedef struct pleach_graph {
    uint64_t id;
} pleach_graph;

/* The handle of a snapshot. A copy names the same snapshot. An id of zero names nothing. */
typedef struct pleach_snapshot {
    uint64_t id;
} pleach_snapshot;

/* The version of the library, such as "0.1.0". */
const char *pleach_version(void);

/* The message of the last function that failed on this thread, in UTF-8; empty if none has. It is valid until the next function fails on
 * this thread, or the thread ends. */
const char *pleach_last_error(void);

/* Creates a graph without vertices. In an undirected graph the edge from a to b is the one from b to a. In a graph without weights every
 * edge weighs 1: weights that are passed are not looked at, and edges take a third of the memory. */
pleach_status pleach_graph_new(bool directed, bool weighted, pleach_graph *graph);

/* Frees a graph. Its snapshots stay. */
pleach_status pleach_graph_free(pleach_graph graph);

/* Changes of vertices and edges. The last pointer may be null; it says whether the vertex or the edge is new, or whether it was there.
 * Weights are finite numbers. Vertices stay when their last edge is deleted. Memory is kept for every id that was ever inserted. */

/* Adds a vertex, unless it exists. */
pleach_status pleach_graph_insert_vertex(pleach_graph graph, uint64_t vertex, bool *was_new);

/* Removes a vertex and all edges at it, if it exists. Takes time for its edges. */
pleach_status pleach_graph_delete_vertex(pleach_graph graph, uint64_t vertex, bool *was_there);

/* Inserts an edge, and its vertices where they do not exist. If the edge exists, it keeps its weight. */
pleach_status pleach_graph_insert_edge(pleach_graph graph, uint64_t from, uint64_t to, double weight, bool *was_new);

/* Inserts an edge between two vertices that exist; PLEACH_NO_VERTEX if one does not. If the edge exists, it keeps its weight. */
pleach_status pleach_graph_connect(pleach_graph graph, uint64_t from, uint64_t to, double weight, bool *was_new);

/* Inserts an edge, and its vertices where they do not exist. If the edge exists, it gets the weight. */
pleach_status pleach_graph_put_edge(pleach_graph graph, uint64_t from, uint64_t to, double weight, bool *was_new);

/* Changes the weight of an edge, if it exists. PLEACH_NO_WEIGHTS in a graph without weights. */
pleach_status pleach_graph_update_edge(pleach_graph graph, uint64_t from, uint64_t to, double weight, bool *was_there);

/* Deletes an edge, if it exists. */
pleach_status pleach_graph_delete_edge(pleach_graph graph, uint64_t from, uint64_t to, bool *was_there);

/* Inserts `count` edges as one batch, as pleach_graph_insert_edge does with each: the fast way to load a graph. Without `weights`, which may
 * be null, each weighs 1. `new_edges`, which may be null, gets the number of those that did not exist. */
pleach_status pleach_graph_insert_edges(pleach_graph graph, const uint64_t *from, const uint64_t *to, const double *weights, size_t count,
                                        uint64_t *new_edges);

/* The graph as it is now. */

/* Whether a vertex exists. */
pleach_status pleach_graph_has_vertex(pleach_graph graph, uint64_t vertex, bool *is_there);

/* Whether an edge exists, and its weight; NaN if it does not. One of the two pointers may be null. */
pleach_status pleach_graph_find_edge(pleach_graph graph, uint64_t from, uint64_t to, bool *is_there, double *weight);

/* Number of vertices. */
pleach_status pleach_graph_num_vertices(pleach_graph graph, uint64_t *count);

/* Number of edges; an undirected one counts once. */
pleach_status pleach_graph_num_edges(pleach_graph graph, uint64_t *count);

/* Takes a snapshot, which has every change that was made before the call. Release it with pleach_snapshot_free. */
pleach_status pleach_graph_snapshot(pleach_graph graph, pleach_snapshot *snapshot);

/* Releases a snapshot. */
pleach_status pleach_snapshot_free(pleach_snapshot snapshot);

/* Ends the algorithms that run on a snapshot, and those that are started on it later, with PLEACH_CANCELLED. Other snapshots of the same
 * graph are not affected. */
pleach_status pleach_snapshot_cancel(pleach_snapshot snapshot);

/* The number of batches that a snapshot holds: of two snapshots of a graph, the later one has the larger number, or the same if nothing has
 * changed. */
pleach_status pleach_snapshot_version(pleach_snapshot snapshot, uint64_t *version);

/* Number of vertices. */
pleach_status pleach_snapshot_num_vertices(pleach_snapshot snapshot, uint64_t *count);

/* Number of edges; an undirected one counts once. */
pleach_status pleach_snapshot_num_edges(pleach_snapshot snapshot, uint64_t *count);

/* Whether a vertex exists. */
pleach_status pleach_snapshot_has_vertex(pleach_snapshot snapshot, uint64_t vertex, bool *is_there);

/* Whether an edge exists, and its weight; NaN if it does not. One of the two pointers may be null. */
pleach_status pleach_snapshot_find_edge(pleach_snapshot snapshot, uint64_t from, uint64_t to, bool *is_there, double *weight);

/* Writes the id of every vertex, in an order that is the same for all results of the snapshot. `capacity` is the length of the array: at
 * least the number of vertices. */
pleach_status pleach_snapshot_vertices(pleach_snapshot snapshot, uint64_t *vertices, size_t capacity);

/* Number of edges that lead out of a vertex; of edges at it in an undirected graph. */
pleach_status pleach_snapshot_out_degree(pleach_snapshot snapshot, uint64_t vertex, uint64_t *degree);

/* Number of edges that lead into a vertex; of edges at it in an undirected graph. */
pleach_status pleach_snapshot_in_degree(pleach_snapshot snapshot, uint64_t vertex, uint64_t *degree);

/* Writes the vertices that edges lead to, in no particular order, and the weights of the edges to `weights`, which may be null. Both arrays
 * have `capacity` elements. `count`, which may be null, gets the number of these vertices, with PLEACH_BUFFER_TOO_SMALL as well. */
pleach_status pleach_snapshot_out_neighbors(pleach_snapshot snapshot, uint64_t vertex, uint64_t *neighbors, double *weights,
                                            size_t capacity, size_t *count);

/* As pleach_snapshot_out_neighbors, of the vertices that edges come from. */
pleach_status pleach_snapshot_in_neighbors(pleach_snapshot snapshot, uint64_t vertex, uint64_t *neighbors, double *weights,
                                           size_t capacity, size_t *count);

/* Algorithms, as LDBC Graphalytics defines them. Each writes one element for each vertex, in the order of pleach_snapshot_vertices, to an
 * array of `capacity` elements: at least the number of vertices. */

/* Number of edges on a shortest path from `source`; INT64_MAX where there is none. */
pleach_status pleach_snapshot_bfs(pleach_snapshot snapshot, uint64_t source, int64_t *depths, size_t capacity);

/* PageRank after a number of iterations. `damping` is at least 0 and less than 1, usually 0.85. Ranks sum to one; those of vertices that no
 * edge leads out of are distributed evenly. */
pleach_status pleach_snapshot_pagerank(pleach_snapshot snapshot, uint64_t iterations, double damping, double *ranks, size_t capacity);

/* The weakly connected component of each vertex, named by the smallest id in it. */
pleach_status pleach_snapshot_wcc(pleach_snapshot snapshot, uint64_t *components, size_t capacity);

/* Communities by propagation of labels, in at most so many iterations: the most frequent label of the neighbours, the smallest of several.
 * Labels are ids. */
pleach_status pleach_snapshot_cdlp(pleach_snapshot snapshot, uint64_t iterations, uint64_t *labels, size_t capacity);

/* Local clustering coefficients. */
pleach_status pleach_snapshot_lcc(pleach_snapshot snapshot, double *coefficients, size_t capacity);

/* Length of a shortest path from `source` by weights, none of which may be negative; infinite where there is none. In a graph without
 * weights every edge is of length 1. */
pleach_status pleach_snapshot_sssp(pleach_snapshot snapshot, uint64_t source, double *distances, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
