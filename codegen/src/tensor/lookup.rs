//! Looking up: the value at given coordinates of a tensor that may have no entry there, found level by level.
//!
//! A level that can be searched is searched, and an ordered array of coordinates by bisection. Of any other level, all coordinates below
//! the parent are visited and compared with the one that is sought. A level that counts its entries, as ELL does, is visited as a whole, too.

use super::levels::{Levels, Pos};
use super::remap::level_coordinate;
use super::value::{fold, scalar};
use super::visit::Visit;
use crate::format::FormatLevel;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt, Var, Vars};
use crate::level::{Located, Walk, array_of};
use crate::notation::concrete::Reduction;

/// What was found at given coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The value; the fill where there is no entry.
    pub value: Var,
    /// Whether there is an entry.
    pub flag: Var,
}

impl Levels {
    /// Code that finds the value at the tensor's own coordinates; `fill` where there is no entry, and where `inside` does not hold.
    /// Entries that are kept more than once are added up.
    pub(crate) fn look_up(
        &self,
        coords: &[Code],
        inside: Option<Code>,
        name: &str,
        fill: Code,
        vars: &mut Vars,
        block: &mut Block,
    ) -> Found {
        let ty = scalar(self.value);
        let (value, flag) =
            (vars.fresh(format!("{name}_value"), ty), vars.fresh(format!("{name}_found"), Scalar::Bool));
        block.push(Stmt::Let(value, fill.clone()));
        block.push(Stmt::Let(flag, ir::bool(false)));
        // Where there are places for more than entries, values say which of them hold one.
        let padded = !self.format.keeps_entries_only();
        let unique = ty == Scalar::Bool || self.format.levels.iter().all(|level| level.properties.unique);
        let add = fold(Reduction::Add, ty);
        let put = |entry: Code| {
            let first = Stmt::Assign(value, entry.clone());
            let more = || Stmt::either(flag.into(), Stmt::Update(value, add, entry.clone()), first.clone());
            let mut put = Block::from(if unique { first.clone() } else { more() });
            put.push(Stmt::Assign(flag, ir::bool(true)));
            Stmt::when_all(padded.then(|| entry.clone().not_equal(fill.clone())), put)
        };
        let sought = self.of_levels(coords);
        let found = self.find(0, Pos::At(ir::usize(0)), &sought, vars, &put);
        block.append(Stmt::when_all(inside, found));
        Found { value, flag }
    }

    /// The coordinates of the levels for an entry at the tensor's own coordinates. Those that count entries are given as 0.
    pub(crate) fn of_levels(&self, coords: &[Code]) -> Vec<Code> {
        let of = |level: &FormatLevel| level_coordinate(&level.coordinate, coords, &self.shape, None);
        self.format.levels.iter().map(of).collect()
    }

    /// Code that looks for the coordinates `sought`, one for each level, from level `at` on, and does `then` with the value of each entry
    /// found.
    fn find(&self, at: usize, pos: Pos, sought: &[Code], vars: &mut Vars, then: &dyn Fn(Code) -> Block) -> Block {
        let Some(level) = self.format.levels.get(at) else { return then(self.value_at(&pos)) };
        let above = &sought[..at];
        if level.coordinate.counts() {
            return self.visit(at, &pos, sought, None, vars, then);
        }
        let coordinate = sought[at].clone();
        match self.locate(at, &pos, above, coordinate.clone(), vars) {
            Some(Located::InStore { store, coordinate }) => {
                let (value, below) = self.entry(at, "entry".into(), vars);
                let then = self.find(at + 1, below, sought, vars, then);
                Stmt::Locate { store, coord: coordinate, value, then, otherwise: Block::new() }.into()
            }
            Some(Located::At { mut setup, found, position }) => {
                let below = self.find(at + 1, Pos::At(position), sought, vars, then);
                setup.append(Stmt::when_all(found, below));
                setup
            }
            None => match self.walk_whole(at, &pos, above) {
                Walk::Positions { lo, hi, coordinate: kept, present: None }
                    if level.properties.ordered && array_of(&*kept).is_some() =>
                {
                    self.halve(at, (lo, hi), &*kept, sought, vars, then)
                }
                _ => self.visit(at, &pos, sought, Some(coordinate), vars, then),
            },
        }
    }

    /// As [`Levels::find`], for a level that keeps its coordinates in ascending order in an array, from `lo` up to `hi`: it is searched by
    /// bisection.
    fn halve(
        &self,
        at: usize,
        (lo, hi): (Code, Code),
        kept: &dyn Fn(Code) -> Code,
        sought: &[Code],
        vars: &mut Vars,
        then: &dyn Fn(Code) -> Block,
    ) -> Block {
        let Some(array) = array_of(kept) else { unreachable!("the coordinates lie in an array") };
        let (p, end) = (vars.fresh(format!("p{}", at + 1), Scalar::Usize), vars.fresh("end", Scalar::Usize));
        let coord = Box::new(sought[at].clone());
        let first = Code::Seek { array, from: Box::new(lo), to: Box::new(Code::Var(end)), coord };
        let mut block = Block::from(Stmt::Let(end, hi));
        block.push(Stmt::Let(p, first));
        let found = Code::Var(p).less(end).and(kept(p.into()).equal(sought[at].clone()));
        let mut below = self.find(at + 1, Pos::At(p.into()), sought, vars, then);
        if self.format.levels[at].properties.unique {
            block.push(Stmt::when(found, below));
        } else {
            below.push(Stmt::Assign(p, Code::Var(p) + ir::usize(1)));
            block.push(Stmt::While(found, below));
        }
        block
    }

    /// As [`Levels::find`], for a level that can only be visited as a whole: of its coordinates those are taken that equal `only`, or all.
    fn visit(
        &self,
        at: usize,
        pos: &Pos,
        sought: &[Code],
        only: Option<Code>,
        vars: &mut Vars,
        then: &dyn Fn(Code) -> Block,
    ) -> Block {
        let entry = |vars: &mut Vars| self.entry(at, "entry".into(), vars);
        let names = (format!("c{}", at + 1), format!("p{}", at + 1));
        let visit = Visit::new(self.walk_whole(at, pos, &sought[..at]), vars, names, entry);
        let mut sought = sought.to_vec();
        let kept: Var = visit.coordinate;
        let same = only.map(|only| Code::Var(kept).equal(only));
        if same.is_none() {
            sought[at] = kept.into();
        }
        let below = self.find(at + 1, visit.position.clone(), &sought, vars, then);
        visit.around(Stmt::when_all(same, below), false, Stmt::count).into()
    }
}
