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
use plan::{NodePlan, Plan};

/// The Rust items of a store, formatted: what belongs in a module of its own. `runtime` is the path of the runtime crate as the generated
/// code sees it, usually [`RUNTIME`]. The text of the schema, if it is given, is repeated in the documentation of the generated code.
///
/// Beside them stands an `impl<V: Value, C: Coord> Build<C, V> for Name<V, C>`, the store's assembly.
///
/// # Errors
///
/// Two types of the schema that would have the same name in Rust, or a `runtime` that is not a path.
pub fn generate(model: &Model, runtime: &str, source: Option<&str>) -> Result<String, Vec<Diagnostic>> {
    let runtime: syn::Path = syn::parse_str(runtime)
        .map_err(|_| vec![Diagnostic::new(Span::new(0, 0), format!("`{runtime}` is no path to the runtime"))])?;
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
    let supertypes =
        plan.model.supertypes.iter().map(|supertype| {
            (names::type_ident(&supertype.name).to_string(), supertype.name.as_str(), Span::new(0, 0))
        });
    let nodes = plan.nodes.iter().map(|NodePlan { ty, node, .. }| {
        (ty.to_string(), node.name.as_str(), node.fields.first().map_or(Span::new(0, 0), |field| field.span))
    });
    for (rust, name, span) in supertypes.chain(nodes) {
        for spelling in [rust.clone(), format!("{rust}Mut"), format!("{rust}Kind"), format!("{rust}KindMut")] {
            if let Some((_, other)) = seen.iter().find(|(taken, _)| *taken == spelling) {
                errors.push(
                    Diagnostic::new(span, format!("Rust would call both `{name}` and `{other}` `{spelling}`"))
                        .help("call one of them something else"),
                );
                break;
            }
        }
        seen.push((rust, name));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
