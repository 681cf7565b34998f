//! The symmetry of matrices in files.

use std::cmp::Ordering;

use super::Listing;
use super::arcs::{AnyPart, Arcs, Part};
use crate::error::Fault;
use crate::input::Direction;
use crate::scan::Id;

/// The symmetry that a file says its matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// No symmetry: all entries are listed.
    General,
    /// One triangle is listed.
    Symmetric,
    /// One triangle is listed, and the other one has the negated values.
    Skew,
}

impl Symmetry {
    /// The direction of the graph that the symmetry implies.
    pub(crate) fn declared(self) -> Option<Direction> {
        (self == Symmetry::Symmetric).then_some(Direction::Undirected)
    }

    /// How the entries list arcs, after the mirror images of a skew-symmetric matrix were [added](Self::write_out).
    pub(crate) fn listing(self) -> Listing {
        match self {
            Symmetry::General => Listing::Once,
            Symmetry::Symmetric => Listing::Symmetric,
            Symmetry::Skew => Listing::Both,
        }
    }

    /// Whether each entry stands for two arcs of a graph.
    pub(crate) fn mirrors(self, directed: bool) -> bool {
        match self.listing() {
            Listing::Once => !directed,
            Listing::Symmetric => true,
            Listing::Both => false,
        }
    }

    /// Encodes the sides of the diagonal on which a block has entries: 1 for below plus 2^32 for above. An entry on the diagonal of a
    /// skew-symmetric matrix counts for both. The sum over all blocks encodes the same for the whole matrix. 0 for a matrix without
    /// symmetry.
    pub(crate) fn sides(self, part: &AnyPart) -> u64 {
        fn of<I: Id>(part: &Part<I>, skew: bool) -> u64 {
            let (mut below, mut above) = (false, false);
            for (row, col) in part.src.iter().zip(&part.dst) {
                let on = skew && row == col;
                below |= row > col || on;
                above |= row < col || on;
            }
            u64::from(below) | u64::from(above) << 32
        }
        match (self, part) {
            (Symmetry::General, _) => 0,
            (_, AnyPart::Narrow(part)) => of(part, self == Symmetry::Skew),
            (_, AnyPart::Wide(part)) => of(part, self == Symmetry::Skew),
        }
    }

    /// Whether a sum of [`sides`](Self::sides) has entries on both.
    pub(crate) fn are_both(sides: u64) -> bool {
        sides as u32 > 0 && sides >> 32 > 0
    }

    /// The fault of an entry at the place `found`, which is not in the triangle of the entries before it, or is on the diagonal of a
    /// skew-symmetric matrix.
    pub(crate) fn fault(self, found: String) -> Fault {
        let expected = match self {
            Symmetry::Skew => "entries of one triangle, without the diagonal: each stands for its mirror image, too",
            _ => "entries of one triangle: each stands for its mirror image, too",
        };
        Fault::Entry { expected, found }
    }

    /// Calls `each` with an entry, and of a skew-symmetric matrix with its negated mirror image.
    pub(crate) fn write(self, (src, dst): (u64, u64), weight: f64, each: &mut dyn FnMut(u64, u64, f64)) {
        each(src, dst, weight);
        if self == Symmetry::Skew && src != dst {
            each(dst, src, -weight);
        }
    }

    /// Appends what [`write`](Self::write) adds to the entries.
    pub(crate) fn write_out(self, arcs: &mut Arcs) {
        for k in 0..if self == Symmetry::Skew { arcs.src.len() } else { 0 } {
            let (src, dst, weight) = (arcs.src[k], arcs.dst[k], arcs.weight[k]);
            if src != dst {
                arcs.src.push(dst);
                arcs.dst.push(src);
                arcs.weight.push(-weight);
            }
        }
    }
}

/// The triangle in which a matrix that is read entry by entry lists them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    symmetry: Symmetry,
    /// How row and column compare in all entries so far that are not on the diagonal; `None` if there was none.
    side: Option<Ordering>,
}

impl Triangle {
    /// Before the first entry.
    pub(crate) fn of(symmetry: Symmetry) -> Self {
        Triangle { symmetry, side: None }
    }

    /// Takes the next entry, counted from 1.
    ///
    /// # Errors
    ///
    /// [`Fault::Entry`] if it is not in the triangle of those before it, or on the diagonal of a skew-symmetric matrix.
    pub(crate) fn take(&mut self, row: u64, col: u64) -> Result<(), Fault> {
        let fits = match (self.symmetry, row.cmp(&col)) {
            (Symmetry::General, _) => true,
            (symmetry, Ordering::Equal) => symmetry == Symmetry::Symmetric,
            (_, side) => *self.side.get_or_insert(side) == side,
        };
        match fits {
            true => Ok(()),
            false => Err(self.symmetry.fault(format!("row {row} and column {col}"))),
        }
    }
}
