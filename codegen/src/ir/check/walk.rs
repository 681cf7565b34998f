//! Parts of arrays that have a name, and arrays that a loop goes along: while they are in use, nothing else changes what they name.

use super::error::CheckError;
use super::scope::{Checked, Checker, State};
use crate::ir;
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Stmt, Walked, steps_with};
use crate::ir::types::{ArrayType, Element, Type};

impl Checker<'_> {
    /// A part of an array, and the statements behind it in its block.
    pub(super) fn slice(&mut self, stmt: &Stmt, behind: &[Stmt]) -> Checked {
        let Stmt::Slice { slice, array, lo, hi, written } = stmt else { return Ok(()) };
        let element = self.elements(*array)?.element.clone();
        if !matches!(element, Element::Scalar(_)) {
            return self.wrong_type(*array, "an array of scalars");
        }
        self.index(lo, 0)?;
        self.index(hi, 0)?;
        // A task sees a shared array from its beginning.
        if self.live(*array)? == State::Shared && *lo != ir::usize(0) {
            return Err(CheckError::Read {
                name: self.name(*array),
                reason: "tasks share it, and a part begins later",
            });
        }
        if *written {
            self.bounds_apart(*array, &[lo, hi])?;
        }
        match self.ty(*slice)? {
            Type::Array(ArrayType { element: own, growable: false }) if *own == element => {}
            _ => return self.wrong_type(*slice, format!("an array of {element}")),
        }
        let used = behind.iter().rposition(|stmt| stmt.mentions(*slice)).map_or(0, |last| last + 1);
        let disturbs = |stmt: &Stmt| if *written { stmt.mentions(*array) } else { stmt.changes(*array) };
        if behind[..used].iter().any(disturbs) {
            return Err(CheckError::Read { name: self.name(*slice), reason: "what it is a part of is used meanwhile" });
        }
        if *written {
            self.writable(*array, true)?;
        }
        self.slices.insert(*slice);
        self.declare(*slice, if *written { State::Mutable } else { State::Bound })
    }

    /// The bounds of a written part are computed while nothing else may look at the array, even at its length.
    fn bounds_apart(&self, array: Var, bounds: &[&Expr]) -> Checked {
        let mut named = false;
        bounds.iter().for_each(|bound| bound.visit(&mut |part| named |= part.names(array)));
        match named {
            true => Err(CheckError::Read { name: self.name(array), reason: "a bound of a written part of it asks it" }),
            false => Ok(()),
        }
    }

    /// What an iteration does with elements of arrays that a loop, which counts `p`, goes along.
    pub(super) fn along(&mut self, p: Var, walked: &[Walked], body: &Block, depth: usize) -> Checked {
        if body.mentions(p) {
            return Err(CheckError::Read { name: self.name(p), reason: "its loop goes along arrays" });
        }
        let mut inside = Vec::new();
        body.visit(&mut |stmt| inside.extend(stmt.declares().into_iter().chain(stmt.writes())));
        for one in walked {
            self.index(&one.at, 0)?;
            let mut stays = steps_with(&one.at, p);
            one.at.visit(&mut |e| stays &= e.own_vars().all(|v| !inside.contains(&v)));
            if !stays {
                return Err(CheckError::Read { name: self.name(one.array), reason: "a loop goes along it unevenly" });
            }
            if self.live(one.array)? == State::Shared {
                let reason = "tasks share it, and a loop goes along it";
                return Err(CheckError::Read { name: self.name(one.array), reason });
            }
            if one.written {
                self.bounds_apart(one.array, &[&one.at])?;
            }
            match (self.ty(one.element)?, &self.elements(one.array)?.element) {
                (Type::Scalar(own), Element::Scalar(element)) if own == element => {}
                (_, element) => return self.wrong_type(one.element, element),
            }
            let others = walked.iter().filter(|other| other.array == one.array).count() > 1;
            if one.written && (others || body.mentions(one.array)) || !one.written && body.changes(one.array) {
                return Err(CheckError::Read {
                    name: self.name(one.array),
                    reason: "a loop that goes along it uses it otherwise",
                });
            }
            if one.written {
                self.writable(one.array, true)?;
            }
        }
        let elements: Vec<Var> = walked.iter().map(|one| one.element).collect();
        for one in walked {
            self.declare(one.element, if one.written { State::Mutable } else { State::Bound })?;
        }
        self.block(body, depth)?;
        self.forget(&elements);
        Ok(())
    }
}
