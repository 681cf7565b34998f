//! The batches that were applied since the newest published version, kept to be applied once more.
//!
//! A panic in the middle of a batch leaves a working version that may be inconsistent. The newest published version is consistent. Applying
//! the batches since then to it once more gives the graph that was acknowledged last.
//!
//! ```text
//!   entries   few │ few │ many │ vertex │ few │ …        a batch of few arcs takes 24 bytes and 8 for each arc, without an allocation;
//!   keys      ■ ■   ■ ■                  ■ ■             a large one is kept as it was prepared
//! ```

use smallvec::SmallVec;

use super::prepare::{Prepared, Step};
use super::update::StepKind;
use crate::Batch;

/// A batch of at most so many arcs is copied into the list.
const FEW: usize = 16;

/// Bytes that are kept before the next version is due, however small the graph.
const LEAST: usize = 16 << 20;

/// A list of at most so many bytes keeps its memory when it is emptied.
const KEPT: usize = 1 << 20;

/// Batches in the order in which they were applied.
pub(super) struct Redo<V> {
    entries: Vec<Entry>,
    /// The arcs of small batches.
    keys: Vec<u64>,
    /// The values of those that have any.
    values: Vec<V>,
    many: Vec<Prepared<V>>,
    bytes: usize,
}

/// A change that was made.
#[derive(Clone, Copy)]
enum Entry {
    /// A step of few arcs.
    Few { kind: StepKind, loops: bool, turned: bool, arcs: u8, values: u8 },
    /// The next large batch.
    Many,
    /// A vertex was added.
    Added(u32),
    /// A vertex was taken out.
    Removed(u32),
}

/// A change that is to be made once more.
pub(super) enum Again<'a, V> {
    /// A step for the matrix of out-arcs, or for that of in-arcs if the flag is set.
    Step(Step<V>, bool),
    /// A batch.
    Batch(&'a Prepared<V>),
    /// A vertex is added.
    Added(u32),
    /// A vertex is removed.
    Removed(u32),
}

impl<V> Default for Redo<V> {
    fn default() -> Self {
        Redo { entries: Vec::new(), keys: Vec::new(), values: Vec::new(), many: Vec::new(), bytes: 0 }
    }
}

impl<V> Redo<V> {
    /// Whether it takes so much memory, for a graph of about so many bytes, that a version is due.
    pub(super) fn is_due(&self, graph: usize) -> bool {
        self.bytes > LEAST.max(graph / 2)
    }

    /// Empties the list. Returns what takes long to drop, to be dropped when no lock is held.
    pub(super) fn clear(&mut self) -> Redo<V> {
        if self.bytes > KEPT {
            return std::mem::take(self);
        }
        self.entries.clear();
        self.keys.clear();
        self.values.clear();
        self.bytes = 0;
        Redo { many: std::mem::take(&mut self.many), ..Redo::default() }
    }

    fn push(&mut self, entry: Entry) {
        self.bytes += size_of::<Entry>();
        self.entries.push(entry);
    }

    /// A vertex was added.
    pub(super) fn added(&mut self, vertex: u32) {
        self.push(Entry::Added(vertex));
    }

    /// A vertex was taken out.
    pub(super) fn removed(&mut self, vertex: u32) {
        self.push(Entry::Removed(vertex));
    }
}

impl<V: Copy> Redo<V> {
    /// A batch was applied.
    pub(super) fn applied(&mut self, prepared: Prepared<V>) {
        let arcs = prepared.arcs();
        if arcs > FEW {
            let vertices = prepared.removed.len() + prepared.named.len();
            self.bytes += 2 * arcs * (size_of::<u32>() + size_of::<V>()) + vertices * size_of::<u32>();
            self.bytes += size_of::<Prepared<V>>();
            self.many.push(prepared);
            return self.push(Entry::Many);
        }
        prepared.removed.iter().for_each(|&vertex| self.removed(vertex));
        prepared.named.iter().for_each(|&vertex| self.added(vertex));
        for (steps, turned) in [(&prepared.out, false), (&prepared.incoming, true)] {
            for &Step { kind, ref arcs, loops } in steps {
                self.keys.extend(arcs.positions().map(|(row, col)| u64::from(row) << 32 | u64::from(col)));
                self.values.extend_from_slice(arcs.values());
                self.bytes += arcs.len() * size_of::<u64>() + size_of_val(arcs.values());
                let (arcs, values) = (arcs.len() as u8, arcs.values().len() as u8);
                self.push(Entry::Few { kind, loops, turned, arcs, values });
            }
        }
    }

    /// All changes that were made, in order.
    pub(super) fn each(&self, mut again: impl FnMut(Again<'_, V>)) {
        let (mut keys, mut values, mut many) = (&self.keys[..], &self.values[..], self.many.iter());
        for &entry in &self.entries {
            again(match entry {
                Entry::Few { kind, loops, turned, arcs, values: count } => {
                    let (these, rest) = keys.split_at(arcs.into());
                    let (values_of_these, other_values) = values.split_at(count.into());
                    (keys, values) = (rest, other_values);
                    let arcs = Batch::from_sorted(these, SmallVec::from_slice(values_of_these));
                    Again::Step(Step { kind, arcs, loops }, turned)
                }
                Entry::Many => Again::Batch(many.next().expect("a large batch is kept for each entry")),
                Entry::Added(vertex) => Again::Added(vertex),
                Entry::Removed(vertex) => Again::Removed(vertex),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EdgeList;
    use crate::graph::prepare::Shape;
    use crate::graph::{Action, Conflict};

    /// The lists of vertices of a batch count towards the bound, too.
    #[test]
    fn vertices_without_edges_count() {
        let shape = Shape { directed: true, incoming: false, conflict: Conflict::Last, max_vertices: 1 << 20 };
        let mut list = EdgeList::new(1 << 20, 1 << 20);
        (0..=FEW as u32).for_each(|k| list.push(k, k + 1, (Action::Insert, ())));
        // The removal undoes these insertions. Their other ends remain named.
        (0..1000).for_each(|k| list.push(1000 + k, 5000, (Action::Insert, ())));
        list.push(5000, 5000, (Action::RemoveVertex, ()));
        let prepared = shape.prepare_mixed(&list).unwrap();
        assert_eq!((prepared.arcs(), prepared.named.len(), prepared.removed.len()), (FEW + 1, 1000, 1));
        let mut redo = Redo::default();
        redo.applied(prepared);
        assert!(redo.bytes >= 1001 * size_of::<u32>(), "{} bytes", redo.bytes);
    }
}
