//! Merge lattices.

use pleach_codegen::lattice::{Flags, Lattice, Set};

const A: Set = 1;
const B: Set = 2;

#[test]
fn unions_intersections_and_differences() {
    let union = Lattice::new(2, &[], |p| p != 0);
    assert_eq!(union.loops(), [A | B, B, A]);
    let intersection = Lattice::new(2, &[], |p| p == A | B);
    assert_eq!(intersection.loops(), [A | B]);
    assert_eq!(intersection.cases(A | B), [(A | B, true)]);
    let difference = Lattice::new(2, &[], |p| p == A);
    assert_eq!(difference.loops(), [A | B, A]);
    assert_eq!(difference.cases(A | B), [(A | B, false), (B, false), (A, true)]);
    assert_eq!(difference.cases(A), [(A, true)]);
    let factored = Lattice::new(3, &[], |p| p & A != 0 && p & (B | 4) != 0);
    assert_eq!(factored.loops(), [A | B | 4, A | 4, A | B]);
}

#[test]
fn lattices_are_shown_in_words() {
    let names = ["A(i,j)".to_owned(), "B(i,j)".to_owned()];
    let union = Lattice::new(2, &[], |p| p != 0);
    assert_eq!(
        union.show(&names),
        "points {A(i,j), B(i,j)} {B(i,j)} {A(i,j)}; loops {A(i,j), B(i,j)} {B(i,j)} {A(i,j)}"
    );
    let product = Lattice::new(2, &[1], |p| p == A | B);
    assert_eq!(product.show(&names), "points {A(i,j), B(i,j)}; loops {A(i,j)}; looked up {B(i,j)}");
    let whole = Lattice::new(1, &[], |_| true);
    assert_eq!(whole.show(&names), "points {A(i,j)} {}; one loop over the whole dimension");
}

#[test]
fn what_can_be_located_is_not_iterated() {
    let intersection = Lattice::new(2, &[1], |p| p == A | B);
    assert_eq!((intersection.loops(), intersection.located), (vec![A], B));
    let union = Lattice::new(2, &[1], |p| p != 0);
    assert_eq!((union.loops(), union.located), (vec![A | B, B, A], 0));
    // Both can be located, but one has to be iterated.
    let both = Lattice::new(2, &[1, 0], |p| p == A | B);
    assert_eq!((both.loops(), both.located), (vec![A], B));
}

#[test]
fn cases_are_counted_and_flags_shown() {
    let union = |n: usize| Lattice::new(n, &[], |p| p != 0).arms();
    assert_eq!([1, 2, 3, 4, 5].map(union), [1, 5, 19, 65, 211]);
    assert_eq!(Lattice::new(6, &[], |p| p == 63).arms(), 1);
    let names: Vec<String> = ["a", "b", "c"].map(String::from).into();
    let flags = Flags::new(3, |n| n > 0, false);
    assert_eq!(
        flags.show(&names),
        "points distinguished at run time, by a flag for each of {a, b, c}; one loop, as long as {a} last"
    );
    assert!(Flags::new(3, |_| true, true).show(&names).ends_with("over the whole dimension"));
}

#[test]
fn a_constant_needs_the_whole_dimension() {
    let shifted = Lattice::new(1, &[], |_| true);
    assert!(shifted.whole && shifted.loops().is_empty());
    assert_eq!(shifted.cases(A), [(A, true), (0, true)]);
}
