//! The same by way of the access that `make_mut` gives.

use pleach_refused::pleach_runtime::make_mut;
use pleach_refused::pleach_stores::bst::nodes::Bst;

fn main() {
    let mut link = Bst::<String>::reserve((1, "x".repeat(99))).finish();
    let mut access = make_mut(&mut link);
    let a = access.node().share();
    let s: &String = &Bst::e(a.node()).values()[0];
    *Bst::fields(access.reborrow()).e = String::new();
    println!("{s}");
}
