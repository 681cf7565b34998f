//! Stores: what those that a kernel is passed, makes or finds are in Rust.
//!
//! A store that is read is a fiber (a `Copy` view); a matrix over stores is an `Outer` level, whose rows are fibers; a store that
//! is a result is built from arrays of coordinates and values.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::literal::scalar_type;
use super::{EmitError, Emitter};
use crate::ir::expr::Expr;
use crate::ir::kernel::{Field, Tensor, Var};
use crate::ir::stmt::{Domain, Stmt};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

type Emitted = Result<TokenStream, EmitError>;

impl Emitter<'_> {
    /// The type of a store.
    pub(super) fn store_type(&self, expr: &Expr) -> Result<StoreType, EmitError> {
        match expr.type_in(&self.kernel.vars) {
            Some(Type::Store(s)) => Ok(s),
            _ => self.unsupported("a store that is none"),
        }
    }

    /// The rows that an expression means, if it is a matrix that is passed as rows.
    pub(super) fn rows_of(&self, store: &Expr) -> Result<Option<TokenStream>, EmitError> {
        match store {
            Expr::Var(v) if (self.is_param(*v) || self.is_finder(*v)) && holds_stores(&self.store_type(store)?) => {
                let rows = self.ident(*v);
                Ok(Some(quote!(#rows)))
            }
            _ => Ok(None),
        }
    }

    /// A store as a fiber, for a method to be called on.
    pub(super) fn fiber(&self, store: &Expr) -> Emitted {
        // A row that is looked up may be absent; the trait makes that a fiber too. What a store hands out is a fiber by its trait, not by a
        // bound of the function's own.
        let by_trait = match store {
            Expr::Load(..) | Expr::CursorValue(_) => true,
            Expr::Var(v) => !self.is_param(*v) && !self.is_handed_row(*v),
            _ => false,
        };
        if by_trait {
            self.import("Fiber");
        }
        if let Expr::Var(v) = store
            && self.is_made(*v)
        {
            let (runtime, made) = (&self.runtime, self.ident(*v));
            return Ok(quote!(#runtime::Store::fiber(&#made)));
        }
        self.receiver(store)
    }

    /// Whether a store, or an array of them, is made here as a result, and is no fiber of what was passed.
    pub(super) fn is_made(&self, v: Var) -> bool {
        let mut results = self.kernel.results.iter().flat_map(|tensor| &tensor.fields);
        results.any(|field| field.var == v) && !self.is_param(v)
    }

    /// The type of a store that a later statement reads: Rust does not infer it in time.
    pub(super) fn type_to_read(&self, v: Var) -> Option<TokenStream> {
        if !matches!(self.kernel.vars[v].ty, Type::Store(_)) || !self.is_made(v) {
            return None;
        }
        let mut read = false;
        self.kernel.body.visit_exprs(&mut |e| read |= *e == Expr::Var(v));
        self.store_parameter(v).filter(|_| read)
    }

    /// Whether a variable is a row that a parallel loop over an array of rows hands out.
    fn is_handed_row(&self, v: Var) -> bool {
        let mut handed = false;
        self.kernel.body.visit(&mut |stmt| {
            if let Stmt::Parallel { domain: Domain::Rows { matrix, row: Some(row) }, .. }
            | Stmt::Gather { matrix, row, .. } = stmt
            {
                handed |= *row == v && matches!(self.kernel.vars[*matrix].ty, Type::Array(_));
            }
        });
        handed
    }

    /// Whether a variable is what finds the rows of a matrix.
    pub(super) fn is_finder(&self, v: Var) -> bool {
        self.kernel.body.0.iter().any(|stmt| matches!(stmt, Stmt::FindRows { finder, .. } if *finder == v))
    }

    /// The row of a matrix at a coordinate.
    pub(super) fn found_row(&self, matrix: Var, coord: TokenStream) -> TokenStream {
        let a = self.ident(matrix);
        if self.is_finder(matrix) { quote!(#a(#coord)) } else { quote!(#a.row(#coord)) }
    }

    /// Whether a cursor runs over the rows of a matrix.
    pub(super) fn is_row_cursor(&self, cursor: Var) -> bool {
        let mut rows = false;
        self.kernel.body.visit(&mut |stmt| {
            if let Stmt::OpenCursor { cursor: v, store, .. } = stmt
                && *v == cursor
            {
                rows = self.rows_of(store).is_ok_and(|rows| rows.is_some());
            }
        });
        rows
    }

    /// The type parameter that stands for a store passed to or returned from the kernel: the tensor's name, with the number of the
    /// level where several levels are stores of their own.
    pub(super) fn store_parameter(&self, v: Var) -> Option<TokenStream> {
        let letters = |tensor: &Tensor| tensor.name.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let tensors = || self.kernel.params.iter().chain(&self.kernel.results);
        let at = tensors().position(|t| t.fields.iter().any(|f| f.var == v))?;
        let tensor = tensors().nth(at)?;
        // A parameter that is given back in another version is a result of the same name.
        let alike = tensors().take(at).filter(|other| letters(other).eq_ignore_ascii_case(&letters(tensor))).count();
        let letters = letters(tensor);
        let mut name = letters.get(..1).unwrap_or("S").to_uppercase();
        name.push_str(letters.get(1..).unwrap_or_default());
        let of_stores = |f: &&Field| {
            matches!(
                self.kernel.vars[f.var].ty,
                Type::Store(_) | Type::Array(ArrayType { element: Element::Store(_), .. })
            )
        };
        if tensor.fields.iter().filter(of_stores).count() > 1 {
            let own = tensor.fields.iter().find(|f| f.var == v);
            name += &own.and_then(|f| f.level).map_or(String::new(), |level| level.to_string());
        }
        let name = Ident::new(&format!("{}Store{name}", "New".repeat(alike)), Span::call_site());
        Some(quote!(#name))
    }
}

/// Whether a store's entries are stores.
pub(super) fn holds_stores(store: &StoreType) -> bool {
    matches!(store.element, Element::Store(_))
}

/// The Rust type of what a store holds.
pub(super) fn value_type(element: &Element) -> TokenStream {
    match element {
        Element::Scalar(s) => scalar_type(*s),
        _ => quote!(()),
    }
}
