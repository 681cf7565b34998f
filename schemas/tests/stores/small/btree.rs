include!("generated/btree.rs");

#[path = "../../../btree/assemble.rs"]
mod assemble;
