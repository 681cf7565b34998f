//! Parts of arrays that a loop writes while it reads others.

/// Calls `body` with a part of an array.
///
/// What it is for: as long as a function runs, nothing overlaps what its exclusive arguments refer to. rustc tells LLVM so of arguments, and of
/// nothing else. A loop in `body` that writes the part and reads other arrays then needs no comparison of addresses before it.
///
/// ```
/// # use pleach_runtime::kernel::unaliased;
/// let (mut y, x) = ([1.0, 2.0, 3.0], [10.0, 20.0]);
/// unaliased(&mut y[1..3], |y| {
///     for (y_i, &x_i) in y.iter_mut().zip(&x) {
///         *y_i += x_i;
///     }
/// });
/// assert_eq!(y, [1.0, 12.0, 23.0]);
/// ```
#[inline(always)]
pub fn unaliased<T>(part: &mut [T], body: impl FnOnce(&mut [T])) {
    body(part);
}
