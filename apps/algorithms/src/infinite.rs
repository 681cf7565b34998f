//! Infinite numbers to and from serde. JSON has none, so that text has `null` in their place; binary formats keep the number. NaN and −∞ cannot
//! be written as text, since `null` is read as +∞.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, Serializer};

use crate::sssp::Length;

/// A number that may be infinite.
struct Number<T>(T);

impl<T: Length + Serialize> Serialize for Number<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let number: f64 = self.0.into();
        if !to.is_human_readable() {
            return self.0.serialize(to);
        }
        if number.is_nan() || number == f64::NEG_INFINITY {
            return Err(S::Error::custom(format_args!(
                "{number} cannot be written as text: of numbers that are not finite only +∞ can, as null"
            )));
        }
        number.is_finite().then_some(self.0).serialize(to)
    }
}

impl<'de, T: Length + Deserialize<'de>> Deserialize<'de> for Number<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            return T::deserialize(from).map(Number);
        }
        Ok(Number(Option::deserialize(from)?.unwrap_or(T::INFINITE)))
    }
}

/// One number.
pub(crate) fn serialize<T: Length + Serialize, S: Serializer>(number: &T, to: S) -> Result<S::Ok, S::Error> {
    Number(*number).serialize(to)
}

/// One number.
pub(crate) fn deserialize<'de, T: Length + Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Number::deserialize(from).map(|Number(number)| number)
}

/// An array of numbers.
pub(crate) mod array {
    use super::*;

    pub(crate) fn serialize<T: Length + Serialize, S: Serializer>(array: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(array.iter().map(|&number| Number(number)))
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: Length + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::deserialize(from)?.into_iter().map(|Number(number)| number).collect())
    }
}
