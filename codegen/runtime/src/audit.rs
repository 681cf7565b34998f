//! What audits and footprints report.

/// An invariant of a schema that a store breaks, with the way to where it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct AuditError {
    /// Where: the fields followed from the handle, e.g. `prefix.r.l.t[3]`.
    pub path: String,
    /// What is broken, e.g. `coordinate 7 is not above 9, which comes before it`.
    pub message: String,
}

impl AuditError {
    /// An error at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        AuditError { path: path.into(), message: message.into() }
    }

    /// The same error seen from one level further out.
    pub fn within(self, outer: &str) -> Self {
        AuditError { path: format!("{outer}.{}", self.path), message: self.message }
    }
}

/// Memory held by a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of all nodes and arrays, as requested from the allocator.
    pub bytes: usize,
    /// Number of nodes and arrays.
    pub nodes: usize,
    /// Number of slots that hold no nonzero.
    pub gaps: usize,
}

impl std::ops::AddAssign for Footprint {
    fn add_assign(&mut self, other: Footprint) {
        self.bytes += other.bytes;
        self.nodes += other.nodes;
        self.gaps += other.gaps;
    }
}

impl std::iter::Sum for Footprint {
    fn sum<I: Iterator<Item = Footprint>>(parts: I) -> Footprint {
        parts.fold(Footprint::default(), |mut sum, part| {
            sum += part;
            sum
        })
    }
}
