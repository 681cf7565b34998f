//! Reading: the value of an access, and where it is stored.

use super::nest::{Lower, Source, State};
use super::stored::Storage;
use crate::ir::{self, Block, Expr as Code, Scalar, Stmt as IrStmt, Var};
use crate::level::Located;
use crate::notation::concrete::Access;
use crate::plan::{From, Origin};
use crate::tensor::{Pos, literal, row_major, scalar};

impl Lower<'_> {
    /// Whether the value of a padded operand is that of an entry: it is not the fill.
    pub(super) fn is_entry(&self, at: usize, state: &State) -> Code {
        let Some(levels) = self.levels_of(at) else { return ir::bool(true) };
        let fill = literal(self.kernel.tensor(self.reading(at).access.tensor).fill, scalar(levels.value));
        levels.value_at(&state.at(at).pos).not_equal(fill)
    }

    /// What tells whether an access has an entry, where that is found out at run time: the flag of a scalar workspace, or that of an
    /// operand.
    pub(super) fn flag(&self, access: &Access, state: &State) -> Option<Var> {
        match self.stores[access.tensor.0] {
            Some(Storage::Scalar { flag, .. }) => flag,
            _ => state.operand_flag(access),
        }
    }

    /// The value of an access, in the type of its tensor. If the access has a flag, the value is valid only where the flag holds.
    pub(super) fn read(&mut self, access: &Access, state: &State, block: &mut Block) -> Code {
        if let Some(found) = state.looked_up(access) {
            return found.value.into();
        }
        let own = scalar(self.kernel.tensor(access.tensor).value);
        match state.read(access).from {
            Origin::Nothing => return literal(access.fill, own),
            Origin::Operand(at) => return self.value_of(at, access, state),
            Origin::Stored => {}
        }
        let Some(stored) = self.stores[access.tensor.0].clone() else {
            unreachable!("a tensor is made before it is read")
        };
        if let Storage::Scalar { var, .. } = stored {
            return var.into();
        }
        let (vals, at, inside) = self.place_of(&stored, access, state, block);
        let value = vals.map_or(ir::bool(true), |vals| ir::load(vals, at));
        inside.map_or(value.clone(), |inside| inside.select(value, literal(access.fill, own)))
    }

    /// The value of an operand that the loops have followed.
    fn value_of(&self, at: usize, access: &Access, state: &State) -> Code {
        match &self.sources[at] {
            Source::Levels(levels) => levels.value_at(&state.at(at).pos),
            Source::Marked(vals, _) => ir::load(*vals, state.index(access.indices[0])),
            Source::Listed { vals, .. } => match state.at(at).pos {
                Pos::At(position) => ir::load(*vals, position),
                _ => unreachable!("a list is read at its positions"),
            },
            Source::Unmade => unreachable!("a workspace is made before it is read"),
        }
    }

    /// Where the value of an access lies in a tensor that has a place for each value: the array (`None` for a pattern), the position in it, and
    /// the condition that the access lies within the tensor (`None` if it always does).
    pub(super) fn place_of(
        &mut self,
        stored: &Storage,
        access: &Access,
        state: &State,
        block: &mut Block,
    ) -> (Option<Var>, Code, Option<Code>) {
        let (of, (coords, inside)) = match stored {
            Storage::Viewed(viewed) => (&viewed.of, self.coordinates_in(viewed, access, state, block)),
            of => (of, (access.indices.iter().map(|&index| state.index(index)).collect(), None)),
        };
        match of {
            Storage::Dense { shape, vals, .. } => (Some(*vals), row_major(shape, &coords), inside),
            Storage::Levels(levels) => match levels.position(levels.of_levels(&coords), &mut self.vars, block) {
                Pos::At(at) => (levels.vals, at, inside),
                _ => unreachable!("a level whose coordinates have positions can be searched"),
            },
            _ => unreachable!("the plan refuses to read what is being made"),
        }
    }

    /// Follows as many levels of an operand, whose positions are computed from coordinates.
    pub(super) fn search(&mut self, (at, levels): (usize, usize), state: &mut State, block: &mut Block) {
        let (first, From::Levels(_, of)) = (state.at(at).above.len(), &self.reading(at).from) else { return };
        let Some(own) = self.levels_of(at) else { return };
        for (depth, &index) in of.iter().enumerate().skip(first).take(levels) {
            let (coordinate, place) = (state.index(index), state.at(at));
            let Some(Located::At { setup, position, .. }) =
                own.locate(depth, &place.pos, &place.above, coordinate.clone(), &mut self.vars)
            else {
                unreachable!("a level whose coordinates have positions can be searched");
            };
            let pos = match place.flag.filter(|_| !setup.is_empty()) {
                None => {
                    block.append(setup);
                    Pos::At(position)
                }
                Some(flag) => {
                    // An operand without an entry is not searched.
                    let found = self.vars.fresh(format!("{}_at", self.tensor_name(at)), Scalar::Usize);
                    block.push(IrStmt::Let(found, ir::usize(0)));
                    let mut search = setup;
                    search.push(IrStmt::Assign(found, position));
                    block.push(IrStmt::when(flag.into(), search));
                    Pos::At(found.into())
                }
            };
            state.enter(at, pos, coordinate, place.flag);
        }
    }
}
