//! The symmetry of matrices in files.

use super::Listing;
use super::arcs::Arcs;
use crate::input::Direction;

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
