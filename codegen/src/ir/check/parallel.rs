//! Loops whose iterations may run at the same time: what is outside is read only, but for what they own or fold into.

use super::error::CheckError;
use super::scope::{Checked, Checker, State};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Domain, Owned, Partition, Reduce, Stmt};
use crate::ir::types::{Element, Scalar, Type};

impl Checker<'_> {
    pub(super) fn parallel(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        let Stmt::Parallel { var, domain, owned, reductions, work, scratch, body } = stmt else { return Ok(()) };
        if let Some(weights) = work.weights {
            self.array_of_usize(weights)?;
        }
        if self.in_parallel {
            return Err(CheckError::NestedParallel);
        }
        let bound = self.domain(*var, domain, owned)?;
        for share in owned {
            self.share(share, domain)?;
        }
        for (v, op) in reductions {
            self.folded(*v, *op)?;
        }
        let before = self.state.clone();
        self.leave_outside();
        self.own(owned)?;
        for (v, op) in reductions {
            self.state.insert(*v, State::Folded(*op));
        }
        self.in_parallel = true;
        let loops = std::mem::take(&mut self.loops);
        let scratch = self.stmts(scratch, depth)?;
        self.loops = loops;
        self.counted = match domain {
            Domain::Range { .. } => Some(*var),
            Domain::Listed { position, .. } => Some(*position),
            Domain::Entries { .. } | Domain::Rows { .. } => None,
        };
        self.closure(&bound, body, depth)?;
        self.forget(&scratch);
        self.in_parallel = false;
        self.state.extend(before);
        for share in owned {
            if self.live(share.array)? == State::Uncleared {
                self.state.insert(share.array, State::Mutable);
            }
        }
        Ok(())
    }

    /// What the loop runs over. Returns the variables that an iteration binds.
    fn domain(&self, var: Var, domain: &Domain, owned: &[Owned]) -> Checked<[Option<Var>; 2]> {
        match domain {
            Domain::Range { lo, hi } => {
                self.index(lo, 0)?;
                self.index(hi, 0)?;
                self.counter(var)?;
                Ok([Some(var), None])
            }
            Domain::Entries { store, value } => {
                let store = self.store(store)?;
                self.entry(var, *value, &store)?;
                Ok([Some(var), *value])
            }
            Domain::Rows { matrix, row } => {
                let of = self.row_type(*matrix)?;
                if let Some(row) = row {
                    self.row(*row, &of)?;
                }
                self.counter(var)?;
                Ok([Some(var), *row])
            }
            Domain::Listed { lo, hi, position, crd } => {
                self.index(lo, 0)?;
                self.index(hi, 0)?;
                self.counter(var)?;
                self.counter(*position)?;
                let element = &self.array(*crd)?.element;
                if *element != Element::Scalar(Scalar::U32) {
                    return Self::mismatch(&format!("`{}`", self.name(*crd)), "an array of u32", element);
                }
                if owned.iter().any(|share| share.array == *crd) {
                    return Err(CheckError::Read { name: self.name(*crd), reason: "the loop over it writes it" });
                }
                Ok([Some(var), Some(*position)])
            }
        }
    }

    /// An array that the loop deals out, and how.
    fn share(&self, share: &Owned, domain: &Domain) -> Checked {
        self.array(share.array)?;
        if self.live(share.array)? != State::Uncleared {
            self.writable(share.array, true)?;
        }
        match &share.partition {
            Partition::Each { offset, stride } => {
                self.index(offset, 0)?;
                self.index(stride, 0)
            }
            Partition::Segments { pos, stride } => {
                self.array_of_usize(*pos)?;
                self.index(stride, 0)
            }
            Partition::Positions { stride } => {
                self.index(stride, 0)?;
                match domain {
                    Domain::Listed { .. } => Ok(()),
                    _ => Self::mismatch("the loop", "a loop over positions", "a loop over numbers"),
                }
            }
            Partition::Anywhere => Ok(()),
        }
    }

    /// A variable that a loop folds into.
    pub(super) fn folded(&self, v: Var, op: Reduce) -> Checked {
        self.writable(v, false)?;
        match self.ty(v)? {
            Type::Scalar(s) => self.fold(op, *s),
            _ => self.wrong_type(v, "a scalar"),
        }
    }

    /// Makes all variables of outer scopes read-only.
    fn leave_outside(&mut self) {
        for state in self.state.values_mut() {
            if *state == State::Mutable {
                *state = State::Outside;
            }
        }
    }

    /// From now on the arrays belong in parts to the iterations. None is dealt out twice, or by positions that are written as well.
    fn own(&mut self, owned: &[Owned]) -> Checked {
        for share in owned {
            let own = if share.partition == Partition::Anywhere { State::Shared } else { State::Owned };
            let before = self.state.insert(share.array, own);
            match before {
                Some(State::Owned | State::Shared | State::Made) => {
                    return Err(CheckError::Redeclared(self.name(share.array)));
                }
                Some(State::Uncleared) => self.state.insert(share.array, State::Made),
                _ => None,
            };
        }
        for share in owned {
            if let Partition::Segments { pos, .. } = share.partition
                && let Some(State::Owned | State::Shared | State::Made) = self.state.get(&pos)
            {
                return Err(CheckError::Read { name: self.name(pos), reason: "the loop that it deals out writes it" });
            }
        }
        Ok(())
    }

    /// A loop over the rows of a matrix that appends at most one value for each. Rows may be computed at the same time.
    pub(super) fn gather(&mut self, stmt: &Stmt, depth: usize) -> Checked {
        let Stmt::Gather { matrix, coord, row, body, flag, value, crd, vals } = stmt else { return Ok(()) };
        let of = self.row_type(*matrix)?;
        self.row(*row, &of)?;
        self.counter(*coord)?;
        if self.growable(*crd)?.element != Element::Scalar(Scalar::U32) {
            return self.wrong_type(*crd, "an array of u32");
        }
        let element = self.growable(*vals)?.element.clone();
        let before = self.state.clone();
        self.leave_outside();
        self.forget(&[*crd, *vals]);
        for v in [coord, row] {
            self.declare(*v, State::Bound)?;
        }
        let loops = std::mem::take(&mut self.loops);
        self.stmts(body, depth)?;
        self.loops = loops;
        self.scalar(&Expr::Var(*flag), Scalar::Bool, "the flag")?;
        self.element(value, &element, "the value")?;
        let declared: Vec<Var> = self.state.keys().filter(|v| !before.contains_key(v)).copied().collect();
        self.forget(&declared);
        self.state.extend(before);
        Ok(())
    }
}
