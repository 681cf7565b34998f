//! Graph500's R-MAT: each edge falls through `scale` levels of a matrix that is quartered again and again, with the odds of the
//! Graph500 specification (A = 0.57, B = C = 0.19), and vertices are numbered at random afterwards.

use pleach::EdgeList;
use pleach::runtime::par_items;

use super::random::{Permutation, Sequence};
use crate::progress::Meter;

/// Edges that one task draws.
const GRAIN: usize = 1 << 13;

/// The odds of the first one, two and three quarters, as thresholds for 32 random bits.
const A: u32 = odds(0.57);
const AB: u32 = odds(0.76);
const ABC: u32 = odds(0.95);

const fn odds(odds: f64) -> u32 {
    (odds * (1u64 << 32) as f64) as u32
}

pub(super) fn generate(scale: u32, edge_factor: u64, seed: u64, meter: &Meter) -> EdgeList<()> {
    let vertices = 1u64 << scale;
    let labels = Permutation::new(seed, vertices);
    let mut edges = super::blank(vertices, edge_factor * vertices);
    let chunks = edges.src.chunks_mut(GRAIN).zip(edges.dst.chunks_mut(GRAIN)).enumerate();
    par_items(chunks.collect(), |(chunk, (src, dst))| {
        for (k, (src, dst)) in src.iter_mut().zip(dst).enumerate() {
            let (s, d) = edge(scale, Sequence::of(seed, (chunk * GRAIN + k) as u64));
            *src = labels.at(s) as u32;
            *dst = labels.at(d) as u32;
        }
        meter.advance(super::LISTED * src.len() as u64);
    });
    edges
}

/// The edge of a number, drawn as [`generate`] draws it.
pub(super) fn at(k: u64, scale: u32, seed: u64, labels: &Permutation) -> (u64, u64) {
    let (src, dst) = edge(scale, Sequence::of(seed, k));
    (labels.at(src), labels.at(dst))
}

/// Draws one edge: two levels from each 64 random bits.
#[inline]
fn edge(scale: u32, mut random: Sequence) -> (u64, u64) {
    let (mut src, mut dst) = (0, 0);
    let mut level = |bits: u32| {
        let (a, ab, abc) = (bits >= A, bits >= AB, bits >= ABC);
        src = src << 1 | u64::from(ab);
        dst = dst << 1 | u64::from(a ^ ab ^ abc);
    };
    for _ in 0..scale / 2 {
        let bits = random.bits();
        level(bits as u32);
        level((bits >> 32) as u32);
    }
    if scale % 2 == 1 {
        level(random.bits() as u32);
    }
    (src, dst)
}
