//! Which of several arcs with the same source and target wins.

/// Which of several arcs with the same source and target is kept.
///
/// "First" and "last" are meant in the order of the edge list; combinations are folded in that order, so that sums of floating-point
/// weights are the same on any number of threads.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Duplicates<V = ()> {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
    /// One with the combination of all their weights.
    #[cfg_attr(feature = "serde", serde(skip))]
    Combine(fn(V, V) -> V),
    /// There must be none.
    Error,
}

impl<V: Weight> Duplicates<V> {
    /// One arc with the sum of the weights.
    pub fn sum() -> Self {
        Duplicates::Combine(V::sum)
    }

    /// The arc with the smallest weight.
    pub fn min() -> Self {
        Duplicates::Combine(V::min)
    }

    /// The arc with the largest weight.
    pub fn max() -> Self {
        Duplicates::Combine(V::max)
    }
}

/// A value type of graphs that can be combined: a number, a truth value, nothing, or a type of your own.
///
/// Its methods may be called while a graph is being changed: they must not wait for that graph.
pub trait Weight: Copy + Default + PartialEq + Send + Sync + 'static {
    /// Whether addition is associative. If it is not, as with floating-point numbers, a graph adds the weights of an edge one after the
    /// other, so that the sum does not depend on how updates were cut into batches.
    const ASSOCIATIVE: bool = false;

    /// The sum: of integers it wraps around, of truth values it is "or".
    fn sum(a: Self, b: Self) -> Self;

    /// The smaller; the other, if one is not a number.
    fn min(a: Self, b: Self) -> Self;

    /// The larger; the other, if one is not a number.
    fn max(a: Self, b: Self) -> Self;
}

macro_rules! integer_weights {
    ($($integer:ty)*) => {$(
        impl Weight for $integer {
            const ASSOCIATIVE: bool = true;

            fn sum(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }
            fn min(a: Self, b: Self) -> Self {
                Ord::min(a, b)
            }
            fn max(a: Self, b: Self) -> Self {
                Ord::max(a, b)
            }
        }
    )*};
}

macro_rules! float_weights {
    ($($float:ty)*) => {$(
        impl Weight for $float {
            fn sum(a: Self, b: Self) -> Self {
                a + b
            }
            fn min(a: Self, b: Self) -> Self {
                <$float>::min(a, b)
            }
            fn max(a: Self, b: Self) -> Self {
                <$float>::max(a, b)
            }
        }
    )*};
}

integer_weights! { i32 i64 u32 u64 }
float_weights! { f32 f64 }

impl Weight for bool {
    const ASSOCIATIVE: bool = true;

    fn sum(a: bool, b: bool) -> bool {
        a | b
    }
    fn min(a: bool, b: bool) -> bool {
        a & b
    }
    fn max(a: bool, b: bool) -> bool {
        a | b
    }
}

impl Weight for () {
    const ASSOCIATIVE: bool = true;

    fn sum((): (), (): ()) {}
    fn min((): (), (): ()) {}
    fn max((): (), (): ()) {}
}
