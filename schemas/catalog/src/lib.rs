//! Text of every bundled schema and format.
