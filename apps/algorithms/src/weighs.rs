//! What arcs weigh for algorithms that take weights or none.

/// The value of an arc, as a weight. Arcs without values weigh 1, so that a graph without weights needs no copy with them.
pub trait Weighs: Clone + Send + Sync + 'static {
    /// The weight.
    fn weight(&self) -> f64;
}

impl Weighs for () {
    fn weight(&self) -> f64 {
        1.0
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Weighs for $number {
            fn weight(&self) -> f64 {
                f64::from(*self)
            }
        }
    )*};
}

numbers! { f64, f32, i8, i16, i32, u8, u16, u32 }
