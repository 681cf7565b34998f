//! The diameter of a graph, or bounds of it.
//!
//! ```text
//!   ecc(v) = max d(v,w) over w that a path leads to from v      diam = max ecc(v)
//! ```
//!
//! in the undirected graph that is left when arcs lose their direction: the longest of the shortest paths within its components. A search from `v` gives
//! `ecc(v)`, and bounds for every `w` that it reaches:
//!
//! ```text
//!   max(ecc(v) - d(v,w), d(v,w)) ≤ ecc(w) ≤ ecc(v) + d(v,w)
//! ```
//!
//! Vertices whose upper bound is not above the longest path found so far need no search of their own. Searches start, in turn, from the
//! vertex of the largest upper and of the smallest lower bound, of several from the one of most arcs, until no vertex is left (Takes & Kosters, *Determining the Diameter of Small World
//! Networks*, CIKM 2011) — some dozens on most real graphs, where the definition takes `n` — or as many have been done as are allowed, and
//! bounds remain. O(m) a search, `20 n` bytes.

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use crate::bfs::{UNREACHED, part};
use crate::error::{UnfitGraph, undirected};

/// When to stop searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Diameter {
    /// Searches at most. Default 1000.
    pub searches: usize,
}

impl Default for Diameter {
    fn default() -> Self {
        Diameter { searches: 1000 }
    }
}

impl Diameter {
    /// The most searches.
    #[must_use]
    pub fn with_searches(mut self, searches: usize) -> Self {
        self.searches = searches;
        self
    }
}

/// A diameter, or bounds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds {
    /// Lower bound: the length of a shortest path that was found; 0 without vertices.
    pub least: u32,
    /// Upper bound: no shortest path is longer. The diameter is known if both bounds are equal.
    pub most: u32,
    /// The ends of a shortest path of length `least`, if there are vertices.
    pub ends: Option<(u32, u32)>,
    /// Searches done.
    pub searches: usize,
}

/// Bounds the diameter of an undirected graph.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn diameter<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Diameter,
) -> Result<Bounds, UnfitGraph> {
    Ok(farthest(graph, options, 1)?.0)
}

/// Bounds the diameter of an undirected graph, and finds `count` vertices of the largest eccentricities with these, largest first. Of equal
/// ones it takes those whose eccentricity is known first. What is not known when the searches are used up is left out.
///
/// # Errors
///
/// [`UnfitGraph`] if the graph is directed.
pub fn farthest<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Diameter,
    count: usize,
) -> Result<(Bounds, Vec<(u32, u32)>), UnfitGraph> {
    let graph = graph.into();
    undirected(graph, "diameter")?;
    let vertices = graph.bound();
    let degrees = graph.out().row_degrees();
    // A path in a component is shorter than the component; this is known of its vertices with the first search in it.
    let (mut lower, mut upper) = (vec![0u32; vertices], vec![graph.num_vertices().saturating_sub(1) as u32; vertices]);
    let mut open: Vec<u32> = graph.vertices().collect();
    let mut bounds = Bounds { least: 0, most: 0, ends: open.first().map(|&first| (first, first)), searches: 0 };
    // Vertices without neighbours have no path.
    open.retain(|&vertex| {
        let near = |row: A::Fiber<'_>| row.len() > usize::from(row.locate(vertex).is_some());
        let has_path = graph.out().row(vertex as usize).is_some_and(near);
        if !has_path {
            upper[vertex as usize] = 0;
        }
        has_path
    });
    graph.announce("searches", None);
    while !open.is_empty() && bounds.searches < options.searches {
        let key = |&&vertex: &&u32| (degrees[vertex as usize], std::cmp::Reverse(vertex));
        let next = if bounds.searches.is_multiple_of(2) {
            open.iter().max_by_key(|vertex| (upper[**vertex as usize], key(vertex)))
        } else {
            open.iter().min_by_key(|vertex| (lower[**vertex as usize], std::cmp::Reverse(key(vertex))))
        };
        let Some(&from) = next else { break };
        let search = part(graph, from).expect("the vertex is one of the graph");
        graph.advance(1);
        bounds.searches += 1;
        let eccentricity = search.levels.len() as u32 - 1;
        if eccentricity > bounds.least {
            let end = search.depths.iter().position(|&depth| depth == eccentricity).unwrap_or(0);
            (bounds.least, bounds.ends) = (eccentricity, Some((from, end as u32)));
        }
        for &vertex in &open {
            let depth = search.depths[vertex as usize];
            let (lower, upper) = (&mut lower[vertex as usize], &mut upper[vertex as usize]);
            if depth != UNREACHED {
                *lower = (*lower).max(depth).max(eccentricity - depth);
                *upper = (*upper).min(eccentricity + depth).min(search.reached as u32 - 1);
            }
        }
        let enough = if count > 1 { nth_largest(&lower, count) } else { bounds.least };
        let known = |vertex: usize| lower[vertex] == upper[vertex];
        open.retain(|&vertex| vertex != from && upper[vertex as usize] > enough && !known(vertex as usize));
    }
    bounds.most = open.iter().map(|&vertex| upper[vertex as usize]).max().unwrap_or(0).max(bounds.least);
    let known = graph.vertices().filter(|&vertex| lower[vertex as usize] == upper[vertex as usize]);
    let mut farthest: Vec<(u32, u32)> = known.map(|vertex| (vertex, lower[vertex as usize])).collect();
    // A vertex that is not known may come before those whose eccentricity is smaller than its upper bound.
    let unknown = open.iter().map(|&vertex| upper[vertex as usize]).max().unwrap_or(0);
    farthest.retain(|&(_, eccentricity)| eccentricity >= unknown);
    farthest.sort_unstable_by_key(|&(vertex, eccentricity)| (std::cmp::Reverse(eccentricity), vertex));
    farthest.truncate(count);
    Ok((bounds, farthest))
}

/// The `nth` largest number, or 0 if there are fewer.
fn nth_largest(numbers: &[u32], nth: usize) -> u32 {
    let mut numbers = numbers.to_vec();
    let Some(at) = numbers.len().checked_sub(nth) else { return 0 };
    *numbers.select_nth_unstable(at).1
}

/// What is wrong with bounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiameterWrong {
    /// The path between the two ends is not a shortest one.
    #[error("from vertex {0} to vertex {1} a shortest path has {2:?} arcs")]
    Path(u32, u32, Option<u32>),
    /// An end of the path is not a vertex.
    #[error("the path ends at {0}, which is no vertex")]
    NoVertex(u32),
    /// The diameter is outside of its bounds.
    #[error("the diameter is {0}")]
    Diameter(u32),
    /// The lower bound is above the upper one.
    #[error("the bounds are the wrong way round")]
    Order,
}

/// Graphs of more vertices times arcs than this are not searched from every vertex.
const EXHAUSTIVE: usize = 200_000_000;

/// Whether [`verify`] searches from every vertex of a graph of this size.
pub fn checks_all(vertices: usize, arcs: usize) -> bool {
    vertices.saturating_mul(vertices.saturating_add(arcs)) <= EXHAUSTIVE
}

/// Checks bounds: the path is a shortest one by a search that keeps a queue; and in a graph that is small enough, searches from all vertices give the
/// diameter. Serial; O(n m) in such a graph, O(n + m) otherwise.
///
/// # Errors
///
/// What is wrong.
pub fn verify<A: Rows>(graph: Adjacency<'_, A>, found: &Bounds) -> Result<(), DiameterWrong> {
    let vertices = graph.bound();
    let depths = |from: usize| {
        let (mut depths, mut queue) = (vec![UNREACHED; vertices], std::collections::VecDeque::from([from]));
        depths[from] = 0;
        while let Some(vertex) = queue.pop_front() {
            let Some(row) = graph.out().row(vertex) else { continue };
            row.fold_runs((), |(), run| {
                for other in run.coords().iter().map(|&other| other as usize) {
                    if depths[other] == UNREACHED {
                        depths[other] = depths[vertex] + 1;
                        queue.push_back(other);
                    }
                }
            });
        }
        depths
    };
    if let Some((from, to)) = found.ends {
        if let Some(end) = [from, to].into_iter().find(|&end| !graph.has_vertex(end)) {
            return Err(DiameterWrong::NoVertex(end));
        }
        let length = depths(from as usize).get(to as usize).copied();
        if length != Some(found.least) {
            return Err(DiameterWrong::Path(from, to, length));
        }
    }
    if found.least > found.most || (found.ends.is_none() && graph.num_vertices() > 0) {
        return Err(DiameterWrong::Order);
    }
    if checks_all(vertices, graph.num_arcs()) {
        let farthest = |from| depths(from).into_iter().filter(|&depth| depth != UNREACHED).max().unwrap_or(0);
        let right = (0..vertices).map(farthest).max().unwrap_or(0);
        if !(found.least..=found.most).contains(&right) {
            return Err(DiameterWrong::Diameter(right));
        }
    }
    Ok(())
}
