//! Assembly by level functions: questions, edges, coordinates, positions (section 6.2 of the conversion paper).
//!
//! ```text
//!   for each level, from the top      answer its questions in a walk through the source
//!                                     insert edges, make room for coordinates
//!   then, in one walk                 find the position of each entry level by level, store coordinates and the value
//! ```

mod answer;
mod counter;
mod deal;
mod distinct;
mod fit;
mod insert;
mod maker;
mod once;
mod parent;
mod parts;
mod sorted;
mod tail;

pub(super) use self::fit::fits;
pub(super) use self::maker::Maker;
