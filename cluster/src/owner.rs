//! Which worker owns which vertex.

/// How many consecutive vertices one worker owns, unless something else is said.
pub const RANGE: u64 = 4096;

/// Deals vertices to workers by ranges of consecutive ids, in turn: the worker of id `v` is `v / range` modulo the number of workers.
///
/// Neighbouring ids, which in most files are near each other in the graph, too, stay together, and every worker has its share of what is
/// at the beginning, where many files have the vertices of high degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    workers: u64,
    range: u64,
}

impl Ownership {
    /// By ranges of [`RANGE`] vertices.
    ///
    /// # Panics
    ///
    /// If there are no workers.
    pub fn new(workers: usize) -> Self {
        assert!(workers > 0, "there is a worker");
        Ownership { workers: workers as u64, range: RANGE }
    }

    /// By ranges of so many vertices, at least one.
    #[must_use]
    pub fn with_range(self, range: u64) -> Self {
        Ownership { range: range.max(1), ..self }
    }

    /// How many workers there are.
    pub fn workers(self) -> usize {
        self.workers as usize
    }

    /// How many consecutive vertices one worker owns.
    pub fn range(self) -> u64 {
        self.range
    }

    /// The worker that owns a vertex.
    #[inline]
    pub fn owner(self, id: u64) -> usize {
        (id / self.range % self.workers) as usize
    }

    /// The place of a vertex among those of its owner.
    #[inline]
    pub(crate) fn place(self, id: u64) -> u64 {
        id / self.range / self.workers * self.range + id % self.range
    }
}
