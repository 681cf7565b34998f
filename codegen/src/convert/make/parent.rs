//! One parent after the other, where several entries have the same coordinate below it, and these come in no order: the blocks of a row of
//! blocks. Each is made while its rows are in the cache.
//!
//! ```text
//!   csr to bcsr, a row of blocks       which blocks do its rows have entries in     a list, in order; its length gives pos
//!
//!   again                              coordinates, and where each is               crd, slot
//!                                      values                                       a second walk through the same rows
//! ```
//!
//! Lists of all parents lie in one array. Those of a task lie one after the other, from where the entries of its first row begin in the source:
//! they have no more coordinates than there are entries.

use super::fit::Fit;
use super::insert::Target;
use super::maker::Maker;
use super::parts::{Listed, Places, Seen, With};
use crate::convert::statement::Op;
use crate::convert::walk::{Entry, Visit};
use crate::ir::{self, Block, Expr, Literal, Reduce, Scalar, Stmt, Type, Var};
use crate::level::{FieldKind, Made, Question, Walk};
use crate::tensor::Pos;

impl Maker<'_> {
    /// Counts the coordinates of level `k` below each parent, and lists them for the walk that inserts entries. Returns whether it can:
    /// parents have to be stretches of rows, and the source has to say where the entries of a row begin.
    pub(super) fn list_parents(&mut self, made: &[Made], k: usize, question: &Question, seen: &Seen) -> bool {
        let Some((size, rows)) = self.rows_of_parent(k, seen).filter(|_| !seen.in_order) else { return false };
        let row = self.vars.fresh("row", Scalar::Usize);
        let Some(ends) = self.ends_of(row) else { return false };
        let own = self.vars.fresh(format!("{}_listed", made[k].prefix), Type::vec(Scalar::U32));
        let len = ir::load(ends, rows.clone());
        self.block.push(Stmt::NewArray { var: own, len, fill: ir::lit(Literal::U32(0)) });
        let (places, mut first) = self.places(made, seen);
        let list = self.new_list(made, &mut first);
        let parent = self.vars.fresh("parent", Scalar::Usize);
        let mut body = self.list_parent(made, (seen, places), list, (parent, (size, rows)));
        let (e, begin) = (self.vars.fresh("e", Scalar::Usize), self.vars.fresh("begin", Scalar::Usize));
        let place = Expr::Var(begin) + Expr::Var(e);
        body.push(Stmt::count(e, ir::usize(0), ir::len(list), Stmt::Store(own, place, ir::load(list, e))));
        body.push(Stmt::Update(begin, Reduce::Add, ir::len(list)));
        body.push(self.fold(&made[k], question, Op::Assign, parent.into(), ir::len(list)));
        self.each_stretch(made, first, (parent, size), (Some((begin, ends)), body));
        self.listed = Some(Listed { own, ends });
        true
    }

    /// An empty list of coordinates, which a task fills anew for each of its parents.
    fn new_list(&mut self, made: &[Made], first: &mut Block) -> Var {
        let list = self.vars.fresh(format!("{}_own", made[1].prefix), Type::vec(Scalar::U32));
        first.push(Stmt::NewVec { var: list, capacity: None });
        list
    }

    /// Lists the coordinates of level 1 below a parent, each once and in order.
    fn list_parent(
        &mut self,
        made: &[Made],
        (seen, places): (&Seen, Places),
        list: Var,
        (parent, (size, rows)): (Var, (usize, Expr)),
    ) -> Block {
        let (mut block, stretch) = self.rows_of(parent, size, rows);
        block.push(Stmt::Resize { array: list, len: ir::usize(0), fill: ir::lit(Literal::U32(0)) });
        let coordinate = self.target.levels[1].coordinate.clone();
        block.append(self.stretch(stretch, &mut |this, entry| {
            let coords = entry.all();
            let c = this.coordinate(&coordinate, &coords, None).cast(Scalar::U32);
            // The parent, and not what follows from the row: rows need not be told from one another then.
            this.when_new_in(parent.into(), made, (seen, places), &coords, Stmt::Push(list, c).into()).into()
        }));
        block.push(Stmt::Sort { array: list, lo: ir::usize(0), hi: ir::len(list), keys: Vec::new() });
        block
    }

    /// The rows of a parent.
    fn rows_of(&mut self, parent: Var, size: usize, rows: Expr) -> (Block, (Var, Var)) {
        let (lo, hi) = (self.vars.fresh("lo", Scalar::Usize), self.vars.fresh("hi", Scalar::Usize));
        let block = Block::from(vec![
            Stmt::Let(lo, Expr::Var(parent) * ir::usize(size)),
            Stmt::Let(hi, (Expr::Var(lo) + ir::usize(size)).min(rows)),
        ]);
        (block, (lo, hi))
    }

    /// `body` for each parent, which is `size` rows of the source, dealt out to tasks where it can be. `first` comes before it in each task, and
    /// the variable of `begin` is where the entries of the task's first row begin.
    fn each_stretch(
        &mut self,
        made: &[Made],
        first: Block,
        (parent, size): (Var, usize),
        (begin, body): (Option<(Var, Var)>, Block),
    ) {
        let begins = |row: Expr| Block::from_iter(begin.map(|(begin, ends)| Stmt::Let(begin, ir::load(ends, row))));
        let Some(deal) = self.deals.then(|| self.deal(None)).flatten() else {
            self.block.append(first);
            self.block.append(begins(ir::usize(0)));
            self.block.push(Stmt::count(parent, ir::usize(0), made[1].parents.clone(), body));
            return;
        };
        let walk = self.dealt(&deal, With { first, align: size, ..With::default() }, |_, (lo, hi), _| {
            // Stretches begin with a parent's first row, or behind the last row.
            let first = |row| (Expr::Var(row) + ir::usize(size - 1)) / ir::usize(size);
            let mut walk = begins(lo.into());
            walk.push(Stmt::count(parent, first(lo), first(hi), body));
            walk
        });
        self.block.push(walk);
    }

    /// How many rows of the source lie below each parent of level `k`, and how many rows there are, if its parents are stretches of rows.
    pub(super) fn rows_of_parent(&self, k: usize, seen: &Seen) -> Option<(usize, Expr)> {
        let above = &self.target.levels[0];
        let plain = above.properties.full && above.kind.fields(&above.switches).is_empty();
        if k != 1 || !plain || seen.stretch != [0] || !self.source.format.levels[0].properties.full {
            return None;
        }
        match self.source.walk(0, &Pos::At(ir::usize(0)), &[]) {
            Walk::Interval { hi, .. } => Some((self.aligned(1, &[0])?, hi)),
            _ => None,
        }
    }

    /// Inserts everything below level 0, whose coordinate stands for `rows.0` of the `rows.1` rows of the source.
    pub(super) fn insert_parents(
        &mut self,
        made: &[Made],
        vals: Option<Var>,
        fit: &Fit,
        seen: &Seen,
        rows: (usize, Expr),
    ) {
        let size = rows.0;
        let (places, mut first) = self.places(made, seen);
        let into = Target { vals, fit, seen: Some((seen, places)), sorted: Some(1), counter: None, placed: true };
        let parent = self.vars.fresh("parent", Scalar::Usize);
        let begin = self.listed.map(|listed| (self.vars.fresh("begin", Scalar::Usize), listed.ends));
        let body = self.insert_parent(made, &into, (&mut first, begin.map(|begin| begin.0)), (parent, rows));
        self.each_stretch(made, first, (parent, size), (begin, body));
    }

    /// Inserts everything below one coordinate of level 0, whose list, if there is one, begins at `begin`.
    fn insert_parent(
        &mut self,
        made: &[Made],
        into: &Target<'_>,
        (first, begin): (&mut Block, Option<Var>),
        (parent, (size, rows)): (Var, (usize, Expr)),
    ) -> Block {
        let (Some((seen, places)), Some(insertion), Some(above)) =
            (into.seen, self.target.levels[1].kind.insertion(), self.target.levels[0].kind.insertion())
        else {
            return Block::new();
        };
        let pos = self.array(made, 1, FieldKind::Positions);
        // The list, and how long it is.
        let ((list, count), mut block, rows) = match self.listed {
            Some(Listed { own, .. }) => {
                let (block, rows) = self.rows_of(parent, size, rows);
                let count = ir::load(pos, Expr::Var(parent) + ir::usize(1)) - ir::load(pos, parent);
                ((own, count), block, rows)
            }
            None => {
                let list = self.new_list(made, first);
                let mut block = self.list_parent(made, (seen, places), list, (parent, (size, rows.clone())));
                let (own, rows) = self.rows_of(parent, size, rows);
                block.append(own);
                ((list, ir::len(list)), block, rows)
            }
        };
        let (before, position) = above.position(self.vars, &made[0], ir::usize(0), parent.into());
        block.append(before);
        let (e, c, at) = (
            self.vars.fresh("e", Scalar::Usize),
            self.vars.fresh("c", Scalar::Usize),
            self.vars.fresh(format!("{}_at", made[1].prefix), Scalar::Usize),
        );
        let place = begin.map_or(e.into(), |begin| Expr::Var(begin) + Expr::Var(e));
        let mut each = Block::from(vec![
            Stmt::Let(c, ir::load(list, place).cast(Scalar::Usize)),
            Stmt::Let(at, ir::load(pos, position) + e),
        ]);
        each.append(insertion.insert(&made[1], at.into(), c.into()));
        each.push(Stmt::Store(places.slot, c.into(), at.into()));
        block.push(Stmt::count(e, ir::usize(0), count.clone(), each));
        block.extend(begin.map(|begin| Stmt::Update(begin, Reduce::Add, count)));
        block.append(self.stretch(rows, &mut |this, entry| this.insert_entry(made, into, entry)));
        block
    }

    /// A walk through the entries of some rows, or of a part of a list.
    pub(super) fn stretch(&mut self, (lo, hi): (Var, Var), body: &mut dyn FnMut(&mut Self, &Entry) -> Block) -> Block {
        self.walk(Visit { stretch: Some((lo.into(), hi.into())), ..Visit::all(self.source) }, body)
    }
}
