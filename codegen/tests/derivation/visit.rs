//! What a traversal must hand out, straight from the model: no coroutines, no rewriting.

use pleach_codegen::derive::Order;
use pleach_codegen::schema::model::{FieldId, FieldKind, Model, Term};

use crate::heap::Heap;

/// A run: the slots `lo..hi` of a field of a node.
pub type Run = (usize, FieldId, usize, usize);

/// The runs of a store, in order.
pub fn runs(model: &Model, heap: &Heap, order: Order) -> Vec<Run> {
    let mut out = Vec::new();
    visit(model, heap, order, heap.handle, &mut out);
    out
}

fn visit(model: &Model, heap: &Heap, order: Order, at: usize, out: &mut Vec<Run>) {
    let node = model.node(heap.nodes[at].ty);
    let is_elem = |id: FieldId| matches!(node.field(id).kind, FieldKind::Elem { .. });
    match order {
        Order::Coordinate => {
            for term in &node.sequence {
                match term {
                    Term::Interleaved(fields) if fields.len() > 1 => {
                        let longest = fields.iter().map(|id| heap.used[at][id.0]).max().unwrap();
                        for slot in 0..longest {
                            for &id in fields {
                                if slot >= heap.used[at][id.0] {
                                    continue;
                                }
                                match is_elem(id) {
                                    true if heap.elems(at, id)[slot] => out.push((at, id, slot, slot + 1)),
                                    true => {}
                                    false => child(model, heap, order, heap.children(at, id)[slot], out),
                                }
                            }
                        }
                    }
                    term => {
                        for &id in term.fields() {
                            match is_elem(id) {
                                true => stretches(heap, at, id, out),
                                false => children(model, heap, order, at, id, out),
                            }
                        }
                    }
                }
            }
        }
        Order::Storage => {
            let fields: Vec<FieldId> = node.sequence.iter().flat_map(Term::fields).copied().collect();
            for &id in fields.iter().filter(|&&id| is_elem(id)) {
                stretches(heap, at, id, out);
            }
            for term in &node.sequence {
                let fields: Vec<FieldId> = term.fields().iter().copied().filter(|&id| !is_elem(id)).collect();
                let longest = fields.iter().map(|id| heap.used[at][id.0]).max().unwrap_or(0);
                for slot in 0..longest {
                    for &id in fields.iter().filter(|id| slot < heap.used[at][id.0]) {
                        child(model, heap, order, heap.children(at, id)[slot], out);
                    }
                }
            }
        }
    }
}

fn child(model: &Model, heap: &Heap, order: Order, child: Option<usize>, out: &mut Vec<Run>) {
    if let Some(child) = child {
        visit(model, heap, order, child, out);
    }
}

fn children(model: &Model, heap: &Heap, order: Order, at: usize, id: FieldId, out: &mut Vec<Run>) {
    for &slot in heap.children(at, id) {
        child(model, heap, order, slot, out);
    }
}

/// The stretches of elements between the gaps of a field.
pub fn stretches(heap: &Heap, at: usize, id: FieldId, out: &mut Vec<Run>) {
    let slots = heap.elems(at, id);
    let mut lo = 0;
    while lo < slots.len() {
        let hi = (lo..slots.len()).find(|&hi| !slots[hi]).unwrap_or(slots.len());
        if lo < hi {
            out.push((at, id, lo, hi));
        }
        lo = hi + 1;
    }
}
