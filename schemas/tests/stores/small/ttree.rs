include!("generated/ttree.rs");

#[path = "../../../ttree/assemble.rs"]
mod assemble;
