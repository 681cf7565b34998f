//! Workspaces: what the right side of a `where` fills and the left side reads.

use super::Stopped;
use super::nest::{Lower, Marks, Operand, Source, State, Storage};
use super::operand::reads_of;
use super::storage::{literal, scalar};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Type};
use crate::notation::concrete::{Expr, Operator, Role, Stmt, TensorId, number};

impl Lower<'_> {
    pub(super) fn where_(&mut self, consumer: &Stmt, producer: &Stmt, state: &State) -> Result<Block, Stopped> {
        if self.nothing_to_do(producer, state, &[]) {
            // Where operands are missing, there may be nothing to put into the workspace at all.
            let mut without = state.clone();
            without.gone.extend(producer.written());
            return self.stmt(consumer, &without);
        }
        let mut block = Block::new();
        let mut clear = Block::new();
        let mut marked = Vec::new();
        for id in producer.written() {
            let tensor = self.kernel.tensor(id).clone();
            if tensor.role != Role::Workspace {
                continue;
            }
            let own = scalar(tensor.value);
            let fill = literal(tensor.fill, own);
            let sparse =
                self.nothing_to_do(consumer, state, &[id]) && consumer.written().iter().any(|w| self.is_sparse(*w));
            let prefix = super::storage::prefix(&tensor.name);
            if tensor.rank == 0 {
                let var = self.vars.fresh(prefix.clone(), own);
                block.push(IrStmt::Let(var, fill));
                let remembers = consumer.written().iter().any(|w| self.is_sparse(*w)) || annihilates(consumer, id);
                let flag = remembers.then(|| {
                    let flag = self.vars.fresh(format!("{prefix}_set"), Scalar::Bool);
                    block.push(IrStmt::Let(flag, ir::bool(false)));
                    flag
                });
                self.stores[id.0] = Some(Storage::Scalar { var, flag });
                continue;
            }
            let mut indices = None;
            producer.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    indices = Some(assign.target.indices.clone());
                }
            });
            let shape: Vec<Code> =
                indices.unwrap_or_default().iter().map(|index| self.extents[index].clone()).collect();
            let vals = self.vars.fresh(prefix.clone(), Type::vec(own));
            let len = shape.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
            self.declare(IrStmt::NewArray { var: vals, len: len.clone(), fill: fill.clone() });
            let marks = (tensor.rank == 1 && sparse).then(|| {
                let set = self.vars.fresh(format!("{prefix}_set"), Type::vec(Scalar::Bool));
                let list = self.vars.fresh(format!("{prefix}_list"), Type::vec(Scalar::Usize));
                self.declare(IrStmt::NewArray { var: set, len: len.clone(), fill: ir::bool(false) });
                self.declare(IrStmt::NewVec { var: list, capacity: None });
                Marks { set, list }
            });
            if let Some(marks) = marks {
                let q = self.vars.fresh("q", Scalar::Usize);
                let forget = IrStmt::Store(marks.set, ir::load(marks.list, q), ir::bool(false));
                clear.push(IrStmt::count(q, ir::usize(0), ir::len(marks.list), forget));
                clear.push(IrStmt::Resize { array: marks.list, len: ir::usize(0), fill: ir::usize(0) });
                marked.push((id, vals, marks));
            } else if !state.path.is_empty() {
                // It is left as it was found: the next one finds it clean.
                clear.push(IrStmt::Fill { array: vals, lo: ir::usize(0), hi: len, value: fill });
            }
            self.stores[id.0] = Some(Storage::Dense { shape, vals, marks });
        }
        block.append(self.stmt(producer, state)?);
        for (id, vals, marks) in marked {
            block.push(IrStmt::Sort { array: marks.list, lo: ir::usize(0), hi: ir::len(marks.list), keys: None });
            let mut found = Vec::new();
            reads_of(consumer, id, &mut state.path.clone(), &mut found);
            for (access, path) in found {
                let order = Self::order_of(&access, &path);
                // The statement may have been lowered before, in another case of the loops around: with arrays of its own.
                let source = Source::Marked(vals, marks);
                match self.operands.iter_mut().find(|known| known.access == access && known.order == order) {
                    Some(known) => known.source = source,
                    None => self.operands.push(Operand { access, order, source, drives: false }),
                }
            }
        }
        block.append(self.stmt(consumer, state)?);
        block.append(clear);
        Ok(block)
    }

    /// Declares what lives as long as the statement or, in a parallel loop, as long as the task.
    fn declare(&mut self, stmt: IrStmt) {
        match &mut self.scratch {
            Some(scratch) => scratch.push(stmt),
            None => self.prelude.push(stmt),
        }
    }
}

/// Whether a workspace stands in an operation that its fill annihilates by definition, and not by the numbers: nothing times
/// `second` is nothing, but the second of 0 and 1 is 1.
fn annihilates(consumer: &Stmt, id: TensorId) -> bool {
    fn uses(expr: &Expr, id: TensorId) -> bool {
        let mut uses = false;
        expr.accesses(&mut |access| uses |= access.tensor == id);
        uses
    }
    fn go(expr: &Expr, id: TensorId) -> bool {
        let Expr::Apply(op, args) = expr else { return false };
        let declared = match op {
            Operator::Times(semiring) => {
                let zero = number(semiring.zero);
                !(semiring.times == Operator::Mul && zero == 0.0
                    || semiring.times == Operator::Add && zero.is_infinite())
            }
            Operator::Function(function) => function.annihilator.is_some(),
            _ => false,
        };
        declared && uses(expr, id) || args.iter().any(|arg| go(arg, id))
    }
    let mut found = false;
    consumer.assigns(&mut |assign| found |= go(&assign.value, id));
    found
}
