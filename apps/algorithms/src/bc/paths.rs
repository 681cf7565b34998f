//! Numbers of shortest paths, which outgrow every float: across a grid of 600 by 600 vertices there are some 10^360.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// A number of paths, or its reciprocal.
pub(super) trait Paths: Copy + Send + Sync + 'static {
    /// A place for a number that several tasks share. At any time one task writes to it, or any number of them read.
    type Cell: Default + Send + Sync;

    /// None.
    const NONE: Self;
    /// One.
    const ONE: Self;

    /// The sum.
    fn plus(self, other: Self) -> Self;

    /// `factor` over this number.
    fn divide(self, factor: f64) -> Self;

    /// The product; it must be within the range of a float, or close to zero.
    fn times(self, other: Self) -> f64;

    /// The product with a power of two, where it is within range.
    fn by(self, factor: f64) -> Self;

    /// The number as a float. [`Bounds`] tell from it whether the number is near an end of its range, and whether it is exact. A number with an
    /// exponent of its own is never near an end: any float that is too large to be exact may stand for it.
    fn magnitude(self) -> f64;

    /// The number in a cell, which is zero at first.
    fn load(cell: &Self::Cell) -> Self;

    /// Writes the number to a cell.
    fn store(self, cell: &Self::Cell);
}

/// The least and the largest of some numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    least: f64,
    most: f64,
}

/// The largest float that counts paths; its reciprocal is the least. A sum of 2^32 of them, as many as a row may have, is still a float, and so is the
/// reciprocal of that sum, with all its digits.
const MOST: f64 = f64::from_bits((1023 + 980) << 52);

impl Bounds {
    /// Of no numbers.
    pub(super) const NONE: Bounds = Bounds { least: f64::INFINITY, most: 0.0 };

    /// Of one number.
    #[inline(always)]
    pub(super) fn of(number: f64) -> Self {
        Bounds { least: number, most: number }
    }

    /// Of the numbers of both.
    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        Bounds { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Whether all sums of whole numbers that came to these are exact: 2^53 may be 2^53 + 1 rounded.
    pub(super) fn are_exact(self) -> bool {
        self.most < f64::from_bits((1023 + 53) << 52)
    }

    /// The power of two by which numbers are multiplied to bring them into range. It is 1 if none is too large; otherwise it lowers them as
    /// far as the least allows. `None` if the largest is still too large then.
    pub(super) fn lowering(self) -> Option<f64> {
        if self.most <= MOST {
            return Some(1.0);
        }
        // By how many powers of two `least` is above the least of all; the reciprocal of a factor is a float as well.
        let above = (self.least.to_bits() >> 52).saturating_sub(1023 - 980).min(1000);
        let factor = f64::from_bits((1023 - above) << 52);
        (self.most * factor <= MOST).then_some(factor)
    }
}

impl Paths for f64 {
    type Cell = AtomicU64;

    const NONE: f64 = 0.0;
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }

    #[inline(always)]
    fn divide(self, factor: f64) -> f64 {
        factor / self
    }

    #[inline(always)]
    fn times(self, other: f64) -> f64 {
        self * other
    }

    #[inline(always)]
    fn by(self, factor: f64) -> f64 {
        self * factor
    }

    #[inline(always)]
    fn magnitude(self) -> f64 {
        self
    }

    #[inline(always)]
    fn load(cell: &AtomicU64) -> f64 {
        f64::from_bits(cell.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU64) {
        cell.store(self.to_bits(), Ordering::Relaxed);
    }
}

/// A float with a wider range: `digits · 2^(512 scale)`. Zero, or `digits` is between `2^-256` and `2^256`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    digits: f64,
    scale: i32,
}

/// `2^256` and what one step of the scale is worth, as floats of that exponent.
const HALF: f64 = f64::from_bits((1023 + 256) << 52);
const STEP: f64 = f64::from_bits((1023 + 512) << 52);

impl Wide {
    #[inline]
    fn new(digits: f64, scale: i32) -> Self {
        if digits >= HALF {
            Wide { digits: digits / STEP, scale: scale + 1 }
        } else if digits < 1.0 / HALF && digits > 0.0 {
            Wide { digits: digits * STEP, scale: scale - 1 }
        } else {
            Wide { digits, scale }
        }
    }
}

impl Paths for Wide {
    type Cell = (AtomicU64, AtomicI32);

    const NONE: Wide = Wide { digits: 0.0, scale: 0 };
    const ONE: Wide = Wide { digits: 1.0, scale: 0 };

    #[inline]
    fn plus(self, other: Wide) -> Wide {
        if self.digits == 0.0 || other.digits == 0.0 {
            return if self.digits == 0.0 { other } else { self };
        }
        let (less, more) = if self.scale < other.scale { (self, other) } else { (other, self) };
        match more.scale - less.scale {
            0 => Wide::new(more.digits + less.digits, more.scale),
            1 => Wide::new(more.digits + less.digits / STEP, more.scale),
            // Less than the last digit of the sum.
            _ => more,
        }
    }

    #[inline]
    fn divide(self, factor: f64) -> Wide {
        Wide::new(factor / self.digits, -self.scale)
    }

    #[inline]
    fn times(self, other: Wide) -> f64 {
        let digits = self.digits * other.digits;
        let scale = self.scale + other.scale;
        // Beyond four steps nothing changes: the product is infinite or zero then. Zero stays zero at any scale.
        let steps = 0..scale.unsigned_abs().min(4);
        steps.fold(digits, |product, _| if scale > 0 { product * STEP } else { product / STEP })
    }

    #[inline]
    fn by(self, factor: f64) -> Wide {
        Wide::new(self.digits * factor, self.scale)
    }

    #[inline(always)]
    fn magnitude(self) -> f64 {
        // No number is near an end, and only those of scale 0 can be exact.
        if self.scale == 0 { self.digits } else { HALF }
    }

    #[inline(always)]
    fn load((digits, scale): &Self::Cell) -> Wide {
        Wide { digits: f64::load(digits), scale: scale.load(Ordering::Relaxed) }
    }

    #[inline(always)]
    fn store(self, (digits, scale): &Self::Cell) {
        self.digits.store(digits);
        scale.store(self.scale, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_are_floats_as_far_as_those_reach() {
        let wide = |exponent, scale| Wide { digits: 2f64.powi(exponent), scale };
        assert_eq!(wide(224, -2).times(Wide::ONE), 2f64.powi(-800));
        assert_eq!(wide(-200, 1).times(wide(-200, 1)), 2f64.powi(624));
        assert_eq!(wide(0, 3).times(Wide::ONE), f64::INFINITY);
        assert_eq!(wide(0, -9).times(Wide::ONE), 0.0);
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            2f64.powi((state >> 33) as i32 % 500 - 250) * (1.0 + (state >> 40) as f64 / 2f64.powi(24))
        };
        for _ in 0..10_000 {
            let (a, b) = (random(), random());
            let wide = |x| Wide::ONE.divide(x);
            assert_eq!(wide(a).plus(wide(b)), wide(a + b), "{a} + {b}");
            assert_eq!(wide(a).times(wide(b)), a * b, "{a} * {b}");
            assert_eq!(wide(a).divide(b), wide(b / a), "{b} / {a}");
        }
        assert_eq!(Wide::NONE.plus(Wide::ONE), Wide::ONE);
        assert_eq!(Wide::ONE.plus(Wide::NONE), Wide::ONE);
    }

    #[test]
    fn powers_of_two_go_far_beyond_floats_and_back() {
        let mut power = Wide::ONE;
        let mut powers = vec![power];
        for _ in 0..20_000 {
            power = power.plus(power);
            powers.push(power);
        }
        for (n, power) in powers.iter().enumerate().rev() {
            assert_eq!(power.times(power.divide(3.0)), 3.0, "2^{n}");
            assert_eq!(powers[n.saturating_sub(1)].times(power.divide(1.0)), if n == 0 { 1.0 } else { 0.5 });
        }
        // Nothing is behind a vertex at the end of all paths, however many lead to it.
        assert_eq!(powers[20_000].times(Wide::NONE), 0.0);
        // What is less than the last digit is lost, and nothing else.
        assert_eq!(powers[20_000].plus(powers[19_900]), powers[20_000]);
        assert_eq!(powers[20_000].plus(powers[19_990]).times(powers[19_990].divide(1.0)), 1025.0);
    }

    #[test]
    fn numbers_are_lowered_as_far_as_the_least_allows() {
        let bounds = |numbers: &[f64]| numbers.iter().map(|&number| Bounds::of(number)).fold(Bounds::NONE, Bounds::and);
        assert_eq!(bounds(&[]).lowering(), Some(1.0));
        assert_eq!(bounds(&[1.0, MOST]).lowering(), Some(1.0));
        assert_eq!(bounds(&[1.0, 2.0 * MOST]).lowering(), Some(1.0 / MOST));
        assert_eq!(bounds(&[8.0, 2.0 * MOST]).lowering(), Some(0.125 / MOST));
        assert_eq!(bounds(&[1.0 / MOST, 2.0 * MOST]).lowering(), None);
        // The factor's reciprocal is a float, too.
        assert_eq!(bounds(&[2.0 * MOST, 2.0 * MOST]).lowering(), Some(2f64.powi(-1000)));
        assert!(bounds(&[1.0, 2f64.powi(53) - 1.0]).are_exact() && !bounds(&[1.0, 2f64.powi(53)]).are_exact());
    }
}
