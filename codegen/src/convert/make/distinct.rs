//! Different coordinates below each parent, counted where entries come in an order that does not help.
//!
//! ```text
//!   entries at    (0, 7) (3, 2) (0, 2) (0, 7)      parent, coordinate
//!   table         - - (3, 2) - (0, 7) - (0, 2) -   twice as many slots as entries; a pair is sought from its number on, up to a gap
//!   counts        2 0 0 1                          one more wherever a gap is filled
//! ```

use super::maker::Maker;
use crate::convert::statement::Op;
use crate::format::FormatLevel;
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type};
use crate::level::{Made, Question};

impl Maker<'_> {
    /// Counts the different coordinates of level `k` below each parent by a hash table. Time and memory are those of entries, however many
    /// coordinates there can be.
    pub(super) fn distinct_hashed(&mut self, made: &[Made], k: usize, question: &Question) {
        let prefix = made[k].prefix.clone();
        let entries = self.entry_count();
        let slots = self.named(format!("{prefix}_slots"), entries * ir::usize(2));
        let table = self.vars.fresh(format!("{prefix}_table"), Type::vec(Scalar::Usize));
        self.block.push(Stmt::NewArray { var: table, len: slots.clone(), fill: ir::usize(0) });
        let walk = self.entries_with(None, &mut |this, entry| {
            let coords = entry.all();
            let (mut block, parent) = this.place(made, k, question, &coords);
            let c = this.coordinate(&this.target.levels[k].coordinate, &coords, None);
            let pair = if made[k].is_root() { c } else { parent.clone() * made[k].extent.clone() + c };
            let (key, at) = (this.vars.fresh("key", Scalar::Usize), this.vars.fresh("slot", Scalar::Usize));
            let held = ir::load(table, at);
            let taken = held.clone().not_equal(ir::usize(0)).and(held.clone().not_equal(Expr::Var(key) + ir::usize(1)));
            let next = (Expr::Var(at) + ir::usize(1)) % slots.clone();
            let count = this.fold(&made[k], question, Op::Add, parent, ir::usize(1));
            block.append(Block::from(vec![
                Stmt::Let(key, pair),
                Stmt::Let(at, Expr::Var(key) % slots.clone()),
                Stmt::While(taken, Stmt::Assign(at, next).into()),
                Stmt::when(
                    held.equal(ir::usize(0)),
                    vec![Stmt::Store(table, at.into(), Expr::Var(key) + ir::usize(1)), count],
                ),
            ]));
            block
        });
        self.block.append(walk);
    }

    /// How many entries the source has, or a few more: values, where there is one for each entry.
    fn entry_count(&mut self) -> Expr {
        let format = &self.source.format;
        let exact = |level: &FormatLevel| level.properties.compact && !level.is_store();
        if let Some(vals) = self.source.vals.filter(|_| format.keeps_entries_only() && format.levels.iter().all(exact))
        {
            return ir::len(vals);
        }
        let count = self.vars.fresh(format!("{}_entries", self.prefix), Scalar::Usize);
        self.block.push(Stmt::Let(count, ir::usize(0)));
        let walk = self.entries_with(None, &mut |_, _| Stmt::Update(count, ir::Reduce::Add, ir::usize(1)).into());
        self.block.append(walk);
        count.into()
    }
}
