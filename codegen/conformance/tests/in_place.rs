//! A store and kernels of the user's own, compiled in place: the store is assembled by hand and read, the kernels are called.

#![deny(missing_docs)]

use mine::nodes::{List, ListHead};
use pleach_macros::pleach;
use pleach_runtime::tensor::{Arranged, Compressed, Dense, Stores, Tensor, View};
use pleach_runtime::{Build, Chain, Coord, Elements, Fiber, NodeMut, Store, Value};

pleach! {
    #![runtime = ::pleach_runtime]
    // A singly linked list.
    store mine {
        def list { e : elem nonempty  n : list  seq = e, n }
        def list_head { h : list  seq = h }
    }
    format rows(i, j) = i: dense, j: mine
    format trees(i, j) = i: bst, j: ctree
    function relu(a) annihilator 0 = max(a, 0)
    kernel sum_positive(y: dense, A: csr) { y(i) += relu(A(i,j)) }
    kernel by_columns(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }
    kernel turn(A: csr) -> C: csc { C(i,j) = A(i,j) }
    format wedges(i, j) = (i / 3): dense, (j / 2): compressed, (i % 3): dense, (j % 2): dense
    kernel to_wedges(A: csr) -> B: wedges { B(i,j) = A(i,j) }
    kernel from_wedges(B: wedges) -> A: csr { A(i,j) = B(i,j) }
    kernel from_wedges_by_columns(B: wedges) -> C: csc { C(i,j) = B(i,j) }
    kernel to_rows(A: csr) -> R: rows { R(i,j) = A(i,j) }
    kernel to_rows_of_columns(A: csc) -> R: rows { R(i,j) = A(i,j) }
    kernel blocked(A: csr) -> B: bcsr<2, 2> { B(i,j) = A(i,j) }
    kernel by_blocks(y: dense, B: bcsr<2, 2>, x: dense) { y(i) = B(i,j) * x(j) }
    kernel behind(x: dense, y: dense) -> s: f64 { s = x(k in 2:) * y(k) }
    kernel behind_in_rows(X: matrix, z: dense) -> y: dense { y(i) = X(i, k in 2:) * z(k) }
    kernel totals(A: (dense, compressed, dense)) -> C: csr { C(i,j) = A(i,j,k) }
    semiring most { plus: max, zero: 0, times: *, one: 1 }
    kernel largest(A: csc, B: csc, x: dense) -> C: bcsr<2, 2> { C(i,k) = A(i,j) * B(j,k) * x(i) over most }
    kernel rounded(A: csc, B: csc, x: dense) -> C: bcsr<2, 2> of f32 { C(i,k) += A(i,j) * B(j,k) * x(i) }
    kernel add(A: csr, b: mine) -> C: csr { C(i,j) = A(i,j) + b(j) * A(i,j) }
}

impl<V: Value, C: Coord> Build<C, V> for mine::Mine<V, C> {
    fn build(mut elements: Elements<'_, C, V>) -> Self {
        let mut chain = Chain::new();
        while let Some(element) = elements.pop_front() {
            chain.push(List::reserve(element));
        }
        let mut head = ListHead::new();
        *ListHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        mine::Mine::new(head)
    }
}

#[test]
fn the_store_holds_what_it_was_built_from() {
    let row: mine::Mine<f64> = mine::Mine::build_row(Elements::copied(&[1, 5, 8], &[2.0, 3.0, 4.0]));
    assert_eq!(row.fiber().len(), 3);
    assert_eq!(row.fiber().locate(5), Some(&3.0));
    assert_eq!(row.fiber().locate(6), None);
    row.audit().unwrap();
}

#[test]
fn a_coordinate_whose_places_hold_no_entry_is_none() {
    let a = Tensor {
        shape: [2, 3, 2],
        levels: (Dense, Compressed { pos: &[0, 2, 3][..], crd: &[0, 2, 1][..] }, Dense),
        vals: &[0.0, 0.0, 1.0, -1.0, 2.0, 0.0][..],
    };
    let sums = totals(a).unwrap();
    assert_eq!((&sums.levels.1.pos[..], &sums.levels.1.crd[..]), (&[0, 1, 2][..], &[2, 1][..]));
    assert_eq!(sums.vals, [0.0, 2.0]);
}

#[test]
fn a_slice_that_begins_beyond_the_end_is_empty() {
    for n in 0..3 {
        assert_eq!(behind(&vec![1.0; n], &[]).unwrap(), 0.0);
    }
    assert_eq!(behind(&[1.0, 1.0, 3.0, 4.0], &[2.0, 5.0]).unwrap(), 26.0);
    for columns in 0..3 {
        let ones = vec![1.0; 2 * columns];
        let narrow = Tensor { shape: [2, columns], levels: (Dense, Dense), vals: &ones[..] };
        assert_eq!(behind_in_rows(narrow, &[]).unwrap(), [0.0; 2]);
    }
    let wide = Tensor { shape: [2, 3], levels: (Dense, Dense), vals: &[1.0, 1.0, 2.0, 1.0, 1.0, 3.0][..] };
    assert_eq!(behind_in_rows(wide, &[10.0]).unwrap(), [20.0, 30.0]);
}

#[test]
fn kernels_compute_on_static_tensors_and_on_ones_own_store() {
    let (pos, crd, vals) = ([0, 2, 2, 3], [0, 2, 1], [2.0, -1.0, 3.0]);
    let a: CsrView<'_, f64> =
        Tensor { shape: [3, 3], levels: (Dense, Compressed { pos: &pos[..], crd: &crd[..] }), vals: &vals[..] };
    let mut y = [10.0; 3];
    sum_positive(&mut y, a).unwrap();
    assert_eq!(y, [12.0, 10.0, 13.0]);
    let error = sum_positive(&mut [0.0; 2], a).unwrap_err();
    assert_eq!(error.to_string(), "`A` along `i` has extent 3, but `y` along `i` has extent 2");

    let b: mine::Mine<f64> = mine::Mine::build_row(Elements::copied(&[1, 2], &[2.0, 4.0]));
    let b = Tensor { shape: [3], levels: (Stores(b.fiber()),), vals: () };
    let c = add(a, b).unwrap();
    assert_eq!(c.vals, [2.0, -5.0, 9.0]);
    assert_eq!((c.levels.1.pos, c.levels.1.crd), (pos.to_vec(), crd.to_vec()));
}

#[test]
fn what_levels_keep_is_part_of_the_type() {
    // 1 2 .
    // . . 3
    let (pos, crd, vals) = ([0, 2, 3], [0, 1, 2], [1.0, 2.0, 3.0]);
    let a: CsrView<'_, f64> =
        Tensor { shape: [2, 3], levels: (Dense, Compressed { pos: &pos[..], crd: &crd[..] }), vals: &vals[..] };
    let x = [1.0, 10.0, 100.0];
    let columns: Csc<f64> = turn(a).unwrap();
    assert_eq!((&columns.levels.1.pos[..], &columns.levels.1.crd[..]), (&[0, 1, 2, 3][..], &[0, 0, 1][..]));
    let mut y = [0.0; 2];
    by_columns(&mut y, columns.view(), &x).unwrap();
    assert_eq!(y, [21.0, 300.0]);
    // Read as the arrays of columns, the arrays of the rows hold the transpose. `Arranged::new` states that this is meant.
    let transpose: CscView<'_, f64> = Arranged::new(Tensor { shape: [3, 2], ..a });
    let mut y = [0.0; 3];
    by_columns(&mut y, transpose, &[1.0, 10.0]).unwrap();
    assert_eq!(y, [1.0, 2.0, 30.0]);
    let blocks: Bcsr2x2<f64> = blocked(a).unwrap();
    let mut y = [0.0; 2];
    by_blocks(&mut y, blocks.view(), &x).unwrap();
    assert_eq!(y, [21.0, 300.0]);
}

#[test]
fn tensors_are_converted_to_ones_own_formats_and_back() {
    // 1 . . 2 .
    // . . . . .
    // . 3 . . .
    // . . . . 4
    let (pos, crd, vals) = ([0, 2, 2, 3, 4], [0, 3, 1, 4], [1.0, 2.0, 3.0, 4.0]);
    let a: CsrView<'_, f64> =
        Tensor { shape: [4, 5], levels: (Dense, Compressed { pos: &pos[..], crd: &crd[..] }), vals: &vals[..] };
    let is_a = |back: Csr<f64>| {
        assert_eq!(back.shape, [4, 5]);
        assert_eq!((&back.levels.1.pos[..], &back.levels.1.crd[..], &back.vals[..]), (&pos[..], &crd[..], &vals[..]));
    };
    let wedges = to_wedges(a).unwrap();
    let Compressed { pos: ends, crd: blocks } = &wedges.levels.1.level;
    assert_eq!((&ends[..], &blocks[..]), (&[0, 2, 3][..], &[0, 1, 2][..]));
    let places = [1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(wedges.vals, places);
    is_a(from_wedges(wedges.view()).unwrap());
    let columns = from_wedges_by_columns(wedges.view()).unwrap();
    let Compressed { pos: ends, crd: rows } = &columns.levels.1;
    assert_eq!((&ends[..], &rows[..]), (&[0, 1, 2, 2, 3, 4][..], &[0, 2, 0, 3][..]));
    assert_eq!(columns.vals, [1.0, 3.0, 2.0, 4.0]);
    for own in [to_rows::<mine::Mine<f64>>(a).unwrap(), to_rows_of_columns(columns.view()).unwrap()] {
        let entries = |row: &mine::Mine<f64>| {
            row.fiber().fold_runs(Vec::new(), |mut all, run| {
                all.extend(run.iter().map(|(c, value)| (c, *value)));
                all
            })
        };
        let all: Vec<Vec<(u32, f64)>> = own.levels.1.0.iter().map(entries).collect();
        assert_eq!(all, [vec![(0, 1.0), (3, 2.0)], vec![], vec![(1, 3.0)], vec![(4, 4.0)]]);
    }
}

/// A matrix in compressed columns.
fn columns<'a>(shape: [usize; 2], pos: &'a [usize], crd: &'a [u32], vals: &'a [f64]) -> CscView<'a, f64> {
    Arranged::new(Tensor { shape, levels: (Dense, Compressed { pos, crd }), vals })
}

#[test]
fn blocks_hold_values_below_their_fill() {
    // 1 2       -4 -1 .
    // . .       -1 -5 .
    // 3 .
    let a = columns([3, 2], &[0, 2, 3], &[0, 2, 0], &[1.0, 3.0, 2.0]);
    let b = columns([2, 3], &[0, 2, 4, 4], &[0, 1, 0, 1], &[-4.0, -1.0, -1.0, -5.0]);
    let blocks = largest(a, b, &[1.0; 3]).unwrap();
    assert_eq!(blocks.vals, [-2.0, -1.0, 0.0, 0.0, -12.0, -3.0, 0.0, 0.0]);
    let none = largest(columns([3, 0], &[0], &[], &[]), columns([0, 3], &[0; 4], &[], &[]), &[1.0; 3]).unwrap();
    assert!(none.vals.is_empty());
}

#[test]
fn sums_are_rounded_once() {
    let a = columns([1, 3], &[0, 1, 2, 3], &[0, 0, 0], &[16_777_216.0, 1.0, 1.0]);
    let b = columns([3, 1], &[0, 3], &[0, 1, 2], &[1.0; 3]);
    assert_eq!(rounded(a, b, &[1.0]).unwrap().vals, [16_777_218.0_f32, 0.0, 0.0, 0.0]);
}

/// A program that knows the runtime under another path.
mod elsewhere {
    use pleach_macros::pleach;
    pub use pleach_runtime as runtime;

    pleach! {
        #![runtime = crate::elsewhere::runtime]
        kernel dot(x: dense, y: dense) -> t: f64 { t = x(i) * y(i) }
    }
}

#[test]
fn the_runtime_may_lie_elsewhere() {
    assert_eq!(elsewhere::dot(&[1.0, 2.0], &[3.0, 4.0]), Ok(11.0));
}
