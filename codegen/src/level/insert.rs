//! How a level is made when entries come in any order: the assembly functions of the conversion paper (section 6).
//!
//! ```text
//!   queries      what must be known before                     compressed: count(own) by the levels above
//!   edges        how many children each parent has             pos, from the counts
//!   coordinates  room for what is stored, and its size         crd
//!   positions    where an entry belongs: one place for equal   dense: parent * extent + c       (get)
//!                coordinates, or a new one for each entry      compressed: pos[parent]++        (yield)
//! ```
//!
//! A level that needs none of these keeps what the trait does by default.

use std::collections::BTreeMap;

use super::Switches;
use crate::ir::{self, Block, Expr, Owned, Partition, Scalar, Stmt, Turn, Type, Var, Vars};

/// What a level asks of the tensor that it is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What entries must agree in to be counted together.
    pub by: By,
    /// The statistic.
    pub what: Statistic,
    /// What the answer is called.
    pub label: &'static str,
    /// Where the answer is kept.
    pub kept: Kept,
}

/// What entries must agree in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The coordinates of the levels above: one answer for each parent.
    Parent,
    /// The level's own coordinate.
    Own,
    /// Nothing: one answer for the whole tensor.
    Nothing,
}

/// A statistic over the level's own coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// How many different values it has.
    Count,
    /// How many entries there are, equal coordinates counted apart.
    Entries,
    /// The smallest one, from the extent downwards: `extent - c`, and 0 where there is none.
    Min,
    /// The largest one: `c + 1`, and 0 where there is none.
    Max,
    /// Whether there is any: 1 or 0.
    Id,
}

/// Where an answer is kept. An answer may be counted into the array that the level makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In an array of the level's own, so many elements behind the position or coordinate that it belongs to.
    Array(&'static str, usize),
    /// In a number.
    Number(&'static str),
}

/// A level while it is made.
pub struct Making<'a> {
    /// The variables of the routine.
    pub vars: &'a mut Vars,
    /// Where statements go.
    pub block: &'a mut Block,
    /// What is known of the level.
    pub level: &'a mut Made,
}

/// What is known of a level that is being made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What names of variables begin with.
    pub prefix: String,
    /// How many parents there are.
    pub parents: Expr,
    /// How many coordinates there can be.
    pub extent: Expr,
    /// What was written in brackets.
    pub switches: Switches,
    /// Its arrays and numbers, by name; those that no field is called after are only used meanwhile.
    pub held: BTreeMap<&'static str, Var>,
    /// Where several tasks insert: each counts, and then knows the next position of each parent.
    pub tasks: Option<ByTask>,
}

/// A level that several tasks insert into.
#[derive(Clone, Debug)]
pub struct ByTask {
    /// How many tasks there are. Each has a number for each parent: the next position.
    pub tasks: Expr,
    /// How many of these numbers come before those of the task that is looked at.
    pub before: Expr,
    /// How many positions there are, once that is known.
    pub size: Option<Var>,
}

impl Made {
    /// The array or number called `name`.
    ///
    /// # Panics
    ///
    /// If there is none, which is a mistake of the level's.
    pub fn var(&self, name: &'static str) -> Var {
        self.held[name]
    }

    /// Which element of `pos` says where the next entry of a parent belongs.
    pub fn number_of(&self, parent: Expr) -> Expr {
        match &self.tasks {
            None => parent,
            Some(ByTask { before, .. }) if *before == ir::usize(0) => parent + ir::usize(1),
            Some(ByTask { before, .. }) => before.clone() + parent + ir::usize(1),
        }
    }

    /// The level for one of the tasks.
    pub fn of_task(&self, task: Var) -> Made {
        let tasks = self.tasks.clone().map(|by| ByTask { before: Expr::Var(task) * self.parents.clone(), ..by });
        Made { tasks, ..self.clone() }
    }

    /// The numbers of each task, if there are any.
    pub fn own_numbers(&self) -> Option<Owned> {
        let partition = Partition::Each { offset: ir::usize(1), stride: self.parents.clone() };
        self.tasks.as_ref().map(|_| Owned { array: self.var("pos"), partition })
    }

    /// Whether there is one parent only, and that is known.
    pub fn is_root(&self) -> bool {
        self.parents == ir::usize(1)
    }
}

impl Making<'_> {
    /// Declares an array of `len` elements equal to `fill`.
    pub fn array(&mut self, name: &'static str, scalar: Scalar, len: Expr, fill: Expr) -> Var {
        let var = self.vars.fresh(format!("{}_{name}", self.level.prefix), Type::vec(scalar));
        self.block.push(Stmt::NewArray { var, len, fill });
        self.level.held.insert(name, var);
        var
    }

    /// Declares a number.
    pub fn number(&mut self, name: &'static str, value: Expr) -> Var {
        let var = self.vars.fresh(format!("{}_{name}", self.level.prefix), Scalar::Usize);
        self.block.push(Stmt::Let(var, value));
        self.level.held.insert(name, var);
        var
    }

    /// `for p in 0..parents { body }`
    pub fn each_parent(&mut self, body: impl FnOnce(&Made, Var) -> Block) {
        let p = self.vars.fresh("p", Scalar::Usize);
        let body = body(self.level, p);
        self.block.push(Stmt::count(p, ir::usize(0), self.level.parents.clone(), body));
    }
}

/// The assembly functions of a level.
pub trait Insertion {
    /// What must be known of the tensor.
    fn questions(&self, switches: &Switches) -> Vec<Question> {
        let _ = switches;
        Vec::new()
    }

    /// Whether an entry gets a new position (yield), and not one that follows from its coordinate (get).
    fn yields(&self) -> bool {
        false
    }

    /// Whether several tasks can count edges, each in numbers of its own ([`Made::tasks`]).
    fn counts_by_task(&self) -> bool {
        false
    }

    /// Whether entries with different coordinates may look for the same place, so that one task has to insert all of them.
    fn contends(&self) -> bool {
        false
    }

    /// Whether what the questions are answered into has to be declared before: it is called with the arrays that they name missing.
    fn begin(&self, making: &mut Making<'_>) {
        let _ = making;
    }

    /// Sequenced edge insertion: parent `p` is the next one and has `children` children. `None` if the level has no edges.
    fn next_edges(&self, level: &Made, p: Expr, children: Expr) -> Option<Block> {
        let _ = (level, p, children);
        None
    }

    /// Unsequenced edge insertion is over: the answers are where they are kept.
    fn finish_edges(&self, making: &mut Making<'_>) {
        let _ = making;
    }

    /// Makes room for coordinates.
    fn init_coordinates(&self, making: &mut Making<'_>) {
        let _ = making;
    }

    /// How many positions there are.
    fn size(&self, level: &Made) -> Expr;

    /// What finding positions needs.
    fn init_positions(&self, making: &mut Making<'_>) {
        let _ = making;
    }

    /// The position of an entry: what runs first, and where it is.
    fn position(&self, vars: &mut Vars, level: &Made, parent: Expr, coordinate: Expr) -> (Block, Expr);

    /// Stores a coordinate at a position.
    fn insert(&self, level: &Made, position: Expr, coordinate: Expr) -> Block {
        let _ = (level, position, coordinate);
        Block::new()
    }

    /// Puts in order what finding positions has changed.
    fn finish_positions(&self, making: &mut Making<'_>) {
        let _ = making;
    }
}

/// Levels whose positions are `parent * width + offset`.
pub(super) fn strided(level: &Made, width: Expr, parent: Expr, offset: Expr) -> Expr {
    if level.is_root() { offset } else { parent * width + offset }
}

/// How segments of one array are made: `pos` and `crd`. Stores are made of such segments too.
pub(super) struct Segments;

impl Insertion for Segments {
    fn questions(&self, switches: &Switches) -> Vec<Question> {
        let what = if switches.unique == Some(false) { Statistic::Entries } else { Statistic::Count };
        vec![Question { by: By::Parent, what, label: "nir", kept: Kept::Array("pos", 1) }]
    }

    fn yields(&self) -> bool {
        true
    }

    fn counts_by_task(&self) -> bool {
        true
    }

    fn begin(&self, m: &mut Making<'_>) {
        let parents = m.level.parents.clone();
        let numbers = match &m.level.tasks {
            Some(by) => by.tasks.clone() * parents,
            None => parents,
        };
        m.array("pos", Scalar::Usize, numbers + ir::usize(1), ir::usize(0));
    }

    fn next_edges(&self, level: &Made, p: Expr, children: Expr) -> Option<Block> {
        let pos = level.var("pos");
        Some(Stmt::Store(pos, p.clone() + ir::usize(1), ir::load(pos, p) + children).into())
    }

    fn finish_edges(&self, m: &mut Making<'_>) {
        if !m.level.is_root() {
            m.block.push(Stmt::PrefixSum(m.level.var("pos")));
        }
    }

    fn init_coordinates(&self, m: &mut Making<'_>) {
        let size = self.size(m.level);
        m.array("crd", Scalar::U32, size, ir::lit(ir::Literal::U32(0)));
    }

    fn size(&self, level: &Made) -> Expr {
        let known = level.tasks.as_ref().and_then(|by| by.size);
        known.map_or_else(|| ir::load(level.var("pos"), level.parents.clone()), Expr::Var)
    }

    fn init_positions(&self, m: &mut Making<'_>) {
        if m.level.is_root() {
            m.number("next", ir::usize(0));
        }
    }

    fn position(&self, vars: &mut Vars, level: &Made, parent: Expr, _: Expr) -> (Block, Expr) {
        let at = vars.fresh(format!("{}_at", level.prefix), Scalar::Usize);
        if level.is_root() {
            let next = level.var("next");
            let step = vec![Stmt::Let(at, next.into()), Stmt::Assign(next, Expr::Var(next) + ir::usize(1))];
            return (step.into(), at.into());
        }
        let (pos, parent) = (level.var("pos"), level.number_of(parent));
        let step =
            vec![Stmt::Let(at, ir::load(pos, parent.clone())), Stmt::Store(pos, parent, Expr::Var(at) + ir::usize(1))];
        (step.into(), at.into())
    }

    fn insert(&self, level: &Made, position: Expr, coordinate: Expr) -> Block {
        Stmt::Store(level.var("crd"), position, coordinate.cast(Scalar::U32)).into()
    }

    fn finish_positions(&self, m: &mut Making<'_>) {
        if m.level.is_root() {
            return;
        }
        // Each segment's beginning has moved to its end, which is where the next one begins.
        let (pos, parents) = (m.level.var("pos"), m.level.parents.clone());
        if let Some(ByTask { tasks, .. }) = &m.level.tasks {
            m.block.push(Stmt::TaskCounts { array: pos, tasks: tasks.clone(), parents, turn: Turn::Bounds });
            return;
        }
        m.each_parent(|_, p| {
            let to = parents.clone() - Expr::Var(p);
            Stmt::Store(pos, to.clone(), ir::load(pos, to - ir::usize(1))).into()
        });
        m.block.push(Stmt::Store(pos, ir::usize(0), ir::usize(0)));
    }
}
