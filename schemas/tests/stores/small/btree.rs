include!(concat!(env!("OUT_DIR"), "/small_btree.rs"));

#[path = "../../../btree/assemble.rs"]
mod assemble;
