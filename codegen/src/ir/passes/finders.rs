//! Finders: a loop over a whole dimension looks up many rows of a matrix. A finder, which looks up rows fast, is prepared once, before the
//! loops.
//!
//! ```text
//!                                               let b_row = finder of b
//!   for i in 0..a_rows {                        for i in 0..a_rows {
//!     … entries of b[i] …                         … entries of b_row[i] …
//!   }                                           }
//! ```

use std::collections::BTreeMap;

use crate::ir::expr::{Expr, usize};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Domain, Stmt};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

/// Prepares finders, and looks rows up by them.
pub fn run(kernel: &mut Kernel) {
    let mut found = Finders { finders: BTreeMap::new(), kernel };
    let mut body = std::mem::take(&mut found.kernel.body);
    found.block(&mut body, false);
    let prepared = found.finders.iter().map(|(&matrix, &finder)| Stmt::FindRows { finder, matrix });
    kernel.body = prepared.collect::<Vec<_>>().into_iter().chain(body.0).collect();
}

struct Finders<'k> {
    /// The finder of each matrix.
    finders: BTreeMap<Var, Var>,
    kernel: &'k mut Kernel,
}

impl Finders<'_> {
    fn block(&mut self, block: &mut Block, whole: bool) {
        for stmt in &mut block.0 {
            // A loop from 0 on goes over a whole dimension.
            let whole = whole
                || match stmt {
                    Stmt::For { lo, .. } | Stmt::Parallel { domain: Domain::Range { lo, .. }, .. } => *lo == usize(0),
                    Stmt::Parallel { domain: Domain::Rows { .. }, .. } => true,
                    _ => false,
                };
            if whole {
                self.stmt(stmt);
            }
            for inner in stmt.blocks_mut() {
                self.block(inner, whole);
            }
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        if let Stmt::Locate { store: Expr::Var(matrix), .. } = stmt
            && let Some(finder) = self.finder(*matrix)
        {
            *matrix = finder;
        }
        for expr in stmt.exprs_mut() {
            expr.rewrite(&mut |e| {
                if let Expr::Load(matrix, _) = e
                    && let Some(finder) = self.finder(*matrix)
                {
                    *matrix = finder;
                }
            });
        }
    }

    /// The finder of a variable, if that is a matrix.
    fn finder(&mut self, matrix: Var) -> Option<Var> {
        let of_stores = matches!(
            &self.kernel.vars[matrix].ty,
            Type::Array(ArrayType { element: Element::Store(_), .. })
                | Type::Store(StoreType { element: Element::Store(_), .. })
        );
        let tensor = self.kernel.params.iter().find(|tensor| tensor.fields.iter().any(|field| field.var == matrix))?;
        if !of_stores {
            return None;
        }
        let name = match self.kernel.form(tensor) {
            crate::ir::convention::Form::Rows(_) => tensor.name.to_lowercase(),
            _ => self.kernel.vars[matrix].name.clone(),
        };
        let ty = self.kernel.vars[matrix].ty.clone();
        let vars = &mut self.kernel.vars;
        Some(*self.finders.entry(matrix).or_insert_with(|| vars.fresh(format!("{name}_row"), ty)))
    }
}
