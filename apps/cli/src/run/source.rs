//! The graph that one algorithm runs on, or several one after the other.

use indicatif::ProgressBar;
use pleach_datasets::{RowFile, Weights};
use pleach_erased::Ends;

use super::super::Failure;
use super::super::input::{Input, InputArgs};

/// A graph that is read at its first use and kept until its last.
pub struct Source {
    /// How many algorithms still ask for it.
    uses: usize,
    /// Whether any of them reads weights.
    weighted: bool,
    /// The graph as it was read, if others ask for it later.
    kept: Option<Input>,
}

impl Source {
    /// The graph of `uses` algorithms, which all name it by the same arguments; `weighted` if any of them reads weights.
    pub fn new(uses: usize, weighted: bool) -> Self {
        Source { uses, weighted, kept: None }
    }

    /// The graph as rows of a file that a store can be built of, if it is such a file and only one algorithm runs.
    pub fn rows(
        &self,
        args: &InputArgs,
        weights: Weights,
        ends: Ends,
    ) -> Result<Option<(Input, RowFile, ProgressBar)>, Failure> {
        if self.uses > 1 || self.kept.is_some() {
            return Ok(None);
        }
        args.open_rows(weights, ends)
    }

    /// The graph with its weights as one algorithm reads them. The last use takes it; those before it get a copy.
    pub fn take(&mut self, args: &InputArgs, weights: Weights) -> Result<Input, Failure> {
        self.uses = self.uses.saturating_sub(1);
        let read = match self.kept.take() {
            Some(kept) => kept,
            None if self.uses == 0 => return args.load(weights),
            None => args.load(if self.weighted { Weights::AsRead } else { Weights::Ignore })?,
        };
        if self.uses > 0 {
            self.kept = Some(read.clone());
        }
        Ok(read.with_weights(weights))
    }
}
