//! Formats of tensors of which a part may be accessed: which levels can still be walked or searched.

use super::level::Way;
use super::model::Format;

/// The levels of a tensor, and the part of it that is accessed.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// The levels.
    pub format: Format,
    /// The step of the slice of each dimension, if it is accessed in part; empty if all of the tensor is accessed.
    pub steps: Vec<Option<usize>>,
}

impl Form {
    /// All of a tensor.
    pub fn whole(format: Format) -> Form {
        Form { format, steps: Vec::new() }
    }

    /// Whether only a part of the tensor is accessed.
    pub fn is_part(&self) -> bool {
        self.steps.iter().any(Option::is_some)
    }

    /// Whether a part of the dimension that level `at` keeps is accessed.
    pub fn is_cut(&self, at: usize) -> bool {
        self.format.levels[at].dimension().and_then(|m| self.steps.get(m)).is_some_and(Option::is_some)
    }

    /// Whether the accessed part of level `at` can be walked without a copy: either positions are computed from coordinates, or ascending
    /// coordinates lie in an array and the part has step 1, so that it is contiguous.
    pub fn is_walked(&self, at: usize) -> bool {
        let level = &self.format.levels[at];
        let Some(step) = level.dimension().and_then(|m| *self.steps.get(m)?) else { return true };
        let properties = level.properties;
        let stretch = matches!(level.way(), Way::Interval | Way::Positions { array: true, gaps: false });
        level.is_searched() || step == 1 && properties.ordered && properties.unique && stretch
    }

    /// Why the accessed part of level `at` cannot be walked, if it cannot.
    pub fn why_unwalked(&self, at: usize) -> &'static str {
        let step = self.format.levels[at].dimension().and_then(|m| self.steps.get(m).copied().flatten());
        match step {
            Some(2..) => "a slice with a step is read, and a level that keeps coordinates is walked without steps",
            _ => "a slice or a shifted part of it is read, and a level cannot be walked from a coordinate in between",
        }
    }

    /// Why the accessed part cannot be read without a copy, neither by walking it nor by looking up coordinates; `None` if it can.
    pub fn why_copied(&self) -> Option<&'static str> {
        let in_place = |at: &usize| self.is_walked(*at) || self.format.capabilities(*at).locate;
        (0..self.format.levels.len()).find(|at| !in_place(at)).map(|at| self.why_unwalked(at))
    }
}
