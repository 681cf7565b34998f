//! How each result of a statement is made.
//!
//! ```text
//! C(i,j) = A(i,j) * s                        the levels of A, copied
//! C(i,j) = B(i,j) * X(i,k) * Z(j,k)          those of B, where X and Z are dense
//! C(i,j) = A(i,j,k) * x(k)                   the upper levels of A: an entry for each of its fibers
//! C(i,j,l) = A(i,j,k) * X(k,l)               the same, and a block of values below each of them
//! C(i,j) = A(i,j) + B(i,j)                   entries come in the order of the levels, and are appended: to rows, or to a list
//! C(j,i) = A(i,j) + B(i,j)                   entries are collected, and inserted into levels at the end, or sorted
//! ```

use std::sync::Arc;

use super::draft::Draft;
use super::kept::{Copied, Kept};
use super::known::Known;
use crate::convert::appendable::{Appendable, comes_in_order};
use crate::convert::collected::Source;
use crate::convert::{check_assembly, check_fit, check_ways};
use crate::diagnostic::Diagnostic;
use crate::format::{Format, FormatLevel};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Expr, Role, Stmt, Tensor, same};
use crate::notation::presence::drops_entries;
use crate::notation::{is_driven, start};

impl Draft<'_> {
    /// Decides how the tensors are made that a statement is the first to write.
    pub fn targets(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        let assigns = stmt.all_assigns();
        for &assign in &assigns {
            let id = assign.target.tensor;
            let tensor = self.kernel.tensor(id);
            if tensor.role == Role::Workspace {
                continue;
            }
            let sparse = tensor.format.as_ref().filter(|format| !format.is_written_in_place());
            check_ways(tensor, sparse.is_some(), assign, &assigns)?;
            if self.kept[id.0].is_some() {
                if sparse.is_some()
                    && tensor.role != Role::Param
                    && !self.plan.made.iter().any(|made| made.target.tensor == id)
                {
                    let mistake =
                        Diagnostic::new(assign.span, format!("`{}` is made already, and is not dense", tensor.name));
                    let help = "compute it in one statement, or through a temporary that is dense";
                    return Err(Box::new(mistake.help(help)));
                }
                continue;
            }
            self.plan.kept[id.0] = Some(match (sparse, &tensor.format) {
                _ if tensor.rank == 0 => Kept::Scalar { remembers: false },
                (Some(format), _) => {
                    let kept = self.sparse_target(stmt, assign, tensor, format);
                    if let Kept::Collected(_) | Kept::Appended(_, Some(_)) = kept {
                        check_assembly(tensor, format, assign)?;
                    }
                    check_fit(tensor, format, assign)?;
                    kept
                }
                (None, Some(format)) => Kept::whole(format),
                (None, None) => Kept::Array { listed: false },
            });
            self.plan.made.push(assign.clone());
        }
        Ok(())
    }

    fn sparse_target(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor, format: &Format) -> Kept {
        let places = Appendable::of(assign, format).filter(|_| !is_driven(self.kernel, stmt));
        if let Some(places) = places.as_ref().filter(|places| places.is_filled_once(stmt, assign))
            && let Some(of) = self.shape_of(stmt, assign, tensor, places)
        {
            return Kept::Copied(Arc::new(Copied { of, places: places.clone() }));
        }
        // To fold the value of a workspace into a fresh target is to assign it, if each element is written once.
        let drains =
            matches!(&assign.value, Expr::Access(access) if self.kernel.tensor(access.tensor).role == Role::Workspace);
        let once = assign.reduce.is_none() || drains;
        let appended = places.filter(|places| places.are_appended(stmt, assign, once));
        let (kernel, result) = (self.kernel, (tensor, format));
        let rows = || {
            let rows = Source::by_rows(kernel, (stmt, assign), result, (once, appended.is_some()));
            rows.filter(|_| !is_driven(kernel, stmt))
        };
        let shallow = appended.as_ref().is_some_and(|places| !places.is_deep());
        match (rows().filter(|_| !shallow), &appended) {
            (Some((source, places)), _) => Kept::Appended(places, Some(Arc::new(source))),
            (None, Some(places)) => Kept::Appended(places.clone(), None),
            (None, None) => {
                let in_order = once && comes_in_order(stmt, assign, format);
                Kept::Collected(Arc::new(Source::by_entries(kernel, (stmt, assign), result, in_order)))
            }
        }
    }

    /// The operand whose levels a target can copy, since the target has entries exactly where the operand has them.
    fn shape_of(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor, places: &Appendable) -> Option<Access> {
        let format = tensor.format.as_ref()?;
        let ty = self.computed_type(assign);
        let computed = |ty: ValueType| if ty == ValueType::Pattern { ValueType::Bool } else { ty };
        let folds_from_nothing =
            |reduce| same(start(assign, reduce, tensor.value), tensor.fill) && computed(ty) == computed(tensor.value);
        if tensor.value == ValueType::Pattern || !assign.reduce.is_none_or(folds_from_nothing) {
            return None;
        }
        let body = stmt.inside(&places.order(), assign.target.tensor)?;
        let (mut reads, mut drops) = (Vec::new(), false);
        body.assigns(&mut |other| {
            drops |= other.mask.is_some() || drops_entries(&other.value);
            other.reads(&mut |access| reads.push(access.clone()));
        });
        let is_like = |access: &&Access| match &self.kept[access.tensor.0] {
            Some(Kept::Levels(form)) => places.has_levels_of(format, form, access),
            _ => false,
        };
        let of = reads.iter().find(is_like)?;
        let steps = self
            .kernel
            .tensor(of.tensor)
            .format
            .as_ref()
            .is_some_and(|format| format.levels.iter().all(FormatLevel::steps));
        let dense = |access: &Access| {
            let tensor = self.kernel.tensor(access.tensor);
            // A full operand that cannot be indexed is merged with the one that is copied, which then has to step: it is not sorted here.
            tensor.is_full() && tensor.format.as_ref().is_none_or(|format| steps || format.is_written_in_place())
        };
        let alone = reads.iter().all(|access| access == of || access.tensor != of.tensor && dense(access));
        let known = Known { path: places.order(), ..Known::default() };
        (!drops && alone && self.nothing_to_do(body, &known, &[of.tensor])).then(|| of.clone())
    }
}
