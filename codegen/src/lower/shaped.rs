//! Results with entries exactly where an operand has them: they keep a copy of its levels, and only values are computed.
//!
//! Nothing is appended then and nothing counted, and the loops around may run in parallel: where each value goes is known.

use std::sync::Arc;

use super::nest::{Lower, State};
use super::storage::{Pos, literal, scalar};
use super::stored::{Shaped, Storage, row_major, size};
use crate::ir::{self, Block, Expr as Code, Partition, Stmt as IrStmt, Type};
use crate::notation::concrete::{Tensor, TensorId};
use crate::plan::Copied;

impl Shaped {
    /// How many values each entry of the last compressed level has.
    fn size(&self) -> Code {
        size(self.extents.clone())
    }

    /// Where the value for these coordinates lies, below position `p` of the last compressed level.
    pub fn position(&self, p: Code, coords: &[Code]) -> Code {
        if self.copied.tail.is_empty() {
            return p;
        }
        let inner: Vec<Code> = self.copied.tail.iter().map(|&m| coords[m].clone()).collect();
        p * self.size() + row_major(&self.extents, &inner)
    }

    /// What belongs to one iteration of the outermost loop.
    pub fn partition(&self) -> Partition {
        match (self.copied.rows, &self.theirs[..]) {
            (0, [_]) => Partition::Positions { stride: self.size() },
            (_, theirs) => Partition::Segments { pos: theirs[theirs.len() - 1], stride: self.size() },
        }
    }
}

impl Lower<'_> {
    /// Makes a target by copying the levels of an operand. Its values are filled in by the loops.
    pub(super) fn shaped(
        &mut self,
        copied: &Arc<Copied>,
        tensor: &Tensor,
        name: &str,
        shape: &[Code],
        body: &mut Block,
    ) -> Shaped {
        let Some(Storage::Levels(levels)) = self.stores[copied.of.tensor.0].clone() else {
            unreachable!("an operand whose levels are copied has some");
        };
        let (rows, depth) = (copied.rows, copied.order.len());
        let mut parents = size(copied.order[..rows].iter().map(|&i| self.extent(i)));
        let (mut theirs, mut own) = (Vec::new(), Vec::new());
        for at in rows..depth {
            let name = if depth > rows + 1 { format!("{name}{}", at + 1) } else { name.to_owned() };
            let (from_pos, from_crd) = levels.arrays(at);
            let (pos, crd) = levels.format.levels[at].segments(&mut self.vars, &name);
            let entries = ir::load(from_pos, parents.clone());
            body.push(IrStmt::CopyArray { var: pos, from: from_pos, len: parents + ir::usize(1) });
            body.push(IrStmt::CopyArray { var: crd, from: from_crd, len: entries.clone() });
            theirs.push(from_pos);
            own.push((pos, crd));
            parents = entries;
        }
        let scalar = scalar(tensor.value);
        let vals = self.vars.fresh(format!("{name}_vals"), Type::vec(scalar));
        let extents = copied.tail.iter().map(|&m| shape[m].clone()).collect();
        let shaped = Shaped { copied: copied.clone(), theirs, own, vals, extents };
        let len = if copied.tail.is_empty() { parents } else { parents * shaped.size() };
        body.push(IrStmt::NewArray { var: vals, len, fill: literal(tensor.fill, scalar) });
        shaped
    }

    /// Where the loops have come to an entry of an operand whose levels a result has copied, remembers the position of that entry: it is
    /// also the one in the result.
    pub(super) fn note_entries(&self, state: &mut State) {
        for (id, storage) in self.stores.iter().enumerate() {
            let Some(Storage::Shaped(shaped)) = storage else { continue };
            let order = &shaped.copied.order;
            if state.path != *order {
                continue;
            }
            let found = (0..self.operands.len()).filter(|&at| self.operands[at].access == shaped.copied.of);
            let found = found.into_iter().find_map(|at| {
                let followed = state.of(at);
                match state.at(at).pos {
                    Pos::At(p) if !followed.absent && !followed.flagged && followed.depth == order.len() => Some(p),
                    _ => None,
                }
            });
            state.entries.extend(found.map(|p| (TensorId(id), p)));
        }
    }
}
