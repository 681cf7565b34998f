//! The parameters that are passed as matrices whose rows are stores, for passes that take all of their rows at once.

use crate::ir::convention::Form;
use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::types::{ArrayType, Element, StoreType, Type};

/// The matrices of a kernel.
pub struct Matrices(Vec<Matrix>);

struct Matrix {
    /// The variable that keeps the rows.
    rows: Var,
    /// The tensor's name.
    name: String,
    /// Expressions that are the number of rows, or checked to be.
    extents: Vec<Expr>,
}

impl Matrices {
    /// The matrices among the parameters of a kernel.
    pub fn of(kernel: &Kernel) -> Matrices {
        let matrices = kernel.params.iter().filter_map(|tensor| {
            let Form::Rows(rows) = kernel.form(tensor) else { return None };
            let extent = Expr::Var(tensor.extents().next()?);
            let mut extents = vec![extent.clone()];
            for check in &kernel.checks {
                if check.left == extent {
                    extents.push(check.right.clone());
                }
                if check.right == extent {
                    extents.push(check.left.clone());
                }
            }
            Some(Matrix { rows, name: tensor.name.to_lowercase(), extents })
        });
        Matrices(matrices.collect())
    }

    fn get(&self, matrix: Var) -> Option<&Matrix> {
        self.0.iter().find(|own| own.rows == matrix)
    }

    /// Whether a variable is a matrix, and an expression is sure to be the number of its rows.
    pub fn has_rows(&self, matrix: Var, extent: &Expr) -> bool {
        self.get(matrix).is_some_and(|own| own.extents.contains(extent))
    }

    /// A new variable for row `i` of a matrix, called `a_i`.
    pub fn row(&self, matrix: Var, i: Var, kernel: &mut Kernel) -> Var {
        let (Type::Array(ArrayType { element: Element::Store(row), .. })
        | Type::Store(StoreType { element: Element::Store(row), .. })) = kernel.vars[matrix].ty.clone()
        else {
            unreachable!("a matrix whose rows are stores");
        };
        let name = self.get(matrix).map_or("row", |own| &own.name);
        let name = format!("{name}_{}", kernel.vars[i].name);
        kernel.vars.fresh(name, Type::Store(*row))
    }
}
