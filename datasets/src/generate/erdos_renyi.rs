//! Erdős and Rényi's G(n, m). Edge number k is the k-th of a random permutation of all pairs, so that all edges differ without
//! one being compared with another.

use pleach::EdgeList;
use pleach::runtime::par_items;

use super::random::Permutation;
use crate::progress::Meter;

/// Edges that one task draws.
const GRAIN: usize = 1 << 13;

pub(super) fn generate(vertices: u64, count: u64, directed: bool, seed: u64, meter: &Meter) -> EdgeList<()> {
    let pairs = pairs(vertices, directed, seed);
    let mut edges = super::blank(vertices, count);
    let chunks = edges.src.chunks_mut(GRAIN).zip(edges.dst.chunks_mut(GRAIN)).enumerate();
    par_items(chunks.collect(), |(chunk, (src, dst))| {
        for (k, (src, dst)) in src.iter_mut().zip(dst).enumerate() {
            let (u, v) = at((chunk * GRAIN + k) as u64, vertices, directed, &pairs);
            *src = u as u32;
            *dst = v as u32;
        }
        meter.advance(super::LISTED * src.len() as u64);
    });
    edges
}

/// All pairs of vertices in a random order.
pub(super) fn pairs(vertices: u64, directed: bool, seed: u64) -> Permutation {
    let ordered = vertices * vertices.saturating_sub(1);
    Permutation::new(seed, if directed { ordered } else { ordered / 2 })
}

/// The edge of a number.
pub(super) fn at(k: u64, vertices: u64, directed: bool, pairs: &Permutation) -> (u64, u64) {
    let pair = pairs.at(k);
    if directed { ordered_pair(pair, vertices) } else { unordered_pair(pair) }
}

/// The `k`-th ordered pair of different vertices.
fn ordered_pair(k: u64, vertices: u64) -> (u64, u64) {
    let (u, v) = (k / (vertices - 1), k % (vertices - 1));
    (u, v + u64::from(v >= u))
}

/// The `k`-th of the pairs (0,1), (0,2), (1,2), (0,3), …: `v (v - 1) / 2` of them come before `(0, v)`.
fn unordered_pair(k: u64) -> (u64, u64) {
    let mut v = (2.0 * k as f64).sqrt() as u64;
    while v * v.saturating_sub(1) / 2 > k {
        v -= 1;
    }
    while v * (v + 1) / 2 <= k {
        v += 1;
    }
    (k - v * (v - 1) / 2, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_without_gaps() {
        let mut k = 0;
        for v in 0..60 {
            for u in 0..v {
                assert_eq!(unordered_pair(k), (u, v));
                k += 1;
            }
        }
        let n = u64::from(u32::MAX);
        assert_eq!(unordered_pair(n * (n - 1) / 2 - 1), (n - 2, n - 1));
        assert_eq!(unordered_pair((n - 1) * (n - 2) / 2), (0, n - 1));
        let all: Vec<_> = (0..6).map(|k| ordered_pair(k, 3)).collect();
        assert_eq!(all, [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
    }
}
