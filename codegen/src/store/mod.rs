//! From a checked schema to Rust: structs, maps, the resumable iterator, `locate`, copies, audit and footprint.
//!
//! ```text
//!   Model ─ plan ─► how nodes lie in memory ─┬─ nodes, tail        structs, constructors, accessors; drop, copy, report
//!     │                                      ├─ copy               the same shape with other values
//!     │                                      ├─ layout             sizes and offsets as numbers, for code that is not Rust
//!     └─ derive ─► blocks and one stack ─────┼─ machine            folds and the iterator
//!                                            ├─ parallel, locate   the parallel map, search
//!                                            └─ fiber, handle      the fiber with its iterator, the store's type
//! ```
//!
//! Generated code uses `pleach_runtime`. The assembly (`impl Build`) is written by hand beside it, in safe Rust.

mod copy;
mod fiber;
mod handle;
pub mod layout;
mod locate;
mod machine;
mod names;
mod nodes;
mod parallel;
mod plan;
mod tail;
mod text;

use proc_macro2::TokenStream;
use quote::quote;

pub use crate::backend::rust::RUNTIME;
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::model::Model;
use names::const_ident;
pub(crate) use names::store_ident;
use plan::{NodePlan, Plan};

/// The Rust items of a store, formatted: what belongs in a module of its own. `runtime` is the path of the runtime crate as the generated
/// code sees it, usually [`RUNTIME`]. The text of the schema, if it is given, is repeated in the documentation of the generated code.
///
/// Beside them stands an `impl<V: Value, C: Coord> Build<C, V> for Name<V, C>`, the store's assembly.
///
/// # Errors
///
/// Two types of the schema that would have the same name in Rust, a store whose name Rust cannot spell, or a `runtime` that is not a path.
pub fn generate(model: &Model, runtime: &str, source: Option<&str>) -> Result<String, Vec<Diagnostic>> {
    let runtime: syn::Path = syn::parse_str(runtime)
        .map_err(|_| vec![Diagnostic::new(Span::new(0, 0), format!("`{runtime}` is no path to the runtime"))])?;
    // A store without a name of its own is named after its file, and the file's name may be any text.
    let spelt = format!("x{}", model.name);
    if !syn::parse_str::<proc_macro2::Ident>(&spelt).is_ok_and(|ident| ident == spelt) {
        let message = format!("the store is named `{}` after its file, which is no name in Rust", model.name);
        let help = "call the file something else, or write `store NAME { … }` around the nodes";
        return Err(vec![Diagnostic::new(Span::new(0, 0), message).help(help)]);
    }
    let plan = Plan::new(model);
    refuse(&plan)?;
    let nodes = nodes::items(&plan);
    let (handle, fiber, store) = (handle::handle(&plan), fiber::items(&plan), handle::implement_store(&plan));
    let params = model.params.iter().map(|param| {
        let (ident, value) = (const_ident(&param.name), proc_macro2::Literal::u64_unsuffixed(param.value));
        let doc = format!(" The parameter `{}` of the schema.", param.name);
        quote!(#[doc = #doc] pub const #ident: usize = #value;)
    });
    let nodes_doc = nodes_doc(&plan, source);
    text::format(quote! {
        use #runtime as runtime;

        #(#params)*

        #handle #fiber #store

        #nodes_doc
        pub mod nodes {
            use super::runtime;

            #nodes
        }
    })
}

fn nodes_doc(plan: &Plan<'_>, source: Option<&str>) -> TokenStream {
    let mut lines = vec![format!(" The nodes of the store `{}`.", plan.model.name)];
    if let Some(source) = source {
        lines.push(String::new());
        lines.push(" ```text".into());
        lines.extend(source.trim_end().lines().map(|line| format!(" {line}")));
        lines.push(" ```".into());
    }
    quote!(#(#[doc = #lines])*)
}

/// Refuses what Rust could not compile.
fn refuse(plan: &Plan<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut seen: Vec<(String, &str)> = Vec::new();
    let supertypes = plan.model.supertypes.iter().map(|supertype| {
        let ty = names::type_ident(&supertype.name);
        let types = vec![ty.to_string(), format!("{ty}Kind"), format!("{ty}KindMut")];
        (types, supertype.name.as_str(), Span::new(0, 0))
    });
    let nodes = plan.nodes.iter().map(|NodePlan { ty, node, .. }| {
        let span = node.fields.first().map_or(Span::new(0, 0), |field| field.span);
        (vec![ty.to_string(), format!("{ty}Mut")], node.name.as_str(), span)
    });
    for (types, name, span) in supertypes.chain(nodes) {
        let clash = types.iter().find_map(|ty| seen.iter().find(|(taken, _)| taken == ty));
        if let Some((ty, other)) = clash {
            errors.push(
                Diagnostic::new(span, format!("Rust would call both `{name}` and `{other}` `{ty}`"))
                    .help("call one of them something else"),
            );
        }
        seen.extend(types.into_iter().map(|ty| (ty, name)));
    }
    let folds = |node: &&NodePlan<'_>| parallel::needs_fold(node) && plan.store == format!("Fold{}", node.ty);
    if let Some(NodePlan { node, ty, .. }) = plan.nodes.iter().find(folds) {
        let message = format!(
            "the store `{}` and the folds over `{}` would have the same name in Rust",
            plan.model.name, node.name
        );
        let span = node.fields.first().map_or(Span::new(0, 0), |field| field.span);
        let both = Diagnostic::new(span, message).label(format!("`Fold{ty}`"));
        errors.push(both.help("call one of them something else"));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
