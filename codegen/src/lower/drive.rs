//! Statements that one operand drives (`crate::notation::drive`): a loop over its entries in the order in which they are stored, and the
//! other loops inside.

use super::nest::{At, Lower, State};
use super::operand::picked;
use super::stored::Storage;
use crate::convert::walk::{Dealt, Edges, Visit};
use crate::ir::{self, Block, Expr as Code, Owned, Partition, Stmt};
use crate::notation::concrete::Assign;
use crate::plan::{DealtLevel, Followed, Known, Node};
use crate::tensor::{Pos, fold, scalar};

impl Lower<'_> {
    /// The loop over the entries of operand `at`, and what is done at each of them.
    pub(super) fn driven(
        &mut self,
        at: usize,
        others: &[usize],
        (assign, deal): (&Assign, Option<DealtLevel>),
        body: &Node,
    ) -> Block {
        let (driver, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        let Some(levels) = self.levels_of(at) else { unreachable!("a driver has levels") };
        let names = self.index_names(&driver);
        let mut vars = std::mem::take(&mut self.vars);
        let dealt = deal.and_then(|deal| self.dealt(deal, assign));
        // The body is emitted once for full blocks, and once for blocks at the edge.
        let visit = Visit { dealt: dealt.as_ref(), edges: Edges::Apart, ..Visit::stored(&levels, &names) };
        let block = visit.each(&mut vars, &mut |vars, entry| {
            std::mem::swap(vars, &mut self.vars);
            let (coords, diagonal) = picked(&driver, &order, &entry.all());
            let known = Known { path: order.clone(), ..Known::default() };
            let mut state = State { known, ..State::default() };
            state.indices.extend(order.iter().copied().zip(coords.iter().cloned()));
            let inner = self.at_entry(at, (entry.pos, coords), others, body, state);
            std::mem::swap(vars, &mut self.vars);
            Stmt::when_all(diagonal, inner)
        });
        self.vars = vars;
        block
    }

    /// What is done at one entry of the driver.
    fn at_entry(
        &mut self,
        at: usize,
        (pos, above): (Pos, Vec<Code>),
        others: &[usize],
        body: &Node,
        mut state: State,
    ) -> Block {
        state.driver = Some(at);
        state.places.insert(at, At { pos, above, flag: None });
        let depth = self.depth_of(at);
        state.known.set(at, Followed { depth, ..Followed::default() });
        let mut block = Block::new();
        for &other in others {
            self.search(other, &mut state, &mut block);
        }
        block.append(self.node(body, &state));
        block
    }

    /// The level of the driver whose loop is dealt out to tasks, with what its iterations write or fold into.
    fn dealt(&self, deal: DealtLevel, assign: &Assign) -> Option<Dealt> {
        let (level, target) = (deal.level, assign.target.tensor);
        let Some(rows) = deal.rows else {
            let Some(Storage::Scalar { var, .. }) = &self.stores[target.0] else { return None };
            let own = scalar(self.kernel.tensor(target).value);
            return Some(Dealt { level, owned: Vec::new(), reductions: vec![(*var, fold(assign.reduce?, own))] });
        };
        let (array, extents) = self.array_of(target)?;
        let row = extents[1..].iter().cloned().fold(ir::usize(1), |row, extent| row * extent);
        let stride = if rows == 1 { row } else { ir::usize(rows) * row };
        let partition = Partition::Each { offset: ir::usize(0), stride };
        Some(Dealt { level, owned: vec![Owned { array, partition }], reductions: Vec::new() })
    }
}
