//! How a difference-coded C-tree is built: as a C-tree is. What differs is how a node keeps the coordinates of its chunk.

#![forbid(unsafe_code)]

use super::CtreeDelta;
use super::nodes::{Ctree, Prefix};
use crate::ctree::assemble::prefix_and_tree;
use pleach_runtime::{Build, Coord, Elements, Value};

impl<V: Value, C: Coord> Build<C, V> for CtreeDelta<V, C> {
    fn build(elements: Elements<'_, C, V>) -> Self {
        if elements.is_empty() {
            return CtreeDelta::default();
        }
        let (mut prefix, tree) = prefix_and_tree(elements, Prefix::reserve, Ctree::reserve, |node, left, right| {
            let fields = Ctree::fields(node.edit());
            (*fields.l, *fields.r) = (left, right);
        });
        *Prefix::fields(prefix.edit()).r = tree;
        CtreeDelta::new(Some(prefix.finish()))
    }
}
