//! Arrays are made, changed and filled.

use crate::ir::check::CheckError;
use crate::ir::expr::{Expr, after};
use crate::ir::interpret::error::RunError;
use crate::ir::interpret::expr::{Compiled, Compiler};
use crate::ir::interpret::frame::{Action, Code, Fault, Frame, Stop, checked_range};
use crate::ir::interpret::prim::{Prim, with_scalar};
use crate::ir::interpret::value::Array;
use crate::ir::kernel::Var;
use crate::ir::stmt::Reduce;
use crate::ir::types::Scalar;

impl Compiler<'_> {
    /// Code that gives one element after `at` has said where.
    pub(super) fn put(&self, array: Var, at: &Expr, value: &Expr) -> Compiled<Action> {
        let (array, index) = self.place(array, at)?;
        let (slot, owned) = (array.0 as usize, self.owned[array.0 as usize]);
        let Some(scalar) = self.element(array) else {
            let value = self.store(value)?;
            return Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                let len = f.arrays[slot].len();
                match &mut f.arrays[slot] {
                    Array::Stores(stores) if i < len => stores[i] = value,
                    _ => return f.fail(Fault::OutOfBounds(array, i, len)),
                }
                Ok(())
            }));
        };
        with_scalar!(scalar, T => {
            let value: Code<T> = self.typed(value)?;
            Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                *element_mut(f, array, i)? = value;
                Ok(())
            }))
        })
    }

    /// Code that folds a value into an element.
    pub(super) fn fold_into(&self, array: Var, at: &Expr, op: Reduce, value: &Expr) -> Compiled<Action> {
        let (array, index) = self.place(array, at)?;
        let owned = self.owned[array.0 as usize];
        with_scalar!(self.element(array).unwrap_or(Scalar::Bool), T => {
            let value: Code<T> = self.typed(value)?;
            // The element is handed to the operator's own closure through a slot, except for the common sum of floats.
            if op == Reduce::Add && T::SCALAR == Scalar::F64 {
                let value: Code<f64> = Box::new(move |f| Ok(f64::from_bits(value(f)?.encode())));
                return Ok(Box::new(move |f| {
                    let value = value(f)?;
                    let i = index(f)?;
                    if owned {
                        f.own(array, i)?;
                    }
                    *element_mut::<f64>(f, array, i)? += value;
                    Ok(())
                }));
            }
            let temp = self.kernel.vars.len();
            let old: Code<T> = Box::new(move |f| Ok(T::decode(f.scalars[temp])));
            let Some(combine) = T::binary(op.binary(), old, Box::new(move |f| Ok(T::decode(f.scalars[temp + 1])))) else {
                return Err(RunError::Invalid(CheckError::Operator {
                    op: op.symbol().into(),
                    ty: T::SCALAR.to_string(),
                }));
            };
            Ok(Box::new(move |f| {
                let value = value(f)?;
                let i = index(f)?;
                if owned {
                    f.own(array, i)?;
                }
                f.scalars[temp] = element_mut::<T>(f, array, i)?.encode();
                f.scalars[temp + 1] = value.encode();
                let new = combine(f)?;
                *element_mut(f, array, i)? = new;
                Ok(())
            }))
        })
    }

    pub(super) fn new_array(&mut self, var: &Var, len: &Expr, fill: &Expr) -> Compiled<Action> {
        let (len, slot, var) = (self.usize(len)?, var.0 as usize, *var);
        Ok(match self.element(var) {
            Some(scalar) => with_scalar!(scalar, T => {
                let fill: Code<T> = self.typed(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (f.length(var, &len)?, fill(f)?);
                    f.arrays[slot] = T::new_array(vec![fill; len]);
                    Ok(())
                })
            }),
            None => {
                let fill = self.store(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (f.length(var, &len)?, fill(f)?);
                    f.arrays[slot] = Array::Stores(vec![fill; len]);
                    Ok(())
                })
            }
        })
    }

    pub(super) fn copy_array(&mut self, var: &Var, from: &Var, len: &Expr) -> Compiled<Action> {
        let (len, slot, from, var) = (self.usize(len)?, var.0 as usize, *from, *var);
        Ok(match self.element(var) {
            Some(scalar) => with_scalar!(scalar, T => {
                Box::new(move |f| {
                    let len = f.length(var, &len)?;
                    let elements = T::slice(&f.arrays[from.0 as usize]);
                    let Some(part) = elements.get(..len) else {
                        let all = elements.len();
                        return f.fail(Fault::OutOfBounds(from, len.saturating_sub(1), all));
                    };
                    f.arrays[slot] = T::new_array(part.to_vec());
                    Ok(())
                })
            }),
            // Unreachable in a checked kernel.
            None => Box::new(|_| Err(Stop::Fault)),
        })
    }

    pub(super) fn copy_part(&self, array: Var, at: &Expr, from: Var, first: &Expr, len: usize) -> Compiled<Action> {
        let (to_slot, from_slot) = (array.0 as usize, from.0 as usize);
        let (to_owned, from_owned) = (self.owned[to_slot], self.owned[from_slot]);
        let (at, at_end) = (self.usize(at)?, self.usize(&after(at, len))?);
        let (first, first_end) = (self.usize(first)?, self.usize(&after(first, len))?);
        Ok(with_scalar!(self.element(array).unwrap_or(Scalar::Bool), T => {
            Box::new(move |f| {
                let (first, first_end) = checked_range(f, from, from_owned, &first, &first_end)?;
                let (at, at_end) = checked_range(f, array, to_owned, &at, &at_end)?;
                let part = T::slice(&f.arrays[from_slot])[first..first_end].to_vec();
                if let Some(elements) = T::vec(&mut f.arrays[to_slot]) {
                    elements[at..at_end].copy_from_slice(&part);
                }
                Ok(())
            })
        }))
    }

    pub(super) fn new_vec(&mut self, var: &Var, capacity: &Option<Expr>) -> Compiled<Action> {
        let (slot, element) = (var.0 as usize, self.element(*var));
        // The capacity is a hint, but one that may fault, as it does in compiled code.
        let capacity = capacity.as_ref().map(|c| self.usize(c)).transpose()?;
        Ok(Box::new(move |f| {
            if let Some(capacity) = &capacity {
                capacity(f)?;
            }
            f.arrays[slot] = element.map_or(Array::Stores(Vec::new()), Array::empty);
            Ok(())
        }))
    }

    pub(super) fn numbers(&mut self, var: Var, len: &Expr) -> Compiled<Action> {
        let (len, slot) = (self.usize(len)?, var.0 as usize);
        Ok(Box::new(move |f| {
            let len = f.length(var, &len)?;
            f.tick(len as u64)?;
            f.arrays[slot] = usize::new_array((0..len).collect());
            Ok(())
        }))
    }

    pub(super) fn push(&mut self, a: &Var, x: &Expr) -> Compiled<Action> {
        let (slot, array) = (a.0 as usize, *a);
        Ok(match self.element(*a) {
            Some(scalar) if self.owned[slot] => with_scalar!(scalar, T => {
                let value: Code<T> = self.typed(x)?;
                Box::new(move |f| {
                    let value = value(f)?;
                    let at = f.place(array)?;
                    *element_mut(f, array, at)? = value;
                    Ok(())
                })
            }),
            Some(scalar) => with_scalar!(scalar, T => {
                let value: Code<T> = self.typed(x)?;
                Box::new(move |f| {
                    let value = value(f)?;
                    f.charge(array, 1)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements.push(value);
                    }
                    Ok(())
                })
            }),
            None => {
                let value = self.store(x)?;
                Box::new(move |f| {
                    let value = value(f)?;
                    f.charge(array, 1)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores.push(value);
                    }
                    Ok(())
                })
            }
        })
    }

    pub(super) fn resize(&mut self, array: &Var, len: &Expr, fill: &Expr) -> Compiled<Action> {
        let (len, slot, array) = (self.usize(len)?, array.0 as usize, *array);
        Ok(match self.element(array) {
            Some(scalar) => with_scalar!(scalar, T => {
                let fill: Code<T> = self.typed(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (len(f)?, fill(f)?);
                    let more = len.saturating_sub(f.arrays[slot].len());
                    f.charge(array, more)?;
                    f.tick(more as u64)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements.resize(len, fill);
                    }
                    Ok(())
                })
            }),
            None => {
                let fill = self.store(fill)?;
                Box::new(move |f| {
                    let (len, fill) = (len(f)?, fill(f)?);
                    let more = len.saturating_sub(f.arrays[slot].len());
                    f.charge(array, more)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores.resize(len, fill);
                    }
                    Ok(())
                })
            }
        })
    }

    pub(super) fn fill(&mut self, array: &Var, lo: &Expr, hi: &Expr, value: &Expr) -> Compiled<Action> {
        let (lo, hi, array, slot) = (self.usize(lo)?, self.usize(hi)?, *array, array.0 as usize);
        let owned = self.owned[slot];
        Ok(match self.element(array) {
            Some(scalar) => with_scalar!(scalar, T => {
                let value: Code<T> = self.typed(value)?;
                Box::new(move |f| {
                    let (lo, hi) = checked_range(f, array, owned, &lo, &hi)?;
                    let value = value(f)?;
                    if let Some(elements) = T::vec(&mut f.arrays[slot]) {
                        elements[lo..hi].fill(value);
                    }
                    Ok(())
                })
            }),
            None => {
                let value = self.store(value)?;
                Box::new(move |f| {
                    let (lo, hi) = checked_range(f, array, owned, &lo, &hi)?;
                    let value = value(f)?;
                    if let Array::Stores(stores) = &mut f.arrays[slot] {
                        stores[lo..hi].fill(value);
                    }
                    Ok(())
                })
            }
        })
    }
}

#[inline]
fn element_mut<T: Prim>(f: &mut Frame, array: Var, i: usize) -> Result<&mut T, Stop> {
    let slot = array.0 as usize;
    let len = f.arrays[slot].len();
    if i >= len {
        return f.fail(Fault::OutOfBounds(array, i, len));
    }
    match T::vec(&mut f.arrays[slot]) {
        Some(elements) => Ok(&mut elements[i]),
        // Unreachable in a checked kernel.
        None => Err(Stop::Fault),
    }
}
