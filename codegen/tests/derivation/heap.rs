//! Stores without coordinates: nodes on a heap, each slot with an element or without.

use pleach_codegen::schema::model::{Extent, FieldId, FieldKind, Model, Node, NodeId, Slots, Target};
use pleach_runtime::SplitMix64;

/// True in so many of a hundred cases.
pub fn percent(random: &mut SplitMix64, percent: usize) -> bool {
    random.index(100) < percent
}

/// A node on the heap.
pub struct HeapNode {
    pub ty: NodeId,
    pub fields: Vec<HeapField>,
}

/// What a field of a node on the heap holds, slot by slot; single fields have one slot.
pub enum HeapField {
    /// Whether there is an element.
    Elems(Vec<bool>),
    /// Where the child is, if there is one.
    Children(Vec<Option<usize>>),
    /// Nothing that a traversal visits.
    Other,
}

pub struct Heap {
    pub nodes: Vec<HeapNode>,
    /// How many slots of each array are used, by node and field.
    pub used: Vec<Vec<usize>>,
    pub handle: usize,
}

impl Heap {
    /// A store of about `most` nodes, or as many as it must have.
    pub fn random(model: &Model, random: &mut SplitMix64, most: usize) -> Heap {
        let mut heap = Heap { nodes: Vec::new(), used: Vec::new(), handle: 0 };
        let mut left = most;
        let heights = heights(model);
        heap.handle = heap.node(model, &heights, random, model.handle, &mut left);
        heap
    }

    pub fn elems(&self, node: usize, field: FieldId) -> &[bool] {
        match &self.nodes[node].fields[field.0] {
            HeapField::Elems(slots) => slots,
            _ => panic!("no elements"),
        }
    }

    pub fn children(&self, node: usize, field: FieldId) -> &[Option<usize>] {
        match &self.nodes[node].fields[field.0] {
            HeapField::Children(slots) => slots,
            _ => panic!("no children"),
        }
    }

    fn node(
        &mut self,
        model: &Model,
        heights: &[usize],
        random: &mut SplitMix64,
        ty: NodeId,
        left: &mut usize,
    ) -> usize {
        *left = left.saturating_sub(1);
        let at = self.nodes.len();
        self.nodes.push(HeapNode { ty, fields: Vec::new() });
        self.used.push(Vec::new());
        let node = model.node(ty);
        let sizes: Vec<usize> = node
            .fields
            .iter()
            .map(|field| match &field.kind {
                FieldKind::Size(size) => {
                    let lo = size.lo.value as usize;
                    let room = size.hi.as_ref().map_or(4, |hi| (hi.value as usize - lo).min(4));
                    let full = size.hi.as_ref().filter(|_| percent(random, 10));
                    match (full, *left) {
                        (Some(hi), 1..) => hi.value as usize,
                        (_, 0) => lo,
                        _ => lo + random.index(room + 1),
                    }
                }
                _ => 0,
            })
            .collect();
        let mut fields = Vec::new();
        let mut used = Vec::new();
        for field in &node.fields {
            let Some(slots) = field.slots() else {
                fields.push(HeapField::Other);
                used.push(0);
                continue;
            };
            let (length, in_use) = extent(slots, &sizes);
            used.push(in_use);
            let empty_after = |at: usize| at >= in_use;
            fields.push(match &field.kind {
                FieldKind::Elem { .. } => HeapField::Elems(
                    (0..length).map(|at| !empty_after(at) && (slots.nonempty || percent(random, 60))).collect(),
                ),
                FieldKind::Child { target, .. } => HeapField::Children(
                    (0..length)
                        .map(|at| {
                            let wanted = slots.nonempty || *left > 0 && percent(random, 70);
                            (wanted && !empty_after(at)).then(|| self.child(model, heights, random, *target, left))
                        })
                        .collect(),
                ),
                _ => HeapField::Other,
            });
        }
        self.nodes[at].fields = fields;
        self.used[at] = used;
        at
    }

    fn child(
        &mut self,
        model: &Model,
        heights: &[usize],
        random: &mut SplitMix64,
        target: Target,
        left: &mut usize,
    ) -> usize {
        let types = model.target_nodes(target);
        let ends: Vec<NodeId> = types.iter().copied().filter(|ty| heights[ty.0] < usize::MAX).collect();
        let ty = match *left {
            0 => ends.iter().copied().min_by_key(|ty| heights[ty.0]).unwrap(),
            _ => ends[random.index(ends.len())],
        };
        self.node(model, heights, random, ty, left)
    }
}

/// How many slots there are, and how many are in use.
fn extent(slots: &Slots, sizes: &[usize]) -> (usize, usize) {
    match slots.array.as_ref().map(|array| &array.extent) {
        None => (1, 1),
        Some(Extent::Const(amount)) => (amount.value as usize, amount.value as usize),
        Some(Extent::Sized(size)) => (sizes[size.0], sizes[size.0]),
        Some(Extent::Filled { slots, used }) => (slots.value as usize, sizes[used.0]),
    }
}

/// How many nodes must at least lie below each other.
fn heights(model: &Model) -> Vec<usize> {
    let mut heights = vec![usize::MAX; model.nodes.len()];
    for _ in 0..model.nodes.len() {
        for id in model.node_ids() {
            let node: &Node = model.node(id);
            let below = node
                .children()
                .filter(|(_, _, slots)| slots.nonempty && node.min_slots(slots) > 0)
                .map(|(_, target, _)| model.target_nodes(target).iter().map(|to| heights[to.0]).min().unwrap())
                .max()
                .unwrap_or(0);
            heights[id.0] = below.saturating_add(1);
        }
    }
    heights
}
