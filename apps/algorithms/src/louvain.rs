//! Communities of high modularity, by Louvain and Leiden.
//!
//! With `w` the weights of arcs (1 where they have none), `k(v)` the sum of those at `v`, `2W` that of all, and `γ` the resolution,
//!
//! ```text
//!   Q = Σ over communities C of   w(C,C) / 2W  -  γ (k(C) / 2W)²
//! ```
//!
//! Louvain (Blondel, Guillaume, Lambiotte & Lefebvre, *Fast unfolding of communities in large networks*, 2008) moves one vertex after the other to
//! the community of its neighbours that gains most, until none gains; then communities become the vertices of a smaller graph, and so on. Leiden
//! (Traag, Waltman & van Eck, *From Louvain to Leiden*, 2019) looks only at vertices whose neighbours have moved, and splits each community
//! before it becomes a vertex, so that every community is connected. Here the splitting takes the best move, and not a random one. Leiden then
//! starts again from the communities that it has found, as often as it is told and gains by it.
//!
//! Vertices are visited in an order drawn by a seed. Serial: the result depends on the seed alone. O(m) time a pass, and few passes; a copy of the arcs.

use pleach::Rows;
use pleach::runtime::SplitMix64;
use pleach::traverse::Adjacency;

use crate::ABSENT;
use crate::copied::{Copied, present};
use crate::error::{UnfitGraph, undirected};
use crate::weighs::Weighs;

/// Options of communities.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Louvain {
    /// `γ`: more and smaller communities above 1. Default 1.
    pub resolution: f64,
    /// The gain of modularity below which no further level is tried. Default 1e-7.
    pub threshold: f64,
    /// Whether communities are split before they are merged, as in Leiden. Default false.
    pub refine: bool,
    /// How often Leiden goes from vertices to communities, each time from the communities of the time before. Default 2.
    pub rounds: usize,
    /// The largest number of levels. By default there are as many as gain.
    pub levels: usize,
    /// Seed of the order in which vertices are visited. Default 0.
    pub seed: u64,
}

impl Default for Louvain {
    fn default() -> Self {
        Louvain { resolution: 1.0, threshold: 1e-7, refine: false, rounds: 2, levels: usize::MAX, seed: 0 }
    }
}

impl Louvain {
    /// The resolution.
    #[must_use]
    pub fn with_resolution(mut self, resolution: f64) -> Self {
        self.resolution = resolution;
        self
    }

    /// The gain of modularity below which no further level is tried.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// Whether communities are split before they are merged, as in Leiden.
    #[must_use]
    pub fn with_refine(mut self, refine: bool) -> Self {
        self.refine = refine;
        self
    }

    /// Sets how often Leiden starts again from what it has found.
    #[must_use]
    pub fn with_rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets the largest number of levels.
    #[must_use]
    pub fn with_levels(mut self, levels: usize) -> Self {
        self.levels = levels;
        self
    }

    /// The seed of the order in which vertices are visited.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// Communities.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Modules {
    /// The smallest vertex of the community of each; [`ABSENT`] for a number that is not a vertex.
    pub labels: Vec<u32>,
    /// Number of communities.
    pub count: usize,
    /// Their modularity; 0 of a graph without edges.
    pub modularity: f64,
    /// Levels in which a vertex moved.
    pub levels: usize,
}

/// Why communities cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LouvainError {
    /// The graph is directed.
    #[error(transparent)]
    Graph(#[from] UnfitGraph),
    /// The resolution or the threshold is negative or no number.
    #[error("resolution and threshold must be numbers of 0 or more, not {0} and {1}")]
    Options(f64, f64),
    /// A weight is negative or not finite.
    #[error("weights must be finite and not negative, but the edge between {u} and {v} (numbered from 0) has {weight}")]
    Weight {
        /// One end.
        u: u32,
        /// The other.
        v: u32,
        /// Its weight.
        weight: f64,
    },
    /// The sum of all weights is beyond all numbers.
    #[error("the sum of all weights is {0}: scale them")]
    Sum(f64),
}

/// Finds communities of an undirected graph, by its weights.
///
/// # Errors
///
/// [`LouvainError`] if the graph is directed, an option is out of range, a weight is negative or their sum is not finite.
pub fn louvain<'a, A: Rows<Value: Weighs> + 'a>(
    graph: impl Into<Adjacency<'a, A>>,
    options: &Louvain,
) -> Result<Modules, LouvainError> {
    let graph = graph.into();
    undirected(graph, "louvain")?;
    let Louvain { resolution, threshold, .. } = *options;
    if !(resolution >= 0.0 && resolution.is_finite() && threshold >= 0.0) {
        return Err(LouvainError::Options(resolution, threshold));
    }
    let arcs = Copied::weighted(graph.out());
    for u in 0..arcs.len() as u32 {
        if let Some((v, weight)) = arcs.arcs(u).find(|arc| !(arc.1 >= 0.0 && arc.1.is_finite())) {
            return Err(LouvainError::Weight { u, v, weight });
        }
    }
    let level = Level::of(&arcs);
    if !level.total.is_finite() {
        return Err(LouvainError::Sum(level.total));
    }
    graph.announce("visits of vertices", None);
    Ok(search(&level, &present(graph), options, &|visits| graph.advance(visits as usize)))
}

/// Visits after which a pass says how far it is.
const VISITS: u64 = 1 << 12;

/// A graph whose vertices are communities of the one before. A loop counts twice, as its two ends do.
struct Level {
    offsets: Vec<usize>,
    coords: Vec<u32>,
    weights: Vec<f64>,
    /// Weight of the loop of each vertex, both ends.
    loops: Vec<f64>,
    /// Sum of weights at each vertex.
    strength: Vec<f64>,
    /// Sum of weights at all.
    total: f64,
}

impl Level {
    fn of(arcs: &Copied) -> Self {
        let vertices = arcs.len();
        let mut level = Level::empty(vertices);
        for vertex in 0..vertices as u32 {
            for (to, weight) in arcs.arcs(vertex) {
                level.push(vertex, to, if to == vertex { 2.0 * weight } else { weight });
            }
            level.close();
        }
        level.finish()
    }

    fn empty(vertices: usize) -> Self {
        let mut offsets = Vec::with_capacity(vertices + 1);
        offsets.push(0);
        Level {
            offsets,
            coords: Vec::new(),
            weights: Vec::new(),
            loops: vec![0.0; vertices],
            strength: vec![0.0; vertices],
            total: 0.0,
        }
    }

    fn push(&mut self, from: u32, to: u32, weight: f64) {
        self.strength[from as usize] += weight;
        if from == to {
            self.loops[from as usize] += weight;
        } else {
            self.coords.push(to);
            self.weights.push(weight);
        }
    }

    fn close(&mut self) {
        self.offsets.push(self.coords.len());
    }

    fn finish(mut self) -> Self {
        self.total = self.strength.iter().sum();
        self
    }

    fn len(&self) -> usize {
        self.loops.len()
    }

    fn arcs(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let range = self.offsets[vertex as usize]..self.offsets[vertex as usize + 1];
        self.coords[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// The modularity of communities numbered from 0.
    fn modularity(&self, community: &[u32], count: usize, resolution: f64) -> f64 {
        if self.total == 0.0 {
            return 0.0;
        }
        let (mut inside, mut whole) = (0.0, vec![0.0; count]);
        for vertex in 0..self.len() as u32 {
            let own = community[vertex as usize];
            whole[own as usize] += self.strength[vertex as usize];
            inside += self.loops[vertex as usize];
            inside += self.arcs(vertex).filter(|arc| community[arc.0 as usize] == own).map(|arc| arc.1).sum::<f64>();
        }
        let squares: f64 = whole.iter().map(|sum| (sum / self.total).powi(2)).sum();
        inside / self.total - resolution * squares
    }

    /// The graph of communities numbered from 0.
    fn merged(&self, community: &[u32], count: usize) -> Level {
        let mut members = vec![Vec::new(); count];
        community.iter().zip(0..).for_each(|(&own, vertex)| members[own as usize].push(vertex));
        let mut level = Level::empty(count);
        let (mut sums, mut touched) = (vec![0.0; count], Vec::new());
        for (own, members) in members.iter().enumerate() {
            let mut inside = 0.0;
            for &vertex in members {
                inside += self.loops[vertex as usize];
                for (to, weight) in self.arcs(vertex) {
                    let other = community[to as usize];
                    if sums[other as usize] == 0.0 {
                        touched.push(other);
                    }
                    sums[other as usize] += weight;
                }
            }
            level.push(own as u32, own as u32, inside);
            touched.sort_unstable();
            touched.dedup();
            for other in touched.drain(..) {
                level.push(own as u32, other, std::mem::take(&mut sums[other as usize]));
            }
            level.close();
        }
        level.finish()
    }

    /// The connected parts of communities, each called by one of its vertices. A vertex that held a community together may have left it since
    /// the parts were found; modularity does not fall when what is not connected is taken apart.
    fn connected(&self, community: &[u32]) -> Vec<u32> {
        let mut parts = vec![ABSENT; community.len()];
        let mut waiting = Vec::new();
        for root in 0..community.len() as u32 {
            if parts[root as usize] != ABSENT {
                continue;
            }
            parts[root as usize] = root;
            waiting.push(root);
            while let Some(at) = waiting.pop() {
                for (to, _) in self.arcs(at) {
                    if parts[to as usize] == ABSENT && community[to as usize] == community[at as usize] {
                        parts[to as usize] = root;
                        waiting.push(to);
                    }
                }
            }
        }
        parts
    }

    /// Moves vertices to the communities that gain most, within `bounds` if there are some. Returns whether any moved.
    fn settle(
        &self,
        community: &mut [u32],
        bounds: Option<&[u32]>,
        resolution: f64,
        random: &mut SplitMix64,
        advance: &dyn Fn(u64),
    ) -> bool {
        let vertices = self.len();
        let mut whole = vec![0.0; vertices];
        let mut size = vec![0u32; vertices];
        for vertex in 0..vertices {
            whole[community[vertex] as usize] += self.strength[vertex];
            size[community[vertex] as usize] += 1;
        }
        let mut queue: std::collections::VecDeque<u32> = shuffled(vertices, random).into();
        let (mut queued, mut moved) = (vec![true; vertices], false);
        let (mut sums, mut touched) = (vec![0.0; vertices], Vec::new());
        let mut visits = 0u64;
        while let Some(vertex) = queue.pop_front() {
            visits += 1;
            if visits.is_multiple_of(VISITS) {
                advance(VISITS);
            }
            queued[vertex as usize] = false;
            let own = community[vertex as usize];
            // Splitting starts from single vertices, and moves none that has company.
            if bounds.is_some() && size[own as usize] > 1 {
                continue;
            }
            let strength = self.strength[vertex as usize];
            // Divides first, because the product of two sums of weights may overflow or underflow.
            let share = if self.total > 0.0 { strength / self.total } else { 0.0 };
            touched.push(own);
            for (to, weight) in self.arcs(vertex) {
                if bounds.is_some_and(|bounds| bounds[to as usize] != bounds[vertex as usize]) {
                    continue;
                }
                let other = community[to as usize];
                if sums[other as usize] == 0.0 {
                    touched.push(other);
                }
                sums[other as usize] += weight;
            }
            whole[own as usize] -= strength;
            let gain = |other: u32| sums[other as usize] - resolution * share * whole[other as usize];
            let (mut best, mut most) = (own, gain(own));
            for &other in &touched {
                // A move must gain more than rounding.
                if gain(other) > most + 1e-12 * self.total {
                    (best, most) = (other, gain(other));
                }
            }
            whole[best as usize] += strength;
            touched.drain(..).for_each(|other| sums[other as usize] = 0.0);
            if best != own {
                moved = true;
                size[own as usize] -= 1;
                size[best as usize] += 1;
                community[vertex as usize] = best;
                for (to, _) in self.arcs(vertex) {
                    if community[to as usize] != best && !queued[to as usize] {
                        queued[to as usize] = true;
                        queue.push_back(to);
                    }
                }
            }
        }
        advance(visits % VISITS);
        moved
    }
}

fn shuffled(count: usize, random: &mut SplitMix64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    (1..count).rev().for_each(|at| order.swap(at, random.index(at + 1)));
    order
}

/// Numbers communities from 0 in the order in which they come first. Returns how many there are.
fn renumber(community: &mut [u32]) -> usize {
    let mut numbers = vec![ABSENT; community.len()];
    let mut count = 0;
    for own in community.iter_mut() {
        if numbers[*own as usize] == ABSENT {
            numbers[*own as usize] = count;
            count += 1;
        }
        *own = numbers[*own as usize];
    }
    count as usize
}

/// Goes from vertices to communities of communities, from a community for each vertex on. Returns a better one for each, and its modularity.
fn round(
    first: &Level,
    mut community: Vec<u32>,
    mut modularity: f64,
    levels: &mut usize,
    options: &Louvain,
    random: &mut SplitMix64,
    advance: &dyn Fn(u64),
) -> (Vec<u32>, f64) {
    // The vertex of the level that each vertex of the graph belongs to; `community` has one for each vertex of the level.
    let mut place: Vec<u32> = (0..first.len() as u32).collect();
    let mut smaller: Option<Level> = None;
    loop {
        let level = smaller.as_ref().unwrap_or(first);
        let moved = level.settle(&mut community, None, options.resolution, random, advance);
        let count = renumber(&mut community);
        let reached = level.modularity(&community, count, options.resolution);
        let gained = moved && reached - modularity > options.threshold;
        modularity = reached;
        *levels += usize::from(moved);
        if !gained || *levels >= options.levels {
            break;
        }
        // Leiden merges the parts of communities, and starts from the communities.
        let mut parts = community.clone();
        if options.refine {
            parts = (0..level.len() as u32).collect();
            level.settle(&mut parts, Some(&community), options.resolution, random, advance);
        }
        let count = renumber(&mut parts);
        let merged = level.merged(&parts, count);
        let mut next: Vec<u32> = vec![0; count];
        parts.iter().zip(&community).for_each(|(&part, &own)| next[part as usize] = own);
        place.iter_mut().for_each(|place| *place = parts[*place as usize]);
        community = if options.refine { next } else { (0..count as u32).collect() };
        smaller = Some(merged);
    }
    (place.iter().map(|&place| community[place as usize]).collect(), modularity)
}

fn search(first: &Level, present: &[bool], options: &Louvain, advance: &dyn Fn(u64)) -> Modules {
    let mut random = SplitMix64(options.seed);
    let mut labels: Vec<u32> = (0..first.len() as u32).collect();
    let (mut levels, mut modularity) = (0, first.modularity(&labels, first.len(), options.resolution));
    let rounds = if options.refine { options.rounds.max(1) } else { 1 };
    for _ in 0..if options.levels == 0 { 0 } else { rounds } {
        let before = modularity;
        (labels, modularity) = round(first, labels, modularity, &mut levels, options, &mut random, advance);
        if modularity - before <= options.threshold || levels >= options.levels {
            break;
        }
    }
    if options.refine {
        labels = first.connected(&labels);
        let count = renumber(&mut labels);
        modularity = first.modularity(&labels, count, options.resolution);
    }
    let mut smallest = vec![ABSENT; labels.len()];
    let mut count = 0;
    for (vertex, label) in labels.iter_mut().enumerate() {
        if !present[vertex] {
            *label = ABSENT;
            continue;
        }
        let smallest = &mut smallest[*label as usize];
        if *smallest == ABSENT {
            *smallest = vertex as u32;
            count += 1;
        }
        *label = *smallest;
    }
    Modules { labels, count, modularity, levels }
}

/// What is wrong with communities.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModulesWrong {
    /// A label is not the smallest vertex of its community, or there are not as many as vertices.
    #[error("the label of vertex {vertex} is not the smallest vertex of its community, or their number is wrong")]
    Label {
        /// The vertex.
        vertex: usize,
    },
    /// The modularity is not that of the communities.
    #[error("the modularity is {found}, but {expected} is right")]
    Modularity {
        /// What was found.
        found: f64,
        /// The right one.
        expected: f64,
    },
    /// A community of Leiden falls apart.
    #[error("vertex {vertex} is not joined to the others of its community by edges within it")]
    Apart {
        /// The vertex.
        vertex: usize,
    },
    /// The communities are worse than none: each vertex alone, or all together.
    #[error("the modularity is {found}, and {simple} where each vertex is alone")]
    Worse {
        /// What was found.
        found: f64,
        /// What each vertex alone has.
        simple: f64,
    },
}

/// A vertex that no edges within its community join to the vertex that the community is called by.
fn apart(arcs: &Copied, labels: &[u32]) -> Option<usize> {
    let mut joined: Vec<bool> =
        labels.iter().zip(0..).map(|(&label, vertex)| label == vertex || label == ABSENT).collect();
    let mut waiting: Vec<u32> = (0..labels.len() as u32).filter(|&vertex| labels[vertex as usize] == vertex).collect();
    while let Some(at) = waiting.pop() {
        for (to, _) in arcs.arcs(at) {
            if labels[to as usize] == labels[at as usize] && !std::mem::replace(&mut joined[to as usize], true) {
                waiting.push(to);
            }
        }
    }
    joined.iter().position(|joined| !joined)
}

/// Checks labels, and the modularity by its sum over pairs of ends of edges; that it is not below that of single vertices; and that communities of
/// Leiden are connected. O(n + m).
///
/// # Errors
///
/// The first thing that is wrong.
pub fn verify<A: Rows<Value: Weighs>>(
    graph: Adjacency<'_, A>,
    options: &Louvain,
    found: &Modules,
) -> Result<(), ModulesWrong> {
    let arcs = Copied::weighted(graph.out());
    if found.labels.len() != arcs.len() {
        return Err(ModulesWrong::Label { vertex: found.labels.len() });
    }
    let mut count = 0;
    for (vertex, &label) in found.labels.iter().enumerate() {
        let there = graph.has_vertex(vertex as u32);
        let right =
            if there { label as usize <= vertex && found.labels[label as usize] == label } else { label == ABSENT };
        if !right {
            return Err(ModulesWrong::Label { vertex });
        }
        count += usize::from(there && label as usize == vertex);
    }
    if count != found.count {
        return Err(ModulesWrong::Label { vertex: count });
    }
    if options.refine
        && let Some(vertex) = apart(&arcs, &found.labels)
    {
        return Err(ModulesWrong::Apart { vertex });
    }
    let weight = |from: u32, (to, weight): (u32, f64)| if from == to { 2.0 * weight } else { weight };
    let all = || (0..arcs.len() as u32).flat_map(|from| arcs.arcs(from).map(move |arc| (from, arc)));
    let total: f64 = all().map(|(from, arc)| weight(from, arc)).sum();
    let of = |label: &dyn Fn(u32) -> u32| {
        let mut sums = std::collections::BTreeMap::<u32, f64>::new();
        let mut inside = 0.0;
        for (from, arc) in all() {
            *sums.entry(label(from)).or_default() += weight(from, arc);
            if label(from) == label(arc.0) {
                inside += weight(from, arc);
            }
        }
        let squares: f64 = sums.values().map(|sum| (sum / total).powi(2)).sum();
        if total == 0.0 { 0.0 } else { inside / total - options.resolution * squares }
    };
    let expected = of(&|vertex| found.labels[vertex as usize]);
    // NaN is not right, either.
    let is_right = (expected - found.modularity).abs() <= 1e-9;
    if !is_right {
        return Err(ModulesWrong::Modularity { found: found.modularity, expected });
    }
    let simple = of(&|vertex| vertex);
    if expected < simple - 1e-9 {
        return Err(ModulesWrong::Worse { found: expected, simple });
    }
    Ok(())
}
