#![doc = include_str!("README.md")]

include!("generated.rs");

pub(crate) mod assemble;
