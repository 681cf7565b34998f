//! Rows and blocks of results whose entries are appended: where they begin and end.

use super::nest::{Lower, State};
use super::stored::{Append, Phase, Storage, size};
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt};
use crate::notation::concrete::TensorId;
use crate::plan::Loop;
use crate::tensor::{literal, scalar};

impl Lower<'_> {
    /// The results whose blocks of values are open: the enclosing loops have reached an entry of each.
    fn entries_with_blocks(&self, one: &Loop) -> Vec<(TensorId, Box<Append>)> {
        let with_block = |id: TensorId| match &self.stores[id.0] {
            Some(Storage::Append(append)) if append.any.is_some() && append.places.order() == one.known.path => {
                Some((id, append.clone()))
            }
            _ => None,
        };
        one.body.written().into_iter().filter_map(with_block).collect()
    }

    /// Makes place for a block of values before anything is written to it.
    pub(super) fn open_blocks(&mut self, one: &Loop, block: &mut Block) {
        for (id, append) in self.entries_with_blocks(one) {
            let len = (ir::len(append.last().1) + ir::usize(1)) * size(append.block.clone());
            let fill = self.fill(id);
            block.extend(append.vals.map(|array| IrStmt::Resize { array, len, fill }));
            // Each place where blocks are opened has a variable of its own.
            let name = append.any.map(|any| self.vars[any].name.clone()).unwrap_or_default();
            let any = self.vars.fresh(name, Scalar::Bool);
            block.push(IrStmt::Let(any, ir::bool(false)));
            if let Some(Storage::Append(append)) = &mut self.stores[id.0] {
                append.any = Some(any);
            }
        }
    }

    /// The value of a tensor where nothing is written.
    pub(super) fn fill(&self, id: TensorId) -> Code {
        let tensor = self.kernel.tensor(id);
        literal(tensor.fill, scalar(tensor.value))
    }

    /// Ends the block of values or the row of an appended result that the loop around has made. A block becomes an entry if anything was written
    /// to it. A row ends behind its entries; if it has any, it becomes an entry of the compressed level above, if there is one.
    pub(super) fn end_rows(&self, one: &Loop, state: &State, block: &mut Block) {
        let (path, entry) = (&one.known.path, state.index(one.index).cast(Scalar::U32));
        for (_, append) in self.entries_with_blocks(one) {
            let push = vec![IrStmt::Push(append.last().1, entry.clone())];
            block.extend(append.any.map(|any| IrStmt::when(any.into(), push)));
        }
        for id in one.body.written() {
            let Some(Storage::Append(append)) = &self.stores[id.0] else { continue };
            let (rows, listed) = (&append.places.rows, &append.places.listed);
            if append.phase != Phase::Append || !path.starts_with(rows) {
                continue;
            }
            let own = &path[rows.len()..];
            if own.is_empty() {
                let (pos, crd) = append.levels[0];
                let parent = append.parent(&rows.iter().map(|&i| state.index(i)).collect::<Vec<_>>());
                block.push(IrStmt::Store(pos, parent + ir::usize(1), ir::len(crd)));
            } else if listed.starts_with(own) {
                let ((_, above), (pos, crd)) = (append.levels[own.len() - 1], append.levels[own.len()]);
                let ended = ir::load(pos, ir::len(pos) - ir::usize(1));
                let entry = vec![IrStmt::Push(above, entry.clone()), IrStmt::Push(pos, ir::len(crd))];
                block.push(IrStmt::when(ended.less(ir::len(crd)), entry));
            }
        }
    }

    /// Remembers that a loop may leave out rows of appended results, which then have no end of their own.
    pub(super) fn leaves_rows_out(&mut self, one: &Loop) {
        for id in one.body.written() {
            if let Some(Storage::Append(append)) = &mut self.stores[id.0]
                && append.places.rows.contains(&one.index)
            {
                append.gaps = true;
            }
        }
    }
}
