//! Concrete index notation and formats to kernel IR.
//!
//! ```text
//! forall(i, S)      the operands whose next level keeps i  ─ lattice ─►  loops and cases
//! S where T         a workspace: a scalar, an array, an array that remembers where it was written
//! A(i,j) op= e      a value, if the algebra leaves one; written in place, appended, or collected
//! ```
//!
//! A statement is lowered by its plan (`crate::plan`): `decide` makes the plan in a walk over the loops that emits nothing, and everything
//! else emits what the plan says. The plan knows three ways around a format that loops cannot read as it is stored:
//!
//! * One operand drives a fold: its entries are taken in the order in which they are stored, and the others are looked up.
//!   `y(i) += A(i,j) * x(j)` is computed so on COO, DIA, ELL, BCSR and CSB.
//! * Equal coordinates that follow each other, as in ordered COO, are taken as one, and equal entries are added up (chaining). So
//!   COO + CSR merges without a copy.
//! * An operand is sorted into compressed levels in the order of the loops before they start: where its levels come in another order (a
//!   transpose), keep computed coordinates, or cannot be merged as they are. `A + Aᵀ`, CSR + CSC and sums with DIA, ELL, BCSR, unordered
//!   COO or hash tables are computed so, for one sort.
//!
//! A sparse result whose entries are not computed in its own order is collected as a list of entries, sorted and folded at the end.
//!
//! Loops that are written by hand keep their order: the compiler refuses a format that would have to be sorted for it
//! (`notation::check_orders`).

mod access;
mod assign;
mod decide;
mod drive;
mod flags;
mod iterate;
mod lead;
mod list;
mod loops;
mod nest;
mod once;
mod operand;
mod parallel;
mod shaped;
mod storage;
mod value;
mod view;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::list::{List, OwnFields, build_stores};
use self::nest::{Append, Listed, Lower, Phase, State, Storage, Tail};
use self::storage::{Levels, level_extents, literal, prefix, scalar};
pub use self::storage::{extent_names, keeps_extent};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, Access as IrAccess, Block, Expr as Code, Field, Scalar, ShapeCheck, Stmt as IrStmt, Type, Vars};
use crate::level::Capabilities;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Assign, Index, Kernel, Reduction, Role, Stmt, TensorId};
use crate::notation::{driven, start, type_of};
use crate::plan::{self, Plan, Sorted};

/// Why a statement was not lowered.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It cannot be.
    Wrong(Box<Diagnostic>),
    /// An operand has to be sorted first.
    Sort(Box<Sorted>),
    /// The driver cannot drive.
    Idle(String),
}

pub(crate) fn unsupported(span: Span, message: impl Into<String>) -> Stopped {
    Stopped::Wrong(Box::new(Diagnostic::new(span, message)))
}

/// Lowers the statements of a kernel; returns the plan that they were lowered by as well.
///
/// # Errors
///
/// What cannot be computed, in the user's words.
pub(crate) fn lower(kernel: &Kernel, stmts: &[Stmt]) -> Result<(ir::Kernel, Plan), Diagnostics> {
    let mut written = BTreeSet::new();
    for stmt in stmts {
        written.extend(stmt.written().into_iter().map(|id| kernel.base(id)));
    }
    let mut lower = Lower {
        kernel,
        vars: Vars::new(),
        stores: vec![None; kernel.tensors.len()],
        written: BTreeSet::new(),
        extents: BTreeMap::new(),
        operands: Vec::new(),
        plan: plan::Statement::default(),
        span: Span::default(),
        cases: 0,
        prelude: Block::new(),
        scratch: None,
        automatic: false,
    };
    let mut params = Vec::new();
    for (at, tensor) in kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param) {
        let (storage, fields) = passed(&mut lower.vars, tensor);
        let writes = written.contains(&TensorId(at));
        if writes && !matches!(&storage, Storage::Levels(levels) if in_place(&levels.format)) {
            let mistake = Diagnostic::new(tensor.span, format!("`{}` cannot be written in place", tensor.name));
            return Err(match &tensor.format {
                None => mistake.help("a scalar is returned: `-> t: f64`"),
                Some(format) => mistake
                    .note(format!("its format is {format}"))
                    .help("only dense tensors are written in place; return it as a result: `-> C: csr`")
                    .help("or write the statement without loops: what becomes of the tensor is returned then"),
            }
            .into());
        }
        lower.stores[at] = Some(storage);
        params.push(ir::Tensor {
            name: tensor.name.clone(),
            format: tensor.format.as_ref().map_or(String::new(), Format::levels_text),
            layout: tensor.format.as_ref().map(layout),
            access: if writes { IrAccess::Write } else { IrAccess::Read },
            fields,
        });
    }
    let mut body = Block::new();
    let mut checks = Vec::new();
    let mut results: BTreeMap<TensorId, Vec<Field>> = BTreeMap::new();
    let mut doc = Vec::new();
    let mut plan = Plan::default();
    for stmt in stmts {
        doc.push(kernel.show(stmt).to_string());
        let mut stmt = stmt.clone();
        stmt.assigns_mut(&mut |assign| assign.value.typed(&kernel.tensors));
        let stmt = &stmt;
        lower.show_views(stmt, &mut checks)?;
        ranges(&mut lower, stmt, &mut checks)?;
        check_width(&lower, stmt, &mut checks);
        statement(&mut lower, stmt, &mut body, &mut results)?;
        plan.statements.push(std::mem::take(&mut lower.plan));
        lower.written.extend(stmt.written().into_iter().map(|id| kernel.base(id)));
    }
    let results = kernel
        .tensors
        .iter()
        .enumerate()
        .filter(|(_, tensor)| tensor.role == Role::Result)
        .map(|(at, tensor)| ir::Tensor {
            name: tensor.name.clone(),
            format: tensor.format.as_ref().map_or(String::new(), Format::levels_text),
            layout: tensor.format.as_ref().map(layout),
            access: IrAccess::Write,
            fields: results.remove(&TensorId(at)).unwrap_or_default(),
        })
        .collect();
    let Lower { vars, .. } = lower;
    Ok((ir::Kernel { name: kernel.name.clone(), doc, vars, params, checks, body, results }, plan))
}

fn layout(format: &Format) -> ir::Layout {
    let index = |coordinate: &Coordinate| match coordinate {
        Coordinate::Index(m) => Some(*m),
        _ => None,
    };
    let levels = format.levels.iter().map(|level| (level.kind.name().to_owned(), index(&level.coordinate))).collect();
    ir::Layout { name: format.name.clone(), levels, held: None }
}

fn in_place(format: &Format) -> bool {
    let can = |c: Capabilities| c.locate && c.insert;
    format.is_plain() && format.is_full() && (0..format.levels.len()).all(|at| can(format.capabilities(at)))
}

fn passed(vars: &mut Vars, tensor: &crate::notation::concrete::Tensor) -> (Storage, Vec<Field>) {
    match &tensor.format {
        None => {
            let var = vars.fresh(prefix(&tensor.name), scalar(tensor.value));
            (Storage::Scalar { var, flag: None }, vec![Field { name: "value".into(), level: None, var }])
        }
        Some(format) => {
            let (levels, fields) = Levels::passed(vars, &tensor.name, format, tensor.value);
            (Storage::Levels(Rc::new(levels)), fields)
        }
    }
}

/// How far the indices of a statement run, and which extents must agree.
fn ranges(lower: &mut Lower<'_>, stmt: &Stmt, checks: &mut Vec<ShapeCheck>) -> Result<(), Diagnostics> {
    lower.extents.clear();
    let mut said: BTreeMap<Index, (TensorId, usize)> = BTreeMap::new();
    let mut accesses = Vec::new();
    stmt.assigns(&mut |assign| {
        assign.reads(&mut |access| accesses.push(access.clone()));
        accesses.push(assign.target.clone());
        // What takes the place of a parameter is as large.
        let target = lower.kernel.tensor(assign.target.tensor);
        let own = |tensor: &crate::notation::concrete::Tensor| tensor.role == Role::Param && tensor.name == target.name;
        if let Some(at) = lower.kernel.tensors.iter().position(own).filter(|_| target.role == Role::Result) {
            accesses.push(Access { tensor: TensorId(at), ..assign.target.clone() });
        }
    });
    for access in accesses {
        let shape = match &lower.stores[access.tensor.0] {
            Some(Storage::Levels(levels)) => levels.seen_shape(),
            Some(Storage::Dense { shape, .. }) => shape.clone(),
            Some(Storage::Viewed(viewed)) => viewed.ranges.iter().map(|(_, extent)| extent.clone()).collect(),
            _ => continue,
        };
        let indices: Vec<Index> = match &lower.stores[access.tensor.0] {
            Some(Storage::Viewed(viewed)) => viewed.ranges.iter().map(|(m, _)| access.indices[*m]).collect(),
            _ => access.indices.clone(),
        };
        for (m, (index, extent)) in indices.into_iter().zip(shape).enumerate() {
            match lower.extents.get(&index) {
                None => {
                    lower.extents.insert(index, extent);
                    said.insert(index, (access.tensor, m));
                }
                Some(known) if *known != extent => {
                    let (left, right) = (said[&index], (access.tensor, m));
                    let check = ShapeCheck {
                        left: known.clone(),
                        left_name: side(lower.kernel, left, index, left.0 == right.0),
                        right: extent,
                        right_name: side(lower.kernel, right, index, left.0 == right.0),
                    };
                    let about_params = !check_reads_locals(&check, lower);
                    if about_params && !checks.contains(&check) {
                        checks.push(check);
                    }
                }
                Some(_) => {}
            }
        }
    }
    workspace_ranges(lower, stmt, &mut said, checks);
    let mut lost = None;
    stmt.assigns(&mut |assign| {
        for index in assign.target.indices.iter().chain(&assign.value.indices()) {
            if !lower.extents.contains_key(index) {
                lost = Some((*index, assign.span));
            }
        }
    });
    match lost {
        None => Ok(()),
        Some((index, span)) => {
            let name = &lower.kernel.indices[index.0];
            Err(Diagnostic::new(span, format!("nothing says how far `{name}` runs"))
                .help(format!("access a tensor with `{name}`"))
                .into())
        }
    }
}

/// Checks that the coordinates of what is made fit into the 32 bits that levels have for each. What another tensor keeps so does.
fn check_width(lower: &Lower<'_>, stmt: &Stmt, checks: &mut Vec<ShapeCheck>) {
    let kernel = lower.kernel;
    let kept = |access: &Access| -> Vec<Index> {
        let format = kernel.tensor(access.tensor).format.as_ref();
        let levels = format.into_iter().flat_map(|format| &format.levels).filter(|level| level.keeps_coordinates());
        let index = |level: &FormatLevel| match level.coordinate {
            Coordinate::Index(m) => access.indices.get(m).copied(),
            _ => None,
        };
        levels.filter_map(index).collect()
    };
    let mut narrow: Vec<Index> = Vec::new();
    stmt.assigns(&mut |assign| assign.reads(&mut |access| narrow.extend(kept(access))));
    let most = || ir::usize(crate::level::GAP as usize);
    stmt.assigns(&mut |assign| {
        let tensor = kernel.tensor(assign.target.tensor);
        let Some(format) = tensor.format.as_ref().filter(|_| matches!(tensor.role, Role::Result | Role::Temporary))
        else {
            return;
        };
        let mut check = |extent: Code, name: String| {
            let left_name = format!("`{}` along {name}, which has 32 bits for a coordinate,", tensor.name);
            let check = ShapeCheck { left: extent.clone().min(most()), left_name, right: extent, right_name: name };
            if !reads_locals(&check.right, lower) && !checks.contains(&check) {
                checks.push(check);
            }
        };
        for level in format.levels.iter().filter(|level| level.keeps_coordinates()) {
            match &level.coordinate {
                Coordinate::Index(m) => {
                    let index = assign.target.indices[*m];
                    if !narrow.contains(&index) {
                        check(lower.extents[&index].clone(), format!("`{}`", kernel.indices[index.0]));
                    }
                }
                // A difference has as many values as both have together; what else is computed has no more than its indices.
                Coordinate::Binary(op, ..) => {
                    let extents = assign.target.indices.iter().map(|index| lower.extents[index].clone());
                    let difference = *op == crate::format::ast::RemapOp::Sub;
                    if let Some(all) = extents.reduce(|a, b| if difference { a + b } else { a.max(b) }) {
                        check(all, "its computed coordinate".into());
                    }
                }
                _ => {}
            }
        }
    });
}

/// A workspace is as large as the indices that it is written with: where others read it, they run as far.
fn workspace_ranges(
    lower: &mut Lower<'_>,
    stmt: &Stmt,
    said: &mut BTreeMap<Index, (TensorId, usize)>,
    checks: &mut Vec<ShapeCheck>,
) {
    let mut made: BTreeMap<TensorId, Vec<Index>> = BTreeMap::new();
    let mut used = Vec::new();
    stmt.assigns(&mut |assign| {
        let of = |id: TensorId| lower.kernel.tensor(id).role == Role::Workspace;
        if of(assign.target.tensor) {
            made.entry(assign.target.tensor).or_insert_with(|| assign.target.indices.clone());
            used.push(assign.target.clone());
        }
        assign.reads(&mut |access| used.extend(of(access.tensor).then(|| access.clone())));
    });
    // What one workspace says of an index, another one may need to know.
    for _ in 0..=made.len() {
        for access in &used {
            let Some(made) = made.get(&access.tensor) else { continue };
            for (m, (&index, by)) in access.indices.iter().zip(made).enumerate() {
                let (known, own) = (lower.extents.get(&index).cloned(), lower.extents.get(by).cloned());
                match (known, own) {
                    (None, Some(own)) => {
                        lower.extents.insert(index, own);
                        said.insert(index, (access.tensor, m));
                    }
                    (Some(known), Some(own)) if known != own => {
                        let check = ShapeCheck {
                            left: known,
                            left_name: side(lower.kernel, said[&index], index, false),
                            right: own,
                            right_name: side(lower.kernel, said[by], *by, false),
                        };
                        if !check_reads_locals(&check, lower) && !checks.contains(&check) {
                            checks.push(check);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// One dimension of a tensor, in words: by the index that runs along it or, where two of one tensor are told apart, by its place.
fn side(kernel: &Kernel, (tensor, m): (TensorId, usize), index: Index, apart: bool) -> String {
    let name = &kernel.tensor(tensor).name;
    let apart = apart || kernel.indices[index.0].starts_with("slice_");
    match ["first", "second", "third", "fourth"].get(m) {
        _ if !apart => format!("`{name}` along `{}`", kernel.indices[index.0]),
        Some(place) => format!("`{name}` along its {place} index"),
        None => format!("`{name}` along its index number {}", m + 1),
    }
}

/// Whether a check reads what is not a parameter: then it cannot be made before the kernel starts.
fn check_reads_locals(check: &ShapeCheck, lower: &Lower<'_>) -> bool {
    [&check.left, &check.right].iter().any(|side| reads_locals(side, lower))
}

/// Whether an extent is computed from what is not a parameter.
fn reads_locals(extent: &Code, lower: &Lower<'_>) -> bool {
    let mut params = BTreeSet::new();
    for (at, tensor) in lower.kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param) {
        match &lower.stores[at] {
            Some(Storage::Levels(levels)) => params.extend(levels.shape.iter().filter_map(|extent| match extent {
                Code::Var(var) => Some(*var),
                _ => None,
            })),
            Some(Storage::Scalar { var, .. }) if tensor.format.is_none() => params.extend([*var]),
            _ => {}
        }
    }
    let mut locals = false;
    extent.visit(&mut |part| locals |= part.own_vars().iter().any(|var| !params.contains(var)));
    locals
}

fn statement(
    lower: &mut Lower<'_>,
    stmt: &Stmt,
    body: &mut Block,
    results: &mut BTreeMap<TensorId, Vec<Field>>,
) -> Result<(), Diagnostics> {
    stmt.assigns(&mut |assign| lower.span = assign.span);
    lower.plan = lower.decided(stmt)?;
    let mut open = Vec::new();
    targets(lower, stmt, body, results, &mut open)?;
    lower.start();
    let lowered = match lower.collect(stmt, &mut Vec::new()).and_then(|()| lower.stmt(stmt, &State::default())) {
        Ok(block) => block,
        Err(Stopped::Wrong(mistake)) => return Err((*mistake).into()),
        Err(Stopped::Sort(_) | Stopped::Idle(_)) => {
            let message = "this statement is not lowered as it was planned, which is a defect of the compiler";
            return Err(Diagnostic::new(lower.span, message).into());
        }
    };
    // What is counted before it is filled is made once its size is known.
    let made: Vec<ir::Var> = lowered.0.iter().flat_map(IrStmt::declares).collect();
    body.0.retain(|stmt| !matches!(stmt, IrStmt::NewVec { var, .. } if made.contains(var)));
    body.append(std::mem::take(&mut lower.prelude));
    body.append(lowered);
    for made in open {
        finish(lower, made, body, results)?;
    }
    Ok(())
}

/// A sparse target whose entries are collected.
struct Open {
    id: TensorId,
    assign: Assign,
    reduce: Option<Reduction>,
}

/// Makes places for the tensors that a statement is the first to write.
fn targets(
    lower: &mut Lower<'_>,
    stmt: &Stmt,
    body: &mut Block,
    results: &mut BTreeMap<TensorId, Vec<Field>>,
    open: &mut Vec<Open>,
) -> Result<(), Diagnostics> {
    let mut assigns = Vec::new();
    stmt.assigns(&mut |assign| assigns.push(assign.clone()));
    for assign in &assigns {
        let id = assign.target.tensor;
        let tensor = lower.kernel.tensor(id).clone();
        if tensor.role == Role::Workspace {
            continue;
        }
        let sparse = tensor.format.as_ref().is_some_and(|format| !in_place(format));
        check_ways(&tensor, sparse, assign, &assigns)?;
        if lower.stores[id.0].is_some() {
            if sparse && tensor.role != Role::Param && !open.iter().any(|made| made.id == id) {
                return Err(Diagnostic::new(
                    assign.span,
                    format!("`{}` is made already, and is not dense", tensor.name),
                )
                .help("compute it in one statement, or through a temporary that is dense")
                .into());
            }
            continue;
        }
        let own = scalar(tensor.value);
        let nothing = assign.reduce.map_or(tensor.fill, |reduce| start(assign, reduce, tensor.value));
        let name = prefix(&tensor.name);
        let shape: Vec<Code> = assign.target.indices.iter().map(|index| lower.extents[index].clone()).collect();
        if tensor.rank == 0 {
            let var = lower.vars.fresh(name, own);
            body.push(IrStmt::Let(var, literal(nothing, own)));
            lower.stores[id.0] = Some(Storage::Scalar { var, flag: None });
            results.insert(id, vec![Field { name: "value".into(), level: None, var }]);
            continue;
        }
        if !sparse {
            let vals = lower.vars.fresh(name.clone(), Type::vec(own));
            let len = shape.iter().cloned().reduce(|a, b| a * b).expect("the rank is not 0");
            body.push(IrStmt::NewArray { var: vals, len, fill: literal(nothing, own) });
            lower.stores[id.0] = Some(match &tensor.format {
                None => Storage::Dense { shape, vals, marks: None },
                Some(format) => {
                    let extents = level_extents(format, &shape);
                    let mut fields = extent_fields(lower, body, &name, &shape);
                    fields.push(Field { name: "vals".into(), level: None, var: vals });
                    results.insert(id, fields);
                    let fields = vec![BTreeMap::new(); format.levels.len()];
                    let levels = Levels {
                        format: format.clone(),
                        shape,
                        extents,
                        fields,
                        vals: Some(vals),
                        value: tensor.value,
                        windows: Vec::new(),
                    };
                    Storage::Levels(Rc::new(levels))
                }
            });
            continue;
        }
        let ty = type_of(&assign.value, &lower.kernel.tensors).map_or(tensor.value, |ty| ty.join(tensor.value));
        let places = Appendable::of(assign, &tensor.format).filter(|_| !is_driven(lower.kernel, stmt));
        if let Some(places) = places.as_ref().filter(|places| lower.plan.copies && places.is_filled_once(stmt, assign))
        {
            let target = Target { stmt, assign, tensor: &tensor, name: &name, shape: &shape };
            if let Some(shaped) = lower.shaped(&target, places, body) {
                lower.stores[id.0] = Some(Storage::Shaped(shaped));
                open.push(Open { id, assign: assign.clone(), reduce: assign.reduce });
                continue;
            }
        }
        let storage = match places.filter(|places| places.are_appended(stmt, assign)) {
            Some(Appendable { rows, listed, last, tail, .. }) => {
                let extents: Vec<Code> = rows.iter().map(|index| lower.extents[index].clone()).collect();
                let parents = extents.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
                let mut ends = parents + ir::usize(1);
                let mut level = |at: usize, lower: &mut Lower<'_>| {
                    let name = if listed.is_empty() { name.clone() } else { format!("{name}{}", rows.len() + at + 1) };
                    let pos = lower.vars.fresh(format!("{name}_pos"), Type::vec(Scalar::Usize));
                    let crd = lower.vars.fresh(format!("{name}_crd"), Type::vec(Scalar::U32));
                    let len = std::mem::replace(&mut ends, ir::usize(1));
                    body.push(IrStmt::NewArray { var: pos, len, fill: ir::usize(0) });
                    body.push(IrStmt::NewVec { var: crd, capacity: None });
                    (pos, crd)
                };
                let mut outer = Vec::new();
                for (at, &index) in listed.iter().enumerate() {
                    let (pos, crd) = level(at, lower);
                    outer.push(Listed { pos, crd, index });
                }
                let (pos, crd) = level(listed.len(), lower);
                let vals = (tensor.value != ValueType::Pattern).then(|| {
                    let vals = lower.vars.fresh(format!("{name}_vals"), Type::vec(own));
                    body.push(IrStmt::NewVec { var: vals, capacity: None });
                    vals
                });
                let tail = (!tail.is_empty()).then(|| {
                    let extents: Vec<Code> = tail.iter().map(|&m| shape[m].clone()).collect();
                    let size = extents.iter().cloned().reduce(|a, b| a * b).unwrap_or(ir::usize(1));
                    let any = lower.vars.fresh(format!("{name}_any"), Scalar::Bool);
                    Box::new(Tail { extents, modes: tail, size, any, fill: literal(tensor.fill, own) })
                });
                Storage::Append(Append {
                    pos,
                    crd,
                    outer,
                    tail,
                    vals,
                    extents,
                    gaps: rows.len() > 1,
                    rows,
                    last,
                    phase: Phase::Append,
                })
            }
            None => {
                let kept = (tensor.value != ValueType::Pattern).then(|| scalar(ty));
                let list = List::declare(&mut lower.vars, body, &name, tensor.rank, kept);
                Storage::List(List { in_order: comes_in_order(stmt, assign, &tensor.format), ..list })
            }
        };
        lower.stores[id.0] = Some(storage);
        open.push(Open { id, assign: assign.clone(), reduce: assign.reduce });
    }
    Ok(())
}

/// Refuses a statement that writes one tensor in ways that do not add up: entries of a sparse one are collected before they are
/// folded, all of them by the same reduction.
fn check_ways(
    tensor: &crate::notation::concrete::Tensor,
    sparse: bool,
    assign: &Assign,
    all: &[Assign],
) -> Result<(), Diagnostics> {
    let own: Vec<&Assign> = all.iter().filter(|other| other.target.tensor == assign.target.tensor).collect();
    let differ = own.iter().any(|other| {
        let plain = other.reduce.is_none() || assign.reduce.is_none();
        if sparse { plain || other.reduce != assign.reduce } else { !plain && other.reduce != assign.reduce }
    });
    if own.len() < 2 || !differ {
        return Ok(());
    }
    Err(Diagnostic::new(assign.span, format!("`{}` is written in several ways by one statement", tensor.name))
        .help(if sparse {
            "a sparse result takes one assignment, or several with the same reduction such as `+=`"
        } else {
            "use the same reduction everywhere, or statements of their own"
        })
        .into())
}

/// The levels of a target whose entries can be appended: dense ones, compressed ones below them, and dense ones again.
struct Appendable {
    /// The indices of the outermost levels, which are dense.
    rows: Vec<Index>,
    /// Those of the compressed levels below them, up to the last one.
    listed: Vec<Index>,
    /// Which index the last compressed level keeps.
    last: usize,
    /// Which ones the dense levels below that one keep.
    tail: Vec<usize>,
    /// The indices of all levels.
    all: Vec<Index>,
}

impl Appendable {
    fn of(assign: &Assign, format: &Option<Format>) -> Option<Appendable> {
        let format = format.as_ref().filter(|format| format.is_plain())?;
        let modes: Vec<usize> = format
            .levels
            .iter()
            .filter_map(|level| match level.coordinate {
                Coordinate::Index(m) => Some(m),
                _ => None,
            })
            .collect();
        let appends = |level: &FormatLevel| {
            level.kind.capabilities().append && !level.properties.branchless && !level.properties.full
        };
        let is_dense = |level: &FormatLevel| level.properties.full && level.kind.capabilities().insert;
        let rows = format.levels.iter().take_while(|level| is_dense(level)).count();
        let tail = format.levels.iter().rev().take_while(|level| is_dense(level)).count();
        let last = format.levels.len().checked_sub(tail + 1).filter(|&last| last >= rows)?;
        let listed = &format.levels[rows..last];
        if !appends(&format.levels[last]) || !listed.iter().all(|level| appends(level) && level.properties.unique) {
            return None;
        }
        let all: Vec<Index> = modes.iter().map(|&m| assign.target.indices[m]).collect();
        Some(Appendable {
            rows: all[..rows].to_vec(),
            listed: all[rows..last].to_vec(),
            last: modes[last],
            tail: modes[last + 1..].to_vec(),
            all,
        })
    }

    /// The indices of all levels down to the last compressed one.
    fn order(&self) -> Vec<Index> {
        self.all[..self.all.len() - self.tail.len()].to_vec()
    }

    /// Whether entries come in the order of the target, each once, or in blocks that are finished one after the other.
    fn are_appended(&self, stmt: &Stmt, assign: &Assign) -> bool {
        match &paths(stmt, assign.target.tensor)[..] {
            // A block takes what comes in any order, and is folded into.
            [path] if !self.tail.is_empty() => {
                path.starts_with(&self.order()) && (assign.reduce.is_some() || *path == self.all)
            }
            [path] => assign.reduce.is_none() && *path == self.all,
            _ => false,
        }
    }

    /// Whether the loops come to each entry once, and stay there until its values are done.
    fn is_filled_once(&self, stmt: &Stmt, assign: &Assign) -> bool {
        match &paths(stmt, assign.target.tensor)[..] {
            [path] => path.starts_with(&self.order()) && (assign.reduce.is_some() || path.len() == self.all.len()),
            _ => false,
        }
    }
}

/// A result that a statement is the first to write.
struct Target<'s> {
    stmt: &'s Stmt,
    assign: &'s Assign,
    tensor: &'s crate::notation::concrete::Tensor,
    /// What it is called in generated code.
    name: &'s str,
    shape: &'s [Code],
}

/// Whether an operand drives a statement or a part of it: it is then no nest of loops over coordinates.
fn is_driven(kernel: &Kernel, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Sequence(parts) => parts.iter().any(|part| is_driven(kernel, part)),
        _ => driven(kernel, stmt).is_some(),
    }
}

/// Whether a target's entries come in its own order, each once.
fn comes_in_order(stmt: &Stmt, assign: &Assign, format: &Option<Format>) -> bool {
    let Some(format) = format.as_ref().filter(|format| format.is_plain() && assign.reduce.is_none()) else {
        return false;
    };
    let order: Vec<Index> = format
        .levels
        .iter()
        .filter_map(|level| match level.coordinate {
            Coordinate::Index(m) => Some(assign.target.indices[m]),
            _ => None,
        })
        .collect();
    paths(stmt, assign.target.tensor) == [order]
}

/// The loops around each assignment to `id`.
fn paths(stmt: &Stmt, id: TensorId) -> Vec<Vec<Index>> {
    match stmt {
        Stmt::Assign(assign) => {
            if assign.target.tensor == id {
                vec![Vec::new()]
            } else {
                Vec::new()
            }
        }
        Stmt::Forall { index, body, .. } => {
            paths(body, id).into_iter().map(|path| [vec![*index], path].concat()).collect()
        }
        Stmt::Where { consumer, producer } => [paths(producer, id), paths(consumer, id)].concat(),
        Stmt::Sequence(parts) => parts.iter().flat_map(|part| paths(part, id)).collect(),
    }
}

fn extent_fields(lower: &mut Lower<'_>, body: &mut Block, name: &str, shape: &[Code]) -> Vec<Field> {
    extent_names(shape.len())
        .into_iter()
        .zip(shape)
        .map(|(extent, size)| {
            let var = lower.vars.fresh(format!("{name}_{extent}"), Scalar::Usize);
            body.push(IrStmt::Let(var, size.clone()));
            Field { name: extent, level: None, var }
        })
        .collect()
}

/// Makes the levels of a target whose entries have been collected.
fn finish(
    lower: &mut Lower<'_>,
    made: Open,
    body: &mut Block,
    results: &mut BTreeMap<TensorId, Vec<Field>>,
) -> Result<(), Diagnostics> {
    let tensor = lower.kernel.tensor(made.id).clone();
    let Some(format) = tensor.format.clone() else { return Ok(()) };
    let name = prefix(&tensor.name);
    let shape: Vec<Code> = made.assign.target.indices.iter().map(|index| lower.extents[index].clone()).collect();
    let mut fields = extent_fields(lower, body, &name, &shape);
    let levels = match lower.stores[made.id.0].clone() {
        Some(Storage::Append(append)) => {
            let (ends, entries) = append.first();
            if append.phase == Phase::Append && append.rows.is_empty() {
                body.push(IrStmt::Store(ends, ir::usize(1), ir::len(entries)));
            } else if append.phase == Phase::Append && append.gaps {
                // A row that was left out ends where the one before it does.
                let p = lower.vars.fresh("p", Scalar::Usize);
                let before = ir::load(ends, Code::Var(p) - ir::usize(1));
                let end = IrStmt::StoreUpdate(ends, p.into(), ir::Reduce::Max, before);
                body.push(IrStmt::count(p, ir::usize(1), ir::len(ends), end));
            }
            let mut levels = vec![BTreeMap::new(); format.levels.len()];
            let mut own: Vec<OwnFields> = vec![Vec::new(); format.levels.len()];
            if let (Some(tail), Some(vals)) = (&append.tail, append.vals) {
                // The last block may have stayed empty.
                let len = ir::len(append.crd) * tail.size.clone();
                body.push(IrStmt::Resize { array: vals, len, fill: tail.fill.clone() });
            }
            for at in append.rows.len()..=append.rows.len() + append.outer.len() {
                let (pos, crd) = append.level(at - append.rows.len());
                levels[at] = BTreeMap::from([("pos".to_owned(), pos), ("crd".to_owned(), crd)]);
                own[at] = vec![("pos", pos), ("crd", crd)];
            }
            let mut vals = append.vals;
            let (value, vars) = (tensor.value, &mut lower.vars);
            build_stores(vars, body, &name, &format, value, &mut levels, &mut own, &mut vals);
            for (at, level) in own.into_iter().enumerate() {
                fields.extend(level.into_iter().map(|(name, var)| Field { name: name.into(), level: Some(at), var }));
            }
            fields.extend(vals.map(|var| Field { name: "vals".into(), level: None, var }));
            let extents = level_extents(&format, &shape);
            Levels { format, shape, extents, fields: levels, vals, value, windows: Vec::new() }
        }
        Some(Storage::List(list)) => {
            let sum = value::fold(made.reduce.unwrap_or(Reduction::Add), list.scalar);
            let finished = list.finish(&mut lower.vars, body, &name, &format, shape, tensor.value, tensor.fill, sum);
            let (levels, own) = finished.map_err(|why| {
                let mistake = Diagnostic::new(made.assign.span, format!("`{}` cannot be made: {why}", tensor.name));
                let kept = lower.kernel.tensor(made.id).format.as_ref().map_or(String::new(), ToString::to_string);
                let other = match tensor.rank {
                    1 => "sparse".to_owned(),
                    2 => "csr".to_owned(),
                    3 => "csf".to_owned(),
                    n => format!("({})", vec!["compressed"; n].join(", ")),
                };
                mistake
                    .note(format!("its format is {kept}"))
                    .help(format!("return it in another format, such as `-> {}: {other}`", tensor.name))
            })?;
            for (at, level) in own.into_iter().enumerate() {
                fields.extend(level.into_iter().map(|(name, var)| Field { name: name.into(), level: Some(at), var }));
            }
            fields.extend(levels.vals.map(|var| Field { name: "vals".into(), level: None, var }));
            levels
        }
        Some(Storage::Shaped(shaped)) => {
            let (levels, own) = shaped::finish(shaped, format, shape, tensor.value);
            fields.extend(own);
            levels
        }
        _ => return Ok(()),
    };
    lower.stores[made.id.0] = Some(Storage::Levels(Rc::new(levels)));
    results.insert(made.id, fields);
    Ok(())
}
