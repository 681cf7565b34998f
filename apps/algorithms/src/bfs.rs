//! Breadth-first search: distances in arcs, and a tree of shortest paths.
//!
//! The depth of vertex `v` from source `s`, and its parent, are
//!
//! ```text
//!   d(s) = 0      d(v) = 1 + min d(u) over arcs u → v      p(v) = the smallest u with u → v and d(u) = d(v) - 1
//! ```
//!
//! and `d(v) = ∞` where no path leads from `s` to `v`. The search visits one level after the other and changes its direction (Beamer, Asanović &
//! Patterson, *Direction-Optimizing Breadth-First Search*, SC 2012): a small frontier is pushed along its out-arcs; for a large
//! one every vertex that has not been reached searches its in-arcs for the first that comes from the frontier, and stops
//! there. Parents are those of the definition, whatever the number of threads: pushing takes the minimum, and pulling looks
//! through the in-arcs in ascending order.
//!
//! O(n + m) time for `n` vertices and `m` arcs, and usually many arcs are skipped; `8 n` bytes for the result, in which the search works, and some bits and
//! bytes a vertex for frontiers.
//!
//! In index notation a level is the masked product `y(v) min= A(u,v) * x(u)` over (min, right). It is written as a traversal because
//! it is fast by skipping arcs: pulling stops at the first hit, which a reduction does not. As products of all arcs a search of an
//! R-MAT of scale 18 takes 50 ms where this takes 2.0, and one of a grid of 512², of a thousand levels, 893 ms and not 4.4 (2 threads, static rows;
//! `pleach bench algebra`).

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, on_pool, par_map, prefetch_at};
use pleach::traverse::{Adjacency, EdgeFunction, EdgeMap, Frontier};

use crate::error::NoSuchVertex;

/// The depth and the parent of a vertex that cannot be reached.
pub const UNREACHED: u32 = u32::MAX;

/// Depths and parents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bfs {
    /// Number of arcs on a shortest path to each vertex, or [`UNREACHED`].
    pub depths: Vec<u32>,
    /// The smallest vertex before it on a shortest path. The source is its own parent; a vertex that is not reached has [`UNREACHED`].
    pub parents: Vec<u32>,
    /// Number of vertices reached, the source included.
    pub reached: usize,
    /// Number of vertices at each depth, from 0 on.
    pub levels: Vec<usize>,
}

/// Searches from `source`; uses in-arcs if the graph keeps them.
///
/// # Errors
///
/// [`NoSuchVertex`] if the source is beyond the graph.
pub fn bfs<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>, source: u32) -> Result<Bfs, NoSuchVertex> {
    let graph = graph.into();
    graph.announce("vertices", Some(graph.num_vertices()));
    search(graph, source, |found| graph.advance(found))
}

/// Searches from `source` as a part of another algorithm, which says itself how far it is.
pub(crate) fn part<A: Rows>(graph: Adjacency<'_, A>, source: u32) -> Result<Bfs, NoSuchVertex> {
    search(graph, source, |_| ())
}

/// The vertices of each depth from `source`, in no particular order. Finds no parents, and so takes less than a search.
pub(crate) fn levels<A: Rows>(graph: Adjacency<'_, A>, source: u32) -> Result<Vec<Vec<u32>>, NoSuchVertex> {
    NoSuchVertex::check(source, graph)?;
    let reached = Reached(par_map(graph.bound(), 1 << 14, |vertex| AtomicBool::new(vertex == source as usize)));
    let (mut levels, mut map, mut frontier) = (Vec::new(), EdgeMap::new(), Frontier::single(source));
    on_pool(|| {
        while !frontier.is_empty() {
            levels.push(frontier.to_vertices());
            frontier = map.run(graph, std::mem::take(&mut frontier), &reached);
        }
    });
    Ok(levels)
}

/// Whether each vertex was reached, at any depth.
struct Reached(Vec<AtomicBool>);

impl<V> EdgeFunction<V> for Reached {
    #[inline(always)]
    fn wants(&self, to: u32) -> bool {
        !self.0[to as usize].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn push(&self, _: u32, to: u32, _: &V) -> bool {
        !self.0[to as usize].swap(true, Ordering::Relaxed)
    }

    #[inline(always)]
    fn pull(&self, _: u32, to: u32, _: &V) -> bool {
        self.0[to as usize].store(true, Ordering::Relaxed);
        true
    }

    #[inline(always)]
    fn prefetch(&self, to: u32) {
        prefetch_at(&self.0, to as usize);
    }
}

/// Searches from `source`, and calls `visit` with the number of vertices of each depth.
fn search<A: Rows>(graph: Adjacency<'_, A>, source: u32, visit: impl Fn(usize) + Sync) -> Result<Bfs, NoSuchVertex> {
    let vertices = graph.bound();
    NoSuchVertex::check(source, graph)?;
    let unreached = || par_map(vertices, 1 << 14, |_| AtomicU32::new(UNREACHED));
    let in_order = <A::Fiber<'_> as Fiber<'_>>::ORDERED;
    let mut level = Level { depths: unreached(), parents: unreached(), depth: 0, in_order };
    level.depths[source as usize] = AtomicU32::new(0);
    level.parents[source as usize] = AtomicU32::new(source);
    let (mut levels, mut reached) = (Vec::new(), 0);
    let (mut map, mut frontier) = (EdgeMap::new(), Frontier::single(source));
    // On a thread of the pool, so that no thread has to be woken between two levels.
    on_pool(|| {
        while !frontier.is_empty() {
            visit(frontier.len());
            levels.push(frontier.len());
            reached += frontier.len();
            level.depth += 1;
            frontier = map.run(graph, std::mem::take(&mut frontier), &level);
        }
    });
    let [depths, parents] =
        [level.depths, level.parents].map(|all| all.into_iter().map(AtomicU32::into_inner).collect());
    Ok(Bfs { depths, parents, reached, levels })
}

/// The search for the vertices of one depth.
struct Level {
    /// The depth of each vertex. Most arcs lead to vertices that were reached before, and read only this.
    depths: Vec<AtomicU32>,
    /// The parent of each vertex: one atomic minimum finds the smallest, and says who has reached the vertex first.
    parents: Vec<AtomicU32>,
    /// The depth of the vertices that this step reaches.
    depth: u32,
    /// Whether in-arcs come in ascending order.
    in_order: bool,
}

impl Level {
    #[inline(always)]
    fn depth_of(&self, vertex: u32) -> u32 {
        self.depths[vertex as usize].load(Ordering::Relaxed)
    }

    /// Gives a vertex its depth if it had no parent before. Returns whether it had none.
    #[inline(always)]
    fn reach(&self, vertex: u32, parent_before: u32) -> bool {
        if parent_before == UNREACHED {
            self.depths[vertex as usize].store(self.depth, Ordering::Relaxed);
        }
        parent_before == UNREACHED
    }
}

impl<V> EdgeFunction<V> for Level {
    #[inline(always)]
    fn wants(&self, to: u32) -> bool {
        // A vertex that was reached at this depth may still get a smaller parent.
        self.depth_of(to) >= self.depth
    }

    #[inline(always)]
    fn push(&self, from: u32, to: u32, _: &V) -> bool {
        let parent = &self.parents[to as usize];
        parent.load(Ordering::Relaxed) > from && self.reach(to, parent.fetch_min(from, Ordering::Relaxed))
    }

    #[inline(always)]
    fn pull(&self, from: u32, to: u32, _: &V) -> bool {
        // As in a push, but no other task writes to this vertex.
        let parent = &self.parents[to as usize];
        let before = parent.load(Ordering::Relaxed);
        if before > from {
            parent.store(from, Ordering::Relaxed);
        }
        self.reach(to, before)
    }

    #[inline(always)]
    fn prefetch(&self, to: u32) {
        prefetch_at(&self.depths, to as usize);
    }

    #[inline(always)]
    fn is_settled(&self, to: u32) -> bool {
        self.in_order && self.depth_of(to) != UNREACHED
    }
}

/// What is wrong with depths or parents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BfsWrong {
    /// The number of depths or of parents is not that of the vertices.
    #[error("there are {found} depths or parents for {vertices} vertices")]
    Length {
        /// How many there are.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A depth is not the one that a queue finds.
    #[error("vertex {vertex} has depth {found}, but {expected} is right")]
    Depth {
        /// The vertex.
        vertex: usize,
        /// Its depth.
        found: u32,
        /// The right depth.
        expected: u32,
    },
    /// A parent is not the smallest vertex before on a shortest path.
    #[error("vertex {vertex} has parent {found}, but {expected} is right")]
    Parent {
        /// The vertex.
        vertex: usize,
        /// Its parent.
        found: u32,
        /// The right parent.
        expected: u32,
    },
    /// The statistics are not those of the depths.
    #[error("the number of vertices reached, or at each depth, does not fit the depths")]
    Statistics,
}

/// Checks a search against one that keeps a queue and knows nothing of frontiers or directions. Serial; O(n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, source: u32, found: &Bfs) -> Result<(), BfsWrong> {
    let vertices = graph.bound();
    for found in [found.depths.len(), found.parents.len()] {
        if found != vertices {
            return Err(BfsWrong::Length { found, vertices });
        }
    }
    let (mut depths, mut parents) = (vec![UNREACHED; vertices], vec![UNREACHED; vertices]);
    (depths[source as usize], parents[source as usize]) = (0, source);
    let mut queue = std::collections::VecDeque::from([source]);
    let mut levels = Vec::new();
    while let Some(from) = queue.pop_front() {
        let depth = depths[from as usize];
        if levels.len() == depth as usize {
            levels.push(0);
        }
        levels[depth as usize] += 1;
        let Some(row) = graph.out().row(from as usize) else { continue };
        row.fold_runs((), |(), run| {
            for &to in run.coords() {
                let to = to as usize;
                if depths[to] == UNREACHED {
                    depths[to] = depth + 1;
                    queue.push_back(to as u32);
                }
                if depths[to] == depth + 1 {
                    parents[to] = parents[to].min(from);
                }
            }
        });
    }
    for (vertex, (&found, &expected)) in found.depths.iter().zip(&depths).enumerate() {
        if found != expected {
            return Err(BfsWrong::Depth { vertex, found, expected });
        }
    }
    for (vertex, (&found, &expected)) in found.parents.iter().zip(&parents).enumerate() {
        if found != expected {
            return Err(BfsWrong::Parent { vertex, found, expected });
        }
    }
    if found.levels != levels || found.reached != levels.iter().sum::<usize>() {
        return Err(BfsWrong::Statistics);
    }
    Ok(())
}
