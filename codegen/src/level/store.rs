//! A level kept by a store that a node schema describes.
//!
//! ```text
//! parent p   ->   stores[p], whose entries are the coordinates of p, run by run
//! ```

use super::*;
use crate::ir;

/// What the compiler needs to know of a store; derived from its schema.
#[derive(Clone, Debug)]
pub struct StoreLevel {
    /// Its name.
    pub name: String,
    /// How many numbers it takes in angle brackets.
    pub parameters: usize,
    /// What holds of it.
    pub properties: Properties,
    /// What it can do.
    pub capabilities: Capabilities,
}

impl Level for StoreLevel {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn properties(&self, _: &Switches) -> Properties {
        self.properties
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("stores", FieldKind::Stores)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        Walk::Entries { store: ir::load(spot.field("stores"), spot.parent.clone()) }
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        // The plain form of stores is that of compressed rows; who runs a kernel makes stores of it.
        let (mut pos, mut crd, mut at) = (vec![0; p.parents + 1], Vec::new(), Vec::new());
        for (n, &(parent, c)) in p.entries.iter().enumerate() {
            if n == 0 || p.entries[n - 1] != (parent, c) {
                crd.push(c as u32);
                pos[parent + 1] += 1;
            }
            at.push(crd.len() - 1);
        }
        for parent in 0..p.parents {
            pos[parent + 1] += pos[parent];
        }
        let count = crd.len();
        Packed { positions: [("pos", pos)].into(), coordinates: [("crd", crd)].into(), at, count, ..Packed::default() }
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        let pos = &packed.positions["pos"];
        (pos[parent]..pos[parent + 1]).map(|q| (packed.coordinates["crd"][q] as usize, q)).collect()
    }
}
