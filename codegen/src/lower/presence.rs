//! Whether a value is computed from entries, where that is found out at run time, and the value of an operation elsewhere.

use super::nest::{Lower, State};
use crate::ir::{self, Block, Expr as Code, Scalar};
use crate::notation::algebra::{annihilated, is_identity};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Expr, Operator};
use crate::notation::presence::{Condition, Entries, Presence, presence};
use crate::notation::type_of;
use crate::plan::Entry;
use crate::tensor::{literal, scalar};

impl Condition for Code {
    fn and(self, other: Code) -> Code {
        Code::and(self, other)
    }

    fn or(self, other: Code) -> Code {
        Code::or(self, other)
    }
}

/// Entries that generated code tests: by flags, by conditions, and by values.
struct Tested<'a, 'k> {
    lower: &'a mut Lower<'k>,
    state: &'a State,
    block: &'a mut Block,
}

impl Entries for Tested<'_, '_> {
    type Condition = Code;

    fn access(&mut self, access: &Access) -> Presence<Code> {
        self.lower.flag(access, self.state).map_or(Presence::Always, |flag| Presence::When(flag.into()))
    }

    fn selected(&mut self, kept: &Expr, condition: &Expr) -> Option<Presence<Code>> {
        let ty = type_of(kept, &self.lower.kernel.tensors).unwrap_or(ValueType::F64);
        Some(Presence::When(self.lower.condition(condition, scalar(ty), self.state, self.block)))
    }

    fn left(&mut self, removed: &Expr) -> Presence<Code> {
        match removed {
            Expr::Access(access) => Presence::When(!self.lower.has_entry(access, self.state, self.block)),
            _ => Presence::Always,
        }
    }
}

impl Lower<'_> {
    /// Where an expression is computed from entries.
    pub(super) fn computed(&mut self, expr: &Expr, state: &State, block: &mut Block) -> Presence<Code> {
        presence(expr, &mut Tested { lower: self, state, block }).0
    }

    /// The value of an operation, of which some operands may be absent at run time. An absent operand may make it a constant:
    /// `near(select(a, c), b)` is 0 where `c` does not hold if 0 annihilates `near`. Or it may leave the other operand unchanged, by
    /// declaration and not by arithmetic: `held` has both operands then.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one operation")]
    pub(super) fn guarded(
        &mut self,
        op: &Operator,
        args: &[Expr],
        value: Code,
        held: &[Code],
        ty: Scalar,
        state: &State,
        block: &mut Block,
    ) -> Code {
        let mut value = value;
        // Where both operands decide the value, the first one wins: it is applied last.
        for (at, arg) in args.iter().enumerate().rev() {
            let Some(absent) = state.absent_value(arg) else { continue };
            let left = match annihilated(op, at, absent) {
                Some(result) => literal(result, ty),
                None if held.len() == 2 && is_identity(op, at, absent) => held[1 - at].clone(),
                None => continue,
            };
            if let Presence::When(condition) = self.computed(arg, state, block) {
                value = condition.select(value, left);
            }
        }
        value
    }

    /// Whether `access` has an entry here; of dense tensors, whether its value is not its fill.
    pub(super) fn has_entry(&mut self, access: &Access, state: &State, block: &mut Block) -> Code {
        let flag = self.flag(access, state);
        match (state.read(access).entry, flag) {
            (Entry::Never, _) => return ir::bool(false),
            (Entry::Always, _) => return ir::bool(true),
            (Entry::Flag, Some(flag)) => return flag.into(),
            (Entry::Flag, None) | (Entry::Value, _) => {}
        }
        let tensor = self.kernel.tensor(access.tensor);
        let (own, fill) = (scalar(tensor.value), tensor.fill);
        let value = self.read(access, state, block);
        let entry = value.not_equal(literal(fill, own));
        flag.map_or(entry.clone(), |flag| Code::Var(flag).and(entry))
    }
}
