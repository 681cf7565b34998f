//! Weakly connected components of a graph that changes.
//!
//! ```text
//!   classes     each vertex ──► class ──► … ──► root class          an inserted edge links two roots; a part that split off gets a class of its own
//! ```
//!
//! Classes are the sets of union and find (Galler & Fischer, *An Improved Equivalence Algorithm*, CACM 1964), with one more step from vertices to
//! classes. So a part that splits off is moved to another class by writing to its vertices alone.
//!
//! An inserted edge links two classes: O(1) in practice. Deleted edges may split a class. Then a search starts at each end of the edges that the batch
//! deletes from the class, and runs over the graph after the batch. The search that has read the fewest arcs goes first. Two searches that meet are
//! joined; a search that runs out of vertices has found a whole component. When one search is left, its vertices are the rest of the class.
//!
//! A batch takes time for its edges, for the paths that still connect their ends, and for the smaller parts of a class that splits. At worst it
//! takes as long as computing the touched components from scratch, whatever the size of the others. `16 n` bytes are kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use pleach::Rows;
use pleach::runtime::{Fiber, par_map, par_ranges};
use pleach::traverse::Adjacency;

use crate::ABSENT;
use crate::cc::{Components, components};
use crate::error::in_arcs;
use crate::incremental::{FollowError, check_versions};

/// The mark of no class and of no search.
const NONE: u32 = u32::MAX;

/// Vertices that one task labels.
const GRAIN: usize = 1 << 12;

/// Components that follow a graph.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions};
/// use pleach_algorithms::incremental::MovingComponents;
///
/// let graph: Graph = Graph::new(GraphOptions::undirected());
/// graph.insert([(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let before = graph.fresh();
/// let mut moving = MovingComponents::new(&before);
///
/// graph.delete([(0, 1), (2, 3)])?;
/// moving.follow(&before, &graph.fresh(), &[(0, 1), (2, 3)])?;
/// assert!(moving.connected(0, 1) && !moving.connected(0, 3));
/// assert_eq!(moving.components().labels, [0, 0, 0, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MovingComponents {
    /// The class of each vertex, or `NONE` for a number that is not a vertex.
    classes: Vec<u32>,
    /// The class that each class was joined to; a root links to itself.
    links: Vec<u32>,
    /// Vertices of each root class.
    sizes: Vec<u32>,
    /// Classes with vertices.
    count: usize,
    /// The search that reached each vertex; `NONE` except while edges are deleted.
    reached: Vec<u32>,
}

impl MovingComponents {
    /// The components of a graph, computed by [`components`].
    pub fn new<'a, A: Rows + 'a>(graph: impl Into<Adjacency<'a, A>>) -> Self {
        Self::of_checked(&components(graph))
    }

    /// Starts from components that were computed before.
    ///
    /// # Errors
    ///
    /// [`FollowError::Label`] if a label is neither a vertex nor [`ABSENT`].
    pub fn of(components: &Components) -> Result<Self, FollowError> {
        let vertices = components.labels.len();
        let wrong = |&(_, &label): &(usize, &u32)| label != ABSENT && label as usize >= vertices;
        match components.labels.iter().enumerate().find(wrong) {
            Some((vertex, &label)) => Err(FollowError::Label { vertex: vertex as u32, label, vertices }),
            None => Ok(Self::of_checked(components)),
        }
    }

    fn of_checked(components: &Components) -> Self {
        let vertices = components.labels.len();
        let mut moving = MovingComponents {
            classes: components.labels.clone(),
            links: (0..vertices as u32).collect(),
            sizes: vec![0; vertices],
            count: components.count,
            reached: vec![NONE; vertices],
        };
        for &label in components.labels.iter().filter(|&&label| label != ABSENT) {
            moving.sizes[label as usize] += 1;
        }
        moving
    }

    /// Follows a batch that turned `before`, the graph of the last call, into `after`. `edges` are those that the batch inserts or deletes, in any order,
    /// and may include edges that it does not change. A vertex `v` that it removes or adds is listed as `(v, v)`. Both must keep their in-arcs.
    ///
    /// # Errors
    ///
    /// [`FollowError`] if a directed graph keeps no in-arcs, `before` is not as large as the graph that was followed so far, or `after` is
    /// smaller.
    pub fn follow<'a, 'b, A: Rows + 'a, B: Rows + 'b>(
        &mut self,
        before: impl Into<Adjacency<'a, A>>,
        after: impl Into<Adjacency<'b, B>>,
        edges: &[(u32, u32)],
    ) -> Result<(), FollowError> {
        let (before, after) = (before.into(), after.into());
        in_arcs(before, "MovingComponents::follow")?;
        in_arcs(after, "MovingComponents::follow")?;
        check_versions(self.classes.len(), before.bound(), after.bound())?;
        let deleted = self.change_vertices(before, after, edges);
        for &(u, v) in edges.iter().filter(|&&(u, v)| joined(after, u, v)) {
            self.join(u, v);
        }
        let mut ends: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (u, v) in deleted {
            for end in [u, v].into_iter().filter(|&end| after.has_vertex(end)) {
                ends.entry(self.root(end)).or_default().push(end);
            }
        }
        ends.into_iter().for_each(|(class, ends)| self.split(after, class, ends));
        if self.links.len() > 4 * self.classes.len() {
            *self = Self::of_checked(&self.components());
        }
        Ok(())
    }

    /// Adds and removes vertices. Returns the edges of `before` that are no longer there, including those of removed vertices.
    fn change_vertices<A: Rows, B: Rows>(
        &mut self,
        before: Adjacency<'_, A>,
        after: Adjacency<'_, B>,
        edges: &[(u32, u32)],
    ) -> Vec<(u32, u32)> {
        let mut deleted: Vec<(u32, u32)> = Vec::new();
        for &(u, v) in edges {
            if u != v {
                deleted.extend(joined(before, u, v).then_some((u, v)));
            } else if before.has_vertex(u) {
                for rows in [Some(before.out()), before.incoming()].into_iter().flatten() {
                    let Some(row) = rows.row(u as usize) else { continue };
                    row.fold_runs((), |(), run| deleted.extend(run.coords().iter().map(|&v| (u, v))));
                }
            }
        }
        deleted.retain(|&(u, v)| !joined(after, u, v));
        let new = self.classes.len() as u32..after.bound() as u32;
        self.classes.resize(after.bound(), NONE);
        self.reached.resize(after.bound(), NONE);
        for vertex in edges.iter().flat_map(|&(u, v)| [u, v]).chain(new) {
            match (self.classes.get(vertex as usize), after.has_vertex(vertex)) {
                (Some(&NONE), true) => {
                    let class = self.add_class();
                    self.put(vertex, class);
                }
                (Some(&class), false) if class != NONE => self.take_out(vertex),
                _ => {}
            }
        }
        deleted
    }

    /// A class without vertices.
    fn add_class(&mut self) -> u32 {
        self.links.push(self.links.len() as u32);
        self.sizes.push(0);
        self.links.len() as u32 - 1
    }

    fn put(&mut self, vertex: u32, class: u32) {
        self.classes[vertex as usize] = class;
        self.count += usize::from(self.sizes[class as usize] == 0);
        self.sizes[class as usize] += 1;
    }

    fn take_out(&mut self, vertex: u32) {
        let class = self.root(vertex) as usize;
        self.classes[vertex as usize] = NONE;
        self.sizes[class] -= 1;
        self.count -= usize::from(self.sizes[class] == 0);
    }

    /// The root class of a vertex. Shortens the links on the way.
    fn root(&mut self, vertex: u32) -> u32 {
        let mut class = self.classes[vertex as usize];
        while self.links[class as usize] != class {
            self.links[class as usize] = self.links[self.links[class as usize] as usize];
            class = self.links[class as usize];
        }
        class
    }

    fn join(&mut self, u: u32, v: u32) {
        let (a, b) = (self.root(u), self.root(v));
        if a == b {
            return;
        }
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.links[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        self.count -= 1;
    }

    /// Gives every component of a class but one a class of its own, given some vertices of each component.
    fn split<A: Rows>(&mut self, graph: Adjacency<'_, A>, class: u32, mut ends: Vec<u32>) {
        ends.sort_unstable();
        ends.dedup();
        let mut searches = Searches::new(&mut self.reached, graph, &ends);
        let parts = searches.run(graph);
        searches.clear();
        for part in parts {
            debug_assert!(part.iter().all(|&vertex| self.classes[vertex as usize] != NONE));
            let own = self.add_class();
            self.sizes[class as usize] -= part.len() as u32;
            part.iter().for_each(|&vertex| self.put(vertex, own));
        }
    }

    /// Number of components. Constant time.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a path leads from one vertex to another, the direction of arcs not counted; not if one of them is no vertex. Constant
    /// time in practice.
    pub fn connected(&mut self, u: u32, v: u32) -> bool {
        let has = |vertex: u32| self.classes.get(vertex as usize).is_some_and(|&class| class != NONE);
        has(u) && has(v) && self.root(u) == self.root(v)
    }

    /// The current components. O(n), in parallel.
    pub fn components(&self) -> Components {
        let root = |class: usize| {
            let mut class = class as u32;
            while self.links[class as usize] != class {
                class = self.links[class as usize];
            }
            class
        };
        let roots: Vec<u32> = par_map(self.links.len(), GRAIN, root);
        let smallest: Vec<AtomicU32> = par_map(roots.len(), GRAIN, |_| AtomicU32::new(ABSENT));
        let vertices = self.classes.len();
        par_ranges(vertices, GRAIN, &|range: Range<usize>| {
            for vertex in range.filter(|&vertex| self.classes[vertex] != NONE) {
                let smallest = &smallest[roots[self.classes[vertex] as usize] as usize];
                if smallest.load(Ordering::Relaxed) > vertex as u32 {
                    smallest.fetch_min(vertex as u32, Ordering::Relaxed);
                }
            }
        });
        let label = |vertex: usize| match self.classes[vertex] {
            NONE => ABSENT,
            class => smallest[roots[class as usize] as usize].load(Ordering::Relaxed),
        };
        Components::of_labels(par_map(vertices, GRAIN, label))
    }
}

/// Whether an arc leads from one vertex to the other, either way.
fn joined<A: Rows>(graph: Adjacency<'_, A>, u: u32, v: u32) -> bool {
    let leads = |from: u32, to: u32| graph.out().row(from as usize).is_some_and(|row| row.locate(to).is_some());
    let bound = graph.bound();
    (u.max(v) as usize) < bound && (leads(u, v) || graph.is_directed() && leads(v, u))
}

/// Searches from several vertices, which take turns.
struct Searches<'s> {
    /// The search that reached each vertex.
    reached: &'s mut [u32],
    searches: Vec<Search>,
    /// The search that each search was joined to.
    links: Vec<u32>,
    /// Searches by the number of arcs that they will have read after their next step. Some entries are outdated.
    turns: BinaryHeap<Reverse<(usize, u32)>>,
}

#[derive(Default)]
struct Search {
    found: Vec<u32>,
    waiting: VecDeque<u32>,
    /// Arcs read.
    arcs: usize,
    /// The number of arcs after the next step, as in the current entry of this search.
    turn: usize,
}

/// The arcs at a vertex.
fn degree<A: Rows>(graph: Adjacency<'_, A>, vertex: u32) -> usize {
    let of = |rows: &A| rows.row(vertex as usize).map_or(0, Fiber::len);
    of(graph.out()) + if graph.is_directed() { graph.incoming().map_or(0, of) } else { 0 }
}

impl<'s> Searches<'s> {
    fn new<A: Rows>(reached: &'s mut [u32], graph: Adjacency<'_, A>, ends: &[u32]) -> Self {
        let mut all = Searches { reached, searches: Vec::new(), links: Vec::new(), turns: BinaryHeap::new() };
        for (number, &end) in ends.iter().enumerate() {
            all.reached[end as usize] = number as u32;
            all.links.push(number as u32);
            all.searches.push(Search { found: vec![end], waiting: VecDeque::from([end]), ..Search::default() });
            all.queue(graph, number as u32);
        }
        all
    }

    /// Gives a search its next turn.
    fn queue<A: Rows>(&mut self, graph: Adjacency<'_, A>, number: u32) {
        let search = &mut self.searches[number as usize];
        let next = search.waiting.front().map_or(0, |&vertex| degree(graph, vertex));
        search.turn = search.arcs + next + 1;
        self.turns.push(Reverse((search.turn, number)));
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.links[number as usize] != number {
            self.links[number as usize] = self.links[self.links[number as usize] as usize];
            number = self.links[number as usize];
        }
        number
    }

    /// Joins two searches. Returns the one that continues.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        let size = |number: u32| self.searches[number as usize].found.len();
        let (small, large) = if size(a) < size(b) { (a, b) } else { (b, a) };
        self.links[small as usize] = large;
        let Search { found, waiting, arcs, .. } = std::mem::take(&mut self.searches[small as usize]);
        let into = &mut self.searches[large as usize];
        into.found.extend(found);
        into.waiting.extend(waiting);
        into.arcs += arcs;
        large
    }

    /// Runs the searches until one is left. Returns the components that the others found, each complete.
    fn run<A: Rows>(&mut self, graph: Adjacency<'_, A>) -> Vec<Vec<u32>> {
        let (mut parts, mut left) = (Vec::new(), self.searches.len());
        while left > 1 {
            graph.check_cancel();
            let Some(Reverse((turn, number))) = self.turns.pop() else { break };
            if self.links[number as usize] != number || self.searches[number as usize].turn != turn {
                continue;
            }
            let Some(vertex) = self.searches[number as usize].waiting.pop_front() else {
                // No vertices are left: the whole component is found. Its vertices keep the mark of this search until all marks are cleared.
                parts.push(self.searches[number as usize].found.clone());
                left -= 1;
                continue;
            };
            self.searches[number as usize].arcs = turn;
            let mut own = number;
            let incoming = graph.incoming().filter(|_| graph.is_directed());
            for row in [Some(graph.out()), incoming].into_iter().flatten().filter_map(|rows| rows.row(vertex as usize))
            {
                row.fold_runs((), |(), run| {
                    for &other in run.coords() {
                        let by = self.reached[other as usize];
                        if by == NONE {
                            self.reached[other as usize] = own;
                            self.searches[own as usize].found.push(other);
                            self.searches[own as usize].waiting.push_back(other);
                            continue;
                        }
                        let by = self.root(by);
                        if by != own {
                            own = self.merge(own, by);
                            left -= 1;
                        }
                    }
                });
            }
            self.queue(graph, own);
        }
        parts
    }

    /// Clears the marks of the searches.
    fn clear(self) {
        for search in self.searches {
            search.found.iter().for_each(|&vertex| self.reached[vertex as usize] = NONE);
        }
    }
}
