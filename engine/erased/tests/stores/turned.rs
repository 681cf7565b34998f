//! In-arcs that are made from rows of out-arcs, a part of the columns at a time.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pleach::Rows;
use pleach::matrix::{BlockError, BlockRows, BlockShape, RowSource, SourceError};
use pleach::runtime::Fiber;
use pleach_erased::{Ends, StoreName, StoredGraph};

/// Vertices of the graph: its pages are not all full.
const VERTICES: u32 = 5000;

/// Rows of a graph, handed over in blocks of whole pages.
struct Sorted {
    arcs: Vec<(u32, u32, f64)>,
    blocks: Vec<BlockShape>,
}

impl Sorted {
    /// Arcs of distinct ends that ascend.
    fn new(arcs: Vec<(u32, u32, f64)>) -> Self {
        let blocks = (0..VERTICES as usize).step_by(1024).map(|begin| {
            let rows = begin..(begin + 1024).min(VERTICES as usize);
            let nonzeros = arcs.iter().filter(|arc| rows.contains(&(arc.0 as usize))).count();
            BlockShape { rows, nonzeros }
        });
        Sorted { blocks: blocks.collect(), arcs }
    }
}

impl RowSource<f64> for Sorted {
    fn blocks(&self) -> &[BlockShape] {
        &self.blocks
    }

    fn read(&self, block: usize, take: &mut dyn FnMut(BlockRows<'_, f64>)) -> Result<(), SourceError> {
        let among = &self.blocks[block].rows;
        let arcs: Vec<_> = self.arcs.iter().filter(|arc| among.contains(&(arc.0 as usize))).collect();
        let (mut rows, mut lens) = (Vec::new(), Vec::new());
        for row in arcs.chunk_by(|a, b| a.0 == b.0) {
            rows.push(row[0].0);
            lens.push(row.len() as u32);
        }
        let coords: Vec<u32> = arcs.iter().map(|arc| arc.1).collect();
        let values: Vec<f64> = arcs.iter().map(|arc| arc.2).collect();
        take(BlockRows { rows: &rows, lens: &lens, coords: &coords, values: &values });
        Ok(())
    }
}

/// The rows of in-arcs, which stand in the place of those of out-arcs in a graph of [`Ends::In`].
fn incoming(graph: &StoredGraph<f64>, ends: Ends) -> Vec<(u32, u32, f64)> {
    graph.over(|graph| {
        let rows = if ends == Ends::In { graph.out() } else { graph.incoming().unwrap() };
        let mut arcs = Vec::new();
        for vertex in 0..VERTICES {
            let row = rows.row(vertex as usize).into_iter();
            row.for_each(|row| {
                row.fold_runs((), |(), run| run.iter().for_each(|(other, &value)| arcs.push((vertex, other, value))))
            });
        }
        // Some stores keep a row in no order.
        arcs.sort_by_key(|arc| (arc.0, arc.1));
        arcs
    })
}

/// Arcs in rows of their own lengths, with a hub on each side.
fn arcs() -> Vec<(u32, u32, f64)> {
    let mut arcs: Vec<_> = (0..700_000u64)
        .map(|k| {
            let bits = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let (row, col) = ((bits >> 20) as u32 % VERTICES, (bits >> 44) as u32 % 4000);
            match k % 10 {
                0 => (17, col, k as f64),
                1 => (row, 4999, k as f64),
                _ => (row, col, k as f64),
            }
        })
        .collect();
    arcs.sort_by_key(|arc| (arc.0, arc.1));
    arcs.dedup_by_key(|arc| (arc.0, arc.1));
    arcs
}

#[test]
fn every_arc_is_turned() -> Result<(), Box<dyn std::error::Error>> {
    let source = Sorted::new(arcs());
    let mut expected: Vec<_> = source.arcs.iter().map(|&(from, to, value)| (to, from, value)).collect();
    expected.sort_by_key(|arc| (arc.0, arc.1));
    let shape = (VERTICES as usize, VERTICES as usize);
    for store in ["paged,packed", "bst,ctree", "blist_unsorted,blist_unsorted", "csr"] {
        let store: StoreName = store.parse()?;
        for ends in [Ends::Both, Ends::In] {
            let graph = StoredGraph::from_rows(&store, shape, &source, true, ends)?;
            let found = incoming(&graph, ends);
            assert!(found == expected, "{store}, {ends:?}");
        }
    }
    Ok(())
}

/// Two rows that change from one reading to the next, as those of a file may that is written at the same time.
struct Changing(Vec<BlockShape>, AtomicU32);

impl RowSource<()> for Changing {
    fn blocks(&self) -> &[BlockShape] {
        &self.0
    }

    fn read(&self, _: usize, take: &mut dyn FnMut(BlockRows<'_, ()>)) -> Result<(), SourceError> {
        let col = self.1.fetch_add(1, Relaxed);
        take(BlockRows { rows: &[0, 1], lens: &[1, 1], coords: &[col % 64, 3], values: &[(), ()] });
        Ok(())
    }
}

/// Extents that no memory can hold are an error, whichever rows are built.
#[test]
fn extents_beyond_memory_are_refused() {
    let source = Changing(vec![BlockShape { rows: 0..2, nonzeros: 2 }], AtomicU32::new(0));
    for store in ["paged,packed", "dense,packed", "csr"] {
        let store: StoreName = store.parse().unwrap();
        for ends in [Ends::Out, Ends::In, Ends::Both] {
            let built = StoredGraph::from_rows(&store, (usize::MAX, usize::MAX), &source, true, ends);
            let refused = matches!(built.err(), Some(BlockError::TooLarge { .. } | BlockError::OutOfMemory { .. }));
            assert!(refused, "{store}, {ends:?}");
        }
    }
}

#[test]
fn rows_that_change_or_are_none_are_refused() {
    let store: StoreName = "paged,packed".parse().unwrap();
    let source = |col| Changing(vec![BlockShape { rows: 0..2, nonzeros: 2 }], AtomicU32::new(col));
    // In the place of an arc to 0 there is one to 1.
    let built = StoredGraph::from_rows(&store, (64, 64), &source(0), true, Ends::In);
    assert!(matches!(built.err(), Some(BlockError::Source(_))));
    let built = StoredGraph::from_rows(&store, (30, 30), &source(40), true, Ends::In);
    assert!(matches!(built.err(), Some(BlockError::Wrong { block: 0, .. })));
}
