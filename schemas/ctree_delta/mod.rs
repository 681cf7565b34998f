#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/ctree_delta.rs"));

mod assemble;
