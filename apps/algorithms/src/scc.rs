//! Strongly connected components.
//!
//! ```text
//!   u ~ v  ⇔  a path leads from u to v and one from v to u
//! ```
//!
//! Each class is named by its smallest vertex. In three steps (the plan of Slota, Rajamanickam & Madduri, *BFS and Coloring-based Parallel
//! Algorithms for Strongly Connected Components*, IPDPS 2014):
//!
//! 1. *Trim*: a vertex without in-arcs or without out-arcs, among those that are left, is a component of its own.
//! 2. *Forward and backward*: what is reached both ways from one vertex of many arcs is a component, in most graphs the giant one (Fleischer, Hendrickson &
//!    Pınar 2000). Both searches choose their direction as [`bfs`](crate::bfs) does.
//! 3. *The rest*, usually little, is copied to static rows, where Tarjan's algorithm finds its components (*Depth-First Search and Linear Graph
//!    Algorithms*, SIAM J. Comput. 1972), on a stack of its own and by one thread.
//!
//! O(n + m) time, whatever the shape of the graph; about `30 n` bytes, and the arcs of the rest. Reachability is a fixed point of products over (or,
//! and), but a depth-first search is not, which is why this is written by hand.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, par_concat, par_map, par_parts};
use pleach::traverse::{Adjacency, Bits, EdgeFunction, EdgeMap, Frontier};

use crate::ABSENT;
use crate::cc::{Components, ComponentsWrong};
use crate::error::{UnfitGraph, in_arcs};

/// Vertices that one thread trims alone.
const ALONE: usize = 128;

/// Vertices that one task trims.
const VERTICES: usize = 64;

/// The label of a vertex whose component is not known yet.
const OPEN: u32 = u32::MAX;

/// Finds the strongly connected components of a graph. The graph must keep its in-arcs.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed and keeps no in-arcs.
pub fn scc<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Components, UnfitGraph> {
    let graph = graph.into();
    let incoming = in_arcs(graph, "scc")?;
    graph.announce("vertices", Some(graph.num_vertices()));
    let mut labels = trim(graph, incoming);
    if let Some(pivot) = pivot(graph, incoming, &labels) {
        let open = Bits::new(labels.len());
        let still = |label: &u32| *label == OPEN;
        (0..labels.len()).filter(|&vertex| still(&labels[vertex])).for_each(|vertex| {
            open.set(vertex);
        });
        let forward = reach(graph, pivot, &open);
        // The backward search stays within the vertices that the forward search has reached.
        let backward = graph.reversed().map(|reversed| reach(reversed, pivot, &forward));
        let both = backward.map_or_else(Vec::new, |bits| bits.to_vertices());
        let smallest = both.first().copied().unwrap_or(pivot);
        both.iter().for_each(|&vertex| labels[vertex as usize] = smallest);
        graph.advance(both.len());
    }
    graph.check_cancel();
    let rest = Rest::of(graph, &labels);
    rest.label(&mut labels, &|| graph.advance(MET));
    graph.advance(rest.old.len() % MET);
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    Ok(Components::of_labels(labels))
}

/// Takes off, as long as there are any, vertices without in-arcs or without out-arcs. Gives each its own label, all others none.
fn trim<A: Rows>(graph: Adjacency<'_, A>, incoming: &A) -> Vec<u32> {
    let vertices = graph.bound();
    let sides = [graph.out(), incoming];
    // Arcs that are left in each direction, loops not counted.
    let left = sides.map(|rows| {
        let degree = |vertex: usize| {
            let proper = |row: A::Fiber<'_>| row.len() as u32 - u32::from(row.locate(vertex as u32).is_some());
            AtomicU32::new(rows.row(vertex).map_or(0, proper))
        };
        par_map(vertices, VERTICES, degree)
    });
    let gone = Bits::new(vertices);
    let leaves = |vertex: u32| left.iter().any(|left| left[vertex as usize].load(Ordering::Relaxed) == 0);
    let mut going: Vec<u32> =
        (0..vertices as u32).filter(|&vertex| leaves(vertex) && gone.set(vertex as usize)).collect();
    let trim_some = |going: &[u32]| {
        let mut next = Vec::new();
        for &vertex in going {
            for (rows, left) in sides.iter().zip([&left[1], &left[0]]) {
                let Some(row) = rows.row(vertex as usize) else { continue };
                row.fold_storage((), |(), run| {
                    for &other in run.coords().iter().filter(|&&other| other != vertex) {
                        let last = left[other as usize].fetch_sub(1, Ordering::Relaxed) == 1;
                        if last && gone.set(other as usize) {
                            next.push(other);
                        }
                    }
                });
            }
        }
        next
    };
    while !going.is_empty() {
        graph.advance(going.len());
        going = match going.len() {
            ..=ALONE => trim_some(&going),
            _ => par_concat(going.len(), VERTICES, |range| trim_some(&going[range])),
        };
    }
    (0..vertices as u32).map(|vertex| if gone.get(vertex as usize) { vertex } else { OPEN }).collect()
}

/// The open vertex with the most pairs of an in-arc and an out-arc: likely one of the giant component.
fn pivot<A: Rows>(graph: Adjacency<'_, A>, incoming: &A, labels: &[u32]) -> Option<u32> {
    let degree = |rows: &A, vertex: usize| rows.row(vertex).map_or(0, Fiber::len) as u64;
    let weight = |vertex: usize| degree(graph.out(), vertex).saturating_mul(degree(incoming, vertex));
    let keyed = |vertex: usize| (weight(vertex), Reverse(vertex as u32));
    let heaviest = par_parts(labels.len(), VERTICES * VERTICES, |range| {
        range.filter(|&vertex| labels[vertex] == OPEN).map(keyed).max()
    });
    heaviest.into_iter().flatten().max().map(|(_, Reverse(vertex))| vertex)
}

/// The vertices that a search from `source` reaches without leaving `within`.
fn reach<A: Rows>(graph: Adjacency<'_, A>, source: u32, within: &Bits) -> Bits {
    struct Reach<'a> {
        within: &'a Bits,
        reached: Bits,
    }

    impl<V> EdgeFunction<V> for Reach<'_> {
        fn wants(&self, to: u32) -> bool {
            self.within.get(to as usize) && !self.reached.get(to as usize)
        }

        fn push(&self, _: u32, to: u32, _: &V) -> bool {
            self.reached.set(to as usize)
        }
    }

    let search = Reach { within, reached: Bits::new(within.len()) };
    search.reached.set(source as usize);
    let (mut map, mut frontier) = (EdgeMap::new(), Frontier::single(source));
    while !frontier.is_empty() {
        frontier = map.run(graph, frontier, &search);
    }
    search.reached
}

/// Vertices after which Tarjan's algorithm says how far it is.
const MET: usize = 1 << 12;

/// The vertices without a component yet, numbered from 0, in static rows.
struct Rest {
    old: Vec<u32>,
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Rest {
    fn of<A: Rows>(graph: Adjacency<'_, A>, labels: &[u32]) -> Self {
        let old: Vec<u32> = (0..labels.len() as u32).filter(|&vertex| labels[vertex as usize] == OPEN).collect();
        let mut new = vec![OPEN; if old.is_empty() { 0 } else { labels.len() }];
        old.iter().enumerate().for_each(|(k, &vertex)| new[vertex as usize] = k as u32);
        let (mut offsets, mut targets) = (vec![0], Vec::new());
        for &vertex in &old {
            if let Some(row) = graph.out().row(vertex as usize) {
                let inside = |to: &u32| Some(new[*to as usize]).filter(|&to| to != OPEN);
                row.fold_runs((), |(), run| targets.extend(run.coords().iter().filter_map(inside)));
            }
            offsets.push(targets.len());
        }
        Rest { old, offsets, targets }
    }

    /// Tarjan's algorithm. Calls `advance` after every [`MET`] vertices.
    fn label(&self, labels: &mut [u32], advance: &dyn Fn()) {
        let vertices = self.old.len();
        // The order in which vertices were met, and the earliest one that each leads back to.
        let (mut met, mut low) = (vec![OPEN; vertices], vec![OPEN; vertices]);
        let (mut path, mut waiting) = (Vec::new(), Vec::new());
        let mut waits = vec![false; vertices];
        let mut count = 0;
        for root in 0..vertices {
            if met[root] != OPEN {
                continue;
            }
            path.push((root, self.offsets[root]));
            while let Some(&mut (vertex, ref mut position)) = path.last_mut() {
                if met[vertex] == OPEN {
                    (met[vertex], low[vertex]) = (count, count);
                    count += 1;
                    if count.is_multiple_of(MET as u32) {
                        advance();
                    }
                    waiting.push(vertex);
                    waits[vertex] = true;
                }
                if *position < self.offsets[vertex + 1] {
                    let to = self.targets[*position] as usize;
                    *position += 1;
                    if met[to] == OPEN {
                        path.push((to, self.offsets[to]));
                    } else if waits[to] {
                        low[vertex] = low[vertex].min(met[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    low[above] = low[above].min(low[vertex]);
                }
                if low[vertex] == met[vertex] {
                    let begin = waiting.iter().rposition(|&other| other == vertex).unwrap_or(0);
                    let component = waiting.split_off(begin);
                    let smallest = component.iter().map(|&vertex| self.old[vertex]).min().unwrap_or(OPEN);
                    for vertex in component {
                        labels[self.old[vertex] as usize] = smallest;
                        waits[vertex] = false;
                    }
                }
            }
        }
    }
}

/// Checks components against those of Kosaraju's algorithm: the order in which a depth-first search leaves vertices, then searches against the
/// arcs in the opposite order. Serial; O(n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Components) -> Result<(), ComponentsWrong> {
    let vertices = graph.bound();
    let (mut out, mut back) = (vec![Vec::new(); vertices], vec![Vec::new(); vertices]);
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords() {
                out[u].push(v as usize);
                back[v as usize].push(u);
            }
        });
    });
    let (mut seen, mut left, mut path) = (vec![false; vertices], Vec::new(), Vec::new());
    for root in 0..vertices {
        if !std::mem::replace(&mut seen[root], true) {
            path.push((root, 0));
        }
        while let Some(&mut (vertex, ref mut next)) = path.last_mut() {
            match out[vertex].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    left.push(vertex);
                    path.pop();
                }
            }
        }
    }
    let mut labels = vec![OPEN; vertices];
    for &root in left.iter().rev() {
        if labels[root] != OPEN {
            continue;
        }
        let (mut component, mut next) = (vec![root], 0);
        labels[root] = root as u32;
        while let Some(&vertex) = component.get(next) {
            next += 1;
            for &from in &back[vertex] {
                if labels[from] == OPEN {
                    labels[from] = root as u32;
                    component.push(from);
                }
            }
        }
        let smallest = component.iter().min().map_or(OPEN, |&vertex| vertex as u32);
        component.iter().for_each(|&vertex| labels[vertex] = smallest);
    }
    graph.absent().for_each(|gap| labels[gap as usize] = ABSENT);
    found.compare(&labels)
}
