//! A row's part of a batch, in the form in which trees apply it to their subtrees.

#![forbid(unsafe_code)]

use std::ops::Range;

use pleach_runtime::{Change, Coord, Counts, Elements, Fiber, RowBatch, Run, Value, join};

/// A change of some coordinates of a row, strictly ascending.
pub(crate) struct Edit<'a, C, V> {
    pub coords: &'a [C],
    /// What is inserted, if anything is.
    values: &'a [V],
    kind: Kind,
    /// Changes the value that is there at a coordinate, given by its number; says whether it changed.
    combine: &'a (dyn Fn(usize, &mut V) -> bool + Sync),
    /// Coordinates that are too few for two threads.
    grain: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Insert,
    Update,
    Delete,
}

/// Nonzeros in order that are moved from one node to another.
pub(crate) struct Sorted<C, V> {
    pub coords: Vec<C>,
    values: Vec<V>,
}

impl<C: Coord, V: Value> Sorted<C, V> {
    pub(crate) fn new() -> Self {
        Sorted { coords: Vec::new(), values: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.coords.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    pub(crate) fn push(&mut self, coord: C, value: V) {
        self.coords.push(coord);
        self.values.push(value);
    }

    pub(crate) fn extend(&mut self, run: Run<'_, '_, C, V>) {
        self.coords.extend_from_slice(run.coords());
        self.values.extend_from_slice(run.values());
    }

    /// Takes all out.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Sorted::new())
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.coords.append(&mut other.coords);
        self.values.append(&mut other.values);
    }

    /// Splits off what lies from a place on.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        Sorted { coords: self.coords.split_off(at), values: self.values.split_off(at) }
    }

    /// The nonzeros of a fiber that is ordered.
    pub(crate) fn of<'a>(fiber: impl Fiber<'a, Coord = C, Value = V>) -> Self {
        fiber.fold_runs(Self::new(), |mut all, run| {
            all.coords.extend_from_slice(run.coords());
            all.values.extend_from_slice(run.values());
            all
        })
    }

    pub(crate) fn run(&self) -> Run<'_, '_, C, V> {
        Run::new(&self.coords, &self.values)
    }

    /// The elements for the build of a store. The build must take all of them, and nothing here may be used afterwards.
    pub(crate) fn elements(&mut self) -> Elements<'_, C, V> {
        Elements::drain(&self.coords, &mut self.values)
    }
}

/// The effect of a part of an edit on a run of nonzeros.
pub(crate) struct Survey {
    /// Elements that change nothing: unchanged or absent.
    pub counts: Counts,
    /// Values to be changed: the number of the coordinate, and its place in the run.
    pub found: Vec<(usize, usize)>,
    /// Whether anything comes or goes.
    pub reshapes: bool,
}

impl<C: Coord, V: Value> Edit<'_, C, V> {
    /// Calls `apply` with a batch as an edit.
    pub(crate) fn with<T>(
        batch: RowBatch<'_, C, V>,
        change: Change<'_, V>,
        apply: impl FnOnce(&Edit<'_, C, V>) -> T,
    ) -> T {
        let (coords, values) = (batch.coords, batch.values);
        let grain = 512;
        match change {
            Change::Insert(combine) => {
                let combine = |k: usize, old: &mut V| combine(old, &values[k]);
                apply(&Edit { coords, values, kind: Kind::Insert, combine: &combine, grain })
            }
            Change::Update(combine) => {
                let combine = |k: usize, old: &mut V| combine(old, &values[k]);
                apply(&Edit { coords, values, kind: Kind::Update, combine: &combine, grain })
            }
            Change::Delete => apply(&Edit { coords, values, kind: Kind::Delete, combine: &|_, _| false, grain }),
        }
    }

    /// Calls `apply` with an edit that visits values where they lie.
    pub(crate) fn visiting<T>(
        coords: &[C],
        visit: &(dyn Fn(usize, &mut V) + Sync),
        apply: impl FnOnce(&Edit<'_, C, V>) -> T,
    ) -> T {
        let combine = |k: usize, value: &mut V| {
            visit(k, value);
            true
        };
        // Rows of a matrix, each of which is some work.
        apply(&Edit { coords, values: &[], kind: Kind::Update, combine: &combine, grain: 64 })
    }

    pub(crate) fn inserts(&self) -> bool {
        self.kind == Kind::Insert
    }

    pub(crate) fn deletes(&self) -> bool {
        self.kind == Kind::Delete
    }

    /// Whether a row has so few nonzeros, compared with the batch, that it should be built anew, which is faster then and puts its nodes in
    /// order. Reads no more of the row than it needs to decide.
    pub(crate) fn rebuilds<'f, F: Fiber<'f>>(&self, row: F, ratio: usize) -> bool {
        let most = self.coords.len().saturating_mul(ratio);
        let seen = row.try_fold_runs(0usize, |seen, run| match seen + run.len() {
            seen if seen > most => std::ops::ControlFlow::Break(()),
            seen => std::ops::ControlFlow::Continue(seen),
        });
        seen.is_continue()
    }

    /// Calls two closures, in parallel if the number of coordinates is large enough.
    pub(crate) fn both<A: Send, B: Send>(
        &self,
        coords: usize,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if coords > self.grain { join(left, right) } else { (left(), right()) }
    }

    /// The first coordinate of a part that is not below the given one, and whether it is that one.
    pub(crate) fn seek(&self, part: Range<usize>, coord: C) -> (usize, bool) {
        let at = part.start + self.coords[part.clone()].partition_point(|&c| c < coord);
        (at, at < part.end && self.coords[at] == coord)
    }

    /// A nonzero that is inserted.
    pub(crate) fn element(&self, at: usize) -> (C, V) {
        (self.coords[at], self.values[at].clone())
    }

    /// All nonzeros of a part, which are inserted.
    pub(crate) fn elements(&self, part: Range<usize>) -> Sorted<C, V> {
        Sorted { coords: self.coords[part.clone()].to_vec(), values: self.values[part].to_vec() }
    }

    /// Whether a value that is there may change.
    pub(crate) fn changes_values(&self) -> bool {
        size_of::<V>() > 0 && !self.deletes()
    }

    /// Changes a value that is there.
    pub(crate) fn change(&self, at: usize, value: &mut V) -> Counts {
        match size_of::<V>() > 0 && (self.combine)(at, value) {
            true => Counts { changed: 1, ..Counts::default() },
            false => Counts { unchanged: 1, ..Counts::default() },
        }
    }

    /// Looks a part up in the run that its coordinates are or would be in.
    pub(crate) fn survey(&self, part: Range<usize>, run: Run<'_, '_, C, V>) -> Survey {
        let mut survey = Survey { counts: Counts::default(), found: Vec::new(), reshapes: false };
        let mut from = 0;
        for at in part {
            let coord = self.coords[at];
            from += run.coords()[from..].partition_point(|&c| c < coord);
            match (run.coords().get(from) == Some(&coord), self.kind) {
                (true, Kind::Delete) | (false, Kind::Insert) => survey.reshapes = true,
                (true, _) if size_of::<V>() > 0 => survey.found.push((at, from)),
                (true, _) => survey.counts.unchanged += 1,
                (false, _) => survey.counts.absent += 1,
            }
        }
        survey
    }

    /// A run with what a part inserts and without what it deletes. Counts only these.
    pub(crate) fn merge(&self, part: Range<usize>, run: Run<'_, '_, C, V>) -> (Sorted<C, V>, Counts) {
        let (mut out, mut counts, mut from) = (Sorted::new(), Counts::default(), 0);
        out.coords.reserve_exact(run.len() + if self.inserts() { part.len() } else { 0 });
        for at in part {
            let coord = self.coords[at];
            let to = from + run.coords()[from..].partition_point(|&c| c < coord);
            out.extend(run.part(from..to));
            from = to;
            match (run.coords().get(from) == Some(&coord), self.kind) {
                (true, Kind::Delete) => {
                    from += 1;
                    counts.removed += 1;
                }
                (false, Kind::Insert) => {
                    out.push(coord, self.values[at].clone());
                    counts.new += 1;
                }
                _ => {}
            }
        }
        out.extend(run.skip(from));
        (out, counts)
    }

    /// The same for nonzeros that are taken out of their nodes, whose values are changed too.
    pub(crate) fn merge_all(&self, part: Range<usize>, mut old: Sorted<C, V>) -> (Sorted<C, V>, Counts) {
        let mut counts = self.survey(part.clone(), old.run());
        for (at, place) in counts.found {
            counts.counts += self.change(at, &mut old.values[place]);
        }
        let (new, others) = self.merge(part, old.run());
        counts.counts += others;
        (new, counts.counts)
    }
}

/// Whether the elements of a batch changed nothing.
pub(crate) fn is_void(counts: Counts) -> bool {
    counts.new + counts.changed + counts.removed == 0
}
