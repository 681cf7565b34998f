//! What edges carry, in bytes.

use pleach_erased::Bundled;

use crate::bytes::{Malformed, Reader, Writer};

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for f64 {}
}

/// What edges of a graph that is kept can carry: `()`, that is nothing, or `f64`.
pub trait Weights: Bundled + Default + PartialEq + sealed::Sealed {
    /// What is said of it in the directory.
    #[doc(hidden)]
    const NAME: &'static str;
    #[doc(hidden)]
    fn write(values: &[Self], to: &mut Out<'_>);
    #[doc(hidden)]
    fn read(n: usize, from: &mut In<'_, '_>) -> Result<Vec<Self>, &'static str>;
    /// Values in memory that is aligned for all of them.
    #[doc(hidden)]
    fn view(n: usize, words: &[u64]) -> Option<Slice<'_, Self>>;
}

/// Bytes that are written.
pub struct Out<'a>(pub(crate) &'a mut Writer);

/// Bytes that are read.
pub struct In<'a, 'b>(pub(crate) &'a mut Reader<'b>);

/// Values, borrowed or not.
pub type Slice<'a, V> = std::borrow::Cow<'a, [V]>;

impl Weights for () {
    const NAME: &'static str = "none";

    fn write(_: &[()], _: &mut Out<'_>) {}

    fn read(n: usize, _: &mut In<'_, '_>) -> Result<Vec<()>, Malformed> {
        Ok(vec![(); n])
    }

    fn view(n: usize, _: &[u64]) -> Option<Slice<'_, ()>> {
        Some(vec![(); n].into())
    }
}

impl Weights for f64 {
    const NAME: &'static str = "f64";

    fn write(values: &[f64], to: &mut Out<'_>) {
        to.0.array(values);
    }

    fn read(n: usize, from: &mut In<'_, '_>) -> Result<Vec<f64>, Malformed> {
        from.0.array(n)
    }

    fn view(n: usize, words: &[u64]) -> Option<Slice<'_, f64>> {
        let words = words.get(..n)?;
        if cfg!(target_endian = "little") {
            return Some(bytemuck::cast_slice(words).into());
        }
        Some(words.iter().map(|word| f64::from_bits(u64::from_le(*word))).collect::<Vec<_>>().into())
    }
}
