/* Sixteen threads insert, change and delete single edges; each sees what it has written, and the graph is right in the end. */
#include <pleach.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 16
#define EDGES 400

static pleach_graph graph;

static void check(pleach_status status, const char *what) {
    if (status != PLEACH_OK) {
        fprintf(stderr, "%s: %s\n", what, pleach_last_error());
        exit(1);
    }
}

static void expect(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "wrong: %s\n", what);
        exit(1);
    }
}

/* The edges of thread t are those from t to 1000, 1001, …; vertices at their ends are shared. */
static void *work(void *argument) {
    uint64_t self = (uint64_t)(uintptr_t)argument;
    bool was;
    for (uint64_t k = 0; k < EDGES; k++) {
        double weight;
        check(pleach_graph_insert_edge(graph, self, 1000 + k, (double)k, &was), "insert");
        expect(was, "a new edge");
        check(pleach_graph_find_edge(graph, self, 1000 + k, &was, &weight), "find");
        expect(was && weight == (double)k, "the edge that was inserted");
        if (k % 2 == 0) {
            check(pleach_graph_update_edge(graph, self, 1000 + k, -1.0, &was), "update");
            expect(was, "an edge to update");
        }
        if (k % 4 == 1) {
            check(pleach_graph_delete_edge(graph, self, 1000 + k, &was), "delete");
            expect(was, "an edge to delete");
        }
    }
    /* The message of a failure is that of the thread. */
    expect(pleach_graph_connect(graph, self, 5000 + self, 1.0, NULL) == PLEACH_NO_VERTEX, "a missing vertex");
    char message[64];
    snprintf(message, sizeof message, "there is no vertex %llu", (unsigned long long)(5000 + self));
    for (size_t k = 0; message[k] != 0; k++)
        expect(pleach_last_error()[k] == message[k], "the message of this thread");
    return NULL;
}

int main(void) {
    check(pleach_graph_new(true, true, &graph), "new");
    pthread_t threads[THREADS];
    for (uintptr_t k = 0; k < THREADS; k++)
        expect(pthread_create(&threads[k], NULL, work, (void *)k) == 0, "a thread");
    for (size_t k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);

    pleach_snapshot snapshot;
    check(pleach_graph_snapshot(graph, &snapshot), "snapshot");
    uint64_t edges, vertices;
    check(pleach_snapshot_num_edges(snapshot, &edges), "edges");
    check(pleach_snapshot_num_vertices(snapshot, &vertices), "vertices");
    expect(edges == THREADS * (EDGES - EDGES / 4), "the number of edges");
    expect(vertices == THREADS + EDGES, "the number of vertices");
    for (uint64_t self = 0; self < THREADS; self++) {
        for (uint64_t k = 0; k < EDGES; k++) {
            bool there;
            double weight;
            check(pleach_snapshot_find_edge(snapshot, self, 1000 + k, &there, &weight), "find");
            expect(there == (k % 4 != 1), "an edge that is left");
            expect(!there || weight == (k % 2 == 0 ? -1.0 : (double)k), "its weight");
        }
    }
    check(pleach_graph_free(graph), "free");
    expect(pleach_graph_free(graph) == PLEACH_BAD_HANDLE, "a handle that was freed");
    check(pleach_snapshot_free(snapshot), "free the snapshot");
    printf("%llu edges\n", (unsigned long long)edges);
    return 0;
}
