//! Edge maps: from a frontier along the arcs to the next one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use pleach_runtime::{Fiber, Run, first_coords, par_concat, par_map, threads};

use super::hub::try_each_run;
use super::{Adjacency, Bits, Frontier, for_each_run};
use crate::Rows;

/// What an algorithm does with an arc that leads out of the frontier.
pub trait EdgeFunction<V>: Sync {
    /// Whether `to` may still be reached. Arcs to other vertices are skipped.
    fn wants(&self, to: u32) -> bool;

    /// Uses the arc, while other tasks may use other arcs to the same vertex. Returns whether `to` joins the next frontier: `true` at
    /// most once for a vertex in one map, unless the map deduplicates.
    fn push(&self, from: u32, to: u32, value: &V) -> bool;

    /// Uses the arc, while no other task uses an arc to the same vertex. Returns whether `to` joins the next frontier. Beyond the first few thousand arcs into a
    /// hub, which several tasks share, `push` is called instead.
    fn pull(&self, from: u32, to: u32, value: &V) -> bool {
        self.push(from, to, value)
    }

    /// Prefetches the memory that an arc to `to` will need.
    #[inline(always)]
    fn prefetch(&self, to: u32) {
        let _ = to;
    }

    /// Called after a pull. Returns whether further arcs to `to` cannot change the result; they are then skipped. Arcs come in ascending
    /// order of their sources if the store keeps its rows in order. Several tasks share the row of a hub: this order then holds within the
    /// part of each task, and each task skips the rest of its own part.
    fn is_settled(&self, to: u32) -> bool {
        !self.wants(to)
    }
}

/// The direction in which arcs are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along the out-arcs of the frontier.
    Push,
    /// Along the in-arcs of the vertices that may still be reached.
    Pull,
}

/// Maps over the arcs out of a frontier. Keeps its scratch memory and its last direction from map to map.
pub struct EdgeMap {
    /// A fixed direction, if there is one. A graph without in-arcs is never pulled.
    pub direction: Option<Direction>,
    /// Pull once the frontier and its out-arcs are more than one in this many of all arcs. Ligra's default is 20.
    pub dense_share: usize,
    /// Push again once the frontier is less than one in this many of all vertices. Beamer's is 18.
    pub sparse_share: usize,
    /// The vertices that joined, for functions whose `push` may return `true` more than once for a vertex.
    joined: Option<Bits>,
    /// Whether the last map pulled: returning to pushing needs a much smaller frontier than changing to pulling.
    pulled: bool,
    /// Bits of a former frontier, to be used again.
    spare: Option<Bits>,
    /// The vertices that joined in a pull.
    marks: Vec<AtomicU8>,
}

impl Default for EdgeMap {
    fn default() -> Self {
        EdgeMap::new()
    }
}

impl EdgeMap {
    /// For functions whose `push` returns `true` at most once for a vertex in one map.
    pub fn new() -> Self {
        EdgeMap {
            direction: None,
            dense_share: 20,
            sparse_share: 18,
            joined: None,
            pulled: false,
            spare: None,
            marks: Vec::new(),
        }
    }

    /// For any functions: a vertex joins once, however often `push` returns `true` for it.
    pub fn deduplicating(vertices: usize) -> Self {
        EdgeMap { joined: Some(Bits::new(vertices)), ..EdgeMap::new() }
    }

    /// Applies `f` to the arcs out of `frontier` whose targets may still be reached. Returns the next frontier. Ends early where the graph
    /// has a [`Cancel`](super::Cancel) that asks for it.
    pub fn run<A: Rows, F: EdgeFunction<A::Value>>(
        &mut self,
        graph: Adjacency<'_, A>,
        frontier: Frontier,
        f: &F,
    ) -> Frontier {
        graph.check_cancel();
        let direction = self.choose(graph, &frontier);
        match graph.incoming().filter(|_| direction == Direction::Pull) {
            None => {
                let vertices = match frontier {
                    Frontier::Sparse(vertices) => vertices,
                    Frontier::Dense(bits, _) => {
                        let vertices = bits.to_vertices();
                        self.spare = Some(bits);
                        vertices
                    }
                };
                let next = push(graph.out(), &vertices, f, self.joined.as_ref());
                Frontier::Sparse(next)
            }
            Some(incoming) => {
                let from = match frontier {
                    Frontier::Dense(bits, _) => bits,
                    Frontier::Sparse(vertices) => {
                        let bits = self.blank(graph.bound());
                        bits.set_all(&vertices);
                        bits
                    }
                };
                let mut next = self.blank(graph.bound());
                if self.marks.len() != graph.bound() {
                    self.marks = par_map(graph.bound(), 1 << 12, |_| AtomicU8::new(0));
                }
                pull(incoming, &from, &self.marks, f);
                self.spare = Some(from);
                let count = next.take_marks(&mut self.marks);
                Frontier::Dense(next, count)
            }
        }
    }

    /// The direction for a frontier.
    fn choose<A: Rows>(&mut self, graph: Adjacency<'_, A>, frontier: &Frontier) -> Direction {
        let pulls = match self.direction {
            _ if graph.incoming().is_none() => false,
            Some(direction) => direction == Direction::Pull,
            None if self.pulled => frontier.len() >= graph.num_vertices() / self.sparse_share.max(1),
            None => {
                let many = graph.num_arcs() / self.dense_share.max(1);
                frontier.len() > many || out_arcs(graph, frontier, many) > many - frontier.len()
            }
        };
        self.pulled = pulls;
        if pulls { Direction::Pull } else { Direction::Push }
    }

    /// No vertex, in bits that were used before if there are any.
    fn blank(&mut self, vertices: usize) -> Bits {
        match self.spare.take() {
            Some(mut bits) if bits.len() == vertices => {
                bits.clear();
                bits
            }
            _ => Bits::new(vertices),
        }
    }
}

/// About how many arcs lead out of a frontier; exact enough to compare it with `many`.
fn out_arcs<A: Rows>(graph: Adjacency<'_, A>, frontier: &Frontier, many: usize) -> usize {
    let degree = |vertex: u32| graph.out().row(vertex as usize).map_or(0, Fiber::len);
    match frontier {
        Frontier::Sparse(vertices) if vertices.len() <= SAMPLED => vertices.iter().map(|&vertex| degree(vertex)).sum(),
        Frontier::Sparse(vertices) => {
            // Vertices that are met early have more arcs than others, but not that many more.
            let mean = graph.num_arcs() / graph.num_vertices().max(1) + 1;
            if vertices.len().saturating_mul(32 * mean) < many {
                return 0;
            }
            let step = vertices.len().div_ceil(SAMPLED);
            let sample = vertices.iter().step_by(step);
            let (count, sum) = sample.fold((0, 0), |(count, sum), &vertex| (count + 1, sum + degree(vertex)));
            (sum / count).saturating_mul(vertices.len())
        }
        // So large a frontier is pulled whatever its degrees.
        Frontier::Dense(..) => many + 1,
    }
}

/// Vertices of a frontier whose degrees are looked up.
const SAMPLED: usize = 128;

/// Arcs of a row whose targets are prefetched.
const SOON: usize = 8;

/// Vertices of a large frontier that one task takes at least.
const VERTICES: usize = 64;

/// Vertices of a frontier whose arcs are counted.
const COUNTED: usize = 256;

/// Arcs that one thread takes alone: waking the others takes longer, and there may be as many maps as vertices.
const ALONE: usize = 1 << 12;

/// Arcs of a small frontier that one task takes.
const ARCS: usize = 1 << 10;

/// Tasks for each thread: several, to balance tasks of different length.
const TASKS: usize = 8;

/// Arcs from which on a row is shared among the threads.
const HUB: usize = 1 << 13;

/// Along the out-arcs of the frontier: the next one.
fn push<A: Rows, F: EdgeFunction<A::Value>>(rows: &A, vertices: &[u32], f: &F, joined: Option<&Bits>) -> Vec<u32> {
    let joins =
        |from, to, value: &_| f.wants(to) && f.push(from, to, value) && joined.is_none_or(|bits| bits.set(to as usize));
    let push_some = |vertices: &[u32]| {
        let mut found = Vec::with_capacity(vertices.len());
        let soon = |_, row: A::Fiber<'_>| first_coords(row, SOON, |to| f.prefetch(to));
        rows.each_ahead(vertices, soon, |vertex, row| {
            let Some(row) = row else { return };
            if row.len() > HUB {
                let shared = Mutex::new(&mut found);
                for_each_run(row, |run| {
                    let joining = run.iter().filter(|&(to, value)| joins(vertex, to, value));
                    let joining: Vec<u32> = joining.map(|(to, _)| to).collect();
                    shared.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&joining);
                });
            } else {
                row.fold_storage((), |(), run| {
                    found.extend(run.iter().filter(|&(to, value)| joins(vertex, to, value)).map(|(to, _)| to));
                });
            }
        });
        found
    };
    let some = if vertices.len() <= COUNTED {
        let arcs = vertices.iter().map(|&vertex| rows.row(vertex as usize).map_or(0, Fiber::len)).sum::<usize>();
        if arcs <= ALONE { vertices.len() } else { vertices.len() * ARCS / arcs }
    } else {
        let mean = rows.nnz() / rows.num_rows().max(1) + 1;
        (vertices.len() / (TASKS * threads())).max(ARCS / mean).max(VERTICES)
    };
    let next = par_concat(vertices.len(), some, |range| push_some(&vertices[range]));
    if let Some(bits) = joined {
        bits.clear_all(&next);
    }
    next
}

/// Along the in-arcs of the vertices that may still be reached; marks those that join. A mark is a byte: one bit of a word that others
/// write to as well would be an atomic operation for each of them.
fn pull<A: Rows, F: EdgeFunction<A::Value>>(rows: &A, from: &Bits, marks: &[AtomicU8], f: &F) {
    let wanted = |vertex: usize| f.wants(vertex as u32);
    rows.par_rows_where(wanted, |vertex, row| {
        let to = vertex as u32;
        let join = || marks[vertex].store(1, Ordering::Relaxed);
        let alone = |run: Run<'_, '_, u32, A::Value>| {
            for (source, value) in run.iter() {
                if from.get(source as usize) {
                    if f.pull(source, to, value) {
                        join();
                    }
                    if f.is_settled(to) {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let shared = |run: Run<'_, '_, u32, A::Value>| {
            for (source, value) in run.iter() {
                if from.get(source as usize) {
                    if f.push(source, to, value) {
                        join();
                    }
                    if f.is_settled(to) {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        };
        try_each_run(row, alone, shared);
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::{BuildOptions, Csr, EdgeList};

    /// Every vertex learns how many arcs reach it from the frontier.
    struct Count(Vec<AtomicU32>);

    impl EdgeFunction<()> for Count {
        fn wants(&self, _: u32) -> bool {
            true
        }

        fn push(&self, _: u32, to: u32, _: &()) -> bool {
            self.0[to as usize].fetch_add(1, Ordering::Relaxed);
            true
        }
    }

    fn reached(
        map: &mut EdgeMap,
        graph: Adjacency<'_, crate::CsrView<'_>>,
        frontier: Frontier,
    ) -> (Vec<u32>, Vec<u32>) {
        let count = Count((0..graph.num_vertices()).map(|_| AtomicU32::new(0)).collect());
        let mut next = map.run(graph, frontier, &count).into_vertices();
        next.sort_unstable();
        (next, count.0.into_iter().map(AtomicU32::into_inner).collect())
    }

    #[test]
    fn both_directions_reach_the_same_vertices_by_every_arc_once() {
        // A hub each way, whose row is shared among the threads, and random arcs.
        let vertices = 30_000u32;
        let (mut out, mut incoming) = (EdgeList::new(30_000, 30_000), EdgeList::new(30_000, 30_000));
        let random =
            (0..40_000u32).map(|k| (k.wrapping_mul(2_654_435_761) % vertices, k.wrapping_mul(40_503) % vertices));
        for (from, to) in random.chain((0..20_000).map(|to| (7, to))).chain((0..25_000).map(|from| (from, 9))) {
            out.push(from, to, ());
            incoming.push(to, from, ());
        }
        let csr = |edges| Csr::from_edges(edges, &BuildOptions::default()).expect("arcs are in range").0;
        let (out, incoming) = (csr(&out), csr(&incoming));
        let (out, incoming) = (out.view(), incoming.view());
        let graph = Adjacency::directed(&out, &incoming).expect("a transpose");
        for frontier in [vec![], vec![7], (0..vertices).step_by(3).collect::<Vec<_>>(), (0..vertices).collect()] {
            let mut expected = vec![0; 30_000];
            frontier.iter().for_each(|&u| out.row(u as usize).coords.iter().for_each(|&v| expected[v as usize] += 1));
            let next: Vec<u32> = (0..vertices).filter(|&v| expected[v as usize] > 0).collect();
            for direction in [None, Some(Direction::Push), Some(Direction::Pull)] {
                let mut map = EdgeMap { direction, ..EdgeMap::deduplicating(30_000) };
                // The second map uses the memory of the first again.
                for _ in 0..2 {
                    let found = reached(&mut map, graph, Frontier::Sparse(frontier.clone()));
                    assert_eq!(found, (next.clone(), expected.clone()), "{direction:?} from {}", frontier.len());
                }
            }
            let pushed = reached(
                &mut EdgeMap::deduplicating(30_000),
                Adjacency::outward(&out).expect("square"),
                Frontier::Sparse(frontier),
            );
            assert_eq!(pushed, (next, expected), "without in-arcs");
        }
    }

    #[test]
    fn pulling_goes_on_until_the_frontier_is_small() {
        let mut edges = EdgeList::new(3600, 3600);
        (0..3600).for_each(|k| edges.push(k, (k + 1) % 3600, ()));
        let csr =
            Csr::from_edges(&edges, &BuildOptions { undirected: true, ..BuildOptions::default() }).expect("in range").0;
        let view = csr.view();
        let (graph, mut map) = (Adjacency::undirected(&view).expect("symmetric"), EdgeMap::new());
        let mut way = |size: u32| map.choose(graph, &Frontier::Sparse((0..size).collect()));
        assert_eq!(
            [way(100), way(130), way(210), way(190), way(100)],
            [Direction::Push, Direction::Pull, Direction::Pull, Direction::Push, Direction::Push]
        );
    }
}
