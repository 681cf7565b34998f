//! Statements that one operand drives (`crate::notation::drive`): a loop over its entries in the order in which they are stored, and the
//! other loops inside.

use super::nest::{At, Lower, State};
use crate::convert::reordered::picked;
use crate::convert::walk::{Dealt, Edges, Visit};
use crate::ir::{self, Block, Owned, Partition, Stmt};
use crate::plan::{DealtLevel, Node};

impl Lower<'_> {
    /// The loop over the entries of operand `at`, and what is done at each of them.
    pub(super) fn driven(
        &mut self,
        at: usize,
        searched: &[(usize, usize)],
        deal: Option<&DealtLevel>,
        body: &Node,
    ) -> Block {
        let (driver, order) = (&self.reading(at).access, &self.reading(at).order);
        let Some(levels) = self.levels_of(at) else { unreachable!("a driver has levels") };
        let names = self.index_names(driver);
        let mut vars = std::mem::take(&mut self.vars);
        let dealt = deal.map(|deal| self.dealt(deal));
        // The body is emitted once for full blocks, and once for blocks at the edge.
        let visit = Visit { dealt: dealt.as_ref(), edges: Edges::Apart, ..Visit::stored(&levels, &names) };
        let block = visit.each(&mut vars, &mut |vars, entry| {
            std::mem::swap(vars, &mut self.vars);
            let (coords, diagonal) = picked(driver, order, &entry.all());
            let mut state = State::default();
            state.indices.extend(order.iter().copied().zip(coords.iter().cloned()));
            state.places.insert(at, At { pos: entry.pos, above: coords, flag: None });
            let mut inner = Block::new();
            searched.iter().for_each(|&levels| self.search(levels, &mut state, &mut inner));
            inner.append(self.node(body, &state));
            std::mem::swap(vars, &mut self.vars);
            Stmt::when_all(diagonal, inner)
        });
        self.vars = vars;
        block
    }

    /// The level of the driver whose loop is dealt out to tasks, with what its iterations write or fold into.
    fn dealt(&self, deal: &DealtLevel) -> Dealt {
        let (mut owned, reductions) = self.owned(std::slice::from_ref(&deal.share), &State::default());
        for Owned { partition, .. } in owned.iter_mut().filter(|_| deal.rows > 1) {
            if let Partition::Each { stride, .. } = partition {
                *stride = ir::usize(deal.rows) * stride.clone();
            }
        }
        Dealt { level: deal.level, owned, reductions }
    }
}
