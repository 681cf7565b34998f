//! Levels below one that keeps the difference of two indices, as those of diagonals do.

use super::Place;
use crate::format::Coordinate;

/// If a level above keeps the difference of index `m` and another one, that other one.
pub(super) fn difference_above(place: &Place<'_>, m: usize) -> Option<usize> {
    Diagonal::find(place, m).map(|diagonal| diagonal.other)
}

/// A difference of two indices, kept by a level above.
#[derive(Clone, Copy)]
pub(super) struct Diagonal {
    /// The level that keeps it.
    pub level: usize,
    /// The index that the level in question keeps.
    pub mine: usize,
    /// The other index.
    pub other: usize,
    /// Whether the difference is own − other; otherwise it is other − own.
    pub adds: bool,
}

impl Diagonal {
    fn find(place: &Place<'_>, m: usize) -> Option<Diagonal> {
        use crate::format::ast::RemapOp;
        place.coordinates[..place.at].iter().enumerate().find_map(|(level, above)| match above {
            Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right) {
                (Coordinate::Index(a), Coordinate::Index(b)) if *a == m && *b != m => {
                    Some(Diagonal { level, mine: m, other: *b, adds: true })
                }
                (Coordinate::Index(a), Coordinate::Index(b)) if *b == m && *a != m => {
                    Some(Diagonal { level, mine: m, other: *a, adds: false })
                }
                _ => None,
            },
            _ => None,
        })
    }

    pub(super) fn above(place: &Place<'_>) -> Option<Diagonal> {
        match place.coordinates[place.at] {
            Coordinate::Index(m) => Diagonal::find(place, m),
            _ => None,
        }
    }

    /// The other index, from the own index `c` and the difference `k`, counted from its lower bound; `None` if it lies outside of the tensor.
    pub(super) fn opposite(&self, c: usize, k: usize, shape: &[usize]) -> Option<usize> {
        let subtracted = if self.adds { self.other } else { self.mine };
        let k = k as i64 - (shape[subtracted].max(1) as i64 - 1);
        let other = if self.adds { c as i64 - k } else { c as i64 + k };
        usize::try_from(other).ok().filter(|&other| other < shape[self.other])
    }
}
