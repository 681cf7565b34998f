//! In which order the entries of a format come, and what that says of the coordinates of another one.

use std::collections::HashMap;

use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Format};

/// The coordinates by which entries ascend as a format is walked, the most significant first.
#[derive(Clone, Debug)]
pub struct Order {
    /// The coordinates.
    pub keys: Vec<Coordinate>,
    /// Whether no two entries agree in all indices of the tensor.
    pub unique: bool,
}

impl Order {
    /// The order in which the levels of `format` are walked.
    pub fn of(format: &Format) -> Order {
        let ordered = format.levels.iter().take_while(|level| level.properties.ordered);
        let keys = ordered.map(|level| level.coordinate.clone()).collect();
        Order { keys, unique: is_unique(format) }
    }

    /// Whether entries that agree in the coordinates `fixed` ascend by those `wanted`, the most significant first.
    pub fn ascends(&self, rank: usize, fixed: &[Coordinate], wanted: &[Coordinate]) -> bool {
        let mut known = Known { rank, all: fixed.to_vec() };
        let mut keys: Vec<Coordinate> = self.keys.iter().rev().cloned().collect();
        let mut at = 0;
        while at < wanted.len() {
            let want = &wanted[at];
            if known.determines(want) {
                at += 1;
                continue;
            }
            if known.everything() {
                return true;
            }
            let Some(key) = keys.pop() else { return false };
            if known.determines(&key) {
                continue;
            }
            if let Coordinate::Counter(of) = &key {
                // Counters count in the order of all coordinates.
                if !of.iter().all(|m| known.index(*m)) {
                    return false;
                }
                keys.extend((0..rank).rev().filter(|m| !known.index(*m)).map(Coordinate::Index));
                continue;
            }
            let Some(key) = known.reduced(&key) else { return false };
            let wants = match want {
                Coordinate::Counter(of) if of.iter().all(|m| known.index(*m)) => {
                    let rest: Vec<Coordinate> = (0..rank).filter(|m| !known.index(*m)).map(Coordinate::Index).collect();
                    return self.ascends_from(&known, key, keys, &rest);
                }
                _ => known.reduced(want),
            };
            let Some(wants) = wants else { return false };
            if key == wants {
                known.all.extend([key, want.clone()]);
                at += 1;
            } else if let Some((m, size)) = wants.remainder()
                && key == Coordinate::Index(m)
                && known.all.iter().any(|c| c.quotient() == Some((m, size)))
            {
                // Within one block the remainder ascends as the index does.
                known.all.extend([key, want.clone()]);
                at += 1;
            } else if let Some((m, size)) = key.quotient()
                && wants == Coordinate::Index(m)
            {
                // Blocks in order, and what is in each in order: nothing may come in between.
                let rest = keys.iter().rposition(|key| !known.determines(key));
                let Some(rest) = rest.filter(|&rest| keys[rest].remainder() == Some((m, size))) else { return false };
                keys.truncate(rest);
                known.all.push(Coordinate::Index(m));
                at += 1;
            } else if let Coordinate::Index(m) = key
                && let Some((n, size)) = wants.quotient()
                && m == n
            {
                let next = wanted[at + 1..].iter().find(|want| !known.determines(want));
                match next {
                    None => return true,
                    Some(next) if next.remainder() == Some((m, size)) => known.all.push(key),
                    Some(_) => return false,
                }
                at += 1;
            } else {
                return false;
            }
        }
        true
    }

    fn ascends_from(&self, known: &Known, key: Coordinate, mut keys: Vec<Coordinate>, wanted: &[Coordinate]) -> bool {
        keys.push(key);
        keys.reverse();
        Order { keys, unique: self.unique }.ascends(known.rank, &known.all, wanted)
    }

    /// Those of `coordinates` that stay the same over stretches of entries and never come back, the outermost first.
    pub fn contiguous(&self, rank: usize, coordinates: &[Coordinate]) -> Vec<usize> {
        let mut known = Known { rank, all: Vec::new() };
        let mut found = Vec::new();
        for key in &self.keys {
            if known.determines(key) {
                continue;
            }
            let same = coordinates.iter().position(|c| c == key);
            if let Some(same) = same {
                found.push(same);
                known.all.push(key.clone());
                continue;
            }
            let within = coordinates.iter().position(|c| match (key, c.quotient()) {
                (Coordinate::Index(m), Some((n, _))) => *m == n,
                _ => false,
            });
            found.extend(within);
            break;
        }
        found
    }
}

/// Whether no two entries of a format agree in all indices of the tensor.
pub fn is_unique(format: &Format) -> bool {
    format.levels.last().is_some_and(|level| level.properties.unique)
}

/// Whether the coordinates `all` single out one entry of a tensor of `rank` indices.
pub fn single_out(rank: usize, all: &[Coordinate]) -> bool {
    Known { rank, all: all.to_vec() }.everything()
}

/// Whether entries that agree in the coordinates of all levels above level `k` agree in its own, in every tensor.
pub fn is_determined(format: &Format, k: usize) -> bool {
    let all = format.levels[..k].iter().map(|level| level.coordinate.clone()).collect();
    let known = Known { rank: format.rank(), all };
    // Entries that agree in the indices of a counter have different counts.
    let counted = |c: &Coordinate| matches!(c, Coordinate::Counter(of) if of.iter().all(|m| known.index(*m)));
    known.all.iter().any(counted)
        || known.determines(&format.levels[k].coordinate)
        || is_determined_within_blocks(format, k)
}

/// The same for coordinates within blocks, as numbers in Morton order are: blocks are alike, so that all places of one of them are tried.
fn is_determined_within_blocks(format: &Format, k: usize) -> bool {
    /// Places that are tried at most.
    const MOST: usize = 1 << 16;
    let period_of = |n: usize| period(&format.levels[n].coordinate);
    let above: Vec<usize> = (0..k).filter(|&n| period_of(n).is_some()).collect();
    let side = above.iter().chain([&k]).try_fold(1, |side, &n| common_multiple(side, period_of(n)?));
    let Some(side) = side.and_then(|side| usize::try_from(side).ok()) else { return false };
    let places = u32::try_from(format.rank()).ok().and_then(|rank| side.checked_pow(rank));
    let Some(places) = places.filter(|&places| places <= MOST) else { return false };
    let mut found: HashMap<Vec<i64>, i64> = HashMap::new();
    (0..places).all(|place| {
        let mut coords = vec![0; format.rank()];
        let mut rest = place;
        for coord in &mut coords {
            *coord = (rest % side) as i64;
            rest /= side;
        }
        let own = format.level_at(k, &coords);
        let known = above.iter().map(|&n| format.level_at(n, &coords)).collect();
        *found.entry(known).or_insert(own) == own
    })
}

/// After how many steps along any index a coordinate has the same values again; `None` if that is not known.
fn period(c: &Coordinate) -> Option<i64> {
    match c {
        Coordinate::Const(_) | Coordinate::Var(_) => Some(1),
        Coordinate::Index(_) | Coordinate::Counter(_) => None,
        Coordinate::Neg(of) => period(of),
        Coordinate::Binary(_, left, right) | Coordinate::Let(_, left, right) => match c.remainder() {
            Some((_, size)) => Some(size),
            None => common_multiple(period(left)?, period(right)?),
        },
    }
}

/// The least common multiple of two numbers of at least 1, if it fits into 64 bits.
fn common_multiple(a: i64, b: i64) -> Option<i64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}

/// Coordinates that are known.
struct Known {
    rank: usize,
    all: Vec<Coordinate>,
}

impl Known {
    fn everything(&self) -> bool {
        (0..self.rank).all(|m| self.index(m))
    }

    /// Whether index `m` follows.
    fn index(&self, m: usize) -> bool {
        self.index_without(m, &mut Vec::new())
    }

    fn index_without(&self, m: usize, asked: &mut Vec<usize>) -> bool {
        if asked.contains(&m) {
            return false;
        }
        asked.push(m);
        let found = self.all.iter().any(|c| match c {
            Coordinate::Index(n) => *n == m,
            Coordinate::Binary(RemapOp::Sub | RemapOp::Add, left, right) => match (&**left, &**right) {
                (Coordinate::Index(a), Coordinate::Index(b)) if *a == m => self.index_without(*b, asked),
                (Coordinate::Index(a), Coordinate::Index(b)) if *b == m => self.index_without(*a, asked),
                _ => false,
            },
            _ => match c.quotient() {
                Some((n, size)) if n == m => self.all.iter().any(|rest| rest.remainder() == Some((m, size))),
                _ => false,
            },
        });
        asked.pop();
        found
    }

    /// Whether a coordinate follows.
    fn determines(&self, c: &Coordinate) -> bool {
        self.all.contains(c) || (!matches!(c, Coordinate::Counter(_)) && indices(c).into_iter().all(|m| self.index(m)))
    }

    /// What orders entries as `c` does, given what is known: the difference to a known index is ordered as the other index is.
    fn reduced(&self, c: &Coordinate) -> Option<Coordinate> {
        match c {
            Coordinate::Binary(op @ (RemapOp::Sub | RemapOp::Add), left, right) => match (&**left, &**right) {
                (a, Coordinate::Index(b)) if self.index(*b) => Some(a.clone()),
                (Coordinate::Index(a), _) if self.index(*a) && *op == RemapOp::Sub => None,
                (Coordinate::Index(a), b) if self.index(*a) => Some(b.clone()),
                _ => Some(c.clone()),
            },
            _ => Some(c.clone()),
        }
    }
}

/// The tensor's indices that a coordinate is computed from.
pub fn indices(c: &Coordinate) -> Vec<usize> {
    match c {
        Coordinate::Index(m) => vec![*m],
        Coordinate::Const(_) | Coordinate::Var(_) => Vec::new(),
        Coordinate::Counter(of) => of.clone(),
        Coordinate::Neg(inner) => indices(inner),
        Coordinate::Binary(_, left, right) | Coordinate::Let(_, left, right) => {
            let mut all = indices(left);
            all.extend(indices(right));
            all
        }
    }
}
