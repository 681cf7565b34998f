//! Tensors whose levels keep other coordinates than the tensor's indices one after the other, or the same coordinates several times, as
//! types of their own.

use std::marker::PhantomData;
use std::ops::Deref;

use super::View;

/// A tensor `T` whose levels keep the coordinates `C`: a tuple with one type of [`coordinate`](super::coordinate) for each level, from
/// the outermost on.
///
/// A tensor `A(i,j)` by rows, whose levels keep `i` and then `j`, is a plain [`Tensor`](super::Tensor). All others are wrapped: the
/// arrays of compressed columns have the same types as those of compressed rows, and a kernel that took one for the other would compute
/// with the transpose. A program that puts such a tensor together by hand states by [`Arranged::new`] what its levels keep.
///
/// ```
/// use pleach_runtime::tensor::coordinate::Index;
/// use pleach_runtime::tensor::{Arranged, Compressed, Dense, Tensor};
///
/// // The columns of a matrix of 3 rows and 2 columns: level 0 keeps index 1, which is `j`, and level 1 keeps index 0.
/// let columns: Arranged<_, (Index<1>, Index<0>)> = Arranged::new(Tensor {
///     shape: [3, 2],
///     levels: (Dense, Compressed { pos: vec![0, 1, 2], crd: vec![2, 0] }),
///     vals: vec![1.0, 2.0],
/// });
/// assert_eq!(columns.levels.1.crd, [2, 0]);
/// ```
///
/// A list in no order, or in which entries may have the same coordinates, is wrapped as well, and says so: what merges lists in order, or
/// takes each entry as the only one at its place, would compute something else.
///
/// ```
/// use pleach_runtime::tensor::coordinate::{Index, Repeated, Unordered};
/// use pleach_runtime::tensor::{Arranged, Compressed, Singleton, Tensor};
///
/// // The format `coo_duplicates`: the two entries at row 1, column 2 are added up.
/// let list: Arranged<_, Repeated<(Unordered<Index<0>>, Unordered<Index<1>>)>> = Arranged::new(Tensor {
///     shape: [3, 4],
///     levels: (Compressed { pos: vec![0, 3], crd: vec![1, 0, 1] }, Singleton { crd: vec![2, 3, 2] }),
///     vals: vec![1.0, 2.0, 4.0],
/// });
/// assert_eq!(list.vals.len(), 3);
/// ```
///
/// Columns are not taken where rows are asked for, nor blocks of 4 × 4 where those of 2 × 2 are:
///
/// ```compile_fail,E0308
/// use pleach_runtime::tensor::coordinate::{Const, Div, Index};
/// use pleach_runtime::tensor::{Arranged, Dense, Remapped, Tensor};
///
/// type Blocked<const N: i64> = Arranged<Tensor<1, (Remapped<Dense>,), Vec<f64>>, (Div<Index<0>, Const<N>>,)>;
///
/// fn by_fours(_: Blocked<4>) {}
///
/// fn by_twos(tensor: Blocked<2>) {
///     by_fours(tensor);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arranged<T, C> {
    /// The tensor.
    pub tensor: T,
    coordinates: PhantomData<C>,
}

impl<T, C> Arranged<T, C> {
    /// States that the levels of a tensor keep the coordinates `C`.
    #[inline(always)]
    pub const fn new(tensor: T) -> Self {
        Arranged { tensor, coordinates: PhantomData }
    }
}

impl<T, C> Deref for Arranged<T, C> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.tensor
    }
}

impl<T: View, C> View for Arranged<T, C> {
    type View<'a>
        = Arranged<T::View<'a>, C>
    where
        Self: 'a;

    #[inline]
    fn view(&self) -> Self::View<'_> {
        Arranged::new(self.tensor.view())
    }
}

impl<'a, T, U: From<&'a T>, C> From<&'a Arranged<T, C>> for Arranged<U, C> {
    /// Borrows every array; see [`View::view`].
    fn from(arranged: &'a Arranged<T, C>) -> Self {
        Arranged::new(U::from(&arranged.tensor))
    }
}

impl<'a, T, U: From<&'a mut T>, C> From<&'a mut Arranged<T, C>> for Arranged<U, C> {
    /// Borrows every array, the values to be written.
    fn from(arranged: &'a mut Arranged<T, C>) -> Self {
        Arranged::new(U::from(&mut arranged.tensor))
    }
}
