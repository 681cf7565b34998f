//! Loops over numbers, loops with a condition, and branches.

use crate::ir::expr::Expr;
use crate::ir::interpret::expr::{Compiled, Compiler};
use crate::ir::interpret::frame::{Action, Code, Stop};
use crate::ir::kernel::Var;
use crate::ir::stmt::Block;

impl Compiler<'_> {
    pub(super) fn count(&mut self, var: &Var, lo: &Expr, hi: &Expr, body: &Block) -> Compiled<Action> {
        let (lo, hi, slot) = (self.usize(lo)?, self.usize(hi)?, var.0 as usize);
        let all = self.goes_along_all(body);
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            let (lo, hi) = (lo(f)?, hi(f)?);
            all(f, lo, hi)?;
            for i in lo..hi {
                f.tick(1)?;
                f.scalars[slot] = i as u64;
                match body(f) {
                    Ok(()) => {}
                    Err(Stop::Break) => break,
                    Err(stop) => return Err(stop),
                }
            }
            Ok(())
        }))
    }

    pub(super) fn repeat(&mut self, condition: &Expr, body: &Block) -> Compiled<Action> {
        let condition: Code<bool> = self.typed(condition)?;
        let body = self.block(body)?;
        Ok(Box::new(move |f| {
            while condition(f)? {
                f.tick(1)?;
                match body(f) {
                    Ok(()) => {}
                    Err(Stop::Break) => break,
                    Err(stop) => return Err(stop),
                }
            }
            Ok(())
        }))
    }

    pub(super) fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block) -> Compiled<Action> {
        let mut arms =
            arms.iter().map(|(c, b)| Ok((self.typed::<bool>(c)?, self.block(b)?))).collect::<Compiled<Vec<_>>>()?;
        let otherwise = self.block(otherwise)?;
        Ok(if arms.len() == 1 {
            let (condition, then) = arms.remove(0);
            Box::new(move |f| if condition(f)? { then(f) } else { otherwise(f) })
        } else {
            Box::new(move |f| {
                for (condition, then) in &arms {
                    if condition(f)? {
                        return then(f);
                    }
                }
                otherwise(f)
            })
        })
    }
}
