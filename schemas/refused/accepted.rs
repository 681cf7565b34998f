// Uses what the other programs use, and is accepted: they are refused for their own mistakes.
use pleach_refused::pleach;
use pleach_refused::pleach_runtime::{Elements, Fiber, Store};
use pleach_refused::pleach_stores::Bst;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    kernel sum(x: dense) -> t: f64 { t = x(i) }
}

fn main() {
    let row = Bst::<f64>::build_row(Elements::copied(&[1], &[2.0]));
    assert!(!row.fiber().is_empty());
    assert_eq!(sum(&[1.0, 2.0]).unwrap(), 3.0);
}
