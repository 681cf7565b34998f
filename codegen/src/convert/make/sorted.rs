//! Makes a tensor from entries that are sorted by the coordinates of all of its levels, each entry once. The levels are made one after the other.
//! Each level gives every entry its position, which the next level takes as the parent.
//!
//! ```text
//!   entries          (0, 2) (0, 5) (3, 1)
//!   i: compressed    at  0 0 1               coordinates 0 3
//!   j: hashed        at  2 1 5               below position at[e] of the level above
//! ```

use super::maker::Maker;
use crate::convert::made::Lowered;
use crate::convert::statement::Op;
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var};
use crate::level::{By, Insertion, Made, Making, Statistic};
use crate::notation::ast::Literal;
use crate::tensor::{literal, scalar};

impl Maker<'_> {
    /// Makes the target of entries with the coordinates `keys`, an array for each level, and the values `vals`.
    pub fn make_sorted(&mut self, keys: &[Var], vals: Option<Var>) -> Lowered {
        let (mut made, mut extents, mut parents) = (Vec::new(), Vec::new(), ir::usize(1));
        let mut above = None;
        for k in 0..keys.len() {
            let Some(insertion) = self.target.levels[k].kind.insertion() else { unreachable!("the plan refuses it") };
            let mut own = self.declared(k, parents, &mut extents);
            insertion.begin(&mut Making { vars: self.vars, block: self.block, level: &mut own });
            self.ask_sorted(k, keys, above, insertion, &own);
            let mut making = Making { vars: self.vars, block: self.block, level: &mut own };
            insertion.finish_edges(&mut making);
            insertion.init_coordinates(&mut making);
            parents = insertion.size(making.level);
            insertion.init_positions(&mut making);
            parents = self.named(format!("{}_size", own.prefix), parents);
            above = self.insert_level(k, keys, above, insertion, &own).or(above);
            insertion.finish_positions(&mut Making { vars: self.vars, block: self.block, level: &mut own });
            made.push(own);
        }
        let vals = vals.map(|from| {
            let (name, ty) = (format!("{}_vals", self.prefix), scalar(self.source.value));
            let (vals, e) = (self.vars.fresh(name, Type::vec(ty)), self.vars.fresh("e", Scalar::Usize));
            let fill = literal(self.target.fill.unwrap_or(Literal::Int(0)), ty);
            self.block.push(Stmt::NewArray { var: vals, len: parents, fill });
            let store = Stmt::Store(vals, position(above, e), ir::load(from, e));
            self.block.push(Stmt::count(e, ir::usize(0), ir::len(keys[0]), store));
            vals
        });
        self.finished(made, extents, vals)
    }

    /// Answers the questions of level `k`, whose parents are at the positions `above`.
    fn ask_sorted(&mut self, k: usize, keys: &[Var], above: Option<Var>, insertion: &dyn Insertion, own: &Made) {
        let e = self.vars.fresh("e", Scalar::Usize);
        let coordinate = || ir::load(keys[k], e);
        let answers = insertion.questions(&own.switches).into_iter().map(|question| {
            let place = match question.by {
                By::Parent => position(above, e),
                By::Own => coordinate(),
                By::Nothing => ir::usize(0),
            };
            let (op, value) = match question.what {
                Statistic::Count | Statistic::Entries => (Op::Add, ir::usize(1)),
                Statistic::Min => (Op::Max, own.extent.clone() - coordinate()),
                Statistic::Max => (Op::Max, coordinate() + ir::usize(1)),
                Statistic::Id => (Op::Or, ir::usize(1)),
            };
            self.fold(own, &question, op, place, value)
        });
        let answers: Block = answers.collect();
        if !answers.is_empty() {
            let new = Stmt::when(!self.repeats(k, keys, above, e), answers);
            self.block.push(Stmt::count(e, ir::usize(0), ir::len(keys[0]), new));
        }
    }

    /// Inserts the coordinates of level `k`. Returns the array of the positions of the entries in this level; `None` if they equal the positions
    /// in the level above.
    fn insert_level(
        &mut self,
        k: usize,
        keys: &[Var],
        above: Option<Var>,
        insertion: &dyn Insertion,
        own: &Made,
    ) -> Option<Var> {
        let e = self.vars.fresh("e", Scalar::Usize);
        let (mut new, at) = insertion.position(self.vars, own, position(above, e), ir::load(keys[k], e));
        new.append(insertion.insert(own, at.clone(), ir::load(keys[k], e)));
        let moves = at != position(above, e);
        let positions = moves.then(|| {
            let positions = self.vars.fresh(format!("{}_positions", own.prefix), Type::vec(Scalar::Usize));
            self.block.push(Stmt::NewArray { var: positions, len: ir::len(keys[0]), fill: ir::usize(0) });
            new.push(Stmt::Store(positions, e.into(), at));
            positions
        });
        if let Some(positions) = positions.filter(|_| insertion.yields()) {
            let before = ir::load(positions, Expr::Var(e) - ir::usize(1));
            let again = Stmt::Store(positions, e.into(), before);
            new = Stmt::either(self.repeats(k, keys, above, e), again, new).into();
        }
        if !new.is_empty() {
            self.block.push(Stmt::count(e, ir::usize(0), ir::len(keys[0]), new));
        }
        positions
    }

    /// Whether entry `e` shares the coordinate of level `k` with the entry before it. A nonunique level stores the coordinate again for each
    /// chain of singleton levels below.
    fn repeats(&self, k: usize, keys: &[Var], above: Option<Var>, e: Var) -> Expr {
        let below = self.target.levels[k + 1..].iter().take_while(|level| level.properties.branchless);
        let chain = if self.target.levels[k].properties.unique { 0 } else { below.count() };
        let same = |array: &Var| ir::load(*array, e).equal(ir::load(*array, Expr::Var(e) - ir::usize(1)));
        let arrays = above.iter().chain(&keys[k..=k + chain]).map(same);
        arrays.fold(Expr::Var(e).greater(ir::usize(0)), Expr::and)
    }
}

/// The position of entry `e` in a level with this array of positions. Without an array, all entries have position 0.
fn position(at: Option<Var>, e: Var) -> Expr {
    at.map_or(ir::usize(0), |at| ir::load(at, e))
}
