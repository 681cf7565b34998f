//! Centralities by the lengths of paths: Dijkstra's algorithm from each vertex.

use pleach::Rows;
use pleach::runtime::par_parts;
use pleach::traverse::Adjacency;

use super::heap::Heap;
use super::{Centralities, Closeness, ClosenessError, SOURCES, closeness, scaled};
use crate::copied::{Copied, present};
use crate::error::in_arcs;
use crate::weighs::Weighs;

/// [`closeness`](super::closeness()) with weights of arcs as their lengths: `d(u,v)` is the least sum of weights along a path. A vertex at distance 0 counts
/// as reached, and has no share of harmonic centrality.
///
/// O(n (m + n log n)) time; `28 n` bytes for each thread, and a copy of the arcs.
///
/// ```
/// use pleach::graph::{GraphOptions, WeightedGraph};
/// use pleach_algorithms::closeness::{Closeness, closeness_weighted};
///
/// let graph: WeightedGraph<f64> = WeightedGraph::new(GraphOptions::undirected());
/// graph.insert([(0, 1, 2.0), (1, 2, 1.0), (0, 2, 5.0)])?;
/// let found = closeness_weighted(&graph.fresh(), &Closeness::default())?;
/// assert_eq!(found.closeness, [2.0 / 5.0, 2.0 / 3.0, 2.0 / 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ClosenessError`] if a directed graph keeps no in-arcs, or a weight is no number of 0 or more.
pub fn closeness_weighted<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Closeness,
) -> Result<Centralities, ClosenessError> {
    let graph = graph.into();
    let rows = in_arcs(graph, "closeness_weighted")?;
    if size_of::<A::Value>() == 0 {
        // All arcs are as long as each other.
        return Ok(closeness(graph, options)?);
    }
    let arcs = Copied::weighted(rows);
    if let Some((to, from, weight)) = arcs.not_a_length() {
        return Err(ClosenessError::Weight { from, to, weight });
    }
    let (present, vertices) = (present(graph), graph.num_vertices());
    graph.announce("searches", Some(vertices));
    let parts = par_parts(arcs.len(), SOURCES, |sources| {
        // A part that begins when all are to end does not search.
        graph.check_cancel();
        let mut search = Search::new(arcs.len());
        let one = |source: usize| {
            if !present[source] {
                return (0.0, 0.0);
            }
            let (others, total, harmonic) = search.from(&arcs, source as u32, &|| graph.check_cancel());
            graph.advance(1);
            (scaled(others, total, vertices, options), harmonic)
        };
        sources.map(one).collect::<Vec<_>>()
    });
    Ok(Centralities::of(parts))
}

/// Vertices that a search reaches until it looks whether it is to end.
const LOOK: usize = 1 << 16;

/// What searches use one after the other.
struct Search {
    /// Of vertices that were reached; all others are infinitely far.
    lengths: Vec<f64>,
    heap: Heap,
    reached: Vec<u32>,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Search { lengths: vec![f64::INFINITY; vertices], heap: Heap::new(vertices), reached: Vec::new() }
    }

    /// The number of vertices that are reached from another one, the sum of their distances, and that of the inverses of these.
    fn from(&mut self, arcs: &Copied, source: u32, check: &dyn Fn()) -> (f64, f64, f64) {
        let (mut total, mut harmonic) = (0.0, 0.0);
        self.lengths[source as usize] = 0.0;
        self.heap.push(0.0, source);
        while let Some((length, vertex)) = self.heap.pop() {
            total += length;
            harmonic += if length > 0.0 { 1.0 / length } else { 0.0 };
            self.reached.push(vertex);
            if self.reached.len().is_multiple_of(LOOK) {
                check();
            }
            for (&to, &weight) in arcs.near(vertex).iter().zip(arcs.weights(vertex)) {
                let (longer, known) = (length + weight, &mut self.lengths[to as usize]);
                if longer < *known {
                    let waits = *known < f64::INFINITY;
                    *known = longer;
                    if waits { self.heap.lower(longer, to) } else { self.heap.push(longer, to) }
                }
            }
        }
        let others = (self.reached.len() - 1) as f64;
        self.reached.drain(..).for_each(|vertex| self.lengths[vertex as usize] = f64::INFINITY);
        (others, total, harmonic)
    }
}
