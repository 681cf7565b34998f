//! [`ast`](super::ast) to [`model`](super::model): resolves names, decides layout and order, and tells what is wrong.
//!
//! The checks of one node's fields are here; those that need the whole store (who is the handle, what can end, what
//! recurses) are in [`graph`](super::graph).

mod checker;
mod fields;
mod scope;
mod sequence;
mod types;

use self::checker::Checker;
pub(super) use self::checker::store_span;
use super::ast::Store;
use super::model::{Model, NodeId};
use super::{graph, tell};
use crate::diagnostic::Diagnostics;

/// Checks `store` with every parameter at its default. `name_if_bare` names a store of bare `def`s, as the file does.
///
/// # Errors
///
/// What the schema gets wrong, several mistakes per run.
pub fn check(store: &Store, name_if_bare: &str) -> Result<Model, Diagnostics> {
    check_with(store, name_if_bare, &[])
}

/// Checks `store` with the parameters that `arguments` name at the values beside them.
///
/// # Errors
///
/// What the schema gets wrong, or what only these arguments do; an argument that is no parameter.
pub fn check_with(store: &Store, name_if_bare: &str, arguments: &[(&str, u64)]) -> Result<Model, Diagnostics> {
    let mut checker = Checker::new(store, name_if_bare, arguments);
    let nodes = checker.nodes();
    tell(std::mem::take(&mut checker.diagnostics), ())?;
    let mut model = Model {
        name: checker.name,
        doc: store.doc.clone(),
        params: checker.params,
        nodes,
        supertypes: checker.supertypes,
        handle: NodeId(0),
        coord: checker.coord.map(|(width, _)| width),
        ordered: false,
        components: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    graph::complete(&mut model, store, &mut diagnostics);
    tell(diagnostics, model)
}
