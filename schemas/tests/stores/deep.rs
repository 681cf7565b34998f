//! Very many nodes in a row, a tree as deep as it has nodes: nothing overflows the stack.

use pleach_runtime::{Chain, Change, Elements, Fiber, Link, MapValues, NodeMut, RowBatch, Runs, Store};
use pleach_stores::{blist, bst};

use crate::FULL;

/// Nodes of a list, and of a tree that is as deep as it has nodes.
const MANY: usize = if FULL { 1_000_000 } else { 200_000 };

/// A small stack, so that an overflow shows: a few bytes for each node of the longest list, and a call takes more. Updates recurse to a bounded
/// depth, of which unoptimised code takes 2 to 4 KiB a level.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(test).expect("a thread").join().expect("no overflow");
}

fn read_everything<S: Store<Coord = u32, Value = ()> + MapValues<u8>>(store: &S, len: usize) {
    let fiber = store.fiber();
    assert_eq!(fiber.len(), len);
    let count = fiber.fold_runs(0, |count, run| count + run.len());
    assert_eq!(count, len);
    let count = fiber.par_fold(&|| 0, &|count, run| count + run.len(), &|left, right| left + right);
    assert_eq!(count, len);
    let (mut runs, mut count) = (fiber.runs(), 0);
    while runs.advance() {
        count += runs.run().len();
    }
    assert_eq!(count, len);
    assert!(fiber.locate(len as u32 - 1).is_some() && fiber.locate(len as u32).is_none());
    store.audit().expect("a sound store");
    assert_eq!(store.footprint().nodes, len);
    let copy = store.map_values(|coord, ()| coord as u8);
    assert_eq!(copy.fiber().len(), len);
}

#[test]
fn a_list_of_many_nodes() {
    on_a_small_stack(|| {
        let len = if cfg!(miri) { 1000 } else { MANY };
        let mut chain = Chain::new();
        for coord in 0..len as u32 {
            chain.push(blist::nodes::Blist::reserve(Elements::copied(&[coord], &[()])));
        }
        let mut head = blist::nodes::BlistHead::new();
        *blist::nodes::BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        let list = blist::Blist::<()>::new(head);
        read_everything(&list, len);
        let shared = list.clone();
        drop(list);
        assert_eq!(shared.fiber().len(), len);
    });
}

fn degenerate(len: u32, to_the_left: bool) -> bst::Bst<()> {
    let mut tree: Link<bst::nodes::Bst<()>> = None;
    for at in 0..len {
        let coord = if to_the_left { at } else { len - 1 - at };
        let mut node = bst::nodes::Bst::reserve((coord, ()));
        let fields = bst::nodes::Bst::fields(node.edit());
        *(if to_the_left { fields.l } else { fields.r }) = tree;
        tree = Some(node.finish());
    }
    let mut root = bst::nodes::BstRoot::new();
    *bst::nodes::BstRoot::fields(NodeMut::of(&mut root)).r = tree;
    bst::Bst::new(root)
}

#[test]
fn a_degenerate_tree_of_many_nodes() {
    on_a_small_stack(|| {
        let len = if cfg!(miri) { 500 } else { MANY };
        for to_the_left in [false, true] {
            read_everything(&degenerate(len as u32, to_the_left), len);
        }
    });
}

#[test]
fn a_store_in_a_store() {
    // Many rows of lists, dropped through the tree that holds them.
    on_a_small_stack(|| {
        let rows = if cfg!(miri) { 50 } else { 200_000 };
        let coords: Vec<u32> = (0..rows).collect();
        let mut values: Vec<blist::Blist<()>> =
            coords.iter().map(|&row| blist::Blist::build_row(Elements::copied(&[row, row + 1], &[(), ()]))).collect();
        let matrix = bst::Bst::<blist::Blist<()>>::build_row(Elements::drain(&coords, &mut values));
        matrix.audit_with(&mut |row| row.audit()).expect("sound rows");
        assert_eq!(
            matrix
                .fiber()
                .fold_runs(0, |sum, run| { sum + run.values().iter().map(|row| row.fiber().len()).sum::<usize>() }),
            2 * rows as usize
        );
        let snapshot = matrix.clone();
        drop(matrix);
        assert_eq!(snapshot.fiber().locate(7).expect("a row").fiber().len(), 2);
    });
}

/// An update of a tree that is as deep as it has nodes: along the whole path, of a clone and in place.
#[test]
fn a_degenerate_tree_is_updated() {
    for to_the_left in [false, true] {
        on_a_small_stack(move || {
            let len = if cfg!(miri) { 300 } else { 200_000 };
            let mut tree = degenerate(len, to_the_left);
            let before = tree.clone();
            let (inserted, deleted) = ([len / 2, len], [0, 7, len - 1, len + 1]);
            let insert = RowBatch { coords: &inserted, values: &[(), ()] };
            let counts = tree.update(insert, Change::Insert(&|(), ()| false));
            assert_eq!((counts.new, counts.unchanged), (1, 1));
            let counts = tree.update(RowBatch { coords: &deleted, values: &[] }, Change::Delete);
            assert_eq!((counts.removed, counts.absent), (3, 1));
            tree.audit().expect("a sound store");
            assert_eq!((tree.fiber().len(), before.fiber().len()), (len as usize - 2, len as usize));
            assert!(tree.fiber().locate(len).is_some() && tree.fiber().locate(7).is_none());
            drop(before);
            let mut visited = std::sync::atomic::AtomicUsize::new(0);
            tree.each_mut(&[1, 7, len - 2], &|_, ()| {
                visited.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            });
            assert!(*visited.get_mut() <= 2);
        });
    }
}
