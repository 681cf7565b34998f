//! What a graph consists of, and how a prepared batch is applied to it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use pleach_runtime::{Change, Counts, Fiber, Store, join, replace, serially};
use smallvec::SmallVec;

use super::changed::{self, Changed};
use super::error::GraphError;
use super::journal::Journal;
use super::options::Conflict;
use super::prepare::{Contested, Prepared, Step, Steps, steps_of, transposed};
use super::publication::{Panic, Publication, Working};
use super::reclaim::retire;
use super::redo::{Again, Redo};
use super::snapshot::same;
use super::threads;
use super::update::{Action, Applied, StepKind};
use super::vertices::VertexSet;
use crate::room::has_room;
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
    /// What was changed to make the newest published version.
    pub changed: Arc<Changed>,
}

impl<R: Store> Clone for Contents<R> {
    fn clone(&self) -> Self {
        let Contents { ref out, ref incoming, ref vertices, loops, directed, number, ref changed } = *self;
        let (out, incoming, vertices) = (out.clone(), incoming.clone(), vertices.clone());
        Contents { out, incoming, vertices, loops, directed, number, changed: changed.clone() }
    }
}

/// A version that readers hold. What only it keeps alive is freed by another thread.
pub(super) struct Version<R: Store> {
    /// `Some` until the version is dropped.
    contents: Option<Box<Contents<R>>>,
    /// Snapshots of it.
    readers: AtomicUsize,
    /// About how many bytes the writer has replaced since, which are freed with it.
    replaced: AtomicUsize,
    home: Home<R>,
}

/// The place where versions of the graph are published, if the graph still exists.
pub(super) type Home<R> = Weak<Publication<Draft<R>>>;

impl<R: Store> Version<R> {
    /// One more snapshot.
    #[inline]
    pub(super) fn enter(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one snapshot less. When the last one is dropped, the graph stops keeping an old version in memory.
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
        let Some(contents) = self.contents.take() else { return };
        // With the graph everything goes.
        let bytes = if self.home.strong_count() == 0 { contents.about_bytes() } else { *self.replaced.get_mut() };
        retire(contents, bytes);
    }
}

/// What the writer works on.
pub(super) struct Draft<R: Store> {
    pub contents: Contents<R>,
    /// A batch is being applied, or a panic cut one short.
    torn: bool,
    /// The number of the last batch that was applied as a whole.
    acknowledged: u64,
    /// What was applied since the newest version.
    redo: Redo<R::Value>,
    /// The rows of out-arcs that it changed.
    rows: changed::Rows,
    /// Whether that is so much that another version is due.
    due: bool,
    /// About how many bytes were replaced since the newest version.
    replaced: usize,
    /// Applies something once more.
    again: ApplyAgain<R>,
    conflict: Conflict<R::Value>,
    /// Threads for large batches; with 0, as many as the pool of the committing thread has.
    threads: usize,
    home: Home<R>,
}

/// How batches are applied once more. A pointer, so that the types that hold versions need not require that values are weights.
type ApplyAgain<R> = fn(&mut Contents<R>, &Redo<<R as Store>::Value>, &Conflict<<R as Store>::Value>);

/// Values that are dropped when the lock is free: what a panic left, and batches that need not be applied again.
pub(super) struct Garbage<R: Store> {
    _torn: Option<Contents<R>>,
    _redo: Redo<R::Value>,
}

impl<R: Store> Working for Draft<R> {
    type Version = Version<R>;
    type Garbage = Garbage<R>;

    fn number(&self) -> u64 {
        self.contents.number
    }

    fn freeze(&mut self, before: Option<&Version<R>>) -> (Version<R>, Garbage<R>) {
        let replaced = std::mem::take(&mut self.replaced);
        if let Some(before) = before {
            before.replaced.fetch_add(replaced, Ordering::Relaxed);
        }
        let rows = std::mem::take(&mut self.rows);
        self.contents.changed = match before {
            Some(before) => before.changed.next(rows),
            None => Changed::begin(),
        };
        let contents = Some(Box::new(self.contents.clone()));
        let counter = || AtomicUsize::new(0);
        let version = Version { contents, readers: counter(), replaced: counter(), home: self.home.clone() };
        self.due = false;
        (version, Garbage { _torn: None, _redo: self.redo.clear() })
    }

    fn number_of(version: &Version<R>) -> u64 {
        version.number
    }

    fn is_due(&self) -> bool {
        self.due
    }

    fn is_torn(&self) -> bool {
        self.torn
    }

    fn restore(&mut self, version: &Version<R>) -> Result<Garbage<R>, Panic> {
        let mut contents = Contents::clone(version);
        // On this thread alone, because it holds the writer's lock.
        let redone = catch_unwind(AssertUnwindSafe(|| {
            serially(|| (self.again)(&mut contents, &self.redo, &self.conflict));
        }));
        contents.number = self.acknowledged;
        let unused = if redone.is_ok() { std::mem::replace(&mut self.contents, contents) } else { contents };
        redone?;
        self.torn = false;
        Ok(Garbage { _torn: Some(unused), _redo: Redo::default() })
    }
}

impl<R: Store> Contents<R> {
    /// About how many bytes it takes, estimated without reading the rows.
    fn about_bytes(&self) -> usize {
        self.out.about_bytes().saturating_add(self.incoming.as_ref().map_or(0, Matrix::about_bytes))
    }
}

impl<R: Store<Coord = u32>> Contents<R> {
    /// A graph without vertices.
    pub(super) fn new(out: Matrix<R>, incoming: Option<Matrix<R>>, directed: bool) -> Self {
        let changed = Changed::begin();
        Contents { out, incoming, vertices: VertexSet::default(), loops: 0, directed, number: 0, changed }
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

    /// Adds the deletion of all arcs from and to the vertices that a batch removes, except those in `settled`, for which the batch has
    /// steps already.
    fn delete_at_removed(&self, prepared: &mut Prepared<R::Value>, settled: &[u64])
    where
        R::Value: Copy,
    {
        if prepared.removed.is_empty() {
            return;
        }
        let mut gone = self.arcs_at(&prepared.removed, settled);
        prepared.updates += self.edges_of(&gone);
        prepared.out.extend(steps_of(StepKind::Delete, &gone, &[], self.directed));
        if self.incoming.is_some() {
            gone.iter_mut().for_each(|arc| *arc = arc.rotate_left(32));
            gone.sort_unstable();
            prepared.incoming.extend(steps_of(StepKind::Delete, &gone, &[], self.directed));
        }
    }

    /// The arcs that lead from or to `vertices`, which ascend, but for those in `except`: in an undirected graph each edge both ways.
    /// Takes time for what it finds; without in-arcs, for every row.
    fn arcs_at(&self, vertices: &[u32], except: &[u64]) -> Vec<u64> {
        let mut arcs = Vec::new();
        let arc = |from: u32, to: u32| u64::from(from) << 32 | u64::from(to);
        let each = |matrix: &Matrix<R>, vertex: u32, mut add: &mut dyn FnMut(u32)| {
            if let Some(row) = matrix.row(vertex as usize) {
                row.fold_runs((), |(), run| run.coords().iter().copied().for_each(&mut add));
            }
        };
        for &vertex in vertices {
            each(&self.out, vertex, &mut |to| arcs.push(arc(vertex, to)));
            let incoming = if self.directed { self.incoming.as_ref() } else { Some(&self.out) };
            if let Some(incoming) = incoming {
                each(incoming, vertex, &mut |from| arcs.push(arc(from, vertex)));
            }
        }
        if self.directed && self.incoming.is_none() {
            self.out.rows(|from, row| {
                let from = from as u32;
                if vertices.len() < row.len() {
                    arcs.extend(vertices.iter().filter(|&&to| row.locate(to).is_some()).map(|&to| arc(from, to)));
                    return;
                }
                row.fold_runs((), |(), run| {
                    let there = run.coords().iter().filter(|to| vertices.binary_search(to).is_ok());
                    arcs.extend(there.map(|&to| arc(from, to)));
                });
            });
        }
        each_once(&mut arcs, except);
        arcs
    }

    /// The number of edges that some arcs stand for.
    fn edges_of(&self, arcs: &[u64]) -> usize {
        let loops = arcs.iter().filter(|&&arc| arc >> 32 == arc & u64::from(u32::MAX)).count();
        if self.directed { arcs.len() } else { (arcs.len() + loops) / 2 }
    }
}

impl<R: Store<Coord = u32>> Draft<R>
where
    R::Value: Weight,
{
    pub(super) fn new(contents: Contents<R>, conflict: Conflict<R::Value>, threads: usize, home: Home<R>) -> Self {
        Draft {
            acknowledged: contents.number,
            contents,
            torn: false,
            redo: Redo::default(),
            rows: changed::Rows::default(),
            due: false,
            replaced: 0,
            again: Contents::redo,
            conflict,
            threads,
            home,
        }
    }

    /// The weights of contested edges as they are now.
    pub(super) fn weights(&self, contested: &Contested<R::Value>) -> Vec<Option<R::Value>> {
        let weight = |&key: &u64| self.contents.weight((key >> 32) as u32, key as u32).copied();
        contested.keys.iter().map(weight).collect()
    }

    /// Whether contested edges have these weights.
    pub(super) fn has_weights(&self, contested: &Contested<R::Value>, weights: &[Option<R::Value>]) -> bool {
        let alike = |now: Option<&R::Value>, then: Option<&R::Value>| match (now, then) {
            (Some(now), Some(then)) => same(now, then),
            (now, then) => now.is_none() && then.is_none(),
        };
        let now = |&key: &u64| self.contents.weight((key >> 32) as u32, key as u32);
        contested.keys.iter().zip(weights).all(|(key, then)| alike(now(key), then.as_ref()))
    }

    /// The threads that apply a batch of so many arcs.
    fn threads_for(&self, size: usize) -> usize {
        match self.threads {
            0 if size > threads::ALONE => pleach_runtime::threads(),
            threads => threads,
        }
    }

    /// Changes the contents. A panic leaves them torn, and the boundary undoes the change.
    fn change<T: Send>(&mut self, size: usize, work: impl FnOnce(&mut Contents<R>) -> T + Send) -> T {
        let threads = self.threads_for(size);
        self.torn = true;
        let contents = &mut self.contents;
        let done = threads::apply(threads, size, || work(contents));
        self.torn = false;
        self.acknowledged = self.contents.number;
        done
    }

    /// Counts the bytes that a change has replaced, and decides whether another version is due.
    fn note(&mut self, rows: usize) {
        let contents = &self.contents;
        let pages = contents.out.about_page() + contents.incoming.as_ref().map_or(0, Matrix::about_page);
        let graph = contents.about_bytes();
        self.replaced = self.replaced.saturating_add(rows.saturating_mul(pages)).min(graph);
        self.due = self.redo.is_due(graph);
    }

    /// Applies a prepared batch whose contested edges, `settled`, are among its steps by now: the last checks, the journal's record,
    /// then what cannot fail.
    pub(super) fn commit(
        &mut self,
        mut prepared: Prepared<R::Value>,
        settled: &[u64],
        journal: &mut dyn Journal<R::Value>,
    ) -> Result<Applied, GraphError> {
        self.contents.delete_at_removed(&mut prepared, settled);
        self.reserve(&prepared)?;
        let number = self.contents.number + 1;
        let size = prepared.arcs();
        if !threads::apply(self.threads_for(size), size, || journal.record(number, &prepared)) {
            return Err(GraphError::NotRecorded);
        }
        let applied = self.apply(prepared);
        journal.applied(&applied);
        Ok(applied)
    }

    /// Applies a batch that was recorded: what a commit checks was checked then.
    pub(super) fn replay(&mut self, prepared: Prepared<R::Value>) -> Result<Applied, GraphError> {
        self.reserve(&prepared)?;
        Ok(self.apply(prepared))
    }

    /// Applies what was checked.
    fn apply(&mut self, prepared: Prepared<R::Value>) -> Applied {
        let conflict = self.conflict;
        let (directed, full) = (self.contents.directed, self.rows.is_full());
        let (applied, changed) = self.change(prepared.arcs(), |contents| {
            let changed = if full { SmallVec::new() } else { changed::rows_of(&prepared.out, directed) };
            (contents.apply(&prepared, conflict), changed)
        });
        let rows = prepared.out.iter().map(|step| step.arcs.rows().len()).sum();
        self.rows.add(&changed, self.contents.out.num_rows());
        self.redo.applied(prepared);
        self.note(rows);
        applied
    }

    /// Allocates as much memory as the batch may need, and frees it: a batch that could never fit fails here.
    fn reserve(&self, prepared: &Prepared<R::Value>) -> Result<(), GraphError> {
        let per_arc = size_of::<u32>() + size_of::<R::Value>();
        let need = |matrix: &Matrix<R>, steps: &Steps<R::Value>| {
            let (last, arcs) = inserted(steps);
            let growth = last.map_or(Ok(0), |row| matrix.room(row, arcs)).map_err(GraphError::of_matrix)?;
            Ok::<usize, GraphError>(arcs.saturating_mul(per_arc).saturating_add(growth))
        };
        let mut bytes = need(&self.contents.out, &prepared.out)?;
        if let Some(incoming) = &self.contents.incoming {
            bytes = bytes.saturating_add(need(incoming, &prepared.incoming)?);
        }
        if has_room(bytes) { Ok(()) } else { Err(GraphError::OutOfMemory { bytes }) }
    }

    /// Adds a vertex, as a batch of its own. Returns whether it is new.
    pub(super) fn add_vertex(&mut self, vertex: u32) -> bool {
        let new = self.change(1, |contents| {
            let new = contents.add_vertex(vertex);
            contents.number += 1;
            new
        });
        self.redo.added(vertex);
        self.note(1);
        new
    }
}

/// Sorts arcs, and leaves out those in `except` and those that come again: an arc between two of the vertices is found from both.
fn each_once(arcs: &mut Vec<u64>, except: &[u64]) {
    let except: HashSet<u64, foldhash::fast::RandomState> = except.iter().copied().collect();
    arcs.retain(|arc| !except.contains(arc));
    arcs.sort_unstable();
    arcs.dedup();
}

/// The last row that steps insert into, and how many arcs they insert. It is compiled once for all stores.
#[inline(never)]
fn inserted<V: Weight>(steps: &Steps<V>) -> (Option<usize>, usize) {
    let inserts = |step: &&Step<V>| step.inserts();
    let last = steps.iter().filter(inserts).filter_map(|step| step.arcs.max_row()).max();
    (last, steps.iter().filter(inserts).map(|step| step.arcs.len()).sum())
}

/// The outcome of contested edges.
pub(super) struct Settled<V> {
    /// Steps for the matrix of out-arcs.
    pub out: Steps<V>,
    /// Steps for that of in-arcs.
    pub incoming: Steps<V>,
    /// Ends of edges that are inserted and deleted again.
    pub named: Vec<u32>,
}

/// The steps, for out-arcs and for in-arcs, of contested edges that had the given weights; of those that are inserted and deleted again
/// the ends.
pub(super) fn settle<V: Weight>(
    contested: &Contested<V>,
    old: &[Option<V>],
    conflict: Conflict<V>,
    (directed, incoming): (bool, bool),
) -> Result<Settled<V>, GraphError> {
    let (mut put, mut gone, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for ((key, updates), &old) in contested.edges().zip(old) {
        let (from, to) = ((key >> 32) as u32, key as u32);
        match outcome(old, updates, conflict, (from, to))? {
            Some(weight) => put.push((key, weight)),
            None => {
                gone.push(key);
                if updates.iter().any(|update| update.0 == Action::Insert) {
                    named.extend([from, to]);
                }
            }
        }
    }
    // Ascending, as contested edges are.
    let (keys, values): (Vec<u64>, Vec<V>) = put.into_iter().unzip();
    let mut out = steps_of(StepKind::Put, &keys, &values, directed);
    out.extend(steps_of(StepKind::Delete, &gone, &[], directed));
    // The caller may hold the writer's lock, and must not wait for other threads of its pool.
    let incoming = if incoming { transposed(&out, true)? } else { Steps::new() };
    Ok(Settled { out, incoming, named })
}

/// Checks that edges with the given weights can take their updates.
pub(super) fn check<V: Weight>(
    checked: &Contested<V>,
    old: &[Option<V>],
    conflict: Conflict<V>,
) -> Result<(), GraphError> {
    checked.edges().zip(old).try_for_each(|((key, updates), &old)| {
        outcome(old, updates, conflict, ((key >> 32) as u32, key as u32)).map(drop)
    })
}

/// The weight of an edge after its updates, one after the other; `None` if it is deleted.
pub(super) fn outcome<V: Weight>(
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
            (Action::RemoveVertex, _) => unreachable!("removals are prepared apart from edges"),
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
        self.out.grow_within(bound, bound);
        if let Some(incoming) = &mut self.incoming {
            incoming.grow_within(bound, bound);
        }
    }

    /// Adds a vertex. Returns whether it is new.
    fn add_vertex(&mut self, vertex: u32) -> bool {
        self.grow(vertex as usize + 1);
        self.vertices.insert(vertex)
    }

    /// Applies changes once more. Does not count batches.
    fn redo(&mut self, redo: &Redo<R::Value>, &conflict: &Conflict<R::Value>) {
        redo.each(|again| match again {
            Again::Step(step, turned) => {
                let bound =
                    step.arcs.max_row().max(step.arcs.max_col().map(|col| col as usize)).map_or(0, |max| max + 1);
                let (mut out, mut incoming) = (Steps::new(), Steps::new());
                (if turned { &mut incoming } else { &mut out }).push(step);
                self.change(&out, &incoming, bound, conflict);
            }
            Again::Batch(prepared) => {
                let Prepared { out, incoming, bound, removed, named, .. } = prepared;
                for &vertex in removed {
                    self.vertices.remove(vertex);
                }
                self.change(out, incoming, *bound, conflict);
                self.name(named);
            }
            Again::Added(vertex) => {
                self.add_vertex(vertex);
            }
            Again::Removed(vertex) => {
                self.vertices.remove(vertex);
            }
        });
    }

    /// Applies a checked batch. Two things can still go wrong: a panic in the code of a store or of a [`Weight`], which leaves a torn graph
    /// behind; and a node that cannot be allocated, which ends the program.
    fn apply(&mut self, prepared: &Prepared<R::Value>, conflict: Conflict<R::Value>) -> Applied {
        let Prepared { out, incoming, updates, bound, removed, named, .. } = prepared;
        let gone: Vec<u32> = removed.iter().copied().filter(|&vertex| self.vertices.remove(vertex)).collect();
        let counts = self.change(out, incoming, *bound, conflict);
        self.name(named);
        self.number += 1;
        Applied {
            new: counts.new,
            changed: counts.changed,
            unchanged: counts.unchanged,
            removed: counts.removed,
            absent: counts.absent,
            merged: updates - counts.total(),
            vertices_removed: gone.iter().filter(|&&vertex| !self.vertices.contains(vertex)).count(),
            version: self.number,
        }
    }

    /// The vertices exist, although no edge at them is left.
    fn name(&mut self, vertices: &[u32]) {
        if let Some(&last) = vertices.iter().max() {
            self.grow(last as usize + 1);
            self.vertices.extend(vertices.iter().copied());
        }
    }

    /// Runs the steps of a batch. Returns the effect on its edges.
    fn change(
        &mut self,
        out: &Steps<R::Value>,
        incoming: &Steps<R::Value>,
        bound: usize,
        conflict: Conflict<R::Value>,
    ) -> Counts {
        if out.iter().chain(incoming).any(Step::inserts) {
            self.grow(bound);
        }
        let (mut counts, loops) = match &mut self.incoming {
            None => run(&mut self.out, out, conflict),
            Some(matrix) => join(|| run(&mut self.out, out, conflict), || run(matrix, incoming, conflict)).0,
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
        meet(&mut self.vertices, out, incoming, self.directed && self.incoming.is_none());
        counts
    }
}

/// Runs the steps of a batch on a matrix. Returns their effect on other arcs and on loops. It is not inlined, since it is called in three places.
#[inline(never)]
fn run<R: Store<Coord = u32>>(
    matrix: &mut Matrix<R>,
    steps: &Steps<R::Value>,
    conflict: Conflict<R::Value>,
) -> (Counts, Counts)
where
    R::Value: Weight,
{
    let (mut counts, mut loops) = (Counts::default(), Counts::default());
    for step in steps {
        *(if step.loops { &mut loops } else { &mut counts }) += matrix.apply_within(&step.arcs, step.change(conflict));
    }
    (counts, loops)
}

/// Adds both ends of every inserted edge to the vertices. With `targets`, targets are read from out-arcs, because no in-arcs are stored. It is
/// compiled once for all stores.
#[inline(never)]
fn meet<V: Weight>(vertices: &mut VertexSet, out: &Steps<V>, incoming: &Steps<V>, targets: bool) {
    for step in out.iter().chain(incoming).filter(|step| step.inserts()) {
        let rows = step.arcs.rows();
        vertices.extend_by(rows.len(), |k| rows[k] as u32);
    }
    if targets {
        for step in out.iter().filter(|step| step.inserts()) {
            let targets = step.arcs.coords();
            vertices.extend_by(targets.len(), |k| targets[k]);
        }
    }
}

impl<V: Weight> Step<V> {
    /// Whether it may add arcs.
    fn inserts(&self) -> bool {
        matches!(self.kind, StepKind::Insert | StepKind::Put)
    }

    /// What it does to a matrix. It is compiled once for all stores.
    #[inline(never)]
    fn change(&self, conflict: Conflict<V>) -> Change<'static, V> {
        match self.kind {
            StepKind::Put => Change::Insert(&replace),
            StepKind::Reweight => Change::Update(&replace),
            StepKind::Delete => Change::Delete,
            StepKind::Insert => match conflict {
                Conflict::First => Change::Insert(&keep),
                Conflict::Sum => Change::Insert(&sum),
                Conflict::Min => Change::Insert(&min),
                Conflict::Max => Change::Insert(&max),
                Conflict::Last | Conflict::With(_) | Conflict::Error => Change::Insert(&replace),
            },
        }
    }
}

/// Keeps what is there.
fn keep<V>(_: &mut V, _: &V) -> bool {
    false
}

/// Replaces a weight. Returns whether it differs.
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
