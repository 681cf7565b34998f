include!("generated/blist_gaps.rs");

#[path = "../../../blist_gaps/assemble.rs"]
mod assemble;
