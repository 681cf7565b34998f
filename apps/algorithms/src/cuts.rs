//! Bridges and articulation points: edges and vertices without which a component falls apart.
//!
//! In a tree of a depth-first search, numbered by the order in which vertices are found, `low(v)` is the smallest number that the tree below `v`
//! reaches by one further edge (Hopcroft & Tarjan, *Algorithm 447*, CACM 1973):
//!
//! ```text
//!   p — v is a bridge         if low(v) > number(p)
//!   p cuts v off              if low(v) ≥ number(p)         (the root: if it has two children)
//! ```
//!
//! Directions are ignored in no graph: it must be undirected. Self loops do not matter. Serial and without recursion; O(n + m) time, `32 n`
//! bytes and a copy of the arcs.

use pleach::Rows;
use pleach::traverse::Adjacency;

use crate::copied::Copied;
use crate::error::{UnfitGraph, undirected};

/// Where a graph falls apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cuts {
    /// The bridges, ascending, the smaller end of each first.
    pub bridges: Vec<(u32, u32)>,
    /// Whether each vertex is an articulation point.
    pub articulation: Vec<bool>,
    /// Number of articulation points.
    pub points: usize,
}

/// No number.
const NONE: u32 = u32::MAX;

/// Finds bridges and articulation points of an undirected graph.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn cuts<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Result<Cuts, UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "cuts")?;
    graph.announce("vertices", Some(graph.bound()));
    let cuts = search(&Copied::places(graph.out()), &|| graph.advance(VERTICES as usize));
    graph.advance(graph.bound() % VERTICES as usize);
    Ok(cuts)
}

/// Vertices after which a search says how far it is.
const VERTICES: u32 = 1 << 12;

fn search(arcs: &Copied, advance: &dyn Fn()) -> Cuts {
    let vertices = arcs.len();
    let (mut number, mut low, mut parent) = (vec![NONE; vertices], vec![NONE; vertices], vec![NONE; vertices]);
    let mut next: Vec<usize> = (0..vertices as u32).map(|vertex| arcs.range(vertex).start).collect();
    let mut cuts = Cuts { bridges: Vec::new(), articulation: vec![false; vertices], points: 0 };
    let (mut found, mut stack) = (0, Vec::new());
    for root in 0..vertices as u32 {
        if number[root as usize] != NONE {
            continue;
        }
        let mut children = 0;
        (number[root as usize], low[root as usize]) = (found, found);
        found += 1;
        stack.push(root);
        while let Some(&vertex) = stack.last() {
            let at = next[vertex as usize];
            if at < arcs.range(vertex).end {
                next[vertex as usize] += 1;
                let to = arcs.near(vertex)[at - arcs.range(vertex).start];
                if number[to as usize] == NONE {
                    (number[to as usize], low[to as usize]) = (found, found);
                    found += 1;
                    if found.is_multiple_of(VERTICES) {
                        advance();
                    }
                    parent[to as usize] = vertex;
                    stack.push(to);
                } else if to != parent[vertex as usize] {
                    low[vertex as usize] = low[vertex as usize].min(number[to as usize]);
                }
                continue;
            }
            stack.pop();
            let above = parent[vertex as usize];
            if above == NONE {
                continue;
            }
            low[above as usize] = low[above as usize].min(low[vertex as usize]);
            if low[vertex as usize] > number[above as usize] {
                cuts.bridges.push((above.min(vertex), above.max(vertex)));
            }
            if above == root {
                children += 1;
            } else if low[vertex as usize] >= number[above as usize] {
                cuts.articulation[above as usize] = true;
            }
        }
        cuts.articulation[root as usize] = children > 1;
    }
    cuts.bridges.sort_unstable();
    cuts.points = cuts.articulation.iter().filter(|&&point| point).count();
    cuts
}

/// What is wrong with cuts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutsWrong {
    /// An edge is a bridge and not listed, or the other way round.
    #[error("the bridges differ from {from} to {to} on from those that chains leave out")]
    Bridge {
        /// One end.
        from: u32,
        /// The other.
        to: u32,
    },
    /// A vertex is an articulation point and not marked, or the other way round.
    #[error("vertex {vertex} is marked wrongly, or the number of articulation points is wrong")]
    Point {
        /// The vertex.
        vertex: u32,
    },
}

/// Checks cuts by Schmidt's chains (*A simple test on 2-vertex- and 2-edge-connectivity*, IPL 2013), on a breadth-first-free walk of its own:
/// bridges are the edges in no chain; articulation points are the ends of bridges with further edges, and where a chain but the first of its
/// component begins and ends. O(n + m).
///
/// # Errors
///
/// The first cut that is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Cuts) -> Result<(), CutsWrong> {
    let arcs = Copied::places(graph.out());
    let vertices = arcs.len();
    let (mut order, mut parent, mut number) = (Vec::new(), vec![NONE; vertices], vec![NONE; vertices]);
    let mut roots = vec![false; vertices];
    for root in 0..vertices as u32 {
        if number[root as usize] != NONE {
            continue;
        }
        roots[root as usize] = true;
        // Arcs that wait, the last first: a depth-first search that marks vertices when it takes them.
        let mut waiting = vec![(NONE, root)];
        while let Some((from, vertex)) = waiting.pop() {
            if number[vertex as usize] != NONE {
                continue;
            }
            (number[vertex as usize], parent[vertex as usize]) = (order.len() as u32, from);
            order.push(vertex);
            waiting.extend(arcs.near(vertex).iter().rev().map(|&to| (vertex, to)));
        }
    }
    // The edge to the parent of each vertex is in a chain or not.
    let (mut chained, mut visited, mut cycles) = (vec![false; vertices], vec![false; vertices], vec![false; vertices]);
    let mut first = true;
    for &vertex in &order {
        if roots[vertex as usize] {
            first = true;
        }
        for &to in arcs.near(vertex) {
            if number[to as usize] <= number[vertex as usize] || parent[to as usize] == vertex {
                continue;
            }
            visited[vertex as usize] = true;
            let mut at = to;
            while !visited[at as usize] {
                visited[at as usize] = true;
                chained[at as usize] = true;
                at = parent[at as usize];
            }
            // `at` was visited before; the edge that led there is chained, too.
            if at == vertex && !first {
                cycles[vertex as usize] = true;
            }
            first = false;
        }
    }
    let mut bridges: Vec<(u32, u32)> = (0..vertices as u32)
        .filter(|&vertex| parent[vertex as usize] != NONE && !chained[vertex as usize])
        .map(|vertex| (vertex.min(parent[vertex as usize]), vertex.max(parent[vertex as usize])))
        .collect();
    bridges.sort_unstable();
    if bridges != found.bridges {
        let differs = bridges.iter().zip(&found.bridges).find(|(a, b)| a != b).map(|(a, _)| *a);
        let (from, to) = differs.or(bridges.last().copied()).or(found.bridges.last().copied()).unwrap_or_default();
        return Err(CutsWrong::Bridge { from, to });
    }
    let mut points = cycles;
    for (u, v) in bridges {
        for (end, other) in [(u, v), (v, u)] {
            let more = arcs.near(end).iter().any(|&to| to != other && to != end);
            points[end as usize] |= more;
        }
    }
    if points.len() != found.articulation.len() {
        return Err(CutsWrong::Point { vertex: vertices as u32 });
    }
    if let Some(vertex) = points.iter().zip(&found.articulation).position(|(a, b)| a != b) {
        return Err(CutsWrong::Point { vertex: vertex as u32 });
    }
    let count = points.iter().filter(|&&point| point).count();
    if count == found.points { Ok(()) } else { Err(CutsWrong::Point { vertex: 0 }) }
}
