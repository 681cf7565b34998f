//! Statements that one operand drives (`crate::notation::drive`): a loop over its entries in the order in which they are stored, and the
//! other loops inside.

use super::entries::{Dealt, blocked};
use super::nest::{At, Lower, State};
use super::operand::picked;
use super::storage::{Levels, Pos, scalar};
use super::stored::Storage;
use super::value::fold;
use crate::format::Inverse;
use crate::ir::{self, Block, Expr as Code, Owned, Partition, Stmt};
use crate::notation::concrete::{Access, Assign};
use crate::plan::{Followed, Known, Node};

impl Lower<'_> {
    /// The loop over the entries of operand `at`, and what is done at each of them.
    pub(super) fn driven(&mut self, at: usize, others: &[usize], assign: &Assign, body: &Node) -> Block {
        let (driver, order) = (self.operands[at].access.clone(), self.operands[at].order.clone());
        let Some(levels) = self.levels_of(at) else { unreachable!("a driver has levels") };
        let names = self.index_names(&driver);
        let mut vars = std::mem::take(&mut self.vars);
        let dealt = self.dealt(&driver, assign, &levels);
        let block = levels.drive_blocks(&mut vars, &names, dealt.as_ref(), &mut |vars, coords, pos| {
            std::mem::swap(vars, &mut self.vars);
            let (coords, diagonal) = picked(&driver, &order, &coords);
            let known = Known { path: order.clone(), ..Known::default() };
            let mut state = State { known, ..State::default() };
            state.indices.extend(order.iter().copied().zip(coords.iter().cloned()));
            let inner = self.at_entry(at, (pos, coords), others, body, state);
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

    /// The level of the driver whose loop can be dealt out to tasks: its iterations lead to rows of the target of their own, or all
    /// that is done is to fold into a scalar.
    fn dealt(&self, driver: &Access, assign: &Assign, levels: &Levels) -> Option<Dealt> {
        if !levels.windows.is_empty() {
            return None;
        }
        let (vals, indices, extents) = match &self.stores[assign.target.tensor.0] {
            Some(Storage::Scalar { var, flag: None }) => {
                let own = scalar(self.kernel.tensor(assign.target.tensor).value);
                return Some(Dealt {
                    level: 0,
                    owned: Vec::new(),
                    reductions: vec![(*var, fold(assign.reduce?, own))],
                });
            }
            Some(Storage::Levels(target)) => {
                (target.vals?, target.form().indices(&assign.target), target.extents.clone())
            }
            Some(Storage::Dense { shape, vals, marks: None }) => (*vals, assign.target.indices.clone(), shape.clone()),
            _ => return None,
        };
        let place = driver.indices.iter().position(|index| indices.first() == Some(index))?;
        let row = extents[1..].iter().cloned().fold(ir::usize(1), |row, extent| row * extent);
        let (level, stride) = match &levels.format.inverse[place] {
            Inverse::Level(level) => (*level, row),
            inverse => {
                let (level, size, _) = blocked(inverse)?;
                (level, ir::usize(size) * row)
            }
        };
        let partition = Partition::Each { offset: ir::usize(0), stride };
        Some(Dealt { level, owned: vec![Owned { array: vals, partition }], reductions: Vec::new() })
    }
}
