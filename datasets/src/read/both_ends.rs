//! Whether rows list each edge at both of its ends, with one weight.
//!
//! ```text
//!   row 1: 2 3        row 2: 1        row 3:         3 is in row 1, and 1 is not in row 3
//! ```
//!
//! A sum over all arcs shows it in one pass over arcs in any order. Only where the sum is wrong, the edge is searched, in two passes more.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use pleach::runtime::mix;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::arcs::Arcs;
use crate::error::{Error, Fault};

/// Ranges of vertices of which a search has a sum each.
const RANGES: usize = 1 << 16;

/// A number of an arc that is the negated one of its opposite with the same weight. Over all arcs the sum, modulo 2^64, is 0 if the opposite
/// of every arc is listed as often. Otherwise it is some other number, but for one graph in 2^64.
pub(super) fn balance(src: u64, dst: u64, weight: f64) -> u64 {
    // Zeros are equal, whatever their signs. The factor is that of Fibonacci hashing, which spreads the few bits that weights differ in.
    let weight = (weight + 0.0).to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = mix((src.min(dst) << 32 | src.max(dst)) ^ weight);
    match src.cmp(&dst) {
        Ordering::Less => hash,
        Ordering::Equal => 0,
        Ordering::Greater => hash.wrapping_neg(),
    }
}

/// The sum of the [`balance`] of all arcs, with their weights if `weighted`.
pub(super) fn balance_of(arcs: &Arcs, weighted: bool) -> u64 {
    let ends = arcs.src.par_iter().zip(&arcs.dst);
    if weighted && !arcs.weight.is_empty() {
        let each = ends.zip(&arcs.weight).map(|((&src, &dst), &weight)| balance(src.into(), dst.into(), weight));
        each.reduce(|| 0, u64::wrapping_add)
    } else {
        ends.map(|(&src, &dst)| balance(src.into(), dst.into(), 1.0)).reduce(|| 0, u64::wrapping_add)
    }
}

/// An arc whose opposite is not listed, or not with this weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneSided {
    pub(super) src: u64,
    pub(super) dst: u64,
    weight: f64,
}

/// Calls its argument with source, target and weight of each arc.
pub(super) type EachArc<'e> = &'e mut dyn FnMut(&mut dyn FnMut(u64, u64, f64)) -> Result<(), Error>;

/// The first such arc by the vertices that it connects, of which there are `vertices`.
pub(super) fn find(vertices: u64, each: EachArc<'_>) -> Result<Option<OneSided>, Error> {
    let range = |src: u64, dst: u64| (src.min(dst) / (vertices / RANGES as u64 + 1)) as usize;
    let mut sums = vec![0_u64; RANGES + 1];
    each(&mut |src, dst, weight| {
        let sum = &mut sums[range(src, dst)];
        *sum = sum.wrapping_add(balance(src, dst, weight));
    })?;
    let Some(first) = sums.iter().position(|&sum| sum != 0) else { return Ok(None) };
    let mut more = BTreeMap::<(u64, u64, u64), i64>::new();
    each(&mut |src, dst, weight| {
        if range(src, dst) == first && src != dst {
            let key = (src.min(dst), src.max(dst), (weight + 0.0).to_bits());
            *more.entry(key).or_default() += if src < dst { 1 } else { -1 };
        }
    })?;
    let odd = more.into_iter().find(|(_, more)| *more != 0);
    Ok(odd.map(|((low, high, bits), more)| {
        let (src, dst) = if more > 0 { (low, high) } else { (high, low) };
        OneSided { src, dst, weight: f64::from_bits(bits) }
    }))
}

impl OneSided {
    /// The fault of the row of the source, where vertices are counted from `first`.
    pub(super) fn fault(self, first: u64, weighted: bool) -> Fault {
        let weight = weighted.then_some(self.weight);
        Fault::OneSided {
            src: self.src + first,
            dst: self.dst + first,
            weight: weight.map(|weight| weight.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(all: &[(u32, u32, f64)]) -> Arcs {
        let (mut src, mut dst, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for &(s, d, w) in all {
            src.push(s);
            dst.push(d);
            weight.push(w);
        }
        Arcs { src, dst, weight }
    }

    #[test]
    fn the_first_edge_with_one_end_is_found() {
        let both = arcs(&[(0, 1, 2.0), (1, 0, 2.0), (2, 2, 1.0), (1, 2, 0.0), (2, 1, -0.0)]);
        assert_eq!(balance_of(&both, true), 0);
        assert!(
            find(3, &mut |each| {
                both.for_each(each);
                Ok(())
            })
            .unwrap()
            .is_none()
        );
        let cycle = arcs(&[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0)]);
        let weights = arcs(&[(5, 0, 1.0), (0, 5, 1.0), (0, 1, 5.0), (1, 0, 7.0)]);
        let twice = arcs(&[(4, 3, 1.0), (3, 4, 1.0), (4, 3, 1.0)]);
        for (odd, ends) in [(cycle, (0, 1)), (weights, (0, 1)), (twice, (4, 3))] {
            assert_ne!(balance_of(&odd, true), 0);
            let found = find(6, &mut |each| {
                odd.for_each(each);
                Ok(())
            })
            .unwrap()
            .unwrap();
            assert_eq!((found.src, found.dst), ends);
        }
    }
}
