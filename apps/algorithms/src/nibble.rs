//! A cluster around a vertex, found without looking at the rest of the graph.
//!
//! The personalised PageRank of a lazy walk from seed `s`, with teleport probability `α`, is approximated by a vector `p` for which
//!
//! ```text
//!   p + pr(r) = pr(s)      0 ≤ r(v) < ε d(v) for all v
//! ```
//!
//! by pushing: a vertex with `r(v) ≥ ε d(v)` keeps `α r(v)`, and of the rest half stays and half goes to its neighbours. Then the vertices of `p`, by falling `p(v)/d(v)`, are
//! added to a set one after the other, and the set of the smallest conductance is the cluster:
//!
//! ```text
//!   φ(S) = |{arcs from S to elsewhere}| / min(vol(S), vol(V \ S))      vol(S) = Σ d(v) over v in S
//! ```
//!
//! (PageRank-Nibble; Andersen, Chung & Lang, *Local Graph Partitioning using PageRank Vectors*, FOCS 2006, after the Nibble of Spielman & Teng). At most
//! `1/(ε α)` arcs are pushed along, whatever the size of the graph, one vertex after the other in the order of a queue: the work is too little to share, and
//! the result is the same each time. Nothing of size `n` is held. A self loop counts once in a degree and is never cut.

use std::collections::{HashMap, VecDeque};

use pleach::Rows;
use pleach::runtime::Fiber;
use pleach::traverse::Adjacency;

use crate::error::{NoSuchVertex, UnfitGraph, undirected};

/// Options of the search for a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Nibble {
    /// Probability of teleporting to the seed, in `(0, 1)`. Smaller values search farther. Default 0.15.
    pub alpha: f64,
    /// The largest residual of a vertex, for each of its arcs. Smaller values search farther. Default 1e-6.
    pub epsilon: f64,
}

impl Default for Nibble {
    fn default() -> Self {
        Nibble { alpha: 0.15, epsilon: 1e-6 }
    }
}

impl Nibble {
    /// The probability of teleporting to the seed, in `(0, 1)`.
    #[must_use]
    pub fn with_alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// The largest residual of a vertex, for each of its arcs.
    #[must_use]
    pub fn with_epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }
}

/// A cluster.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cluster {
    /// Its vertices, ascending.
    pub members: Vec<u32>,
    /// Its conductance; 0 if no arc leaves it.
    pub conductance: f64,
    /// The sum of its degrees.
    pub volume: usize,
    /// The approximate PageRank of each vertex that has any, by vertex.
    pub ranks: Vec<(u32, f64)>,
    /// Number of pushes; a vertex that was pushed twice counts twice.
    pub pushes: usize,
}

/// Why a search for a cluster was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NibbleError {
    /// The graph is directed.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// The seed is not in the graph.
    #[error(transparent)]
    Seed(#[from] NoSuchVertex),
    /// The probability of teleporting is not between 0 and 1.
    #[error("the probability of teleporting must be above 0 and below 1, not {0}")]
    Alpha(f64),
    /// The largest residual is not a positive number.
    #[error("the largest residual for each arc must be a positive number, not {0}")]
    Epsilon(f64),
}

/// Looks for a cluster around `seed` in an undirected graph.
///
/// # Errors
///
/// [`NibbleError`] says which option is wrong, or that the graph is directed.
pub fn nibble<'a, A: Rows + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    seed: u32,
    options: &Nibble,
) -> Result<Cluster, NibbleError> {
    let graph = graph.into();
    undirected(graph, "nibble")?;
    let Nibble { alpha, epsilon } = *options;
    NoSuchVertex::check(seed, graph)?;
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(NibbleError::Alpha(alpha));
    }
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        return Err(NibbleError::Epsilon(epsilon));
    }
    let degree = |vertex: u32| graph.out().row(vertex as usize).map_or(0, Fiber::len);
    if degree(seed) == 0 {
        let ranks = vec![(seed, 1.0)];
        return Ok(Cluster { members: vec![seed], conductance: 0.0, volume: 0, ranks, pushes: 0 });
    }
    // The approximate rank and the residual of each vertex that has been touched.
    let mut mass: HashMap<u32, (f64, f64)> = HashMap::from([(seed, (0.0, 1.0))]);
    let (mut queue, mut pushes) = (VecDeque::from([seed]), 0);
    graph.announce("pushes", None);
    while let Some(vertex) = queue.pop_front() {
        graph.advance(1);
        let own = degree(vertex) as f64;
        let (rank, left) = mass.entry(vertex).or_default();
        if *left < epsilon * own {
            continue;
        }
        pushes += 1;
        let rest = (1.0 - alpha) * *left / 2.0;
        *rank += alpha * *left;
        *left = rest;
        if rest >= epsilon * own {
            queue.push_back(vertex);
        }
        let Some(row) = graph.out().row(vertex as usize) else { continue };
        let mut full = Vec::new();
        row.fold_runs((), |(), run| {
            for &other in run.coords() {
                let limit = epsilon * degree(other) as f64;
                let left = &mut mass.entry(other).or_default().1;
                let before = *left;
                *left += rest / own;
                if before < limit && *left >= limit {
                    full.push(other);
                }
            }
        });
        if !<A::Fiber<'_> as Fiber<'_>>::ORDERED {
            full.sort_unstable();
        }
        queue.extend(full);
    }
    let mut ranks: Vec<(u32, f64)> =
        mass.into_iter().filter(|(_, (rank, _))| *rank > 0.0).map(|(vertex, (rank, _))| (vertex, rank)).collect();
    ranks.sort_unstable_by_key(|rank| rank.0);
    // Where ε is so large that nothing is pushed, the seed is alone.
    let alone = [(seed, 1.0)];
    let (members, conductance, volume) = sweep(graph, if ranks.is_empty() { &alone } else { &ranks });
    Ok(Cluster { members, conductance, volume, ranks, pushes })
}

/// The best prefix of the vertices in descending order of rank by degree: its members, conductance and volume.
fn sweep<A: Rows>(graph: Adjacency<'_, A>, ranks: &[(u32, f64)]) -> (Vec<u32>, f64, usize) {
    let degree = |vertex: u32| graph.out().row(vertex as usize).map_or(0, Fiber::len);
    let mut order: Vec<(f64, u32, usize)> = ranks
        .iter()
        .map(|&(vertex, rank)| (vertex, rank, degree(vertex)))
        .filter(|&(_, _, degree)| degree > 0)
        .map(|(vertex, rank, degree)| (rank / degree as f64, vertex, degree))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut inside = std::collections::HashSet::new();
    let (mut cut, mut volume) = (0, 0);
    let mut best = (f64::INFINITY, 0, 0);
    for (count, &(_, vertex, degree)) in order.iter().enumerate() {
        let (mut to_inside, mut loops) = (0, 0);
        if let Some(row) = graph.out().row(vertex as usize) {
            row.fold_runs((), |(), run| {
                to_inside += run.coords().iter().filter(|other| inside.contains(*other)).count();
                loops += run.coords().iter().filter(|&&other| other == vertex).count();
            });
        }
        inside.insert(vertex);
        volume += degree;
        cut = cut + degree - loops - 2 * to_inside;
        let conductance = conductance(cut, volume, graph.num_arcs());
        if conductance < best.0 {
            best = (conductance, count + 1, volume);
        }
    }
    let mut members: Vec<u32> = order[..best.1].iter().map(|&(_, vertex, _)| vertex).collect();
    members.sort_unstable();
    (members, best.0, best.2)
}

/// The conductance of a set, from the number of arcs that leave it and the sum of its degrees. The whole graph is not a cluster: its
/// conductance is 1, unless the graph has no other set.
fn conductance(cut: usize, volume: usize, arcs: usize) -> f64 {
    match volume.min(arcs - volume) {
        0 => 1.0,
        smaller => cut as f64 / smaller as f64,
    }
}

/// What is wrong with a cluster.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NibbleWrong {
    /// The members or the ranks are not those of vertices in ascending order.
    #[error("the members and the ranks must be those of vertices, in ascending order")]
    Vertices,
    /// The residual of a vertex, computed from the ranks, is out of bounds.
    #[error("vertex {vertex} has the residual {left}; it must be at least 0 and below {limit}")]
    Left {
        /// The vertex.
        vertex: usize,
        /// Its residual.
        left: f64,
        /// The bound.
        limit: f64,
    },
    /// The conductance or the volume is wrong.
    #[error("the cluster has conductance {0} and volume {1}")]
    Conductance(f64, usize),
    /// The cluster is not the best of the sets that take vertices by falling rank for each arc.
    #[error(
        "the cluster is another one: the best set by the ranks has {members} vertices and conductance {conductance}"
    )]
    NotBest {
        /// Number of vertices of the best set.
        members: usize,
        /// Its conductance.
        conductance: f64,
    },
}

/// How far residuals may differ because of rounding; the sum of all ranks is one.
const ROUNDING: f64 = 1e-12;

/// Checks the ranks by their residuals, which it computes for all vertices from the equation that the ranks approximate, the conductance by
/// counting arcs in the whole graph, and the members by the arcs that leave each set of the sweep, all of which one pass over the graph counts. Serial;
/// O(n log n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows>(
    graph: Adjacency<'_, A>,
    seed: u32,
    options: &Nibble,
    found: &Cluster,
) -> Result<(), NibbleWrong> {
    let (vertices, Nibble { alpha, epsilon }) = (graph.bound(), *options);
    let listed = found.ranks.iter().map(|rank| rank.0);
    let ascend = found.members.is_sorted_by(|a, b| a < b) && listed.clone().is_sorted_by(|a, b| a < b);
    if !ascend || !listed.chain(found.members.iter().copied()).all(|vertex| graph.has_vertex(vertex)) {
        return Err(NibbleWrong::Vertices);
    }
    let degrees = graph.out().row_degrees();
    let (mut ranks, mut inside) = (vec![0.0; vertices], vec![false; vertices]);
    found.ranks.iter().for_each(|&(vertex, rank)| ranks[vertex as usize] = rank);
    found.members.iter().for_each(|&vertex| inside[vertex as usize] = true);
    // p W with the lazy walk W, gathered along the arcs.
    let mut walked: Vec<f64> = ranks.iter().map(|rank| rank / 2.0).collect();
    let (mut cut, mut volume) = (0, 0);
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords() {
                walked[v as usize] += ranks[u] / (2.0 * f64::from(degrees[u]));
                volume += usize::from(inside[u]);
                cut += usize::from(inside[u] && !inside[v as usize]);
            }
        });
    });
    for vertex in 0..vertices {
        let from = f64::from(u8::from(vertex == seed as usize));
        let left = from - (ranks[vertex] - (1.0 - alpha) * walked[vertex]) / alpha;
        let limit = epsilon * f64::from(degrees[vertex]);
        if degrees[seed as usize] > 0 && !(left >= -ROUNDING / alpha && left <= limit + ROUNDING / alpha) {
            return Err(NibbleWrong::Left { vertex, left, limit });
        }
    }
    let right = if volume == 0 { 0.0 } else { conductance(cut, volume, graph.num_arcs()) };
    if !(found.volume == volume && found.conductance == right && !found.members.is_empty()) {
        return Err(NibbleWrong::Conductance(right, volume));
    }
    let (members, conductance) = best_prefix(graph, seed, &ranks, &degrees);
    if found.members != members {
        return Err(NibbleWrong::NotBest { members: members.len(), conductance });
    }
    Ok(())
}

/// The members and the conductance of the best set of the sweep. An arc leaves the sets that its source is in and its target is not.
fn best_prefix<A: Rows>(graph: Adjacency<'_, A>, seed: u32, ranks: &[f64], degrees: &[u32]) -> (Vec<u32>, f64) {
    let by_arcs = |vertex: u32| ranks[vertex as usize] / f64::from(degrees[vertex as usize]);
    let has_rank = |&vertex: &u32| ranks[vertex as usize] > 0.0 && degrees[vertex as usize] > 0;
    let mut order: Vec<u32> = (0..ranks.len() as u32).filter(has_rank).collect();
    if order.is_empty() {
        order.push(seed);
    }
    order.sort_by(|&a, &b| by_arcs(b).total_cmp(&by_arcs(a)).then(a.cmp(&b)));
    let mut places = vec![order.len(); ranks.len()];
    order.iter().enumerate().for_each(|(place, &vertex)| places[vertex as usize] = place);
    // How many more arcs leave the set with the vertex at each place than the one before.
    let mut more = vec![0_i64; order.len() + 1];
    graph.out().rows(|u, row| {
        row.fold_runs((), |(), run| {
            for &v in run.coords() {
                let (from, to) = (places[u], places[v as usize]);
                if from < to {
                    more[from] += 1;
                    more[to] -= 1;
                }
            }
        });
    });
    let (mut cut, mut volume, mut best) = (0, 0, (f64::INFINITY, 0));
    for (place, &vertex) in order.iter().enumerate() {
        cut += more[place];
        volume += degrees[vertex as usize] as usize;
        // A seed without arcs is alone.
        let found = if volume == 0 { 0.0 } else { conductance(cut as usize, volume, graph.num_arcs()) };
        if found < best.0 {
            best = (found, place + 1);
        }
    }
    let mut members = order[..best.1].to_vec();
    members.sort_unstable();
    (members, best.0)
}
