//! Kernels that copy a tensor into another format: what they do is a conversion.

use std::collections::BTreeMap;

use super::made::Method;
use super::order;
use super::routine::{Conversion, convert_as};
use crate::ir::{self, ShapeCheck, Var};
use crate::notation::concrete::{Expr, Kernel, Role, Statement, same};

/// The routine for a kernel `B(i, j) = A(i, j)`, or with the indices of `B` in another order, if it makes `B` without a list that is sorted.
/// Of a hypersparse tensor, also without an array for each coordinate of a dimension: time is to grow with entries there.
///
/// It makes the checks that the `interface` of the kernel lists.
pub(crate) fn of_kernel(kernel: &Kernel, interface: impl FnOnce() -> ir::Kernel) -> Option<Conversion> {
    let [Statement::Index(assign)] = &kernel.body[..] else { return None };
    let Expr::Access(read) = &assign.value else { return None };
    if assign.mask.is_some() || assign.reduce.is_some() || assign.over.is_some() || kernel.tensors.len() != 2 {
        return None;
    }
    let (from, to) = (&kernel.tensors[read.tensor.0], &kernel.tensors[assign.target.tensor.0]);
    let (source, target) = (from.format.as_ref()?, to.format.as_ref()?);
    let copies = (from.role, to.role) == (Role::Param, Role::Result) && from.value == to.value;
    // Of a tensor that is full, a kernel copies every value. Of one that may hold a coordinate twice, it adds the values up.
    if !copies || !same(read.fill, assign.target.fill) || source.is_full() || !order::is_unique(source) {
        return None;
    }
    let place = |index| assign.target.indices.iter().position(|own| own == index);
    let indices: Vec<usize> = read.indices.iter().map(place).collect::<Option<_>>()?;
    if !(0..target.rank()).all(|m| indices.contains(&m)) || indices.len() != target.rank() {
        return None;
    }
    let mut conversion =
        convert_as(&kernel.name, (&from.name, source), (&to.name, target), &indices, from.value).ok()?;
    let hypersparse = source.levels.iter().all(|level| !level.properties.full);
    let direct = conversion.methods.iter().all(|method| *method != Method::Sort) && !(conversion.wide && hypersparse);
    conversion.kernel.checks = checks(&interface(), &conversion.kernel)?;
    direct.then_some(conversion)
}

/// The checks of one kernel over the parameters of another one, which takes the same.
fn checks(of: &ir::Kernel, with: &ir::Kernel) -> Option<Vec<ShapeCheck>> {
    let fields = |kernel: &ir::Kernel| -> Vec<(String, Var)> {
        kernel.param_fields().map(|(_, field)| (field.name.clone(), field.var)).collect()
    };
    let (own, other) = (fields(of), fields(with));
    if !own.iter().map(|field| &field.0).eq(other.iter().map(|field| &field.0)) {
        return None;
    }
    let known: BTreeMap<Var, Var> = own.iter().zip(&other).map(|(own, other)| (own.1, other.1)).collect();
    let mut checks = of.checks.clone();
    let mut all = true;
    for side in checks.iter_mut().flat_map(|check| [&mut check.left, &mut check.right]) {
        side.rewrite(&mut |expr| {
            if let ir::Expr::Var(var) | ir::Expr::Len(var) | ir::Expr::Load(var, _) = expr {
                match known.get(var) {
                    Some(same) => *var = *same,
                    None => all = false,
                }
            }
        });
    }
    all.then_some(checks)
}
