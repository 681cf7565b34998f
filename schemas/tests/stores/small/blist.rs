include!(concat!(env!("OUT_DIR"), "/small_blist.rs"));

#[path = "../../../blist/assemble.rs"]
mod assemble;
