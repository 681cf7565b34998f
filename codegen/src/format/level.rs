//! What a level of a format keeps, and how its entries are visited.

use super::model::{Coordinate, Format, FormatLevel};
use crate::level::{FieldKind, SEGMENTS, Switches};
use crate::notation::concrete::{Access, Index};

/// How the entries of a level are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By counting coordinates.
    Interval,
    /// By counting positions; whether coordinates lie in an array at them, and whether some positions hold no entry.
    Positions { array: bool, gaps: bool },
    /// There is one entry at most, whose position follows from that of its parent.
    One,
    /// By a store's map.
    Entries,
}

impl FormatLevel {
    /// The dimension that it keeps; `None` if it keeps a computed coordinate.
    pub(crate) fn dimension(&self) -> Option<usize> {
        match self.coordinate {
            Coordinate::Index(m) => Some(m),
            _ => None,
        }
    }

    /// The index of an access that it keeps; `None` if it keeps a computed coordinate.
    pub(crate) fn index_of(&self, access: &Access) -> Option<Index> {
        self.dimension().map(|m| access.indices[m])
    }

    /// Whether every coordinate has a position that is computed from it.
    pub(crate) fn is_searched(&self) -> bool {
        self.is_full() && self.kind.capabilities().locate
    }

    /// Whether it has a position for every coordinate, which values can be written at.
    pub(crate) fn is_array(&self) -> bool {
        self.is_full() && self.kind.capabilities().insert
    }

    /// Whether it keeps something for every coordinate of one of the indices that `of` holds for, or for every block or diagonal of them.
    pub(crate) fn spans(&self, of: impl Fn(usize) -> bool) -> bool {
        self.is_full() && self.coordinate.remainder().is_none() && self.coordinate.uses(&of)
    }

    /// Whether it keeps the coordinates of each parent as a list, in ascending order and each once.
    pub(crate) fn is_list(&self) -> bool {
        self.keeps(&SEGMENTS) && !self.is_store() && self.switches == Switches::default()
    }

    /// Whether entries can be visited one by one, in ascending order, with those of other levels in between.
    pub(crate) fn steps(&self) -> bool {
        self.properties.ordered && (!self.is_store() || self.kind.capabilities().step)
    }

    /// How its entries are visited.
    pub(crate) fn way(&self) -> Way {
        let capabilities = self.kind.capabilities();
        if self.is_store() {
            Way::Entries
        } else if capabilities.value_iteration {
            Way::Interval
        } else if self.properties.branchless {
            Way::One
        } else {
            let fields = self.kind.fields(&self.switches);
            let array = fields.iter().any(|(_, kind)| *kind == FieldKind::Positions);
            Way::Positions { array, gaps: !self.properties.compact }
        }
    }

    /// Whether the level keeps coordinates in memory, at 32 bits each.
    pub fn keeps_coordinates(&self) -> bool {
        let kept = |kind: &FieldKind| matches!(kind, FieldKind::Coordinates | FieldKind::Stores);
        self.kind.fields(&self.switches).iter().any(|(_, kind)| kept(kind))
    }

    /// The fields of a level whose entries lie in segments: where each of them begins, and the coordinates. Stores are built of segments.
    pub(crate) fn segment_names(&self) -> Vec<&'static str> {
        self.kept().into_iter().map(|(name, _)| name).collect()
    }

    /// Whether the level is kept by stores.
    pub fn is_store(&self) -> bool {
        self.kind.fields(&self.switches).iter().any(|(_, kind)| *kind == FieldKind::Stores)
    }
}

impl Format {
    /// The index that each level keeps.
    pub(crate) fn indices_of(&self, access: &Access) -> Vec<Index> {
        self.levels.iter().filter_map(|level| level.index_of(access)).collect()
    }

    /// The first level all of whose coordinates have to be visited to find one: it keeps them in no order, and no table of them.
    pub(crate) fn unsearchable(&self) -> Option<usize> {
        let visited = |level: &FormatLevel| {
            let searched = level.kind.lookup(&level.switches).is_some();
            let halved = level.properties.ordered && level.way() == Way::Positions { array: true, gaps: false };
            !level.coordinate.counts() && !searched && !halved && level.way() != Way::One
        };
        self.levels.iter().position(visited)
    }

    /// Whether stores hold the values.
    pub(crate) fn ends_in_store(&self) -> bool {
        self.levels.last().is_some_and(FormatLevel::is_store)
    }

    /// The first level from which on entries with the same coordinates lie side by side and are taken as one (deduplication with
    /// chaining, section 3.2.5 of the format paper): it keeps coordinates more than once, in order, and each level below has one
    /// child for each of its positions.
    pub(crate) fn chained(&self) -> Option<usize> {
        let levels = &self.levels;
        let from = levels.iter().position(|level| !level.properties.unique)?;
        let positions = |at: usize| {
            levels[at].properties.ordered && levels[at].properties.compact && self.capabilities(at).position_iteration
        };
        let below = |at: usize| positions(at) && levels[at].properties.branchless;
        (positions(from) && (from + 1..levels.len()).all(below)).then_some(from)
    }
}
