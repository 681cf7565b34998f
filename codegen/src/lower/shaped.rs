//! Results with entries exactly where an operand has them: they keep a copy of its levels, and only values are computed.
//!
//! ```text
//! C(i,j) = A(i,j) * s                        the levels of A
//! C(i,j) = B(i,j) * X(i,k) * Z(j,k)          those of B, where X and Z are dense
//! C(i,j) = A(i,j,k) * x(k)                   the upper levels of A: an entry for each of its fibers
//! C(i,j,l) = A(i,j,k) * X(k,l)               the same, and a block of values below each of them
//! ```
//!
//! Nothing is appended then and nothing counted, and the loops around may run in parallel: where each value goes is known.

use std::collections::BTreeMap;

use super::access::row_major;
use super::nest::{Lower, State, Storage};
use super::storage::{Levels, Pos, level_extents, literal, scalar};
use super::{Appendable, Target};
use crate::format::{Coordinate, Format};
use crate::ir::{self, Block, Expr as Code, Field, Partition, Scalar, Stmt as IrStmt, Type, Var};
use crate::level::FieldKind;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Expr, Index, Operator, Stmt, Tensor, TensorId, same};
use crate::notation::{start, type_of};

/// A result that is stored like an operand, under assembly.
#[derive(Clone, Debug)]
pub(super) struct Shaped {
    /// The operand.
    of: Access,
    /// The indices of the levels that are copied, outermost first.
    order: Vec<Index>,
    /// How many of these levels are dense: the outermost ones.
    rows: usize,
    /// The compressed levels of the operand below those, `pos` of each.
    theirs: Vec<Var>,
    /// The copies, `pos` and `crd` of each.
    own: Vec<(Var, Var)>,
    vals: Var,
    /// The indices of dense levels below the last compressed one, and their extents.
    tail: Vec<usize>,
    extents: Vec<Code>,
}

impl Shaped {
    /// The operand whose levels it has.
    pub fn of(&self) -> &Access {
        &self.of
    }

    /// How many values each entry of the last compressed level has.
    fn size(&self) -> Code {
        self.extents.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1))
    }

    /// Where the value for these coordinates lies, below position `p` of the last compressed level.
    fn position(&self, p: Code, coords: &[Code]) -> Code {
        if self.tail.is_empty() {
            return p;
        }
        let inner: Vec<Code> = self.tail.iter().map(|&m| coords[m].clone()).collect();
        p * self.size() + row_major(&self.extents, &inner)
    }

    /// What belongs to one iteration of the outermost loop; `None` if that is no part that can be named.
    pub fn partition(&self, index: Index) -> Option<(Var, Partition)> {
        let stride = self.size();
        let partition = match (self.order[0] == index, self.rows, &self.theirs[..]) {
            (true, 1, [pos]) | (true, 0, [_, pos]) => Partition::Segments { pos: *pos, stride },
            (true, 0, [_]) => Partition::Positions { stride },
            _ => return None,
        };
        Some((self.vals, partition))
    }

    /// Whether its parts belong to positions, and not to coordinates.
    pub fn by_position(&self) -> bool {
        self.rows == 0
    }
}

impl Lower<'_> {
    /// The operand of whose levels a target is a copy.
    fn shape_of(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor, places: &Appendable) -> Option<Access> {
        let format = tensor.format.as_ref()?;
        let ty = type_of(&assign.value, &self.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
        let folds_from_nothing =
            |reduce| same(start(assign, reduce, tensor.value), tensor.fill) && scalar(ty) == scalar(tensor.value);
        if tensor.value == ValueType::Pattern || !assign.reduce.is_none_or(folds_from_nothing) {
            return None;
        }
        let body = inside(stmt, &places.order(), assign.target.tensor)?;
        let (mut reads, mut drops) = (Vec::new(), false);
        body.assigns(&mut |other| {
            drops |= other.mask.is_some() || drops_entries(&other.value);
            other.reads(&mut |access| reads.push(access.clone()));
        });
        let of = reads.iter().find(|access| self.is_like(access, format, places))?;
        let dense = |access: &Access| self.kernel.tensor(access.tensor).format.as_ref().is_none_or(Format::is_full);
        let alone = reads.iter().all(|access| access == of || access.tensor != of.tensor && dense(access));
        let state = State { path: places.order(), ..State::default() };
        (!drops && alone && self.nothing_to_do(body, &state, &[of.tensor])).then(|| of.clone())
    }

    /// Whether an operand has the levels of a result's format, down to the last compressed one, for the same indices.
    fn is_like(&self, access: &Access, format: &Format, places: &Appendable) -> bool {
        let Some(Storage::Levels(levels)) = &self.stores[access.tensor.0] else { return false };
        if !levels.windows.is_empty() {
            return false;
        }
        let order = places.order();
        let theirs = &levels.format;
        let distinct = access.indices.iter().enumerate().all(|(m, index)| !access.indices[..m].contains(index));
        let kept = |at: usize| match theirs.levels[at].coordinate {
            Coordinate::Index(m) => Some(access.indices[m]),
            _ => None,
        };
        distinct
            && theirs.is_plain()
            && theirs.levels.len() >= order.len()
            && theirs.levels.iter().all(|level| level.properties.unique)
            && order.iter().enumerate().all(|(at, &index)| {
                let (own, level) = (&format.levels[at], &theirs.levels[at]);
                let fields = level.kind.fields(&level.switches);
                let arrays = [("pos", FieldKind::Positions), ("crd", FieldKind::Coordinates)];
                kept(at) == Some(index)
                    && own.kind.name() == level.kind.name()
                    && own.switches == level.switches
                    && (if at < places.rows.len() { fields.is_empty() } else { fields == arrays })
            })
    }

    /// Makes a target that is a copy of an operand's levels, if it is.
    pub(super) fn shaped(&mut self, target: &Target<'_>, places: &Appendable, body: &mut Block) -> Option<Shaped> {
        let Target { stmt, assign, tensor, name, shape } = *target;
        let of = self.shape_of(stmt, assign, tensor, places)?;
        let Some(Storage::Levels(levels)) = self.stores[of.tensor.0].clone() else { return None };
        let rows = places.rows.len();
        let mut parents =
            places.rows.iter().map(|i| self.extents[i].clone()).reduce(|a, b| a * b).unwrap_or(ir::usize(1));
        let (mut theirs, mut own) = (Vec::new(), Vec::new());
        let many = places.order().len() > rows + 1;
        for at in rows..places.order().len() {
            let name = if many { format!("{name}{}", at + 1) } else { name.to_owned() };
            let (from_pos, from_crd) = (levels.fields[at]["pos"], levels.fields[at]["crd"]);
            let pos = self.vars.fresh(format!("{name}_pos"), Type::vec(Scalar::Usize));
            let crd = self.vars.fresh(format!("{name}_crd"), Type::vec(Scalar::U32));
            let entries = ir::load(from_pos, parents.clone());
            body.push(IrStmt::CopyArray { var: pos, from: from_pos, len: parents + ir::usize(1) });
            body.push(IrStmt::CopyArray { var: crd, from: from_crd, len: entries.clone() });
            theirs.push(from_pos);
            own.push((pos, crd));
            parents = entries;
        }
        let scalar = scalar(tensor.value);
        let vals = self.vars.fresh(format!("{name}_vals"), Type::vec(scalar));
        let tail = places.tail.clone();
        let extents = tail.iter().map(|&m| shape[m].clone()).collect();
        let shaped = Shaped { of, order: places.order(), rows, theirs, own, vals, tail, extents };
        let len = if shaped.tail.is_empty() { parents } else { parents * shaped.size() };
        body.push(IrStmt::NewArray { var: vals, len, fill: literal(tensor.fill, scalar) });
        Some(shaped)
    }

    /// Remembers where the entries of results lie that are stored like an operand, where the loops have come to one of its entries.
    pub(super) fn note_entries(&self, state: &mut State) {
        for (id, storage) in self.stores.iter().enumerate() {
            let Some(Storage::Shaped(shaped)) = storage else { continue };
            if state.path != shaped.order {
                continue;
            }
            let found = (0..self.operands.len()).filter(|&at| self.operands[at].access == shaped.of).find_map(|at| {
                let reached = self.reached(at, state);
                match &reached.pos {
                    Pos::At(p) if !reached.absent && reached.flag.is_none() && reached.depth == shaped.order.len() => {
                        Some(p.clone())
                    }
                    _ => None,
                }
            });
            state.entries.extend(found.map(|p| (TensorId(id), p)));
        }
    }

    /// Where an assignment to such a result goes.
    pub(super) fn entry_of(
        &self,
        shaped: &Shaped,
        id: TensorId,
        coords: &[Code],
        state: &State,
    ) -> Option<(Var, Code)> {
        state.entries.get(&id).map(|p| (shaped.vals, shaped.position(p.clone(), coords)))
    }
}

/// The levels of a finished result, and the fields that they are returned in.
pub(super) fn finish(shaped: Shaped, format: Format, shape: Vec<Code>, value: ValueType) -> (Levels, Vec<Field>) {
    let mut levels = vec![BTreeMap::new(); format.levels.len()];
    let mut fields = Vec::new();
    for (at, (pos, crd)) in (shaped.rows..).zip(shaped.own) {
        levels[at] = BTreeMap::from([("pos".to_owned(), pos), ("crd".to_owned(), crd)]);
        let field = |name: &str, var| Field { name: name.to_owned(), level: Some(at), var };
        fields.extend([field("pos", pos), field("crd", crd)]);
    }
    fields.push(Field { name: "vals".into(), level: None, var: shaped.vals });
    let extents = level_extents(&format, &shape);
    (Levels { format, shape, extents, fields: levels, vals: Some(shaped.vals), value, windows: Vec::new() }, fields)
}

/// What stands inside of the loops over `order`, which must be the ones around the assignments to `id`.
fn inside<'s>(stmt: &'s Stmt, order: &[Index], id: TensorId) -> Option<&'s Stmt> {
    let Some((first, rest)) = order.split_first() else { return Some(stmt) };
    match stmt {
        Stmt::Forall { index, body, .. } if index == first => inside(body, rest, id),
        Stmt::Where { consumer, producer } if !producer.written().contains(&id) => inside(consumer, order, id),
        _ => None,
    }
}

/// Whether an expression may have no entry where its operands have one.
fn drops_entries(expr: &Expr) -> bool {
    match expr {
        Expr::Apply(Operator::Select | Operator::Without, _) => true,
        Expr::Apply(op, args) => {
            let body = match op {
                Operator::Function(function) => function.body.as_ref().ok(),
                _ => None,
            };
            body.into_iter().chain(args).any(drops_entries)
        }
        _ => false,
    }
}
