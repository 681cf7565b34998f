//! Elements of arrays that a loop binds by a name: `a_ij` for `a_vals[p]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Emitter;
use super::walked::Walked;
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Scalar;

/// An element that is bound by a loop and stands for `array[at]`.
pub(super) struct Bound {
    pub array: Var,
    pub at: Expr,
    pub name: Ident,
    pub written: bool,
}

impl Emitter<'_> {
    /// The element `array[index]`, if a loop around has bound it: a value, or a place to write to.
    pub(super) fn element(&self, array: Var, index: &Expr) -> Option<TokenStream> {
        self.bound_elements.borrow().iter().rev().find(|b| b.array == array && b.at == *index).map(|b| {
            let name = &b.name;
            if b.written { quote!(*#name) } else { quote!(#name) }
        })
    }

    /// Whether an element or a row goes by this name.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.bound_elements.borrow().iter().any(|b| b.name == name)
            || self.named.borrow().iter().any(|row| row.name == name)
    }

    /// Whether a loop around has bound the element `array[index]` by the name of `v`.
    pub(super) fn is_element(&self, v: Var, array: Var, index: &Expr) -> bool {
        let Expr::Var(p) = index else { return false };
        let bound = self.bound_elements.borrow();
        let element = bound.iter().rev().find(|b| b.array == array && b.at == Expr::Var(*p));
        element.is_some_and(|b| !b.written && b.name == self.names[v] && !self.changes(v))
    }

    /// What to call an element: `j` if the body only makes a coordinate `j` of it, `a_ij` if it is a value of `A(i,j)`, and
    /// otherwise the array's name with the position's.
    pub(super) fn element_name(&self, walked: &Walked, p: Var, body: &Block) -> Ident {
        let array = walked.array;
        let mut wishes = Vec::new();
        let is_element = |e: &Expr| matches!(e, Expr::Load(a, i) if *a == array && **i == walked.at);
        let mut mentions = 0;
        body.visit_exprs(&mut |e| mentions += usize::from(is_element(e)));
        let converted = body.0.iter().find_map(|stmt| match stmt {
            Stmt::Let(j, Expr::Cast(Scalar::Usize, x)) if is_element(x) => Some(*j),
            Stmt::Let(j, x) if is_element(x) && !self.changes(*j) && !body.changes(array) => Some(*j),
            _ => None,
        });
        if let (Some(j), 1) = (converted, mentions) {
            return Ident::new(&self.names[j], Span::call_site());
        }
        for tensor in self.kernel.params.iter().chain(&self.kernel.results) {
            if let Some(field) = tensor.fields.iter().find(|f| f.var == array)
                && field.name == "vals"
            {
                let modes: String = modes(&tensor.format);
                if !modes.is_empty() {
                    wishes.push(format!("{}_{modes}", tensor.name.to_lowercase()));
                }
            }
        }
        wishes.push(format!("{}_{}", &self.names[array], &self.names[p]));
        let free = |name: &str| {
            !self.kernel.vars.iter().any(|(v, _)| self.names[v] == *name)
                && !self.is_bound(name)
                && syn::parse_str::<Ident>(name).is_ok()
        };
        let mut name = wishes.iter().find(|w| free(w)).cloned().unwrap_or_else(|| wishes[wishes.len() - 1].clone());
        while !free(&name) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }
}

/// The modes of a format such as `i: dense, j: compressed`, run together: `ij`. Empty where they are no plain names.
fn modes(format: &str) -> String {
    let mut all = String::new();
    for level in format.split(',') {
        let mode = level.split(':').next().unwrap_or_default().trim();
        if mode.len() != 1 || !mode.chars().all(|c| c.is_ascii_lowercase()) {
            return String::new();
        }
        all.push_str(mode);
    }
    all
}
