//! Audits find what is wrong and say where.

use pleach_runtime::{Chain, Elements, Fiber, Link, NodeMut, Store, make_mut};
use pleach_stores::{blist, bst, ctree_delta};

fn tree(root: Link<bst::nodes::Bst<()>>) -> bst::Bst<()> {
    let mut handle = bst::nodes::BstRoot::new();
    *bst::nodes::BstRoot::fields(NodeMut::of(&mut handle)).r = root;
    bst::Bst::new(handle)
}

fn node(coord: u32, l: Link<bst::nodes::Bst<()>>, r: Link<bst::nodes::Bst<()>>) -> Link<bst::nodes::Bst<()>> {
    let mut node = bst::nodes::Bst::reserve((coord, ()));
    let fields = bst::nodes::Bst::fields(node.edit());
    (*fields.l, *fields.r) = (l, r);
    Some(node.finish())
}

fn message(store: &impl Store) -> String {
    store.audit().expect_err("a broken store").to_string()
}

#[test]
fn order_across_nodes() {
    let sound = tree(node(5, node(2, None, None), node(8, None, None)));
    sound.audit().expect("a sound tree");
    let broken = tree(node(5, node(2, None, node(6, None, None)), node(8, None, None)));
    assert_eq!(message(&broken), "bst_root.r.e: coordinate 5 is not above 6, which comes before it");
    let twice = tree(node(5, None, node(5, None, None)));
    assert_eq!(message(&twice), "bst_root.r.r.e: coordinate 5 is not above 5, which comes before it");
    let gap = tree(node(5, None, node(u32::MAX, None, None)));
    assert_eq!(message(&gap), "bst_root.r.r.e: is empty, but the schema says `nonempty`");
}

#[test]
fn long_paths_are_told_not_spelt() {
    let mut deep = None;
    for coord in (0..30).rev() {
        deep = node(if coord == 29 { 3 } else { coord }, None, deep);
    }
    assert_eq!(message(&tree(deep)), "bst_root.r{30 times}.e: coordinate 3 is not above 28, which comes before it");
}

#[test]
fn order_inside_arrays() {
    let list = |blocks: &[&[u32]]| {
        let mut chain = Chain::new();
        for block in blocks {
            chain.push(blist::nodes::Blist::reserve(Elements::copied(block, &vec![(); block.len()])));
        }
        let mut head = blist::nodes::BlistHead::new();
        *blist::nodes::BlistHead::fields(NodeMut::of(&mut head)).h = chain.finish();
        blist::Blist::<()>::new(head)
    };
    list(&[&[1, 2], &[], &[5]]).audit().expect("blocks may be empty");
    assert_eq!(
        message(&list(&[&[1, 2], &[4, 7, 6]])),
        "blist_head.h.next.e[2]: coordinate 6 is not above 7, which comes before it"
    );
    assert_eq!(
        message(&list(&[&[1, 5], &[4, 7]])),
        "blist_head.h.next.e[0]: coordinate 4 is not above 5, which comes before it"
    );
}

#[test]
fn codes_that_no_coder_writes() {
    let store = |head: u32, chunk: &[u32]| {
        let mut prefix = ctree_delta::nodes::Prefix::<()>::reserve(Elements::none());
        let node = ctree_delta::nodes::Ctree::reserve((head, ()), Elements::copied(chunk, &vec![(); chunk.len()]));
        *ctree_delta::nodes::Prefix::fields(prefix.edit()).r = Some(node.finish());
        ctree_delta::CtreeDelta::new(Some(prefix.finish()))
    };
    let sound = store(4, &(5..600).step_by(3).collect::<Vec<u32>>());
    sound.audit().expect("a sound chunk");
    assert_eq!(message(&store(4, &[5, 9, 7])), "prefix.r.t: coded coordinate 2 lies beyond the largest coordinate");
    assert_eq!(message(&store(4, &[3])), "prefix.r.t: coded coordinate 0 lies beyond the largest coordinate");
    assert_eq!(message(&store(4, &[6, u32::MAX])), "prefix.r.t: coded coordinate 1 lies beyond the largest coordinate");

    // The first byte of a chunk that is coded says how wide its gaps are; here it lies right behind the node's fields.
    let mut broken = sound;
    let prefix = make_mut(broken.root_mut().as_mut().expect("a prefix"));
    let node = make_mut(ctree_delta::nodes::Prefix::fields(prefix).r.as_mut().expect("a node")).into_raw();
    // SAFETY: nobody else reaches the node, and its coded bytes follow its fields, there being no other array of any size.
    unsafe { node.as_ptr().add(1).cast::<u8>().write(27) };
    assert_eq!(message(&broken), "prefix.r.t: group 0 of coded coordinates has gaps of 27 bits, which no coder writes");
    // Reading wrong codes gives wrong coordinates, as many as there were.
    assert_eq!(broken.fiber().len(), 200);
    assert_eq!(broken.fiber().fold_runs(0, |len, run| len + run.len()), 200);
}

#[test]
#[should_panic(expected = "a node's `n` must lie in [0, 3]")]
fn a_node_longer_than_the_schema_allows_is_refused() {
    let _ = crate::small::blist::nodes::Blist::<()>::reserve(Elements::copied(&[1, 2, 3, 4], &[(); 4]));
}

#[test]
fn values_are_audited_too() {
    let broken = tree(node(5, None, node(5, None, None)));
    let outer = bst::Bst::<bst::Bst<()>>::build_row(Elements::drain(&[1, 2], &mut vec![tree(None), broken]));
    let error = outer.audit_with(&mut |row| row.audit()).expect_err("a broken row");
    assert!(error.path.contains("bst_root.r.r.e"), "{error}");
    assert!(error.path.starts_with("bst_root.r"), "{error}");
}

#[test]
fn shared_nodes_are_copied_when_they_are_written() {
    let tree = tree(node(5, node(2, None, None), node(8, None, None)));
    let snapshot = tree.clone();
    let mut tree = tree;
    // Path copying: the root and its left child are copied, the right child stays shared.
    let root = bst::nodes::BstRoot::fields(tree.root_mut()).r.as_mut().expect("a root");
    let fields = bst::nodes::Bst::fields(make_mut(root));
    let left = bst::nodes::Bst::fields(make_mut(fields.l.as_mut().expect("a left child")));
    *left.r = node(3, None, None);
    tree.audit().expect("still a search tree");
    let coords = |tree: &bst::Bst<()>| {
        Fiber::fold_runs(tree.fiber(), Vec::new(), |mut all, run| {
            all.extend_from_slice(run.coords());
            all
        })
    };
    assert_eq!(coords(&tree), [2, 3, 5, 8]);
    assert_eq!(coords(&snapshot), [2, 5, 8]);
}
