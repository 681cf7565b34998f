//! Weighted centralities: Dijkstra's algorithm from each vertex.

use pleach::Rows;
use pleach::runtime::par_parts;
use pleach::traverse::Adjacency;

use super::heap::Heap;
use super::{Centralities, Closeness, ClosenessError, SOURCES, closeness, scaled};
use crate::copied::{Copied, present};
use crate::error::in_arcs;
use crate::weighs::Weighs;

/// [`closeness`](super::closeness()) with the weight of an arc as its length: `d(u,v)` is the least sum of weights along a path. A vertex at distance 0
/// counts as reached, and adds nothing to the harmonic centrality.
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
/// [`ClosenessError`] if a directed graph keeps no in-arcs, or a weight is negative, infinite or not a number.
pub fn closeness_weighted<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Closeness,
) -> Result<Centralities, ClosenessError> {
    let graph = graph.into();
    let rows = in_arcs(graph, "closeness_weighted")?;
    if size_of::<A::Value>() == 0 {
        // Without weights all arcs have length 1.
        return Ok(closeness(graph, options)?);
    }
    let arcs = Copied::weighted(rows);
    if let Some((to, from, weight)) = arcs.not_a_length() {
        return Err(ClosenessError::Weight { from, to, weight });
    }
    let (present, vertices) = (present(graph), graph.num_vertices());
    graph.announce("searches", Some(vertices));
    let parts = par_parts(arcs.len(), SOURCES, |sources| {
        // After a cancellation no further part begins.
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

/// A search checks for cancellation each time that it has reached so many vertices.
const CHECKED: usize = 1 << 16;

/// The memory of a search, which the next search uses again.
struct Search {
    /// Distance of each vertex, infinite between searches.
    lengths: Vec<f64>,
    heap: Heap,
    reached: Vec<u32>,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Search { lengths: vec![f64::INFINITY; vertices], heap: Heap::new(vertices), reached: Vec::new() }
    }

    /// Searches from a vertex. Returns the number of other vertices that it reaches, the sum of their distances, and the sum of the inverses of
    /// the distances.
    fn from(&mut self, arcs: &Copied, source: u32, check: &dyn Fn()) -> (f64, f64, f64) {
        let (mut total, mut harmonic) = (0.0, 0.0);
        self.lengths[source as usize] = 0.0;
        self.heap.push(0.0, source);
        while let Some((length, vertex)) = self.heap.pop() {
            total += length;
            harmonic += if length > 0.0 { 1.0 / length } else { 0.0 };
            self.reached.push(vertex);
            if self.reached.len().is_multiple_of(CHECKED) {
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
