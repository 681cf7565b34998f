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

    /// Whether the accessed part can be read without a copy, by walking it or by looking up coordinates.
    pub fn is_cut_in_place(&self) -> bool {
        (0..self.format.levels.len()).all(|at| self.is_walked(at) || self.format.capabilities(at).locate)
    }
}
