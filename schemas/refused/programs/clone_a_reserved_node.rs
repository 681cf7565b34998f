//! A node that was just made has one owner.

use pleach_refused::pleach_stores::bst::nodes::Bst;

fn main() {
    let r = Bst::<String>::reserve((1, String::new()));
    let _ = r.clone();
    let access = r.edit();
    let _ = access.clone();
}
