//! What can go wrong while a kernel is interpreted.

use crate::ir::check::CheckError;

/// Why a kernel was not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The kernel is not valid.
    #[error("invalid kernel: {0}")]
    Invalid(#[from] CheckError),
    /// A user's function that nobody has provided.
    #[error("the function `{0}` is not known to the interpreter")]
    UnknownFunction(String),
    /// The number of arguments is not that of the parameters' fields.
    #[error("{expected} arguments expected, {found} given")]
    ArgumentCount {
        /// Fields of all parameters.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument of another type than its parameter.
    #[error("argument `{name}` must be {expected}")]
    ArgumentType {
        /// The parameter.
        name: String,
        /// Its type.
        expected: String,
    },
    /// Two extents that should agree do not.
    #[error("{left} has extent {left_extent}, but {right} has extent {right_extent}")]
    Shape {
        /// One extent's name.
        left: String,
        /// Its value.
        left_extent: usize,
        /// The other extent's name.
        right: String,
        /// Its value.
        right_extent: usize,
    },
    /// An array was indexed beyond its end.
    #[error("position {index} of `{array}`, which has {len} elements")]
    OutOfBounds {
        /// The array.
        array: String,
        /// The position.
        index: usize,
        /// Its length.
        len: usize,
    },
    /// An iteration of a parallel loop touched an element that belongs to another.
    #[error("position {index} of `{array}` belongs to another iteration of the parallel loop")]
    NotOwned {
        /// The array.
        array: String,
        /// The position.
        index: usize,
    },
    /// An iteration of a parallel loop pushed fewer elements than it owns.
    #[error("an iteration of the parallel loop that makes `{0}` leaves elements of it out")]
    Unfilled(String),
    /// A position or coordinate left the range of `usize`.
    #[error("a position or coordinate overflowed")]
    Overflow,
    /// A cursor was read or moved behind its last entry.
    #[error("the cursor `{0}` is at the end")]
    CursorAtEnd(String),
    /// The step budget is used up.
    #[error("the kernel did not finish within its budget of steps")]
    Steps,
    /// The memory budget is used up.
    #[error("`{array}` would grow by {elements} elements, and {left} are left of the budget")]
    Memory {
        /// The array that there is no room for.
        array: String,
        /// How many elements it was to grow by.
        elements: usize,
        /// How many elements all arrays may still grow by.
        left: u64,
    },
}
