//! Merge lattices.

use pleach_codegen::lattice::{Lattice, Set};

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
fn cases_are_counted() {
    let union = |n: usize| Lattice::new(n, &[], |p| p != 0).arms();
    assert_eq!([1, 2, 3, 4, 5].map(union), [1, 5, 19, 65, 211]);
    assert_eq!(Lattice::new(6, &[], |p| p == 63).arms(), 1);
}

#[test]
fn a_constant_needs_the_whole_dimension() {
    let shifted = Lattice::new(1, &[], |_| true);
    assert!(shifted.whole && shifted.loops().is_empty());
    assert_eq!(shifted.cases(A), [(A, true), (0, true)]);
}
