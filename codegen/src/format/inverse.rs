//! From the coordinates of the levels back to the tensor's own: what iterating over a remapped tensor has to compute.

use super::ast::RemapOp;
use super::model::Coordinate;

/// How an index is found from the levels' coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Inverse {
    /// The coordinate of a level.
    Level(usize),
    /// Another index, found before this one.
    Index(usize),
    /// A constant.
    Const(i64),
    /// An operation of two.
    Binary(RemapOp, Box<Inverse>, Box<Inverse>),
}

impl Inverse {
    /// For an index that is kept by blocks: the level that keeps the number of the block, the size of blocks, and the level that keeps the
    /// place within the block.
    pub(crate) fn blocked(&self) -> Option<(usize, usize, usize)> {
        if let Inverse::Binary(RemapOp::Add, left, right) = self
            && let (Inverse::Binary(RemapOp::Mul, block, size), Inverse::Level(inner)) = (&**left, &**right)
            && let (Inverse::Level(outer), Inverse::Const(size)) = (&**block, &**size)
        {
            return Some((*outer, *size as usize, *inner));
        }
        None
    }

    /// The last level whose coordinate is needed, given the same for the other indices.
    pub fn ready(&self, inverse: &[Inverse]) -> Option<usize> {
        match self {
            Inverse::Level(level) => Some(*level),
            Inverse::Index(m) => inverse[*m].ready(inverse),
            Inverse::Const(_) => None,
            Inverse::Binary(_, left, right) => left.ready(inverse).max(right.ready(inverse)),
        }
    }

    /// Whether the coordinate of a level is needed.
    pub(crate) fn reads(&self, level: usize) -> bool {
        match self {
            Inverse::Level(read) => *read == level,
            Inverse::Index(_) | Inverse::Const(_) => false,
            Inverse::Binary(_, left, right) => left.reads(level) || right.reads(level),
        }
    }

    /// The same for a tensor whose index `m` is called `indices[m]`.
    pub(crate) fn with_indices(&self, indices: &[usize]) -> Inverse {
        match self {
            Inverse::Index(m) => Inverse::Index(indices[*m]),
            Inverse::Binary(op, left, right) => {
                Inverse::Binary(*op, Box::new(left.with_indices(indices)), Box::new(right.with_indices(indices)))
            }
            other => other.clone(),
        }
    }

    /// The value, for the coordinates `levels` of the levels.
    pub fn evaluate(&self, inverse: &[Inverse], levels: &[i64]) -> i64 {
        match self {
            Inverse::Level(level) => levels[*level],
            Inverse::Index(m) => inverse[*m].evaluate(inverse, levels),
            Inverse::Const(value) => *value,
            Inverse::Binary(op, left, right) => {
                super::remap::apply(*op, left.evaluate(inverse, levels), right.evaluate(inverse, levels))
            }
        }
    }
}

/// The way back for each of `rank` indices from the first levels that allow it, or the first index that has none.
///
/// An index is found where a level keeps it, where one level keeps its quotient and another its remainder (also as shift and
/// mask), and where a level keeps its sum or difference with what is known already.
pub(super) fn invert(rank: usize, levels: &[Coordinate]) -> Result<Vec<Inverse>, usize> {
    let mut found: Vec<Option<Inverse>> = vec![None; rank];
    // Each pass that finds something finds an index for good.
    for _ in 0..=rank {
        for m in 0..rank {
            if found[m].is_none() {
                found[m] = kept(m, levels).or_else(|| split(m, levels)).or_else(|| linear(m, levels, &found));
            }
        }
    }
    match found.iter().position(Option::is_none) {
        Some(lost) => Err(lost),
        None => Ok(found.into_iter().flatten().collect()),
    }
}

fn kept(m: usize, levels: &[Coordinate]) -> Option<Inverse> {
    levels.iter().position(|level| *level == Coordinate::Index(m)).map(Inverse::Level)
}

/// `i / M` and `i % M`.
fn split(m: usize, levels: &[Coordinate]) -> Option<Inverse> {
    let index = Coordinate::Index(m);
    let divided = |c: &Coordinate| match c {
        Coordinate::Binary(RemapOp::Div, left, right) if **left == index => constant(right).filter(|&d| d > 0),
        Coordinate::Binary(RemapOp::Shr, left, right) if **left == index => {
            constant(right).filter(|by| (0..62).contains(by)).map(|by| 1i64 << by)
        }
        _ => None,
    };
    let rest = |c: &Coordinate| match c {
        Coordinate::Binary(RemapOp::Rem, left, right) if **left == index => constant(right).filter(|&d| d > 0),
        Coordinate::Binary(RemapOp::And, left, right) if **left == index => {
            constant(right).filter(|&mask| (0..i64::MAX).contains(&mask) && (mask + 1) & mask == 0).map(|mask| mask + 1)
        }
        _ => None,
    };
    levels.iter().enumerate().find_map(|(outer, c)| {
        let size = divided(c)?;
        let inner = levels.iter().position(|c| rest(c) == Some(size))?;
        let base = Inverse::Binary(RemapOp::Mul, Box::new(Inverse::Level(outer)), Box::new(Inverse::Const(size)));
        Some(Inverse::Binary(RemapOp::Add, Box::new(base), Box::new(Inverse::Level(inner))))
    })
}

/// `j - i` with `i` known, and the like.
fn linear(m: usize, levels: &[Coordinate], found: &[Option<Inverse>]) -> Option<Inverse> {
    let index = Coordinate::Index(m);
    let known = |c: &Coordinate| match c {
        Coordinate::Const(value) => Some(Inverse::Const(*value)),
        Coordinate::Index(n) if found[*n].is_some() => Some(Inverse::Index(*n)),
        _ => None,
    };
    let make = |op, left, right| Some(Inverse::Binary(op, Box::new(left), Box::new(right)));
    levels.iter().enumerate().find_map(|(at, c)| {
        let level = Inverse::Level(at);
        match c {
            Coordinate::Binary(RemapOp::Add, left, right) if **left == index => {
                make(RemapOp::Sub, level, known(right)?)
            }
            Coordinate::Binary(RemapOp::Add, left, right) if **right == index => {
                make(RemapOp::Sub, level, known(left)?)
            }
            Coordinate::Binary(RemapOp::Sub, left, right) if **left == index => {
                make(RemapOp::Add, level, known(right)?)
            }
            Coordinate::Binary(RemapOp::Sub, left, right) if **right == index => {
                make(RemapOp::Sub, known(left)?, level)
            }
            _ => None,
        }
    })
}

fn constant(c: &Coordinate) -> Option<i64> {
    match c {
        Coordinate::Const(value) => Some(*value),
        _ => None,
    }
}
