#![doc = include_str!("README.md")]

include!("generated.rs");

mod assemble;
