//! Whether the arrays of a tensor fit together.
//!
//! ```text
//!   one parent ─► level ─► so many positions ─► level ─► … ─► so many values
//! ```
//!
//! A level keeps one index, or something computed of indices. Which index it is the type does not say, and so the levels fit if
//! they do for some assignment of the tensor's indices to them.

use super::{Banded, Compressed, Dense, Hashed, Offset, Range, Remapped, Singleton, Sliced, Squeezed, Tensor};

/// Arrays that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorError {
    /// The level, counted from the outermost; as many as there are levels stands for the values.
    pub level: usize,
    /// What is wrong.
    message: String,
}

impl std::fmt::Display for TensorError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TensorError {}

/// How many positions there are above or in a level; `None` where the arrays do not say it.
type Count = Option<usize>;

/// A level whose arrays can be checked.
pub trait CheckLevel {
    /// Whether it is the level's own number that says how many coordinates there can be, and not an index's extent.
    const OWN_EXTENT: bool = false;

    /// How many positions the level has below so many `parents`, if its index has `extent` coordinates.
    ///
    /// # Errors
    ///
    /// What does not fit.
    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String>;
}

fn expect(what: &str, found: usize, wanted: Count, why: &str) -> Result<(), String> {
    match wanted {
        Some(wanted) if wanted != found => Err(format!("`{what}` has {found} elements, and {wanted} {why}")),
        _ => Ok(()),
    }
}

/// Offsets of segments: one more than there are parents, from 0 on, never smaller than the one before.
fn segments(pos: &[usize], parents: Count) -> Result<usize, String> {
    expect(
        "pos",
        pos.len(),
        parents.map(|parents| parents + 1),
        "are needed: one more than there are positions above",
    )?;
    match (pos.first(), pos.last()) {
        (Some(0), Some(&last)) if pos.is_sorted() => Ok(last),
        _ => Err("`pos` does not ascend from 0 on".into()),
    }
}

fn within(crd: &[u32], extent: usize, gaps: bool) -> Result<(), String> {
    match crd.iter().position(|&c| c as usize >= extent && !(gaps && c == u32::MAX)) {
        Some(at) => Err(format!("`crd` holds {} at {at}, and coordinates are below {extent}", crd[at])),
        None => Ok(()),
    }
}

impl CheckLevel for Dense {
    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String> {
        let Some(parents) = parents else { return Ok(None) };
        parents.checked_mul(extent).map(Some).ok_or_else(|| "has more places than memory".into())
    }
}

impl<P: AsRef<[usize]>, C: AsRef<[u32]>> CheckLevel for Compressed<P, C> {
    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String> {
        let (entries, crd) = (segments(self.pos.as_ref(), parents)?, self.crd.as_ref());
        expect("crd", crd.len(), Some(entries), "are needed: the last of `pos`")?;
        within(crd, extent, false)?;
        Ok(Some(entries))
    }
}

impl<C: AsRef<[u32]>> CheckLevel for Singleton<C> {
    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String> {
        let crd = self.crd.as_ref();
        expect("crd", crd.len(), parents, "are needed: one for each position above")?;
        within(crd, extent, true)?;
        Ok(Some(crd.len()))
    }
}

impl<C: AsRef<[u32]>> CheckLevel for Hashed<C> {
    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String> {
        let crd = self.crd.as_ref();
        let wanted = parents.and_then(|parents| parents.checked_mul(self.width));
        expect("crd", crd.len(), wanted, "are needed: `width` for each position above")?;
        within(crd, extent, true)?;
        Ok(Some(crd.len()))
    }
}

impl<P: AsRef<[usize]>, C: AsRef<[u32]>> CheckLevel for Banded<P, C> {
    fn positions(&self, parents: Count, _: usize) -> Result<Count, String> {
        let places = segments(self.pos.as_ref(), parents)?;
        expect("first", self.first.as_ref().len(), parents, "are needed: one for each position above")?;
        Ok(Some(places))
    }
}

impl<C: AsRef<[u32]>> CheckLevel for Squeezed<C> {
    const OWN_EXTENT: bool = true;

    fn positions(&self, parents: Count, extent: usize) -> Result<Count, String> {
        let crd = self.crd.as_ref();
        within(crd, extent, false)?;
        Ok(parents.and_then(|parents| parents.checked_mul(crd.len())))
    }
}

/// Levels whose positions follow from what other levels keep.
macro_rules! follows {
    ($($level:ident)*) => {$(
        impl CheckLevel for $level {
            fn positions(&self, _: Count, _: usize) -> Result<Count, String> {
                Ok(None)
            }
        }
    )*};
}

follows! { Range Offset }

impl CheckLevel for Sliced {
    const OWN_EXTENT: bool = true;

    fn positions(&self, parents: Count, _: usize) -> Result<Count, String> {
        Ok(parents.and_then(|parents| parents.checked_mul(self.slices)))
    }
}

impl<L: CheckLevel> CheckLevel for Remapped<L> {
    const OWN_EXTENT: bool = true;

    fn positions(&self, parents: Count, _: usize) -> Result<Count, String> {
        self.level.positions(parents, self.extent)
    }
}

/// A tuple of levels.
pub trait CheckLevels {
    /// Whether the levels from the outermost on fit below `parents` positions, `left` being the extents that no level has yet; how
    /// many positions the innermost one has.
    ///
    /// # Errors
    ///
    /// The number of the level that does not fit, and why: that of the first assignment of indices.
    fn positions(&self, parents: Count, left: &[usize]) -> Result<Count, (usize, String)>;
}

macro_rules! tuples {
    ($(($($level:ident $at:tt),*))*) => {$(
        impl<$($level: CheckLevel),*> CheckLevels for ($($level,)*) {
            fn positions(&self, parents: Count, left: &[usize]) -> Result<Count, (usize, String)> {
                let levels: &[(&dyn Fn(Count, usize) -> Result<Count, String>, bool)] =
                    &[$((&|parents, extent| self.$at.positions(parents, extent), $level::OWN_EXTENT)),*];
                assigned(levels, 0, parents, &mut left.to_vec())
            }
        }
    )*};
}

crate::tuples::each_tuple!(tuples);

type LevelOf<'l> = (&'l dyn Fn(Count, usize) -> Result<Count, String>, bool);

/// Tries each extent that is left for the level `at`, and goes on below it.
fn assigned(
    levels: &[LevelOf<'_>],
    at: usize,
    parents: Count,
    left: &mut Vec<usize>,
) -> Result<Count, (usize, String)> {
    let Some((level, own_extent)) = levels.get(at) else { return Ok(parents) };
    if *own_extent || left.is_empty() {
        let extent = left.iter().copied().max().unwrap_or(usize::MAX);
        let positions = level(parents, if *own_extent { usize::MAX } else { extent }).map_err(|why| (at, why))?;
        return assigned(levels, at + 1, positions, left);
    }
    let mut first = None;
    for which in 0..left.len() {
        let extent = left.remove(which);
        let tried = level(parents, extent)
            .map_err(|why| (at, why))
            .and_then(|positions| assigned(levels, at + 1, positions, left));
        left.insert(which, extent);
        match tried {
            Ok(positions) => return Ok(positions),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.expect("there was an extent to try"))
}

impl<const N: usize, L: CheckLevels, T, V: AsRef<[T]>> Tensor<N, L, V>
where
    V: Values<Value = T>,
{
    /// Puts a tensor together of its extents, its levels from the outermost on, and its values.
    ///
    /// ```
    /// use pleach_runtime::tensor::{Compressed, Dense, Tensor};
    ///
    /// let level = |crd: &[u32]| (Dense, Compressed { pos: vec![0, 2, 2, 3], crd: crd.to_vec() });
    /// assert!(Tensor::new([3, 6], level(&[1, 5, 0]), vec![1.0, 2.0, 3.0]).is_ok());
    /// let error = Tensor::new([3, 6], level(&[1, 5]), vec![1.0, 2.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "level 2: `crd` has 2 elements, and 3 are needed: the last of `pos`");
    /// ```
    ///
    /// # Errors
    ///
    /// [`TensorError`] names the first level whose arrays have the wrong length, or hold offsets that do not ascend or coordinates
    /// that are out of range. The order of coordinates is not checked. Reads every offset and coordinate.
    pub fn new(shape: [usize; N], levels: L, vals: V) -> Result<Self, TensorError> {
        let positions = levels
            .positions(Some(1), &shape)
            .map_err(|(level, why)| TensorError { level, message: format!("level {}: {why}", level + 1) })?;
        expect("vals", vals.as_ref().len(), positions, "are needed: one for each position of the last level")
            .map_err(|message| TensorError { level: N, message })?;
        Ok(Tensor { shape, levels, vals })
    }
}

/// Arrays of values.
pub trait Values {
    /// The type of one.
    type Value;
}

impl<T> Values for Vec<T> {
    type Value = T;
}

impl<T> Values for &[T] {
    type Value = T;
}

impl<T> Values for &mut [T] {
    type Value = T;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong<const N: usize, L: CheckLevels>(shape: [usize; N], levels: L, vals: &[f64]) -> String {
        Tensor::new(shape, levels, vals).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn arrays_of_the_right_length_are_taken() {
        let compressed = |pos: &[usize], crd: &[u32]| Compressed { pos: pos.to_vec(), crd: crd.to_vec() };
        // CSR, and CSC of the same shape: the dense level has another extent.
        assert!(Tensor::new([2, 3], (Dense, compressed(&[0, 1, 2], &[2, 0])), &[1.0, 2.0][..]).is_ok());
        assert!(Tensor::new([2, 3], (Dense, compressed(&[0, 1, 2, 2], &[1, 0])), &[1.0, 2.0][..]).is_ok());
        // COO, a dense matrix, an empty one, a tensor of three indices.
        let coo = (compressed(&[0, 2], &[0, 1]), Singleton { crd: vec![2, 0] });
        assert!(Tensor::new([2, 3], coo, &[1.0, 2.0][..]).is_ok());
        assert!(Tensor::new([2, 3], (Dense, Dense), vec![0.0; 6]).is_ok());
        assert!(Tensor::new([0, 3], (Dense, compressed(&[0], &[])), Vec::<f64>::new()).is_ok());
        let csf = (compressed(&[0, 1], &[4]), compressed(&[0, 2], &[0, 1]), compressed(&[0, 1, 2], &[0, 0]));
        assert!(Tensor::new([5, 2, 1], csf, &[1.0, 2.0][..]).is_ok());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let compressed = |pos: &[usize], crd: &[u32]| Compressed { pos: pos.to_vec(), crd: crd.to_vec() };
        let csr = |pos: &[usize], crd: &[u32]| (Dense, compressed(pos, crd));
        for (message, expected) in [
            (wrong([2, 9], csr(&[0, 1], &[2]), &[1.0]), "level 2: `pos` has 2 elements, and 3 are needed"),
            (wrong([2, 9], csr(&[0, 2, 1], &[2]), &[1.0]), "level 2: `pos` does not ascend from 0 on"),
            (wrong([2, 9], csr(&[0, 1, 1], &[9]), &[1.0]), "level 2: `crd` holds 9 at 0, and coordinates are below 9"),
            (wrong([2, 9], csr(&[0, 1, 1], &[8]), &[]), "`vals` has 0 elements, and 1 are needed"),
            (wrong([2, 2], (Dense, Dense), &[1.0; 3]), "`vals` has 3 elements, and 4 are needed"),
            (wrong([2, 2], (compressed(&[0, 1], &[0]), Singleton { crd: vec![] }), &[]), "level 2: `crd` has 0"),
        ] {
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
