//! Parts that were written by other workers, dealt to those that are there now.
//!
//! ```text
//!   generation-3: parts of 4 workers at epoch 17 ─► each reads some of them ─► edges to their owners ─► generation-4: parts of 2 workers
//!                                                                                       the manifest names generation 4 ─► 3 is removed
//! ```

use std::fs;
use std::path::Path;

use pleach::Rows;
use pleach::graph::{Action, Ids};
use pleach::runtime::Fiber;
use pleach_erased::AnySnapshot;

use super::manifest::Manifest;
use super::{Change, Growing, GrowingOptions, Held, StreamError, check};
use crate::owner::Ownership;
use crate::wire::Wire;

/// Changes that one worker hands out at a time.
const CHANGES: usize = 1 << 20;

/// Deals the parts that a manifest names to the workers of the options, at the last epoch that all parts have; what the parts have in
/// common then.
pub(super) fn to(
    wire: &mut Wire<'_>,
    directory: &Path,
    options: &GrowingOptions,
    found: Manifest,
) -> Result<Manifest, StreamError> {
    let (me, workers) = (wire.worker(), wire.workers());
    // A manifest that is damaged may name any number of workers. The first part that is not there ends it, before there is memory for all.
    let parts = |at: Option<u64>| -> Result<Vec<Old>, String> {
        let mine = (me..found.workers).step_by(workers);
        mine.map(|part| Old::open(directory, options, &found, part, at)).collect()
    };
    let newest = wire.agree(parts(None))??;
    let epochs = newest.iter().map(|part| found.epoch_of(part.snapshot.version())).collect();
    let by_worker: Vec<Vec<u64>> = wire.swap_numbers(vec![epochs; workers])?;
    let all: Vec<u64> = (0..found.workers).map(|part| by_worker[part % workers][part / workers]).collect();
    wire.agree(check(directory, &found, &all, me))??;
    // After a crash some parts may have an epoch that others have not: its updates are read again.
    let epoch = all.iter().copied().min().unwrap_or(0);
    let old = if all.iter().all(|&own| own == epoch) { Ok(newest) } else { parts(Some(found.version(epoch))) };
    let old = wire.agree(old)??;
    let dealt = Manifest { generation: found.generation + 1, ..Manifest::new(options) };
    if me == 0 {
        // What a crash has left of an earlier attempt.
        let _ = fs::remove_dir_all(dealt.folder(directory));
    }
    wire.sum(0)?;
    let batches = deal(wire, directory, options, dealt, &old)?;
    let ahead = epoch > found.epoch;
    let updates = found.updates + if ahead { found.next } else { 0 };
    let digest = found.digest.wrapping_add(if ahead { found.next_digest } else { 0 });
    let before = epoch as i64 - batches as i64;
    let dealt = Manifest { before, epoch, updates, digest, initial: found.initial, ..dealt };
    let written = if me == 0 { dealt.write(directory) } else { Ok(()) };
    wire.agree(written)??;
    Ok(dealt)
}

/// Writes the edges of old parts to new ones; in how many batches.
fn deal(
    wire: &mut Wire<'_>,
    directory: &Path,
    options: &GrowingOptions,
    dealt: Manifest,
    old: &[Old],
) -> Result<u64, StreamError> {
    let mut growing = Growing::open_part(wire, directory, *options, dealt)?;
    let mut changes = old.iter().flat_map(|part| part.changes(options.directed));
    loop {
        let some: Vec<Change> = changes.by_ref().take(CHANGES).collect();
        if wire.sum(some.len() as u64)? == 0 {
            break;
        }
        growing.commit(wire, &[&some])?;
    }
    let kept = match &growing.held {
        Held::Durable(graph, _) => graph.checkpoint().map(drop).map_err(|error| error.to_string()),
        Held::Memory(..) => Ok(()),
    };
    wire.agree(kept)??;
    Ok(growing.common.epoch)
}

/// A part as a worker left it.
struct Old {
    /// That worker, and what it owned.
    worker: usize,
    ownership: Ownership,
    snapshot: AnySnapshot<f64>,
    ids: Ids<u64>,
}

impl Old {
    /// Reads a part, at its last version or an earlier one.
    fn open(
        directory: &Path,
        options: &GrowingOptions,
        found: &Manifest,
        worker: usize,
        version: Option<u64>,
    ) -> Result<Self, String> {
        let view = pleach_log::open_at(found.part(directory, worker), version, &options.kept());
        let view = view.map_err(|error| error.to_string())?;
        let ids = view.ids().numbers().cloned().ok_or("a part has no numbers as ids")?;
        Ok(Old { worker, ownership: found.ownership(), snapshot: view.snapshot(), ids })
    }

    /// What makes the same vertices and edges: those that this part alone is to hand out.
    fn changes(&self, directed: bool) -> impl Iterator<Item = Change> + '_ {
        let rows = self.snapshot.rows();
        let change = |action, from, to, weight| Change { action, from, to, weight };
        let id = |vertex: u32| self.ids.key(vertex).unwrap_or_default();
        let own = self.snapshot.vertices().filter(move |&vertex| self.ownership.owner(id(vertex)) == self.worker);
        own.flat_map(move |vertex| {
            let from = id(vertex);
            // An edge and its deletion leave a vertex without edges.
            let mut row = vec![change(Action::Insert, from, from, 1.0), change(Action::Delete, from, from, 1.0)];
            if let Some(arcs) = rows.row(vertex as usize).filter(|arcs| !arcs.is_empty()) {
                row.clear();
                arcs.fold_storage((), |(), run| {
                    for (&column, &weight) in run.coords().iter().zip(run.values()) {
                        let to = id(column);
                        // An undirected edge is in the rows of both ends.
                        if directed || from <= to {
                            row.push(change(Action::Insert, from, to, weight));
                        }
                    }
                });
            }
            row
        })
    }
}
