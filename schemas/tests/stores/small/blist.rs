include!("generated/blist.rs");

#[path = "../../../blist/assemble.rs"]
mod assemble;
