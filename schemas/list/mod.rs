#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/list.rs"));

mod assemble;
