include!(concat!(env!("OUT_DIR"), "/small_blist_gaps.rs"));

#[path = "../../../blist_gaps/assemble.rs"]
mod assemble;
