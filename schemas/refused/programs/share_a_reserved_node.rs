//! A node that was just made may be written to, so no second reference to it may exist.

use pleach_refused::pleach_stores::bst::nodes::Bst;

fn main() {
    let mut r = Bst::<String>::reserve((1, "x".repeat(99)));
    let a = r.node().share();
    let s: &String = &Bst::e(a.node()).values()[0];
    *Bst::fields(r.edit()).e = String::new();
    println!("{s}");
}
