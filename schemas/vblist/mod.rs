#![doc = include_str!("README.md")]

include!(concat!(env!("OUT_DIR"), "/vblist.rs"));

mod assemble;
