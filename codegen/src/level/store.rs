//! A level kept by a store that a node schema describes.
//!
//! ```text
//! parent p   ->   stores[p], whose entries are the coordinates of p, run by run
//!                 the value of an entry: a number, the store of the next level, or (above a static level) a position
//! ```

use super::*;
use crate::ir;
use crate::schema::model::{Array, Extent, Model, Recursion, Slots};

/// What the compiler needs to know of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreLevel {
    /// Its name.
    pub name: String,
    /// The default of each number that it takes in angle brackets.
    pub parameters: Vec<i64>,
    /// What holds of it.
    pub properties: Properties,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What a lookup costs, if it can look up.
    pub lookup: Growth,
    /// Whether it is a table of rows, which the runtime keeps: its entries are stores, and tensors are passed with a dense level in its
    /// place.
    pub table: bool,
}

impl StoreLevel {
    /// The level that `model` describes.
    ///
    /// * It is *ordered* if the sequences of all its nodes are: then entries can also be looked up.
    /// * It is *unique*: assembly folds equal coordinates before it builds.
    /// * It is *branchless* if the handle holds one element, always, and refers to nothing.
    /// * It is *compact* if no slot of any node can be a gap.
    /// * It is *zeroless*: nothing is padded.
    ///
    /// A lookup is *linear* where nodes form a chain, which may be as long as the store is large. Where they form a tree it descends, and
    /// within one node it searches an array: it is *logarithmic*, as assembly keeps trees balanced.
    ///
    /// Every store can be mapped, stepped through and built; a store that is built takes entries in order one by one, too.
    pub fn of(model: &Model) -> StoreLevel {
        let handle = model.node(model.handle);
        let branchless = handle.children().next().is_none()
            && matches!(handle.elems().collect::<Vec<_>>()[..], [(_, slots, _)] if slots.nonempty && slots.array.is_none());
        // Slots behind the last one that is used are no gaps: nobody looks at them.
        let gapless =
            |slots: &Slots| slots.nonempty || matches!(slots.array, Some(Array { extent: Extent::Filled { .. }, .. }));
        let chained = model.nodes.iter().any(|node| node.recursion == Recursion::Chain);
        let compact = model.nodes.iter().all(|node| node.elems().all(|(_, slots, _)| gapless(slots)));
        StoreLevel {
            name: model.name.clone(),
            parameters: model.params.iter().map(|param| param.default as i64).collect(),
            properties: Properties {
                full: false,
                ordered: model.ordered,
                unique: true,
                branchless,
                compact,
                zeroless: true,
            },
            capabilities: Capabilities {
                locate: model.ordered,
                map: true,
                step: true,
                append: true,
                build: true,
                ..Capabilities::default()
            },
            lookup: match (branchless, chained) {
                (true, _) => Growth::Constant,
                (_, true) => Growth::Linear,
                _ => Growth::Logarithmic,
            },
            table: false,
        }
    }

    /// A level that no schema describes, and which is read and assembled as an ordered store is. If `table` is set, it is an outer level: its entries are
    /// stores.
    pub fn by_hand(name: &str, table: bool) -> StoreLevel {
        StoreLevel {
            name: name.to_owned(),
            parameters: Vec::new(),
            properties: Properties { ordered: true, unique: true, zeroless: true, ..Properties::default() },
            capabilities: Capabilities {
                locate: true,
                map: true,
                step: true,
                append: true,
                build: true,
                ..Capabilities::default()
            },
            lookup: Growth::Logarithmic,
            table,
        }
    }
}

impl Level for StoreLevel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_table(&self) -> bool {
        self.table
    }

    fn summary(&self) -> &str {
        "A store of its own for each parent, described by a node schema or kept by the runtime."
    }

    fn parameters(&self) -> &[i64] {
        &self.parameters
    }

    fn properties(&self, _: &Switches) -> Properties {
        self.properties
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn lookup(&self, _: &Switches) -> Option<Growth> {
        self.capabilities.locate.then_some(self.lookup)
    }

    fn fields(&self, _: &Switches) -> Vec<(&'static str, FieldKind)> {
        vec![("stores", FieldKind::Stores)]
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        let stores = spot.field("stores");
        let store = if spot.place.at == 0 { stores.into() } else { ir::load(stores, spot.parent.clone()) };
        Walk::Entries { store }
    }

    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, _: &mut Vars) -> Option<Located> {
        let Walk::Entries { store } = self.walk(spot) else { return None };
        self.capabilities.locate.then_some(Located::InStore { store, coordinate })
    }

    fn insertion(&self) -> Option<&dyn Insertion> {
        self.capabilities.build.then_some(&insert::Segments as &dyn Insertion)
    }

    fn pack(&self, p: &Packing<'_>) -> Packed {
        // The plain form of stores is that of compressed rows; who runs a kernel makes stores of it.
        compressed::pack(p, true)
    }

    fn children(&self, packed: &Packed, _: &Packing<'_>, parent: usize, _: &[usize]) -> Vec<(usize, usize)> {
        compressed::children(packed, parent)
    }
}
