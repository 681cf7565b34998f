//! Random numbers that are a function of a seed and a position, so that any part of a graph can be drawn by any thread.

use pleach::runtime::{GOLDEN, SplitMix64, mix};

/// The SplitMix64 sequence that belongs to one item (an edge, a point) of a seeded graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence(SplitMix64);

impl Sequence {
    /// The sequence of item number `item`. The state is hashed, so that neighbouring items do not walk over each other's numbers.
    #[inline(always)]
    pub(crate) fn of(seed: u64, item: u64) -> Sequence {
        Sequence(SplitMix64(mix(mix(seed.wrapping_add(GOLDEN)) ^ item.wrapping_mul(GOLDEN))))
    }

    /// 64 random bits.
    #[inline(always)]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number in `0.0..1.0`, with 53 random bits.
    #[inline(always)]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// A random permutation of `0..len` that takes no memory: rounds of an invertible multiplication and shift on as many bits as
/// `len` needs, repeated until the result is in range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002, cycle walking).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    len: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); 4],
}

impl Permutation {
    pub(crate) fn new(seed: u64, len: u64) -> Permutation {
        let bits = (64 - len.saturating_sub(1).leading_zeros()).max(1);
        let mut random = Sequence::of(seed, u64::MAX);
        let rounds = [(); 4].map(|()| (random.bits() | 1, random.bits()));
        Permutation { len, mask: u64::MAX >> (64 - bits), shift: bits.div_ceil(2), rounds }
    }

    /// The place of `item`, which is below the length. Fewer than two tries on average.
    #[inline]
    pub(crate) fn at(&self, item: u64) -> u64 {
        debug_assert!(item < self.len);
        let mut x = item;
        loop {
            for (factor, summand) in self.rounds {
                x = x.wrapping_mul(factor).wrapping_add(summand) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.len {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_hit_everything_once() {
        for len in (1..70).chain([255, 256, 257, 1000, 4096, 5000]) {
            for seed in 0..3 {
                let permutation = Permutation::new(seed, len);
                let mut seen = vec![false; len as usize];
                for item in 0..len {
                    assert!(!std::mem::replace(&mut seen[permutation.at(item) as usize], true), "{item} of {len}");
                }
            }
        }
    }

    #[test]
    fn permutations_do_not_keep_neighbours_together() {
        let permutation = Permutation::new(7, 1 << 16);
        let near = (1..1u64 << 16).filter(|&i| permutation.at(i).abs_diff(permutation.at(i - 1)) < 1 << 10).count();
        // A random permutation has 2 · 2^10 of 2^16 neighbours that near, about 2040 of them here.
        assert!((1500..2700).contains(&near), "{near} neighbours stayed near");
    }

    #[test]
    fn unit_numbers_fill_the_interval_evenly() {
        let mut buckets = [0; 16];
        for item in 0..16_000 {
            buckets[(Sequence::of(1, item).unit() * 16.0) as usize] += 1;
        }
        assert!(buckets.iter().all(|&count| (850..1150).contains(&count)), "{buckets:?}");
    }
}
