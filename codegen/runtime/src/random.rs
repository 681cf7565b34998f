//! Numbers that look random and are the same in every run.

/// Added to the state of [`SplitMix64`] at every step: 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of 64 bits that no two numbers share: the finaliser of SplitMix64.
#[inline(always)]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A generator of numbers with a state of 64 bits (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014). For samples, generators of graphs and tests; not for secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// 64 random bits.
    #[inline(always)]
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    #[inline(always)]
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.bits() as u128 * bound as u128) >> 64) as u64
    }

    /// An index below `bound`; 0 if `bound` is 0.
    #[inline(always)]
    pub const fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence_is_met() {
        // The first outputs of the reference implementation (https://prng.di.unimi.it/splitmix64.c) for the state 1234567.
        let mut random = SplitMix64(1_234_567);
        let first = [(); 5].map(|()| random.bits());
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = SplitMix64(1);
        assert!((0..1000).all(|k| random.below(k + 1) <= k));
        assert_eq!((random.below(0), random.index(0)), (0, 0));
        assert!((0..1000).all(|k| random.index(k + 1) <= k));
    }
}
