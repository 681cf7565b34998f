include!(concat!(env!("OUT_DIR"), "/small_blist_prefix.rs"));

#[path = "../../../blist_prefix/assemble.rs"]
mod assemble;
