//! Extents that do not agree.

use std::fmt;

/// Two extents that had to agree and do not: what a kernel returns instead of computing nonsense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What the one extent belongs to, in the words of the kernel's expression: `` `y` along `i` ``.
    pub left: &'static str,
    /// That extent.
    pub left_extent: usize,
    /// What the other extent belongs to.
    pub right: &'static str,
    /// That extent.
    pub right_extent: usize,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShapeError { left, left_extent, right, right_extent } = self;
        write!(f, "{left} has extent {left_extent}, but {right} has extent {right_extent}")
    }
}

impl std::error::Error for ShapeError {}

/// Compares two extents.
///
/// # Errors
///
/// [`ShapeError`] if they differ.
#[inline]
pub fn check_extents(
    left: &'static str,
    left_extent: usize,
    right: &'static str,
    right_extent: usize,
) -> Result<(), ShapeError> {
    if left_extent == right_extent { Ok(()) } else { Err(ShapeError { left, left_extent, right, right_extent }) }
}
