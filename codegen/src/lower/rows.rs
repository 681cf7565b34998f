//! Rows and blocks of results whose entries are appended: where they begin and end.

use super::nest::{Lower, State};
use super::stored::{Append, Phase, Storage};
use crate::ir::{self, Block, Scalar, Stmt as IrStmt};
use crate::notation::concrete::{Index, Stmt, TensorId};

impl Lower<'_> {
    /// The results with dense levels at the end for which the loops around make an entry of the last compressed level, which gets a block
    /// of values; and the index of that level.
    fn entries_with_blocks(&self, body: &Stmt, state: &State) -> Vec<(TensorId, Append, Index)> {
        let mut found: Vec<(TensorId, Append, Index)> = Vec::new();
        body.assigns(&mut |assign| {
            let target = &assign.target;
            if let Some(Storage::Append(append)) = &self.stores[target.tensor.0]
                && append.tail.is_some()
                && append.is_entry(&state.path, target.indices[append.last])
                && !found.iter().any(|(known, ..)| *known == target.tensor)
            {
                found.push((target.tensor, append.clone(), target.indices[append.last]));
            }
        });
        found
    }

    /// Makes place for a block of values before anything is written to it.
    pub(super) fn open_blocks(&mut self, body: &Stmt, state: &State, block: &mut Block) {
        for (id, append, _) in self.entries_with_blocks(body, state) {
            let Some(tail) = append.tail.map(|tail| *tail) else { continue };
            let len = (ir::len(append.crd) + ir::usize(1)) * tail.size;
            block.extend(append.vals.map(|array| IrStmt::Resize { array, len, fill: tail.fill }));
            // Each place where blocks are opened has a variable of its own.
            let any = self.vars.fresh(self.vars[tail.any].name.clone(), Scalar::Bool);
            block.push(IrStmt::Let(any, ir::bool(false)));
            if let Some(Storage::Append(append)) = &mut self.stores[id.0]
                && let Some(tail) = &mut append.tail
            {
                tail.any = any;
            }
        }
    }

    /// Ends the block of values or the row of an appended result that the loop around has made. A block becomes an entry if anything was written
    /// to it. A row ends behind its entries; if it has any, it becomes an entry of the compressed level above, if there is one.
    pub(super) fn end_rows(&self, body: &Stmt, state: &State, block: &mut Block) {
        for (_, append, index) in self.entries_with_blocks(body, state) {
            if let Some(tail) = append.tail {
                let entry = state.index(index).cast(Scalar::U32);
                block.push(IrStmt::when(tail.any.into(), vec![IrStmt::Push(append.crd, entry)]));
            }
        }
        for id in body.written() {
            let Some(Storage::Append(append)) = &self.stores[id.0] else { continue };
            let dense = append.rows.len();
            if append.phase != Phase::Append || state.path.is_empty() || !state.path.starts_with(&append.rows) {
                continue;
            }
            let own = &state.path[dense..];
            if own.is_empty() {
                let (pos, crd) = append.first();
                let parent = append.parent(&append.rows.iter().map(|&i| state.index(i)).collect::<Vec<_>>());
                block.push(IrStmt::Store(pos, parent + ir::usize(1), ir::len(crd)));
            } else if own.len() <= append.outer.len()
                && own.iter().zip(&append.outer).all(|(&index, level)| index == level.index)
            {
                let (level, (pos, crd)) = (append.outer[own.len() - 1], append.level(own.len()));
                let ended = ir::load(pos, ir::len(pos) - ir::usize(1));
                let entry = state.index(level.index).cast(Scalar::U32);
                let entry = vec![IrStmt::Push(level.crd, entry), IrStmt::Push(pos, ir::len(crd))];
                block.push(IrStmt::when(ended.less(ir::len(crd)), entry));
            }
        }
    }

    /// Remembers that the loop over `index` may leave out rows of appended results, which then have no end of their own.
    pub(super) fn leaves_rows_out(&mut self, index: Index, body: &Stmt) {
        for id in body.written() {
            if let Some(Storage::Append(append)) = &mut self.stores[id.0]
                && append.rows.contains(&index)
            {
                append.gaps = true;
            }
        }
    }
}
