#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/blist_gaps.rs"));

mod assemble;
