//! Parallel loops: what each task owns, and results that are counted before they are filled.

use std::collections::BTreeMap;

use super::arms::Run;
use super::nest::{Lower, State};
use super::stored::Storage;
use crate::convert::appended::Append;
use crate::ir::{self, Block, Domain, Expr as Code, Owned, Partition, Reduce, Scalar, Stmt as IrStmt, Var, Work};
use crate::lattice::set_of;
use crate::level::{Walk, array_of};
use crate::notation::concrete::{Index, TensorId};
use crate::plan::{Deal, Over, Share};
use crate::tensor::{Cursor, Pos, fold, prefix, scalar, size};

impl Lower<'_> {
    /// A loop whose iterations are dealt out to tasks: once, or twice if rows of a result are counted first.
    pub(super) fn parallel(&mut self, run: Run<'_>, deal: &Deal, state: &State) -> Block {
        let rows: Vec<TensorId> = deal.rows().collect();
        if rows.is_empty() {
            return self.tasks(run, deal, state);
        }
        let mut block = Block::new();
        self.each_appended(&rows, |append, _, _| append.count());
        block.append(self.tasks(run, deal, state));
        self.each_appended(&rows, |append, vars, name| append.fill(vars, name, &mut block));
        block.append(self.tasks(run, deal, state));
        self.each_appended(&rows, |append, _, _| append.filled());
        block
    }

    fn each_appended(&mut self, ids: &[TensorId], mut f: impl FnMut(&mut Append, &mut ir::Vars, &str)) {
        for id in ids {
            if let Some(Storage::Append(append)) = &mut self.stores[id.0] {
                f(append, &mut self.vars, &prefix(&self.kernel.tensor(*id).name));
            }
        }
    }

    fn tasks(&mut self, run: Run<'_>, deal: &Deal, state: &State) -> Block {
        let index = run.one.index;
        let (owned, reductions) = self.owned(&deal.shares, state);
        let mut inside = state.clone();
        let i = self.vars.fresh(self.index_name(index), Scalar::Usize);
        inside.indices.insert(index, i.into());
        let mut cursors = BTreeMap::new();
        let domain = self.domain(run, deal.over, (i, state), &mut cursors);
        self.scratch = Some(Block::new());
        let mut body = Block::new();
        for id in run.one.body.written() {
            if let Some(Storage::Append(append)) = &self.stores[id.0] {
                append.begin_row(i, &mut body);
            }
        }
        let iterated = set_of(cursors.keys().copied());
        body.append(self.cases(run, iterated, BTreeMap::new(), &cursors, &inside));
        let scratch = self.scratch.take().unwrap_or_default();
        IrStmt::Parallel { var: i, domain, owned, reductions, work: Work::default(), scratch, body }.into()
    }

    /// What the parallel loop runs over. The cursor of the operand that gives it, if one does, is added to `cursors`.
    fn domain(
        &mut self,
        run: Run<'_>,
        over: Over,
        (i, state): (Var, &State),
        cursors: &mut BTreeMap<usize, Cursor>,
    ) -> Domain {
        let all = || Domain::Range { lo: ir::usize(0), hi: self.extent(run.one.index) };
        let (Over::Interval(n) | Over::Positions(n) | Over::Entries(n)) = over else { return all() };
        let at = run.one.how.merged[n];
        let (domain, pos) = match self.walk(at, state) {
            Walk::Interval { lo, hi, position } => (Domain::Range { lo, hi }, Pos::At(position(i.into()))),
            Walk::Entries { store } => {
                let (value, pos) = self.entry(at, state);
                (Domain::Entries { store, value }, pos)
            }
            Walk::Positions { lo, hi, coordinate, .. } => {
                let p = self.vars.fresh(format!("{}_p", self.tensor_name(at)), Scalar::Usize);
                let Some(crd) = array_of(&*coordinate) else {
                    unreachable!("positions are dealt out where coordinates lie in an array");
                };
                (Domain::Listed { lo, hi, position: p, crd }, Pos::At(p.into()))
            }
            Walk::One { .. } => unreachable!("one entry is not dealt out"),
        };
        cursors.insert(n, Cursor::Fixed { coordinate: i.into(), pos });
        domain
    }

    /// The arrays of which each iteration owns a part, and the scalars that all iterations fold into.
    pub(super) fn owned(&self, shares: &[Share], outside: &State) -> (Vec<Owned>, Vec<(Var, Reduce)>) {
        let (mut owned, mut reductions) = (Vec::new(), Vec::new());
        for share in shares {
            match share {
                Share::Fold(id, reduce) => {
                    if let Some(Storage::Scalar { var, .. }) = &self.stores[id.0] {
                        reductions.push((*var, fold(*reduce, scalar(self.kernel.tensor(*id).value))));
                    }
                }
                Share::Part(id, above) => {
                    let Some((array, extents)) = self.array_of(*id) else { continue };
                    owned.push(Owned { array, partition: part(above, extents, outside) });
                }
                Share::Row(id) | Share::Stretch(id) => {
                    if let Some(Storage::Append(append)) = &self.stores[id.0] {
                        owned.extend(append.owned());
                    }
                }
            }
        }
        (owned, reductions)
    }

    /// The array of a tensor that has a place for each value, and how far each of its dimensions goes.
    fn array_of(&self, id: TensorId) -> Option<(Var, &[Code])> {
        match &self.stores[id.0] {
            Some(Storage::Levels(levels)) => Some((levels.vals?, &levels.extents)),
            Some(Storage::Dense { shape, vals, .. }) => Some((*vals, shape)),
            _ => None,
        }
    }
}

/// The part of a dense array that one iteration writes: its index runs along the dimension behind those of the indices `above`.
fn part(above: &[Index], extents: &[Code], outside: &State) -> Partition {
    let place = above.len();
    let stride = size(extents[place + 1..].to_vec());
    let before = above.iter().zip(extents).map(|(above, extent)| (outside.index(*above), extent));
    let row = before.fold(None, |row: Option<Code>, (c, extent)| {
        Some(match row {
            None => c,
            Some(row) => row * extent.clone() + c,
        })
    });
    let offset = row.map_or(ir::usize(0), |row| row * extents[place].clone() * stride.clone());
    Partition::Each { offset, stride }
}
