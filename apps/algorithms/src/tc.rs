//! Counting triangles.
//!
//! ```text
//!   T = |{ {u,v,w} : u – v, v – w, w – u }|
//! ```
//!
//! in the undirected graph that is left when arcs lose their direction, self loops left out. Vertices are put in an order, every
//! edge leads from its smaller end to its larger one, and each triangle `a < b < c` is found once, at its edge `a → b`: a bitmap holds the
//! successors of `a`, and those of `b` are looked up in it (Schank & Wagner, *Finding, Counting and Listing all Triangles in Large Graphs*, WEA 2005; where `a`
//! has far fewer successors than `b`, they are searched for in the row of `b` instead). The order is that by degree where degrees are skewed, which
//! makes it O(m √m) however large hubs are, and that of the graph where they are not and numbering anew would cost more
//! than it saves (a sample decides, as in the GAP Benchmark Suite; Beamer, Asanović & Patterson 2015). `5 m + 16 n` bytes for the oriented copy, and a bit a vertex
//! and thread. A graph of few arcs a vertex and without hubs, such as a mesh or a map of roads, is not copied at all: the larger neighbours of `a` are merged
//! with the rows of each.
//!
//! In index notation this is `T += L(a,b) * L(a,c) * L(b,c)`, a masked product of the oriented matrix with itself. The compiler looks the elements of one
//! row up in the other; a bitmap of the one takes no branch for an element of the other. On an R-MAT of scale 18 the expression takes 3959 ms over rows that were
//! oriented by degree before, and this takes 451 ms with the orientation; on a grid both take 1.5 ms (2 threads, static rows; `pleach bench algebra`).

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use pleach::runtime::{Fiber, VisitNear, par_items};
use pleach::traverse::Adjacency;
use pleach::{CsrView, Rows};
use smallvec::SmallVec;

use crate::error::{UnfitGraph, in_arcs};
use crate::orient::{Order, Oriented};

/// The triangles of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangles {
    /// How many there are.
    pub count: u64,
    /// Whether vertices were put in the order of their degrees.
    pub relabelled: bool,
    /// Edges of the undirected graph without self loops.
    pub edges: usize,
}

/// Counts the triangles.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed and keeps no in-arcs.
pub fn triangles<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Triangles, UnfitGraph> {
    let graph = graph.into();
    in_arcs(graph, "triangles")?;
    if let Some(found) = count_in_place(graph) {
        return Ok(found);
    }
    let order = if degrees_are_skewed(graph) { Order::Degree } else { Order::Number };
    let oriented = Oriented::of(graph, order);
    graph.announce("vertices", Some(graph.bound()));
    let edges = oriented.edges.view();
    Ok(Triangles {
        count: count(edges, &|count| graph.advance(count)),
        relabelled: order == Order::Degree,
        edges: edges.nnz(),
    })
}

/// Arcs a vertex below which nothing is gained by an order of degrees, or by a bitmap of successors.
const FEW: usize = 10;

/// Vertices after which a count over rows as they are says how far it is.
const SOME: usize = 1 << 10;

/// Counts over the rows as they are, if they are those of an undirected graph in ascending order, have few arcs a vertex, and none is long.
fn count_in_place<A: Rows>(graph: Adjacency<'_, A>) -> Option<Triangles> {
    if graph.is_directed() || !<A::Fiber<'_> as Fiber<'_>>::ORDERED || graph.num_arcs() >= FEW * graph.num_vertices() {
        return None;
    }
    let merge = Merge { graph, found: AtomicU64::new(0), loops: AtomicUsize::new(0), hub: AtomicBool::new(false) };
    graph.announce("vertices", Some(graph.bound()));
    graph.out().par_rows_near(&merge);
    let edges = (graph.num_arcs() - merge.loops.into_inner()) / 2;
    let found = Triangles { count: merge.found.into_inner(), relabelled: false, edges };
    (!merge.hub.into_inner()).then_some(found)
}

/// The larger neighbours of each vertex are merged with the rows of each.
struct Merge<'g, A> {
    graph: Adjacency<'g, A>,
    found: AtomicU64,
    loops: AtomicUsize,
    /// Whether a row is long. A hub is merged with all its neighbours: rows that are copied can be searched in instead.
    hub: AtomicBool,
}

impl<'a, A: Rows, R: Fiber<'a, Coord = u32>> VisitNear<R> for Merge<'_, A> {
    #[inline(always)]
    fn visit(&self, a: usize, row: R, near: impl Fn(usize) -> Option<R>) {
        match a.is_multiple_of(SOME) {
            true => self.graph.advance(SOME),
            false => self.graph.check_cancel(),
        }
        if self.hub.load(Ordering::Relaxed) {
            return;
        }
        let arcs = row.len();
        let mut larger: SmallVec<[u32; 16]> = SmallVec::new();
        row.fold_runs((), |(), run| {
            let at = run.coords().partition_point(|&b| (b as usize) < a);
            let rest = match &run.coords()[at..] {
                [first, rest @ ..] if *first as usize == a => {
                    self.loops.fetch_add(1, Ordering::Relaxed);
                    rest
                }
                rest => rest,
            };
            if run.len() == arcs {
                self.pairs(rest, &near);
            } else {
                larger.extend_from_slice(rest);
            }
        });
        if !larger.is_empty() {
            self.pairs(&larger, &near);
        }
    }
}

impl<A> Merge<'_, A> {
    /// Counts how many of the pairs among larger neighbours of a vertex are neighbours themselves.
    #[inline(always)]
    fn pairs<'a, R: Fiber<'a, Coord = u32>>(&self, larger: &[u32], near: &impl Fn(usize) -> Option<R>) {
        let mut found = 0;
        for (k, &b) in larger.iter().enumerate() {
            match common_in_place(near, b, &larger[k + 1..]) {
                Some(count) => found += count,
                None => self.hub.store(true, Ordering::Relaxed),
            }
        }
        if found > 0 {
            self.found.fetch_add(found, Ordering::Relaxed);
        }
    }
}

/// Counts the elements of the ascending list `rest` that are in row `b`; `None` if one of them is long.
#[inline(always)]
fn common_in_place<'a, R: Fiber<'a, Coord = u32>>(
    near: &impl Fn(usize) -> Option<R>,
    b: u32,
    rest: &[u32],
) -> Option<u64> {
    if rest.is_empty() {
        return Some(0);
    }
    // It may be passed as far as its end for each of its elements.
    if rest.len() > LONG {
        return None;
    }
    let Some(row) = near(b as usize) else { return Some(0) };
    let (mut found, mut next, mut seen) = (0, 0, 0);
    let _ = row.try_fold_runs((), |(), run| {
        for &c in run.coords() {
            while rest[next] < c {
                next += 1;
                if next == rest.len() {
                    return ControlFlow::Break(());
                }
            }
            found += u64::from(rest[next] == c);
        }
        seen += run.len();
        if seen > LONG { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (seen <= LONG).then_some(found)
}

/// Rows of more arcs than this are not merged in place.
const LONG: usize = 1 << 10;

/// Vertices in the sample whose degrees decide about the order.
const SAMPLED: usize = 1000;

/// Whether a few vertices have most arcs: the mean degree of a sample is well above the median.
fn degrees_are_skewed<A: Rows>(graph: Adjacency<'_, A>) -> bool {
    let vertices = graph.bound();
    if graph.num_arcs() < FEW * graph.num_vertices() {
        return false;
    }
    let sample = (0..vertices).step_by(vertices.div_ceil(SAMPLED).max(1)).filter(|&v| graph.has_vertex(v as u32));
    let mut degrees: Vec<usize> = sample.map(|vertex| graph.out().row(vertex).map_or(0, Fiber::len)).collect();
    degrees.sort_unstable();
    let (sum, median) = (degrees.iter().sum::<usize>(), degrees.get(degrees.len() / 2).copied().unwrap_or(0));
    // mean / 1.3 > median, in whole numbers.
    10 * sum > 13 * median * degrees.len()
}

/// Ranges of rows with about equally many arcs each: several for each thread, because the work of an arc differs.
const STRETCHES: usize = 1024;

/// Counts over rows of larger neighbours. Each task calls `advance` with the number of its rows.
fn count(edges: CsrView<'_, u8>, advance: &(dyn Fn(usize) + Sync)) -> u64 {
    let vertices = edges.num_rows();
    // As many sets as there are tasks at a time.
    let sets: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());
    let sets = || sets.lock().unwrap_or_else(|poison| poison.into_inner());
    let counts = par_items(edges.split_by_arcs(STRETCHES), |rows| {
        advance(rows.len());
        let mut successors = sets().pop().unwrap_or_else(|| vec![0; vertices.div_ceil(64)]);
        let found = rows.map(|a| count_below(edges, a, &mut successors)).sum::<u64>();
        sets().push(successors);
        found
    });
    counts.into_iter().sum()
}

/// The triangles of which `a` is the first vertex. The set is empty before and after.
fn count_below(edges: CsrView<'_, u8>, a: usize, successors: &mut [u64]) -> u64 {
    let from_a = edges.row(a).coords;
    if from_a.len() < 2 {
        return 0;
    }
    from_a.iter().for_each(|&c| successors[c as usize / 64] |= 1 << (c % 64));
    let found = from_a.iter().map(|&b| common(from_a, edges.row(b as usize).coords, successors)).sum();
    from_a.iter().for_each(|&c| successors[c as usize / 64] = 0);
    found
}

/// From this ratio of lengths on, the elements of the shorter list are searched for in the longer one.
const SHORTER: usize = 32;

/// The number of elements that the successors of two vertices share; those of the first are also set bits.
#[inline]
fn common(from_a: &[u32], from_b: &[u32], successors: &[u64]) -> u64 {
    if from_a.len() * SHORTER < from_b.len() {
        return from_a.iter().filter(|c| from_b.binary_search(c).is_ok()).count() as u64;
    }
    from_b.iter().map(|&c| successors[c as usize / 64] >> (c % 64) & 1).sum()
}

/// What is wrong with a count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrianglesWrong {
    /// The number of triangles is wrong.
    #[error("{found} triangles were counted, but there are {expected}")]
    Count {
        /// The count in the result.
        found: u64,
        /// The right count.
        expected: u64,
    },
    /// The number of edges is wrong.
    #[error("{found} edges were counted, but there are {expected}")]
    Edges {
        /// The count in the result.
        found: usize,
        /// The right count.
        expected: usize,
    },
}

/// Checks a count by a second program: the neighbours of each vertex, of both directions, are collected and sorted, each edge is turned towards
/// its end of more neighbours, and for each vertex `a` and each `b` that it leads to, those that both lead to are counted with the help of an array of
/// marks. Every triangle is met once, and every edge is turned once. Any order of vertices is right, so [`Triangles::relabelled`] is not checked.
/// Serial; Σ over the turned edges of the targets of their end, as many steps as the algorithm itself takes.
///
/// # Errors
///
/// The first count that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Triangles) -> Result<(), TrianglesWrong> {
    let vertices = graph.bound();
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords().iter().filter(|&&v| v as usize != u) {
                near[u].push(v);
                near[v as usize].push(u as u32);
            }
        });
    });
    near.iter_mut().for_each(|near| {
        near.sort_unstable();
        near.dedup();
    });
    let degrees: Vec<usize> = near.iter().map(Vec::len).collect();
    let leads = |u: u32, v: u32| (degrees[u as usize], u) < (degrees[v as usize], v);
    for (u, near) in (0..).zip(&mut near) {
        near.retain(|&v| leads(u, v));
        near.shrink_to_fit();
    }
    // Vertex + 1 at the targets of the vertex in turn.
    let mut marks = vec![0; vertices];
    let mut expected = 0;
    for (a, from_a) in (1_u32..).zip(&near) {
        from_a.iter().for_each(|&c| marks[c as usize] = a);
        for &b in from_a {
            expected += near[b as usize].iter().filter(|&&c| marks[c as usize] == a).count() as u64;
        }
    }
    if found.count != expected {
        return Err(TrianglesWrong::Count { found: found.count, expected });
    }
    let edges: usize = near.iter().map(Vec::len).sum();
    if found.edges != edges {
        return Err(TrianglesWrong::Edges { found: found.edges, expected: edges });
    }
    Ok(())
}
