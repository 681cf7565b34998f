//! How each result of a statement is made.
//!
//! ```text
//! C(i,j) = A(i,j) * s                        the levels of A, copied
//! C(i,j) = B(i,j) * X(i,k) * Z(j,k)          those of B, where X and Z are dense
//! C(i,j) = A(i,j,k) * x(k)                   the upper levels of A: an entry for each of its fibers
//! C(i,j,l) = A(i,j,k) * X(k,l)               the same, and a block of values below each of them
//! C(i,j) = A(i,j) + B(i,j)                   entries come in the order of the levels, and are appended: to rows, or to a list
//! C(j,i) = A(i,j) + B(i,j)                   entries are collected, and inserted into levels at the end, or sorted
//! ```

use std::sync::Arc;

use super::choice::{Making, MakingWay};
use super::draft::Draft;
use super::kept::{Copied, Kept};
use super::known::Known;
use crate::convert::appendable::{Appendable, comes_in_order};
use crate::convert::collected::Via;
use crate::convert::may_not_fit;
use crate::diagnostic::Diagnostic;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::level::{FieldKind, extent};
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Expr, Index, Operator, Role, Stmt, Tensor, same};
use crate::notation::{is_driven, start};

impl Draft<'_> {
    /// Decides how the tensors are made that a statement is the first to write.
    pub fn targets(&mut self, stmt: &Stmt) -> Result<(), Box<Diagnostic>> {
        let mut assigns = Vec::new();
        stmt.assigns(&mut |assign| assigns.push(assign.clone()));
        for assign in &assigns {
            let id = assign.target.tensor;
            let tensor = self.kernel.tensor(id);
            if tensor.role == Role::Workspace {
                continue;
            }
            let sparse = tensor.format.as_ref().is_some_and(|format| !is_in_place(format));
            check_ways(tensor, sparse, assign, &assigns)?;
            if self.kept[id.0].is_some() {
                if sparse && tensor.role != Role::Param && !self.plan.makings.iter().any(|making| making.id == id) {
                    let mistake =
                        Diagnostic::new(assign.span, format!("`{}` is made already, and is not dense", tensor.name));
                    let help = "compute it in one statement, or through a temporary that is dense";
                    return Err(Box::new(mistake.help(help)));
                }
                continue;
            }
            let way = if tensor.rank == 0 {
                MakingWay::Scalar
            } else if !sparse {
                MakingWay::InPlace
            } else {
                self.sparse_target(stmt, assign, tensor)
            };
            if let MakingWay::Entries(_) | MakingWay::Rows(..) = way {
                check_assembly(tensor, assign)?;
            }
            if sparse {
                check_fit(tensor, assign)?;
            }
            self.plan.kept[id.0] = Some(way.kept(tensor));
            self.plan.makings.push(Making { id, assign: assign.clone(), way });
        }
        Ok(())
    }

    fn sparse_target(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor) -> MakingWay {
        let places = Appendable::of(assign, &tensor.format).filter(|_| !is_driven(self.kernel, stmt));
        if let Some(places) = places.as_ref().filter(|places| places.is_filled_once(stmt, assign))
            && let Some(of) = self.shape_of(stmt, assign, tensor, places)
        {
            return MakingWay::Copied(Arc::new(Copied { of, places: places.clone() }));
        }
        // To fold the value of a workspace into a fresh target is to assign it, if each element is written once.
        let drains =
            matches!(&assign.value, Expr::Access(access) if self.kernel.tensor(access.tensor).role == Role::Workspace);
        let once = assign.reduce.is_none() || drains;
        let appended = places.filter(|places| places.are_appended(stmt, assign, once));
        let rows =
            || self.by_rows(stmt, assign, tensor, (once, appended.is_some())).filter(|_| !is_driven(self.kernel, stmt));
        let shallow = appended.as_ref().is_some_and(|places| !places.is_deep());
        match (rows().filter(|_| !shallow), &appended) {
            (Some((source, places)), _) => MakingWay::Rows(Arc::new(source), places),
            (None, Some(places)) => MakingWay::Appended(places.clone()),
            (None, None) => {
                let in_order = comes_in_order(stmt, assign, &tensor.format, once);
                let source = self.collected(stmt, assign, tensor, in_order);
                MakingWay::Entries(Arc::new(source.unwrap_or_else(|| unreachable!("a sparse tensor has a format"))))
            }
        }
    }

    /// The operand whose levels a target can copy, since the target has entries exactly where the operand has them.
    fn shape_of(&self, stmt: &Stmt, assign: &Assign, tensor: &Tensor, places: &Appendable) -> Option<Access> {
        let format = tensor.format.as_ref()?;
        let ty = self.computed_type(assign);
        let computed = |ty: ValueType| if ty == ValueType::Pattern { ValueType::Bool } else { ty };
        let folds_from_nothing =
            |reduce| same(start(assign, reduce, tensor.value), tensor.fill) && computed(ty) == computed(tensor.value);
        if tensor.value == ValueType::Pattern || !assign.reduce.is_none_or(folds_from_nothing) {
            return None;
        }
        let body = stmt.inside(&places.order(), assign.target.tensor)?;
        let (mut reads, mut drops) = (Vec::new(), false);
        body.assigns(&mut |other| {
            drops |= other.mask.is_some() || drops_entries(&other.value);
            other.reads(&mut |access| reads.push(access.clone()));
        });
        let of = reads.iter().find(|access| self.is_like(access, format, places))?;
        let steps = self
            .kernel
            .tensor(of.tensor)
            .format
            .as_ref()
            .is_some_and(|format| format.levels.iter().all(FormatLevel::steps));
        let dense = |access: &Access| {
            let tensor = self.kernel.tensor(access.tensor);
            // A full operand that cannot be indexed is merged with the one that is copied, which then has to step: it is not sorted here.
            tensor.is_full() && tensor.format.as_ref().is_none_or(|format| steps || is_in_place(format))
        };
        let alone = reads.iter().all(|access| access == of || access.tensor != of.tensor && dense(access));
        let known = Known { path: places.order(), ..Known::default() };
        (!drops && alone && self.nothing_to_do(body, &known, &[of.tensor])).then(|| of.clone())
    }

    /// Whether an operand has the levels of a result's format, down to the last compressed one, for the same indices.
    fn is_like(&self, access: &Access, format: &Format, places: &Appendable) -> bool {
        let Some(Kept::Levels(form)) = &self.kept[access.tensor.0] else { return false };
        if form.steps.iter().any(Option::is_some) {
            return false;
        }
        let (order, theirs) = (places.order(), &form.format);
        let distinct = access.indices.iter().enumerate().all(|(m, index)| !access.indices[..m].contains(index));
        let same_level = |(at, &index): (usize, &Index)| {
            let (own, level) = (&format.levels[at], &theirs.levels[at]);
            let fields: Vec<FieldKind> = level.kind.fields(&level.switches).iter().map(|(_, kind)| *kind).collect();
            let arrays = [FieldKind::Positions, FieldKind::Coordinates];
            matches!(level.coordinate, Coordinate::Index(m) if access.indices[m] == index)
                && own.kind.name() == level.kind.name()
                && own.switches == level.switches
                && (if at < places.rows.len() { fields.is_empty() } else { fields == arrays })
        };
        // A padded operand may have a row of which no place holds an entry; a result that keeps entries only must not have that row.
        let holds_entries = theirs.keeps_entries_only() || !format.keeps_entries_only();
        distinct
            && holds_entries
            && theirs.is_plain()
            && theirs.levels.len() >= order.len()
            && theirs.levels.iter().all(|level| level.properties.unique)
            && order.iter().enumerate().all(same_level)
    }
}

impl MakingWay {
    /// How the tensor is kept while it is made.
    fn kept(&self, tensor: &Tensor) -> Kept {
        match self {
            MakingWay::Scalar => Kept::Scalar { remembers: false },
            MakingWay::InPlace => match &tensor.format {
                None => Kept::Array { listed: false },
                Some(format) => Kept::whole(format),
            },
            MakingWay::Copied(copied) => Kept::Copied(copied.clone()),
            MakingWay::Appended(places) | MakingWay::Rows(_, places) => Kept::Appended(places.clone()),
            MakingWay::Entries(source) => Kept::Collected { in_order: source.via == Via::Order },
        }
    }
}

/// Whether every value of a format has a place of its own, so that it is written there.
pub(crate) fn is_in_place(format: &Format) -> bool {
    let can = |at: usize| format.capabilities(at).locate && format.capabilities(at).insert;
    format.is_plain() && format.is_full() && (0..format.levels.len()).all(can)
}

/// Refuses a statement that writes one tensor in ways that cannot be combined. The entries of a sparse tensor are collected before they are
/// folded, and all of them are folded by the same reduction.
fn check_ways(tensor: &Tensor, sparse: bool, assign: &Assign, all: &[Assign]) -> Result<(), Box<Diagnostic>> {
    let own: Vec<&Assign> = all.iter().filter(|other| other.target.tensor == assign.target.tensor).collect();
    let differ = own.iter().any(|other| {
        let plain = other.reduce.is_none() || assign.reduce.is_none();
        if sparse { plain || other.reduce != assign.reduce } else { !plain && other.reduce != assign.reduce }
    });
    if own.len() < 2 || !differ {
        return Ok(());
    }
    let mistake =
        Diagnostic::new(assign.span, format!("`{}` is written in several ways by one statement", tensor.name));
    Err(Box::new(mistake.help(if sparse {
        "a sparse result takes one assignment, or several with the same reduction such as `+=`"
    } else {
        "use the same reduction everywhere, or statements of their own"
    })))
}

/// Refuses a result of which a level cannot be made.
fn check_assembly(tensor: &Tensor, assign: &Assign) -> Result<(), Box<Diagnostic>> {
    let Some(format) = &tensor.format else { return Ok(()) };
    let shape = vec![crate::ir::usize(1); tensor.rank];
    let lacks = |(at, level): (usize, &FormatLevel)| {
        let kind = level.kind.name();
        let counted = matches!(level.coordinate, Coordinate::Counter(_));
        if !counted && extent(&level.coordinate, &shape).is_none() {
            let number = at + 1;
            Some(format!(
                "how many coordinates its level number {number}, `{kind}`, has does not follow from its shape"
            ))
        } else if level.kind.insertion().is_none() {
            Some(format!("level `{kind}` does not say how it is assembled"))
        } else {
            None
        }
    };
    match format.levels.iter().enumerate().find_map(lacks) {
        None => Ok(()),
        Some(why) => Err(cannot_be_made(tensor, format, assign, &why)),
    }
}

/// Refuses a result that may have more entries at a position than its format has room for, or none where its format has no mark for that.
fn check_fit(tensor: &Tensor, assign: &Assign) -> Result<(), Box<Diagnostic>> {
    let Some(format) = &tensor.format else { return Ok(()) };
    let Some(at) = may_not_fit(format) else { return Ok(()) };
    let level = format.level_text(&format.levels[at]);
    let why = format!(
        "`{level}` keeps one coordinate for each position of the level above, and a position may have several, or none"
    );
    Err(cannot_be_made(tensor, format, assign, &why))
}

fn cannot_be_made(tensor: &Tensor, format: &Format, assign: &Assign, why: &str) -> Box<Diagnostic> {
    let other = match tensor.rank {
        1 => "sparse".to_owned(),
        2 => "csr".to_owned(),
        3 => "csf".to_owned(),
        n => format!("({})", vec![crate::level::Kinds::list().name(); n].join(", ")),
    };
    let mistake = Diagnostic::new(assign.span, format!("`{}` cannot be made: {why}", tensor.name));
    Box::new(
        mistake
            .note(format!("its format is {format}"))
            .help(format!("return it in another format, such as `-> {}: {other}`", tensor.name)),
    )
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
