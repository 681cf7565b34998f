//! What a graph consists of, and how a prepared batch is applied to it.

use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_runtime::{Change, Counts, Fiber, Store, join, replace};

use super::error::GraphError;
use super::options::Conflict;
use super::publication::{Publication, Working};
use super::reclaim::retire;
use super::update::{Action, Applied, Contested, Kind, Prepared, Step, Steps, steps_of};
use super::vertices::VertexSet;
use crate::sort::Weight;
use crate::{Matrix, Rows};

/// All of a graph at one moment. Cloning shares it.
pub(super) struct Contents<R: Store> {
    /// Rows of out-arcs; in an undirected graph each edge both ways.
    pub out: Matrix<R>,
    /// Rows of in-arcs, in a directed graph that keeps them.
    pub incoming: Option<Matrix<R>>,
    pub vertices: VertexSet,
    /// Self loops of an undirected graph.
    pub loops: usize,
    pub directed: bool,
    /// Batches applied so far.
    pub number: u64,
}

impl<R: Store> Clone for Contents<R> {
    fn clone(&self) -> Self {
        Contents { out: self.out.clone(), incoming: self.incoming.clone(), vertices: self.vertices.clone(), ..*self }
    }
}

/// A version that readers hold. What only it keeps alive is freed by another thread.
pub(super) struct Version<R: Store> {
    /// There until the version is dropped.
    contents: Option<Box<Contents<R>>>,
    /// Snapshots of it.
    readers: AtomicUsize,
    home: Home<R>,
}

/// Where versions of a graph are published, if the graph is still there.
pub(super) type Home<R> = Weak<Publication<Draft<R>>>;

impl<R: Store> Version<R> {
    /// One more snapshot.
    #[inline]
    pub(super) fn enter(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
    }

    /// One snapshot less. The last one sees to it that the graph does not keep an old version in memory for nobody.
    #[inline]
    pub(super) fn leave(&self) {
        if self.readers.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(home) = self.home.upgrade()
        {
            home.left();
        }
    }
}

impl<R: Store> std::ops::Deref for Version<R> {
    type Target = Contents<R>;

    #[inline]
    fn deref(&self) -> &Contents<R> {
        self.contents.as_deref().expect("contents are taken out only when a version is dropped")
    }
}

impl<R: Store> Drop for Version<R> {
    fn drop(&mut self) {
        if let Some(contents) = self.contents.take() {
            retire(contents);
        }
    }
}

/// What the writer works on.
pub(super) struct Draft<R: Store> {
    pub contents: Contents<R>,
    /// A batch is being applied, or a panic cut one short.
    torn: bool,
    home: Home<R>,
}

impl<R: Store> Draft<R> {
    pub(super) fn new(contents: Contents<R>, home: Home<R>) -> Self {
        Draft { contents, torn: false, home }
    }
}

impl<R: Store> Working for Draft<R> {
    type Version = Version<R>;

    fn number(&self) -> u64 {
        self.contents.number
    }

    fn freeze(&self) -> Version<R> {
        let contents = Some(Box::new(self.contents.clone()));
        Version { contents, readers: AtomicUsize::new(0), home: self.home.clone() }
    }

    fn number_of(version: &Version<R>) -> u64 {
        version.number
    }

    fn is_torn(&self) -> bool {
        self.torn
    }

    fn restore(&mut self, version: &Version<R>) {
        let number = self.contents.number + 1;
        self.contents = Contents { number, ..(**version).clone() };
        self.torn = false;
    }
}

/// Arcs above which both matrices of a directed graph are changed at the same time.
const PARALLEL: usize = 1 << 12;

/// Bytes that are asked for at once, in vain or not, before a batch is applied that needs more.
const LARGE: usize = 1 << 26;

/// Bytes that an outer level may always grow by.
const GROWTH: usize = 1 << 30;

/// Bytes that it may grow by for each arc, beyond that.
const GROWTH_PER_ARC: usize = 1 << 10;

impl<R: Store<Coord = u32>> Contents<R> {
    /// A graph without vertices.
    pub(super) fn new(out: Matrix<R>, incoming: Option<Matrix<R>>, directed: bool) -> Self {
        Contents { out, incoming, vertices: VertexSet::default(), loops: 0, directed, number: 0 }
    }

    /// Number of edges.
    pub(super) fn num_edges(&self) -> u64 {
        let arcs = self.out.nnz() as u64;
        if self.directed { arcs } else { (arcs + self.loops as u64) / 2 }
    }

    /// The weight of an arc.
    pub(super) fn weight(&self, from: u32, to: u32) -> Option<&R::Value> {
        self.out.row(from as usize)?.locate(to)
    }
}

impl<R: Store<Coord = u32>> Draft<R>
where
    R::Value: Weight,
{
    /// Decides what becomes of contested edges, by a look at what is there, and makes steps of it.
    fn settle(
        &self,
        contested: &Contested<R::Value>,
        conflict: Conflict<R::Value>,
    ) -> Result<[Steps<R::Value>; 2], GraphError> {
        let contents = &self.contents;
        let (mut put, mut gone) = (Vec::new(), Vec::new());
        let mut begin = 0;
        for (&key, &end) in contested.keys.iter().zip(&contested.ends) {
            let (from, to) = ((key >> 32) as u32, key as u32);
            let old = contents.weight(from, to).copied();
            match outcome(old, &contested.updates[begin..end], conflict, (from, to))? {
                Some(weight) => put.push((key, weight)),
                None => gone.push(key),
            }
            begin = end;
        }
        let steps = |put: &[u64], values: &[R::Value], gone: &[u64]| {
            let mut steps = steps_of(Kind::Put, put, values, contents.directed);
            steps.extend(steps_of(Kind::Delete, gone, &[], contents.directed));
            steps
        };
        let mut sorted = |turn: u32| {
            put.iter_mut().for_each(|(key, _)| *key = key.rotate_left(turn));
            put.sort_unstable_by_key(|&(key, _)| key);
            gone.iter_mut().for_each(|key| *key = key.rotate_left(turn));
            gone.sort_unstable();
            let (keys, values): (Vec<u64>, Vec<R::Value>) = put.iter().copied().unzip();
            steps(&keys, &values, &gone)
        };
        let out = sorted(0);
        Ok([out, if contents.incoming.is_some() { sorted(32) } else { Steps::new() }])
    }

    /// Applies a prepared batch: the last checks, then what cannot fail.
    pub(super) fn commit(
        &mut self,
        mut prepared: Prepared<R::Value>,
        conflict: Conflict<R::Value>,
    ) -> Result<Applied, GraphError> {
        if !prepared.contested.keys.is_empty() {
            let [out, incoming] = self.settle(&prepared.contested, conflict)?;
            prepared.out.extend(out);
            prepared.incoming.extend(incoming);
        }
        self.reserve(&prepared)?;
        self.torn = true;
        let applied = self.contents.apply(&prepared, conflict);
        self.torn = false;
        Ok(applied)
    }

    /// Asks for as much memory as the batch may need, and gives it back: a batch that could never fit fails here.
    fn reserve(&self, prepared: &Prepared<R::Value>) -> Result<(), GraphError> {
        let per_arc = size_of::<u32>() + size_of::<R::Value>();
        let inserts = |step: &&Step<R::Value>| matches!(step.kind, Kind::Insert | Kind::Put);
        let need = |matrix: &Matrix<R>, steps: &Steps<R::Value>| {
            let last = steps.iter().filter(inserts).filter_map(|step| step.arcs.max_row()).max();
            let arcs: usize = steps.iter().filter(inserts).map(|step| step.arcs.len()).sum();
            let growth = last.map_or(0, |row| matrix.growth(row + 1));
            if let Some(row) = last {
                check_growth(matrix, growth, arcs, row as u32)?;
            }
            Ok::<usize, GraphError>(arcs.saturating_mul(per_arc).saturating_add(growth))
        };
        let mut bytes = need(&self.contents.out, &prepared.out)?;
        if let Some(incoming) = &self.contents.incoming {
            bytes = bytes.saturating_add(need(incoming, &prepared.incoming)?);
        }
        if bytes > LARGE && Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            return Err(GraphError::OutOfMemory { bytes });
        }
        Ok(())
    }

    /// Makes a vertex be there; whether it is new. A batch of its own.
    pub(super) fn add_vertex(&mut self, vertex: u32) -> bool {
        self.contents.number += 1;
        self.contents.grow(vertex as usize + 1);
        self.contents.vertices.insert(vertex)
    }

    /// Applies the deletion of a vertex's edges and takes the vertex out, as one batch.
    pub(super) fn remove_vertex(
        &mut self,
        vertex: u32,
        edges: Prepared<R::Value>,
        conflict: Conflict<R::Value>,
    ) -> Result<Applied, GraphError> {
        let applied = self.commit(edges, conflict)?;
        self.contents.vertices.remove(vertex);
        Ok(applied)
    }
}

/// Refuses to let a level grow out of all proportion to the arcs that it holds and gets: by one far vertex, as a rule.
fn check_growth<R: Store<Coord = u32>>(
    matrix: &Matrix<R>,
    growth: usize,
    arcs: usize,
    vertex: u32,
) -> Result<(), GraphError> {
    let most = GROWTH.saturating_add(arcs.saturating_add(matrix.nnz()).saturating_mul(GROWTH_PER_ARC));
    if growth > most { Err(GraphError::TooFar { vertex, bytes: growth }) } else { Ok(()) }
}

/// What is left of an edge after its updates, one after the other.
fn outcome<V: Weight>(
    old: Option<V>,
    updates: &[(Action, V)],
    conflict: Conflict<V>,
    (from, to): (u32, u32),
) -> Result<Option<V>, GraphError> {
    let mut edge = old;
    let mut inserted = false;
    for &(action, weight) in updates {
        edge = match (action, edge) {
            (Action::Delete, _) | (Action::Reweight, None) => None,
            (Action::Reweight, Some(_)) | (Action::Insert, None) => Some(weight),
            (Action::Insert, Some(_)) if matches!(conflict, Conflict::Error) => {
                return Err(if inserted {
                    GraphError::InsertedTwice { from, to }
                } else {
                    GraphError::AlreadyThere { from, to }
                });
            }
            (Action::Insert, Some(old)) => Some(conflict.combine(old, weight)),
        };
        inserted |= action == Action::Insert;
    }
    Ok(edge)
}

impl<R: Store<Coord = u32>> Contents<R>
where
    R::Value: Weight,
{
    /// Makes both matrices large enough for so many vertices.
    fn grow(&mut self, bound: usize) {
        self.out.grow(bound, bound);
        if let Some(incoming) = &mut self.incoming {
            incoming.grow(bound, bound);
        }
    }

    /// Applies what was checked. Cannot fail.
    fn apply(&mut self, prepared: &Prepared<R::Value>, conflict: Conflict<R::Value>) -> Applied {
        let Prepared { out, incoming, updates, bound, .. } = prepared;
        if out.iter().any(|step| matches!(step.kind, Kind::Insert | Kind::Put)) {
            self.grow(*bound);
        }
        let run = |matrix: &mut Matrix<R>, steps: &Steps<R::Value>| {
            let (mut counts, mut loops) = (Counts::default(), Counts::default());
            for step in steps {
                *(if step.loops { &mut loops } else { &mut counts }) += step.run(matrix, conflict);
            }
            (counts, loops)
        };
        let arcs: usize = incoming.iter().map(|step| step.arcs.len()).sum();
        let (mut counts, loops) = match &mut self.incoming {
            None => run(&mut self.out, out),
            Some(matrix) if arcs <= PARALLEL => {
                let counts = run(&mut self.out, out);
                let turned = run(matrix, incoming);
                debug_assert_eq!(counts, turned);
                counts
            }
            Some(matrix) => join(|| run(&mut self.out, out), || run(matrix, incoming)).0,
        };
        if !self.directed {
            for count in
                [&mut counts.new, &mut counts.changed, &mut counts.unchanged, &mut counts.removed, &mut counts.absent]
            {
                *count /= 2;
            }
            self.loops = self.loops + loops.new - loops.removed;
        }
        counts += loops;
        self.meet(out, incoming);
        self.number += 1;
        Applied {
            new: counts.new,
            changed: counts.changed,
            unchanged: counts.unchanged,
            removed: counts.removed,
            absent: counts.absent,
            merged: updates - counts.total(),
            version: self.number,
        }
    }

    /// Both ends of every inserted edge are there from now on.
    fn meet(&mut self, out: &Steps<R::Value>, incoming: &Steps<R::Value>) {
        let inserts = |step: &&Step<R::Value>| matches!(step.kind, Kind::Insert | Kind::Put);
        for step in out.iter().chain(incoming).filter(inserts) {
            self.vertices.extend(step.arcs.rows().iter().map(|&row| row as u32));
        }
        if self.directed && self.incoming.is_none() {
            for step in out.iter().filter(inserts) {
                self.vertices.extend(step.arcs.coords().iter().copied());
            }
        }
    }
}

impl<V: Weight> Step<V> {
    /// Applies the step to a matrix.
    fn run<R: Store<Coord = u32, Value = V>>(&self, matrix: &mut Matrix<R>, conflict: Conflict<V>) -> Counts {
        let change = match self.kind {
            Kind::Put => Change::Insert(&replace),
            Kind::Reweight => Change::Update(&replace),
            Kind::Delete => Change::Delete,
            Kind::Insert => match conflict {
                Conflict::First => Change::Insert(&keep),
                Conflict::Sum => Change::Insert(&sum),
                Conflict::Min => Change::Insert(&min),
                Conflict::Max => Change::Insert(&max),
                Conflict::Last | Conflict::With(_) | Conflict::Error => Change::Insert(&replace),
            },
        };
        matrix.apply_within(&self.arcs, change)
    }
}

/// Keeps what is there.
fn keep<V>(_: &mut V, _: &V) -> bool {
    false
}

/// Puts a weight in place of another; whether it differs.
fn set<V: Weight>(old: &mut V, new: V) -> bool {
    replace(old, &new)
}

fn sum<V: Weight>(old: &mut V, new: &V) -> bool {
    set(old, V::sum(*old, *new))
}

fn min<V: Weight>(old: &mut V, new: &V) -> bool {
    set(old, V::min(*old, *new))
}

fn max<V: Weight>(old: &mut V, new: &V) -> bool {
    set(old, V::max(*old, *new))
}
