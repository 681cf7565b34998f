//! The smaller and the larger of two floats.

/// The smaller of two floats; NaN if one of them is. So `inf` leaves every float alone, which `f64::min` does not: it drops a NaN.
///
/// IEEE 754-2019 `minimum`, but for the sign of 0.
#[inline(always)]
#[expect(clippy::eq_op, reason = "a NaN is what does not equal itself")]
pub fn minimum<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a < b || a != a { a } else { b }
}

/// The larger of two floats; NaN if one of them is. So `-inf` leaves every float alone, which `f64::max` does not: it drops a NaN.
///
/// IEEE 754-2019 `maximum`, but for the sign of 0.
#[inline(always)]
#[expect(clippy::eq_op, reason = "a NaN is what does not equal itself")]
pub fn maximum<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a > b || a != a { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_elements_leave_every_float_alone() {
        for x in [f64::NEG_INFINITY, -2.5, 0.0, 7.0, f64::INFINITY, f64::NAN] {
            for (a, b) in [(x, f64::INFINITY), (f64::INFINITY, x)] {
                assert_eq!(minimum(a, b).to_bits(), x.to_bits());
            }
            for (a, b) in [(x, f64::NEG_INFINITY), (f64::NEG_INFINITY, x)] {
                assert_eq!(maximum(a, b).to_bits(), x.to_bits());
            }
            for (a, b) in [(x, f64::NAN), (f64::NAN, x)] {
                assert!(minimum(a, b).is_nan() && maximum(a, b).is_nan());
            }
        }
        assert_eq!((minimum(2.0f32, 3.0), maximum(2.0f32, 3.0)), (2.0, 3.0));
    }
}
