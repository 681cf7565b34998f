include!("generated/blist_unsorted.rs");

#[path = "../../../blist_unsorted/assemble.rs"]
mod assemble;
