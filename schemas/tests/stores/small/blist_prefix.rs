include!("generated/blist_prefix.rs");

#[path = "../../../blist_prefix/assemble.rs"]
mod assemble;
