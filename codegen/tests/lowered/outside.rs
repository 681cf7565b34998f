//! A level from outside of the crate beside bundled stores.

use std::sync::Arc;

use pleach_codegen::compile::stages;
use pleach_codegen::level::{Capabilities, Level, Packed, Packing, Properties, Spot, Switches, Walk};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::harness::{grid_in, world};
use crate::spans::Spans;

#[test]
fn a_level_from_outside_merges_with_bundled_stores() {
    let mut world = world();
    world.declarations.kinds.add(Arc::new(Spans));
    let ran = grid_in(
        &world,
        "
kernel add(A: (dense, spans), B: stinger | aspen | csr | (dense, spans)) -> C: (dense, spans) | csr | (dense, ctree) {
    C(i,j) = A(i,j) + B(i,j)
}
kernel multiply(A: (dense, spans), B: pam | lil | dok) -> C: (compressed, spans) | coo { C(i,j) = A(i,j) * B(i,j) }
kernel spmv(A: (dense, spans) | (bst, spans), x: spans | dense) -> y: dense { y(i) = A(i,j) * x(j) }
kernel product(A: (dense, spans), B: (dense, spans)) -> C: (dense, spans) { C(i,j) = A(i,k) * B(k,j) }
",
        &[("i", 4), ("j", 6), ("k", 3)],
        8,
    );
    assert!(ran > 20, "{ran}");
}

/// The same, but nothing that says how it is made.
#[derive(Debug)]
struct Sealed;

impl Level for Sealed {
    fn name(&self) -> &str {
        "sealed"
    }

    fn summary(&self) -> &str {
        "a level of the tests"
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Spans.properties(switches)
    }

    fn capabilities(&self) -> Capabilities {
        Spans.capabilities()
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        Spans.walk(spot)
    }

    fn pack(&self, packing: &Packing<'_>) -> Packed {
        Spans.pack(packing)
    }

    fn children(&self, packed: &Packed, of: &Packing<'_>, parent: usize, above: &[usize]) -> Vec<(usize, usize)> {
        Spans.children(packed, of, parent, above)
    }
}

#[test]
fn what_a_level_from_outside_lacks_is_said() {
    let mut world = world();
    world.declarations.kinds.add(Arc::new(Sealed));
    let text = "kernel copy(A: csr) -> C: (dense, sealed) { C(i,j) = A(i,j) }";
    let (source, _) = parse_source(text);
    let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
    let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
    let message = stages(&kernel).unwrap_err().render("text", text);
    assert!(message.contains("`C` cannot be made: level `sealed` does not say how it is assembled"), "{message}");
    assert!(message.contains("`-> C: csr`"), "{message}");
}
