#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/ctree.rs"));

pub(crate) mod assemble;
