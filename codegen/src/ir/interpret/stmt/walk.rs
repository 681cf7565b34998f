//! Parts of arrays that have a name, and elements that a loop goes along.

use crate::ir::expr::Expr;
use crate::ir::interpret::expr::{Compiled, Compiler};
use crate::ir::interpret::frame::{Action, Fault, Frame, Stop};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt, Walked};

impl Compiler<'_> {
    /// Code that notes where a part of an array begins, and how long it is.
    pub(super) fn slice(&mut self, slice: Var, array: Var, lo: &Expr, hi: &Expr) -> Compiled<Action> {
        let (lo, hi, slot) = (self.usize(lo)?, self.usize(hi)?, slice.0 as usize);
        let (of, around) = self.found_in(array);
        self.slices.insert(slice, of);
        Ok(Box::new(move |f| {
            let (lo, hi) = (lo(f)?, hi(f)?);
            let (start, len) = around(f)?;
            if lo > hi || hi > len {
                return f.fail(Fault::OutOfBounds(array, if hi > len { hi - 1 } else { lo }, len));
            }
            f.slices[slot] = (start + lo, hi - lo);
            Ok(())
        }))
    }

    /// Code for what an iteration does with elements. It changes them in its own variables, and stores them at its end.
    pub(super) fn along(&mut self, walked: &[Walked], body: &Block) -> Compiled<Action> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for one in walked {
            before.push(self.set(one.element, &Expr::Load(one.array, Box::new(one.at.clone())))?);
            if one.written {
                after.push(self.put(one.array, &one.at, &Expr::Var(one.element))?);
            }
        }
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            for action in &before {
                action(f)?;
            }
            let ended = body(f);
            if ended == Err(Stop::Fault) {
                return ended;
            }
            for action in &after {
                action(f)?;
            }
            ended
        }))
    }

    /// Code that checks, before a loop over `lo..hi`, that it goes along all of the arrays of which it says so.
    pub(super) fn goes_along_all(
        &self,
        body: &Block,
    ) -> impl Fn(&mut Frame, usize, usize) -> Result<(), Stop> + Send + Sync + 'static {
        let walked = match &body.0[..] {
            [Stmt::Along { walked, .. }] => &walked[..],
            _ => &[],
        };
        let whole: Vec<_> =
            walked.iter().filter(|one| one.whole).map(|one| (one.array, self.found_in(one.array).1)).collect();
        move |f, lo, hi| {
            for (array, all) in &whole {
                let (_, len) = all(f)?;
                if lo != 0 || hi != len {
                    return f.fail(Fault::OutOfBounds(*array, hi, len));
                }
            }
            Ok(())
        }
    }
}
