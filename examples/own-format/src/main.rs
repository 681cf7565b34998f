//! A format of our own, and conversions to it and from it, all compiled in place: blocks of any size, kept by columns as libraries for
//! dense matrices want them, of matrices and of tensors with an index more.

// Nothing that is generated raises a warning here.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]

use pleach::runtime::tensor::{Compressed, Singleton, Tensor};
use pleach::{Batch, Csc, Csr, pleach};

pleach! {
    // Blocks of M x N that hold an entry, row of blocks after row of blocks. Within a block, columns lie one after the other.
    format tiles<M, N>(i, j) = (i / M): dense, (j / N): compressed, (j % N): dense, (i % M): dense

    // What happened at place i to j, on day k, day by day.
    format daily(i, j, k) = k: dense, i: compressed, j: compressed

    kernel to_tiles(A: csr) -> B: tiles<2, 3> { B(i,j) = A(i,j) }
    kernel of_columns(A: csc) -> B: tiles<2, 3> { B(i,j) = A(i,j) }
    kernel transposed(A: csr) -> B: tiles<3, 2> { B(j,i) = A(i,j) }
    kernel to_rows(A: tiles<2, 3>) -> B: csr { B(i,j) = A(i,j) }
    kernel to_graph(A: tiles<2, 3>) -> B: graph { B(i,j) = A(i,j) }
    kernel times(y: dense, A: tiles<2, 3>, x: dense) { y(i) = A(i,j) * x(j) }

    kernel by_day(A: coo3 of i64) -> B: daily of i64 { B(i,j,k) = A(i,j,k) }
    kernel each_day(A: daily of i64) -> s: dense of i64 { s(k) = A(i,j,k) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    //  1 . . | . 2 .
    //  . 3 . | . . .
    //  ------+------
    //  . . . | 4 . .
    //  . . . | . . 5
    let entries = [(0, 0, 1.0), (0, 4, 2.0), (1, 1, 3.0), (2, 3, 4.0), (3, 5, 5.0)];
    let a = Csr::from_entries(4, 6, entries)?;

    // Three blocks of the four hold an entry; each has two rows in three columns.
    let tiles = to_tiles(&a)?;
    let Compressed { pos, crd } = &tiles.levels.1.level;
    assert_eq!((&pos[..], &crd[..]), (&[0, 2, 3][..], &[0, 1, 1][..]));
    let blocks: Vec<&[f64]> = tiles.vals.chunks(6).collect();
    assert_eq!(blocks[0], [1.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    assert_eq!(blocks[1], [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(blocks[2], [4.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    println!("{} nonzeros lie in {} blocks", a.nnz(), crd.len());

    // The same from columns, and of the transpose.
    assert_eq!(of_columns(&Csc::from(&a))?, tiles);
    assert_eq!(transposed(&a)?.levels.1.level.crd, [0, 0, 1]);

    // Back to static rows, and on to rows of a graph, which can change. What only fills a block is no entry.
    assert_eq!(to_rows(&tiles)?, a);
    let mut graph = to_graph(&tiles)?;
    assert_eq!(Csr::from(&graph), a);
    assert_eq!(graph.insert(&Batch::weighted([(3, 0, 6.0)], |first, _| first))?.new, 1);
    graph.audit()?;
    assert_eq!((graph.get(3, 0), graph.get(3, 5), graph.get(0, 1)), (Some(&6.0), Some(&5.0), None));

    // Kernels compute on it as on any other format.
    let mut y = [0.0; 4];
    times(&mut y, &tiles, &[1.0, 10.0, 100.0, 1000.0, 1e4, 1e5])?;
    assert_eq!(y, [20_001.0, 30.0, 4000.0, 500_000.0]);

    // Four events, of which the list says the places and the day, in the order of places.
    let events = Tensor {
        shape: [3, 3, 4],
        levels: (
            Compressed { pos: vec![0, 4], crd: vec![0, 0, 1, 2] },
            Singleton { crd: vec![1, 2, 0, 1] },
            Singleton { crd: vec![3, 0, 3, 0] },
        ),
        vals: vec![7, 2, 1, 5],
    };
    let days = by_day(&events)?;
    assert_eq!((&days.levels.1.pos[..], &days.levels.1.crd[..]), (&[0, 2, 2, 2, 4][..], &[0, 2, 0, 1][..]));
    assert_eq!((&days.levels.2.crd[..], &days.vals[..]), (&[2, 1, 1, 0][..], &[2, 5, 7, 1][..]));
    assert_eq!(each_day(&days)?, [7, 0, 0, 8]);
    println!("{} events on {} days", days.vals.len(), days.shape[2]);
    Ok(())
}
