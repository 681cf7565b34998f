//! The same by way of `into_node`.

use pleach_refused::pleach_runtime::make_mut;
use pleach_refused::pleach_stores::bst::nodes::Bst;

fn main() {
    let mut r = Bst::<String>::reserve((1, "x".repeat(99)));
    let a = r.edit().into_node().share();
    *Bst::fields(r.edit()).e = String::new();
    let mut link = a;
    let b = make_mut(&mut link).into_node().share();
    *Bst::fields(make_mut(&mut link)).e = String::new();
    println!("{}", Bst::e(b.node()).values()[0]);
}
