//! Tensors as generated code has them: levels held in variables, and the code that walks them, searches them and computes their coordinates.
//! What `crate::lower` makes of statements and `crate::convert` makes of formats rests on it.
//!
//! ```text
//! levels        the variables of a tensor, and how each of its levels is walked, searched and read
//! visit         loops over all entries of one parent
//! cursor        cursors, with which several tensors are merged
//! lookup        the value at given coordinates, found level by level
//! remap, code   computed coordinates
//! view          coordinates of parts of tensors
//! field         what tensors and their fields are called, and how they are passed and returned
//! value         types, constants, and the operations that fold values
//! operate       the operations of the notation
//! ```

mod code;
mod cursor;
mod field;
mod levels;
mod lookup;
mod operate;
mod remap;
mod value;
mod view;
mod visit;

pub(crate) use self::cursor::{Cursor, Gallop, Row};
pub(crate) use self::field::{OwnFields, described, end_empty_segments, extent_fields, level_fields, prefix};
pub use self::field::{extent_names, keeps_extent};
pub(crate) use self::levels::{Levels, Pos, row_major, segments, size, store_type};
pub(crate) use self::lookup::Found;
pub(crate) use self::operate::{binary, cast, operand_type, unary};
pub(crate) use self::remap::{level_coordinate, shift};
pub use self::value::scalar;
pub(crate) use self::value::{fold, literal, value_type};
pub(crate) use self::view::Part;
pub(crate) use self::visit::Visit;
