//! What a change of a few nonzeros allocates while a clone is held: the paths to them, however large the row or the matrix.
//!
//! One test, because the counters are the process's.

use pleach_runtime::{
    BuildOuter, Change, Elements, Fiber, Nested, Packed, Paged, RowBatch, RowBlock, SortedBatch, SplitMix64, Store,
    UpdateOuter, pool, replace,
};
use pleach_stores::{Bst, Btree, Ctree};

#[global_allocator]
static ALLOCATOR: jemallocator::Jemalloc = jemallocator::Jemalloc;

/// Bytes of a chunk of the node pool.
const CHUNK: u64 = 1 << 21;

/// Bytes that this thread allocated in a while: nodes of the pool, and all else apart from the memory that the pool itself takes.
fn allocated(change: impl FnOnce()) -> u64 {
    let from_allocator = jemalloc_ctl::thread::allocatedp::read().expect("statistics are compiled in");
    let (before, nodes) = (from_allocator.get(), pool::stats());
    change();
    let (after, more) = (from_allocator.get(), pool::stats());
    let chunks = more.chunks.saturating_sub(nodes.chunks) as u64 * CHUNK;
    (after - before).saturating_sub(chunks) + more.requested.saturating_sub(nodes.requested) as u64
}

/// One nonzero more and one less in a row of a million, over and over.
fn long_row<S: Store<Coord = u32, Value = ()>>(most: u64) {
    let coords: Vec<u32> = (0..1 << 20).map(|k| 3 * k).collect();
    let mut row = S::build_row(Elements::copied(&coords, &vec![(); coords.len()]));
    let mut random = SplitMix64(0x9e37_79b9_7f4a_7c15);
    let mut sum = 0;
    const TIMES: u64 = 200;
    for time in 0..TIMES {
        let (old, at) =
            (row.clone(), 3 * random.index(1 << 20) as u32 + u32::from(time % 2 == 0) * (1 + time as u32 / 100));
        let (one, insert) = (RowBatch { coords: &[at], values: &[()] }, time % 2 == 0);
        let mut there = false;
        sum += allocated(|| match insert {
            true => assert_eq!(row.update(one, Change::Insert(&replace)).new, 1),
            false => there = row.update(one, Change::Delete).removed == 1,
        });
        assert_eq!((old.fiber().locate(at).is_some(), row.fiber().locate(at).is_some()), (there, insert));
        // What a change costs that changes nothing.
        let idle = allocated(|| {
            let counts = row.update(RowBatch { coords: &[1 << 30], values: &[] }, Change::Delete);
            assert_eq!(counts.absent, 1);
        });
        assert!(idle < 1 << 11, "{}: {idle} bytes for a nonzero that is not there", S::NAME);
    }
    row.audit().expect("a sound store");
    println!("{}: {} bytes a change of a row of 2^20 nonzeros", S::NAME, sum / TIMES);
    assert!(sum / TIMES <= most, "{}: {} bytes a change", S::NAME, sum / TIMES);
}

/// A matrix of so many rows of four nonzeros, and a hundred in every 64th; a batch of ten in random rows, with a clone held.
fn batch_of_ten<O, R>(scale: u32) -> u64
where
    O: BuildOuter<R> + UpdateOuter<R>,
    R: Store<Coord = u32, Value = ()>,
{
    let rows = 1usize << scale;
    let block = 1 << 12;
    let parts = (0..rows / block).map(|part| {
        let (mut offsets, mut coords) = (vec![0], Vec::new());
        for row in part * block..(part + 1) * block {
            coords.extend((0..if row % 64 == 0 { 100 } else { 4 }).map(|k| 7 * k));
            offsets.push(coords.len());
        }
        let values = vec![(); coords.len()];
        let elements = Elements::copied(&coords, &values);
        O::build_part(RowBlock::new(part * block, &offsets, elements))
    });
    let mut matrix = O::join(rows, parts.collect());
    let mut random = SplitMix64(0xdead_beef_cafe);
    let mut sum = 0;
    const TIMES: u64 = 16;
    for time in 0..TIMES {
        let held = matrix.share();
        let mut touched: Vec<usize> = (0..10).map(|_| random.index(rows)).collect();
        touched.sort_unstable();
        touched.dedup();
        let coords: Vec<u32> = (0..touched.len()).map(|k| 1000 + (time as usize * 10 + k) as u32).collect();
        let offsets: Vec<usize> = (0..=touched.len()).collect();
        let values = vec![(); coords.len()];
        sum += allocated(|| {
            let batch = SortedBatch::new(&touched, &offsets, &coords, &values);
            assert_eq!(matrix.apply(batch, Change::Insert(&replace)).new, coords.len());
        });
        for (&row, &coord) in touched.iter().zip(&coords) {
            assert!(matrix.row(row).is_some_and(|row| row.locate(coord).is_some()));
            assert!(held.row(row).is_some_and(|row| row.locate(coord).is_none()));
        }
    }
    sum / TIMES
}

fn at_two_scales<O, R>()
where
    O: BuildOuter<R> + UpdateOuter<R>,
    R: Store<Coord = u32, Value = ()>,
{
    let (small, large) = (batch_of_ten::<O, R>(12), batch_of_ten::<O, R>(18));
    println!("{}: {small} bytes for a batch of ten at scale 12, {large} at scale 18", std::any::type_name::<(O, R)>());
    assert!(large <= 2 * small, "{small} bytes at scale 12, {large} at scale 18");
}

#[test]
fn a_change_allocates_the_path_to_it() {
    // Nodes of 24 bytes; nodes with a chunk of about a kibibyte each; four levels of nodes of less than half a kibibyte, whose
    // elements and links pass through scratch space of twice that where a leaf is parted.
    let nodes = 3 * 20;
    long_row::<Bst<()>>(nodes * 24);
    long_row::<Ctree<()>>(nodes * 1100);
    long_row::<Btree<()>>(4 * 3 * 512);

    at_two_scales::<Paged<Packed<u32, ()>>, Packed<u32, ()>>();
    at_two_scales::<Paged<Ctree<()>>, Ctree<()>>();
    at_two_scales::<Nested<Bst<Bst<()>>>, Bst<()>>();
    at_two_scales::<Nested<Bst<Ctree<()>>>, Ctree<()>>();
    at_two_scales::<Nested<Btree<Btree<()>>>, Btree<()>>();
}
