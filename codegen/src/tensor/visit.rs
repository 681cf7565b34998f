//! Loops over all entries of one parent that are not merged with others.

use super::levels::Pos;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var, Vars};
use crate::level::Walk;

/// A loop over all entries of one parent.
pub(crate) struct Visit {
    /// The coordinate of the entry.
    pub coordinate: Var,
    /// Where the entry leads.
    pub position: Pos,
    /// What the loop runs over.
    pub over: Over,
}

/// What a loop over entries runs over.
pub(crate) enum Over {
    /// Coordinates.
    Coordinates { lo: Code, hi: Code },
    /// Positions; which coordinate each has, and whether it keeps an entry.
    Positions { at: Var, lo: Code, hi: Code, coordinate: Code, present: Option<Code> },
    /// One entry; its coordinate, and whether there is one.
    One { coordinate: Code, present: Option<Code> },
    /// The entries of a store; what each of them holds.
    Entries { store: Code, value: Option<Var> },
}

impl Visit {
    /// A loop by `walk`. The variables for coordinates and positions are called as `names` says; `entry` is a variable for what the
    /// entries of a store hold, and where they lead.
    pub fn new(
        walk: Walk,
        vars: &mut Vars,
        (coordinate, position): (String, String),
        entry: impl FnOnce(&mut Vars) -> (Option<Var>, Pos),
    ) -> Visit {
        let c = vars.fresh(coordinate, Scalar::Usize);
        let (position, over) = match walk {
            Walk::Interval { lo, hi, position } => (Pos::At(position(c.into())), Over::Coordinates { lo, hi }),
            Walk::Positions { lo, hi, coordinate, present } => {
                let at = vars.fresh(position, Scalar::Usize);
                let (coordinate, present) = (coordinate(at.into()), present.map(|present| present(at.into())));
                (Pos::At(at.into()), Over::Positions { at, lo, hi, coordinate, present })
            }
            Walk::One { position, coordinate, present } => (Pos::At(position), Over::One { coordinate, present }),
            Walk::Entries { store } => {
                let (value, position) = entry(vars);
                (position, Over::Entries { store, value })
            }
        };
        Visit { coordinate: c, position, over }
    }

    /// The loop around `body`; the entries of a store come in order if they are `ordered`. `count` makes a loop that counts.
    pub fn around(self, body: Block, ordered: bool, count: impl FnOnce(Var, Code, Code, Block) -> IrStmt) -> IrStmt {
        let c = self.coordinate;
        let bound = |coordinate: Code| {
            let mut block = Block::from(IrStmt::Let(c, coordinate));
            block.append(body.clone());
            block
        };
        match self.over {
            Over::Coordinates { lo, hi } => count(c, lo, hi, body),
            Over::Positions { at, lo, hi, coordinate, present } => {
                count(at, lo, hi, IrStmt::when_all(present, bound(coordinate)))
            }
            // A scope of its own: the coordinate is bound once for each case of the loops around.
            Over::One { coordinate, present } => IrStmt::when(present.unwrap_or(ir::bool(true)), bound(coordinate)),
            Over::Entries { store, value } => IrStmt::ForEntries { store, coord: c, value, ordered, fold: None, body },
        }
    }
}
