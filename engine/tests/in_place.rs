//! `pleach!` as a program uses it that depends on this crate alone: beside its types, several times in a module, on matrices,
//! graphs and snapshots, with results that other kernels and graphs take.

#![cfg(feature = "macros")]
// Generated code raises none of these in the crate that it stands in.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, unused, rust_2018_idioms)]
#![deny(clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use pleach::graph::{Graph, GraphOptions, WeightedGraph};
use pleach::runtime::tensor::{Arranged, Dense, Tensor, View};
use pleach::runtime::{Packed, Paged};
use pleach::stores::{Bst, Ctree, List};
use pleach::{Coo, Csc, Csr, CsrView, Matrix, Rows, pleach};

pleach! {
    kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }
    kernel add(A: graph, B: csr) -> C: graph { C(i,j) = A(i,j) + B(i,j) }
    kernel square(A: csr) -> C: csr { C(i,j) = A(i,k) * A(k,j) }
}

pleach! {
    kernel scaled(A: csr, alpha: f64) -> C: csr { C(i,j) = alpha * A(i,j) }
    kernel degrees(A: (dense, packed) of pattern) -> d: dense { d(i) = A(i,j) }
    kernel outer(x: dense, y: dense) -> C: matrix { C(i,j) = x(i) * y(j) }
    kernel sum(C: matrix) -> t: f64 { t = C(i,j) }
    kernel both(A: csr, B: csr) -> C: aspen, D: (list, list), s: f64 {
        C(i,j) = A(i,j) * B(i,j)
        D(i,j) = A(i,j) - B(i,j)
        s = A(i,j) * B(i,j)
    }
    kernel pack(A: coo) -> B: csc { B(i,j) = A(i,j) }
    kernel without(A: graph, B: csr) { A(i,j) = A(i,j) without B(i,j) }
    kernel row(A: csr, x: dense) -> v: bst { v(i) = A(i,j) * x(j) }
    kernel by_columns(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }
    format columns(i, j) = j: dense, i: dense
    kernel turned(A: csc) -> C: columns { C(i,j) = A(i,j) }
    kernel weighed(w: dense, A: columns, x: dense) -> t: f64 { t = w(i) * A(i,j) * x(j) }
    kernel to_blocks(A: csr) -> B: bcsr<2, 2> { B(i,j) = A(i,j) }
    kernel of_blocks(y: dense, B: bcsr<2, 2>, x: dense) { y(i) = B(i,j) * x(j) }
}

fn sample() -> Csr<f64> {
    Csr::from_entries(3, 3, [(0, 0, 1.0), (0, 2, 2.0), (2, 1, 3.0)]).unwrap()
}

#[test]
#[allow(clippy::needless_borrows_for_generic_args, reason = "views are taken by reference too")]
fn static_rows_are_passed_as_they_are_at_hand() {
    let a = sample();
    let mut y = vec![9.0; 3];
    for call in [
        |y: &mut [f64], a: &Csr<f64>, x: &[f64]| spmv(y, a, x),
        |y: &mut [f64], a: &Csr<f64>, x: &[f64]| spmv(y, a.view(), x),
        |y: &mut [f64], a: &Csr<f64>, x: &[f64]| spmv(y, &a.view(), x),
    ] {
        y.fill(9.0);
        call(&mut y, &a, &[1.0, 10.0, 100.0]).unwrap();
        assert_eq!(y, [201.0, 0.0, 30.0]);
    }
    let error = spmv(&mut y, &a, &[1.0]).unwrap_err();
    assert_eq!(error.to_string(), "`A` along `j` has extent 3, but `x` along `j` has extent 1");
}

#[test]
fn matrices_graphs_snapshots_and_static_rows_are_rows_alike() {
    let a = sample();
    let expected = Csr::from(&(&Matrix::<Packed<u32, f64>>::from_csr::<Paged<_>>(a.view()) + &matrix_of(&a)));
    let check = |c: Matrix<Packed<u32, f64>>| {
        c.audit().unwrap();
        assert_eq!((Csr::from(&c), c.store_name()), (expected.clone(), "paged,packed".to_owned()));
    };
    let graph = WeightedGraph::<f64>::from_csr(&a, GraphOptions::default()).unwrap();
    check(add(&a, &a).unwrap());
    check(add(&a.view(), &a).unwrap());
    check(add(&matrix_of(&a), &a).unwrap());
    check(add(&Matrix::<Ctree<f64>>::from(&Coo::from(a.clone())), a.view()).unwrap());
    check(add(&graph, &a).unwrap());
    check(add(&graph.fresh(), &a).unwrap());
    // The values of a pattern may be of any type.
    assert_eq!(degrees(&graph).unwrap(), [2.0, 0.0, 1.0]);
    assert_eq!(degrees(&a).unwrap(), [2.0, 0.0, 1.0]);
}

fn matrix_of(a: &Csr<f64>) -> Matrix<Packed<u32, f64>> {
    Matrix::from_csr::<Paged<_>>(a.view())
}

#[test]
fn results_are_what_other_kernels_and_graphs_take() {
    let a = sample();
    let squared = square(&a).unwrap();
    assert_eq!(squared, &a * &a);
    let c: Matrix<Packed<u32, f64>> = add(&add(&squared, &a).unwrap(), &scaled(&a, -1.0).unwrap()).unwrap();
    // By hand: the square has 1 at (0, 0), 2 at (0, 2) and 6 at (0, 1); what is added is taken off again.
    assert_eq!((Csr::from(&c).coords(), Csr::from(&c).values()), (&[0, 1, 2, 1][..], &[1.0, 6.0, 2.0, 0.0][..]));
    let graph = Graph::from_matrix(c, GraphOptions::default()).unwrap();
    graph.insert([(1, 1, 4.0)]).unwrap();
    graph.fresh().audit().unwrap();
    let (c, d, s) = both(&a, &a).unwrap();
    let (c, d): (Matrix<Ctree<f64>>, Matrix<List<f64>>) = (c, d);
    assert_eq!((c.store_name(), d.store_name(), s), ("bst,ctree".to_owned(), "list,list".to_owned(), 14.0));
    assert_eq!((c.get(2, 1), d.get(2, 1), d.nnz(), c.num_rows()), (Some(&9.0), Some(&0.0), 3, 3));
    d.audit().unwrap();
    // What is taken out of a matrix leaves another one.
    let rest = without(&c, &Csr::from_entries(3, 3, [(0, 0, 1.0)]).unwrap()).unwrap();
    assert_eq!(Csr::from(&rest).coords(), [2, 1]);
}

#[test]
fn other_formats_are_tensors() {
    let c = outer(&[1.0, 2.0], &[3.0, 4.0, 5.0]).unwrap();
    assert_eq!((c.shape, &c.vals[..]), ([2, 3], &[3.0, 4.0, 5.0, 6.0, 8.0, 10.0][..]));
    let total: f64 = sum(&c).unwrap();
    assert!((total - 36.0).abs() < 1e-12);
    assert!(sum(Tensor { shape: [1, 1], levels: (Dense, Dense), vals: &[2.5][..] }).is_ok());
    let coo = Coo::from(sample());
    let b = pack(&coo).unwrap();
    assert_eq!((b.col(0).coords, b.col(1).coords, b.col(2).coords), (&[0][..], &[2][..], &[0][..]));
    assert_eq!((b.num_rows(), b.get(2, 1), &b), (3, Some(&3.0), &Csc::from(&sample())));
    // Columns are of a type of their own: `&sample()`, which are rows, is not taken here.
    let mut y = vec![0.0; 3];
    by_columns(&mut y, &b, &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(y, [201.0, 0.0, 30.0]);
    let dense = turned(b.view()).unwrap();
    assert_eq!(dense.vals, [1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0]);
    let (total, four): (f64, f64) = (weighed(&[1.0; 3], &dense, &[1.0, 10.0, 100.0]).unwrap(), 4.0);
    assert!((total - 231.0).abs() < 1e-12);
    let made = Tensor { shape: [1, 2], levels: (Dense, Dense), vals: &[2.0, four][..] };
    assert!((weighed(&[1.0], Arranged::new(made), &[1.0, 1.0]).unwrap() - 6.0).abs() < 1e-12);
    // Blocks state their extents in their type: those of 4 × 4 are not taken here.
    let blocks = to_blocks(&sample()).unwrap();
    of_blocks(&mut y, &blocks, &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(y, [201.0, 0.0, 30.0]);
    of_blocks(&mut y, blocks.view(), &[1.0, 0.0, 0.0]).unwrap();
    assert_eq!(y, [1.0, 0.0, 0.0]);
    let v = row(&sample(), &[1.0, 1.0, 1.0]).unwrap();
    let v: Bst<f64> = v.levels.0.0;
    assert_eq!(pleach::runtime::Fiber::len(pleach::runtime::Store::fiber(&v)), 2);
    assert_eq!(CsrView::from(&sample()).nnz(), Rows::nnz(&sample()));
}

/// Names of the module and of parameters that kernels use by themselves, too.
mod names {
    pub(super) type Result<T> = core::result::Result<T, std::fmt::Error>;
    pub(super) struct Vec;
    pub(super) struct Some;

    pleach::pleach! {
        kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }
        kernel sum(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
        kernel weighed(A: graph, gather: dense) -> y: bst { y(i) = A(i,j) * gather(j) }
        kernel marked(A: csr, starts: dense, blocks: csr, tasks: f64) -> C: csr {
            C(i,j) = tasks * A(i,j) + starts(i) * blocks(i,j)
        }
    }
}

#[test]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
fn names_of_the_program_are_its_own() {
    use pleach::runtime::{Fiber, Store};

    let (a, mut y) = (sample(), [0.0; 3]);
    let named: (names::Result<()>, _, _) = (Err(std::fmt::Error), names::Vec, names::Some);
    assert!(named.0.is_err());
    names::spmv(&mut y, &a, &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(y, [201.0, 0.0, 30.0]);
    assert_eq!(names::sum(&a, &a).unwrap().get(2, 1), Some(&6.0));
    let graph = WeightedGraph::<f64>::from_csr(&a, GraphOptions::default()).unwrap();
    let y = names::weighed(&graph, &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(y.levels.0.0.fiber().locate(2), Some(&30.0));
    assert_eq!(names::marked(&a, &[1.0; 3], &a, 2.0).unwrap().get(0, 2), Some(&6.0));
}

/// The crate under another path.
mod graphs {
    pub(crate) use pleach as library;
}

/// Kernels as another crate's macro would make them.
macro_rules! kernels {
    ($name:ident) => {
        pleach! {
            #![pleach = $crate::graphs::library]
            kernel $name(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }
        }
    };
}

kernels!(spmv_of_a_macro);

#[test]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
fn the_crate_may_have_another_path() {
    let mut y = [0.0; 3];
    spmv_of_a_macro(&mut y, &sample(), &[1.0, 10.0, 100.0]).unwrap();
    assert_eq!(y, [201.0, 0.0, 30.0]);
}

#[test]
fn kernels_and_stores_stand_in_the_body_of_a_function() {
    use pleach::runtime::{Build, Chain, Coord, Elements, NodeMut, Value};

    pleach! {
        store mine {
            def list { e : elem nonempty  n : list  seq = e, n }
            def list_head { h : list  seq = h }
        }
        kernel kept(A: csr) -> C: (dense, mine) { C(i,j) = 2 * A(i,j) }
    }

    impl<V: Value, C: Coord> Build<C, V> for mine::Mine<V, C> {
        fn build(mut elements: Elements<'_, C, V>) -> Self {
            let mut chain = Chain::new();
            while let Some(element) = elements.pop_front() {
                chain.push(mine::nodes::List::reserve(element));
            }
            let mut head = mine::nodes::ListHead::new();
            *mine::nodes::ListHead::fields(NodeMut::of(&mut head)).h = chain.finish();
            mine::Mine::new(head)
        }
    }

    let c: Matrix<mine::Mine<f64>> = kept(&sample()).unwrap();
    assert_eq!(c.get(2, 1), Some(&6.0));
}
