//! Results with entries exactly where an operand has them: they keep a copy of its levels, and only values are computed.
//!
//! Nothing is appended then and nothing counted, and the loops around may run in parallel: where each value goes is known.

use std::sync::Arc;

use super::nest::Lower;
use super::stored::{Append, Phase, Storage, size};
use crate::ir::{self, Block, Expr as Code, Stmt as IrStmt, Type};
use crate::notation::concrete::Tensor;
use crate::plan::Copied;
use crate::tensor::{literal, scalar, segments};

impl Lower<'_> {
    /// Makes a target by copying the levels of an operand. Its values are filled in by the loops.
    pub(super) fn shaped(
        &mut self,
        copied: &Arc<Copied>,
        tensor: &Tensor,
        name: &str,
        shape: &[Code],
        body: &mut Block,
    ) -> Append {
        let Some(Storage::Levels(levels)) = self.stores[copied.of.tensor.0].clone() else {
            unreachable!("an operand whose levels are copied has some");
        };
        let (order, rows) = (copied.places.order(), copied.places.rows.len());
        let extents: Vec<Code> = copied.places.rows.iter().map(|&i| self.extent(i)).collect();
        let mut parents = size(extents.clone());
        let (mut theirs, mut own) = (None, Vec::new());
        for at in rows..order.len() {
            let name = if order.len() > rows + 1 { format!("{name}{}", at + 1) } else { name.to_owned() };
            let (from_pos, from_crd) = levels.arrays(at);
            let (pos, crd) = segments(&levels.format.levels[at], &mut self.vars, &name);
            let entries = ir::load(from_pos, parents.clone());
            body.push(IrStmt::CopyArray { var: pos, from: from_pos, len: parents + ir::usize(1) });
            body.push(IrStmt::CopyArray { var: crd, from: from_crd, len: entries.clone() });
            theirs = Some(from_pos);
            own.push((pos, crd));
            parents = entries;
        }
        let scalar = scalar(tensor.value);
        let vals = self.vars.fresh(format!("{name}_vals"), Type::vec(scalar));
        let block: Vec<Code> = copied.places.tail.iter().map(|&m| shape[m].clone()).collect();
        let len = if block.is_empty() { parents } else { parents * size(block.clone()) };
        body.push(IrStmt::NewArray { var: vals, len, fill: literal(tensor.fill, scalar) });
        let (places, phase) = (copied.places.clone(), theirs.map_or(Phase::Filled, Phase::Copied));
        let (singles, vals) = (Vec::new(), Some(vals));
        Append { places, levels: own, singles, block, any: None, vals, extents, gaps: false, phase }
    }
}
