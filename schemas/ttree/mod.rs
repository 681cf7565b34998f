#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/ttree.rs"));

mod assemble;
