include!(concat!(env!("OUT_DIR"), "/small_ttree.rs"));

#[path = "../../../ttree/assemble.rs"]
mod assemble;
