//! The store's handle, and its traits.

use proc_macro2::TokenStream;
use quote::quote;

use super::plan::Plan;
use super::{copy, locate};

/// The handle, with `Clone`, `Default` and `Debug`.
pub fn handle(plan: &Plan<'_>) -> TokenStream {
    let (store, coord, name) = (&plan.store, &plan.coord, &plan.model.name);
    let doc: Vec<String> = match &plan.model.doc[..] {
        [] => vec![format!(" The store `{name}`.")],
        doc => doc.iter().map(|line| format!(" {}", line.trim())).collect(),
    };
    let what = format!(" The handle of a store `{name}`. Cloning it shares all nodes.");
    let (root, access, impls) = (root_type(plan), root_access(plan), common_impls(plan));
    quote! {
        #(#[doc = #doc])*
        #[doc = ""]
        #[doc = #what]
        pub struct #store<V: runtime::Value, C: runtime::Coord = #coord> {
            root: #root,
        }

        impl<V: runtime::Value, C: runtime::Coord> #store<V, C> {
            /// A store with the given root.
            pub fn new(root: #root) -> Self {
                Self { root }
            }
            #access
        }

        #impls
    }
}

/// The type of a handle's root: the root node itself where it lies in the handle, or a link to it.
fn root_type(plan: &Plan<'_>) -> TokenStream {
    let ty = &plan.handle().ty;
    match plan.handle().flat {
        true => quote!(nodes::#ty<V, C>),
        false => quote!(runtime::Link<nodes::#ty<V, C>>),
    }
}

/// The functions that borrow the root.
fn root_access(plan: &Plan<'_>) -> TokenStream {
    let ty = &plan.handle().ty;
    if plan.handle().flat {
        return quote! {
            /// The root.
            pub fn root(&self) -> runtime::NodeRef<'_, nodes::#ty<V, C>> {
                runtime::NodeRef::of(&self.root)
            }

            /// The root, for writing.
            pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::#ty<V, C>> {
                runtime::NodeMut::of(&mut self.root)
            }
        };
    }
    quote! {
        /// The root; none if the store is empty.
        pub fn root(&self) -> Option<runtime::NodeRef<'_, nodes::#ty<V, C>>> {
            runtime::follow(&self.root)
        }

        /// The link to the root.
        pub fn root_mut(&mut self) -> &mut runtime::Link<nodes::#ty<V, C>> {
            &mut self.root
        }
    }
}

/// `Clone`, `Default` and `Debug`.
fn common_impls(plan: &Plan<'_>) -> TokenStream {
    let store = &plan.store;
    let default = if plan.handle().flat { quote!(Default::default()) } else { quote!(None) };
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> Clone for #store<V, C> {
            #[inline]
            fn clone(&self) -> Self {
                Self { root: self.root.clone() }
            }
        }

        impl<V: runtime::Value, C: runtime::Coord> Default for #store<V, C> {
            #[inline]
            fn default() -> Self {
                Self { root: #default }
            }
        }

        impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug for #store<V, C> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut map = f.debug_map();
                runtime::Fiber::fold_runs(runtime::Store::fiber(self), (), |(), run| {
                    map.entries(run.iter());
                });
                map.finish()
            }
        }
    }
}

/// `impl Store`, and what maps values.
pub fn implement_store(plan: &Plan<'_>) -> TokenStream {
    let (store, name) = (&plan.store, &plan.model.name);
    let handle = plan.handle();
    let ty = &handle.ty;
    let root_name = &handle.node.name;
    let sequenced = locate::is_sequenced(plan);
    let fiber = match handle.flat {
        true => quote!(Fiber { handle: runtime::NodeRef::of(&self.root) }),
        false => quote!(Fiber { handle: runtime::follow(&self.root) }),
    };
    let report = match handle.flat {
        true => quote!(|report| nodes::#ty::describe(runtime::NodeRef::of(&self.root), report)),
        false => quote!(|report| if let Some(root) = runtime::follow(&self.root) {
            runtime::Node::inspect(root, report);
        }),
    };
    let map_values = copy::map_values(plan);
    let copying = copy::items(plan);
    quote! {
        impl<V: runtime::Value, C: runtime::Coord> runtime::Store for #store<V, C> {
            type Coord = C;
            type Value = V;
            type Fiber<'a> = Fiber<'a, V, C>;
            type Page = runtime::ArrayPage<Self>;
            const NAME: &'static str = #name;
            const JOIN: Option<fn(Vec<Self>) -> Self> = <Self as runtime::Build<C, V>>::JOIN;

            #[inline]
            fn build_row(elements: runtime::Elements<'_, C, V>) -> Self {
                <Self as runtime::Build<C, V>>::build(elements)
            }

            #[inline(always)]
            fn fiber(&self) -> Fiber<'_, V, C> {
                #fiber
            }

            fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
                <Self as runtime::Build<C, V>>::each_mut(self, coords, visit);
            }

            fn update(&mut self, batch: runtime::RowBatch<'_, C, V>, change: runtime::Change<'_, V>) -> runtime::Counts {
                <Self as runtime::Build<C, V>>::update(self, batch, change)
            }

            fn audit_with(
                &self,
                value: &mut dyn FnMut(&V) -> Result<(), runtime::AuditError>,
            ) -> Result<(), runtime::AuditError> {
                runtime::audit(#root_name, #sequenced, #report, value)
            }

            fn footprint_with(&self, value: &mut dyn FnMut(&V) -> runtime::Footprint) -> runtime::Footprint {
                runtime::footprint(#report, value)
            }
        }

        #map_values
        #copying
    }
}
