//! The coordinates of each parent in a segment of one array.
//!
//! ```text
//! pos 0 2 2 5       parent p   ->   positions pos[p] .. pos[p + 1]
//! crd 1 3 0 2 3     position q ->   coordinate crd[q]
//! ```

use super::*;
use crate::ir::{self, Scalar};

/// Segments of an array of coordinates.
#[derive(Debug)]
pub(super) struct Compressed;

impl Level for Compressed {
    fn name(&self) -> &str {
        "compressed"
    }

    fn summary(&self) -> &str {
        "The coordinates of each parent in a segment of one array, as the column indices of CSR."
    }

    fn switches(&self) -> &[Switch] {
        &[Switch::Order, Switch::Uniqueness]
    }

    fn is_structured(&self) -> bool {
        true
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Properties {
            full: false,
            ordered: switches.ordered.unwrap_or(true),
            unique: switches.unique.unwrap_or(true),
            branchless: false,
            compact: true,
            zeroless: true,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, append: true, ..Capabilities::default() }
    }

    fn keeps_within_diagonals(&self) -> bool {
        true
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("pos", FieldKind::Positions), ("crd", FieldKind::Coordinates)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let (pos, crd) = (spot.field("pos"), spot.field("crd"));
        Walk::Positions {
            lo: ir::load(pos, spot.parent.clone()),
            hi: ir::load(pos, spot.parent.clone() + ir::usize(1)),
            coordinate: Box::new(move |p| ir::load(crd, p).cast(Scalar::Usize)),
            present: None,
        }
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        Some(&insert::Segments)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        pack(p, self.properties(p.switches).unique)
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        children(packed, parent)
    }
}

/// Segments of entries, plainly packed.
pub(super) fn pack(p: &Packing<'_>, unique: bool) -> Packed {
    let (mut pos, mut rows) = (vec![0; p.parents + 1], vec![Vec::new(); p.parents]);
    let mut seen: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    // Where each entry lies within its parent's segment.
    let mut within = Vec::new();
    for &(parent, c) in p.entries {
        let known = if unique { seen.get(&(parent, c)).copied() } else { None };
        within.push(known.unwrap_or_else(|| {
            rows[parent].push(c as u32);
            seen.insert((parent, c), rows[parent].len() - 1);
            rows[parent].len() - 1
        }));
    }
    for (parent, row) in rows.iter().enumerate() {
        pos[parent + 1] = pos[parent] + row.len();
    }
    let at = p.entries.iter().zip(within).map(|(&(parent, _), within)| pos[parent] + within).collect();
    let crd = rows.concat();
    let count = crd.len();
    Packed { positions: [("pos", pos)].into(), coordinates: [("crd", crd)].into(), at, count, ..Packed::default() }
}

/// The coordinates and positions of one segment.
pub(super) fn children(packed: &Packed, parent: usize) -> Vec<(usize, usize)> {
    let pos = &packed.positions["pos"];
    (pos[parent]..pos[parent + 1]).map(|q| (packed.coordinates["crd"][q] as usize, q)).collect()
}
