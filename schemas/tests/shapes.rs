//! Shapes of search trees: they follow from the coordinates alone, and consecutive coordinates make a tree that is balanced perfectly.

use pleach_runtime::{Elements, NodeRef, SplitMix64, Store, follow};
use pleach_stores::Bst;
use pleach_stores::bst::nodes;

fn tree(coords: &[u32]) -> Bst<(), u32> {
    Store::build_row(Elements::copied(coords, &vec![(); coords.len()]))
}

/// The coordinates in pre-order, each with its depth, which say what the shape is.
fn shape(tree: &Bst<(), u32>) -> Vec<(usize, u32)> {
    let mut all = Vec::new();
    let mut open: Vec<(usize, NodeRef<'_, nodes::Bst<(), u32>>)> = Vec::new();
    let root = tree.root();
    open.extend(nodes::BstRoot::r(root).map(|node| (1, node)));
    while let Some((depth, node)) = open.pop() {
        all.push((depth, nodes::Bst::e(node).coords()[0]));
        let below = [nodes::Bst::r_link(node), nodes::Bst::l_link(node)];
        open.extend(below.into_iter().filter_map(follow).map(|node| (depth + 1, node)));
    }
    all
}

fn depth(tree: &Bst<(), u32>) -> usize {
    shape(tree).iter().map(|node| node.0).max().unwrap_or(0)
}

#[test]
fn consecutive_coordinates_are_balanced_perfectly() {
    for (first, keys, levels) in [(0, 0, 0), (1, 1, 1), (1, 1023, 10), (4096, 64, 7), (1 << 20, 1 << 12, 13)] {
        let coords: Vec<u32> = (first..first + keys).collect();
        assert_eq!(depth(&tree(&coords)), levels, "{keys} from {first} on");
    }
}

/// Scattered coordinates, those far apart at equal distances, and those without a zero at the end.
#[test]
fn other_coordinates_are_balanced_as_those_of_a_treap() {
    let mut random = SplitMix64(7);
    let mut scattered: Vec<u32> = (0..1 << 12).map(|_| random.bits() as u32).collect();
    scattered.sort_unstable();
    scattered.dedup();
    let far = (0..1 << 12).map(|k| k << 18).collect();
    let odd = (0..1 << 12).map(|k| 2 * k + 1).collect();
    for coords in [scattered, far, odd] {
        let depth = depth(&tree(&coords));
        assert!((12..=40).contains(&depth), "{depth} levels of {} keys", coords.len());
    }
}

#[test]
fn trees_that_are_joined_have_the_shape_of_one_that_is_built_at_once() {
    let join = Bst::<(), u32>::JOIN.expect("trees are joined");
    let mut random = SplitMix64(11);
    for keys in [0, 1, 2, 17, 600] {
        let mut coords: Vec<u32> = (0..keys).map(|_| random.below(2000) as u32).collect();
        coords.sort_unstable();
        coords.dedup();
        for parts in [1, 2, 5, 64] {
            let joined = join(coords.chunks(coords.len().div_ceil(parts).max(1)).map(tree).collect());
            joined.audit().expect("a sound tree");
            assert_eq!(shape(&joined), shape(&tree(&coords)), "{keys} keys in {parts} parts");
        }
    }
}
