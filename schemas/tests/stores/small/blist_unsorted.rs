include!(concat!(env!("OUT_DIR"), "/small_blist_unsorted.rs"));

#[path = "../../../blist_unsorted/assemble.rs"]
mod assemble;
