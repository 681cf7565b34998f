//! Runs kernels through lowering and the interpreter, and holds what comes out against the dense reference.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_codegen::backend::rust;
use pleach_codegen::compile::stages;
use pleach_codegen::format::{Coordinate, Format};
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::ir::{Access, Kernel as Lowered};
use pleach_codegen::level::StoreLevel;
use pleach_codegen::notation::ast::{Expr, ExprKind, Item, Kernel as Ast, Literal, Name, Slice, Stmt, StmtKind};
use pleach_codegen::notation::concrete::{Kernel, Role};
use pleach_codegen::notation::{Declarations, parse_source, resolve};
use pleach_codegen::reference::{Number, Scope, Tensor, evaluate, number, pack, scalar_argument, unpack};
use pleach_codegen::schema;

use crate::examples::Example;
use crate::formats::{DECLARED, PRELUDE};
pub use crate::statements::Random;

pub struct World {
    pub declarations: Declarations,
    pub reference: Scope,
}

pub fn world() -> World {
    let mut declarations = Declarations::new();
    for schema in pleach_catalog::SCHEMAS {
        let stores = schema::parse(schema.text).unwrap();
        let model = schema::check(&stores[0], schema.name).unwrap();
        declarations.kinds.add(Arc::new(StoreLevel::of(&model)));
    }
    for level in pleach_catalog::LEVELS {
        declarations.kinds.add(Arc::new(StoreLevel::by_hand(level, pleach_catalog::TABLES.contains(level))));
    }
    let (source, _) = parse_source(pleach_catalog::FORMATS);
    assert!(declarations.add(&source).is_empty());
    assert!(declarations.add(&parse_source(DECLARED).0).is_empty());
    let (source, _) = parse_source(PRELUDE);
    assert!(declarations.add(&source).is_empty());
    let mut reference = Scope::bundled();
    reference.add(&source);
    World { declarations, reference }
}

fn fill(literal: Literal) -> Number {
    Number::from(literal)
}

/// Random entries: some rows empty, some full, duplicates and disorder where the format allows them.
fn entries(format: &Format, shape: &[usize], random: &mut Random) -> Vec<(Vec<usize>, Number)> {
    let density = [0, 30, 30, 60, 100][random.below(5) as usize];
    let mut entries = Vec::new();
    let count: usize = shape.iter().product();
    let mut row = density;
    for at in 0..count {
        if at % shape[shape.len() - 1] == 0 {
            row = match random.below(5) {
                0 => 0,
                1 => 100,
                _ => density,
            };
        }
        if random.below(100) < row {
            let mut rest = at;
            let mut coords = vec![0; shape.len()];
            for (c, n) in coords.iter_mut().zip(shape).rev() {
                *c = rest % n;
                rest /= n;
            }
            entries.push((coords, Number::Float(f64::from(random.below(7) as i32 - 3))));
        }
    }
    let unique = format.levels.last().is_none_or(|level| level.properties.unique);
    if !unique && !entries.is_empty() {
        for _ in 0..random.below(4) {
            let copy = entries[random.below(entries.len() as u64) as usize].clone();
            entries.push(copy);
        }
    }
    for at in (1..entries.len()).rev() {
        entries.swap(at, random.below(at as u64 + 1) as usize);
    }
    entries
}

/// How a kernel went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It gives what the reference gives.
    Agrees,
    /// The compiler refused it, and said why.
    Refused(String),
}

/// Runs one kernel of one choice of formats on one set of random tensors.
pub fn run(
    world: &World,
    ast: &Ast,
    kernel: &Kernel,
    extents: &BTreeMap<String, usize>,
    seed: u64,
) -> Result<Outcome, String> {
    match stages(kernel) {
        Ok(stages) => Forms::of(stages.lowered).run(world, ast, kernel, extents, seed).map(|()| Outcome::Agrees),
        Err(wrong) => Ok(Outcome::Refused(wrong.to_string())),
    }
}

/// Runs one kernel of one choice of formats on so many sets of random tensors, and prints it as Rust.
pub fn run_seeds(
    world: &World,
    ast: &Ast,
    kernel: &Kernel,
    extents: &BTreeMap<String, usize>,
    seeds: u64,
) -> Result<(), String> {
    let forms = Forms::of(stages(kernel).map_err(|wrong| format!("is refused: {wrong}"))?.lowered);
    for seed in 0..seeds {
        forms.run(world, ast, kernel, extents, seed).map_err(|why| format!("seed {seed}: {why}"))?;
    }
    simplified_becomes_rust(kernel, &forms.0[1].0);
    Ok(())
}

/// A kernel as it was lowered, and simplified, each ready to be interpreted.
pub struct Forms([(Lowered, Backend<'static>); 2]);

impl Forms {
    pub fn of(lowered: Lowered) -> Self {
        let mut simplified = lowered.clone();
        simplified.simplify();
        Forms([lowered, simplified].map(|form| {
            let backend = interpret(&form);
            (form, backend)
        }))
    }

    /// Runs both on one set of random tensors.
    pub fn run(
        &self,
        world: &World,
        ast: &Ast,
        kernel: &Kernel,
        extents: &BTreeMap<String, usize>,
        seed: u64,
    ) -> Result<(), String> {
        let case = case(world, ast, kernel, extents, seed)?;
        for (form, backend) in &self.0 {
            case.judge(kernel, form, backend).map_err(|why| format!("{why}\n{form}"))?;
        }
        Ok(())
    }
}

/// What runs a kernel: takes its arguments, writes to those that are written in place, and returns the fields of its results.
pub type Backend<'a> = Box<dyn Fn(&mut [Value]) -> Result<Vec<Value>, String> + 'a>;

/// The interpreter as a backend.
pub fn interpret(lowered: &Lowered) -> Backend<'static> {
    let program = Compile::new().iterations_per_task(2).compile(lowered).map_err(|why| why.to_string());
    Box::new(move |arguments| {
        let program = program.as_ref().map_err(String::clone)?;
        let limits = Limits::default().with_steps(10_000_000).with_elements(10_000_000);
        program.run(arguments, limits).map_err(|why| why.to_string())
    })
}

/// Random tensors for one run of a kernel, and what the reference makes of them.
pub struct Case {
    arguments: Vec<Value>,
    expected: BTreeMap<String, Tensor>,
}

/// Fills a kernel's tensors at random and has the reference compute it.
pub fn case(
    world: &World,
    ast: &Ast,
    kernel: &Kernel,
    extents: &BTreeMap<String, usize>,
    seed: u64,
) -> Result<Case, String> {
    let random = &mut Random::new(seed);
    let shape_of =
        |name: &str, rank: usize| -> Vec<usize> { (0..rank).map(|m| extents[&format!("{name}{m}")]).collect() };
    let (arguments, inputs) = packed(ast, kernel, &mut |tensor| match &tensor.format {
        None => (Vec::new(), vec![(Vec::new(), Number::Int(random.below(5) as i128))]),
        Some(format) => {
            let shape = shape_of(&tensor.name, tensor.rank);
            let entries = entries(format, &shape, random);
            (shape, entries)
        }
    });
    let expected = evaluate(ast, &world.reference, inputs).map_err(|why| format!("should have been refused: {why}"))?;
    Ok(Case { arguments, expected })
}

/// The tensors of an example and what it says comes out, to which the reference is held.
pub fn stated(world: &World, ast: &Ast, kernel: &Kernel, example: &Example) -> Result<Case, String> {
    let (arguments, inputs) = packed(ast, kernel, &mut |tensor| {
        let given = &example.given[&tensor.name];
        let full = tensor.format.as_ref().is_some_and(Format::is_full);
        let entries = given.cells.iter().enumerate().filter(|(_, cell)| cell.is_some() || full).map(|(at, cell)| {
            let coords = match given.shape[..] {
                [_, columns] => vec![at / columns, at % columns],
                _ => vec![at],
            };
            (coords, Number::Float(cell.unwrap_or(0.0)))
        });
        (given.shape.clone(), entries.collect())
    });
    let found = evaluate(ast, &world.reference, inputs)?;
    let mut expected = BTreeMap::new();
    for (name, written) in &example.expected {
        let reference = &found[name];
        let mut tensor = Tensor::empty(written.shape.clone(), reference.value);
        let fill = written.declaration.split_once("fill ").map_or(0.0, |(_, fill)| fill.parse().expect("a fill"));
        tensor.fill = Some(Number::Float(fill));
        tensor.cells = written.cells.iter().map(|cell| cell.map(|x| Number::Float(x).cast(tensor.value))).collect();
        close(&format!("the reference's {name}"), &reference.values(), &tensor.values())?;
        let declared = kernel.tensors.iter().find(|tensor| tensor.name == *name && tensor.role == Role::Result);
        let sparse = declared.is_some_and(|tensor| tensor.format.as_ref().is_some_and(Format::keeps_entries_only));
        let stored = |tensor: &Tensor| tensor.cells.iter().map(Option::is_some).collect::<Vec<_>>();
        if sparse && stored(reference) != stored(&tensor) {
            return Err(format!("the reference's {name} stores {:?} and not {:?}", reference.cells, tensor.cells));
        }
        expected.insert(name.clone(), tensor);
    }
    Ok(Case { arguments, expected })
}

/// What a tensor holds: its shape, and its entries.
type Held = (Vec<usize>, Vec<(Vec<usize>, Number)>);

/// The parameters of a kernel as arguments, and as the reference takes them.
fn packed(
    ast: &Ast,
    kernel: &Kernel,
    held: &mut dyn FnMut(&pleach_codegen::notation::concrete::Tensor) -> Held,
) -> (Vec<Value>, BTreeMap<String, Tensor>) {
    let (mut arguments, mut inputs) = (Vec::new(), BTreeMap::new());
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
        let (shape, entries) = held(tensor);
        let Some(format) = &tensor.format else {
            let value = entries[0].1.cast(tensor.value);
            arguments.push(scalar_argument(value, tensor.value));
            inputs.insert(tensor.name.clone(), Tensor::dense(Vec::new(), tensor.value, vec![value]));
            continue;
        };
        let packed = pack(format, &shape, tensor.value, fill(tensor.fill), &entries);
        arguments.extend(packed.arguments);
        let mut kept = packed.kept;
        kept.full = format.is_full();
        let declared = ast.params.iter().find(|p| p.name.text == tensor.name).and_then(|p| p.fill.as_ref());
        if declared.is_none() && format.fill.is_none() {
            kept.fill = None;
        }
        inputs.insert(tensor.name.clone(), kept);
    }
    // A parameter that the kernel gives back is a result of the same name.
    let made = |tensor: &&pleach_codegen::notation::concrete::Tensor| tensor.role == Role::Result;
    for tensor in
        kernel.tensors.iter().filter(made).filter(|tensor| ast.results.iter().any(|p| p.name.text == tensor.name))
    {
        let mut empty = Tensor::empty(Vec::new(), tensor.value);
        let declared = ast.results.iter().find(|p| p.name.text == tensor.name).and_then(|p| p.fill.as_ref());
        let declared = declared.is_some() || tensor.format.as_ref().is_some_and(|format| format.fill.is_some());
        empty.fill = declared.then(|| fill(tensor.fill));
        empty.full = tensor.format.as_ref().is_none_or(Format::is_full);
        empty.by_value = tensor.format.as_ref().is_none_or(|format| !format.keeps_entries_only());
        inputs.insert(tensor.name.clone(), empty);
    }
    (arguments, inputs)
}

impl Case {
    /// Holds what a backend makes of the tensors against the reference.
    pub fn judge(&self, kernel: &Kernel, lowered: &Lowered, backend: &Backend<'_>) -> Result<(), String> {
        let (mut arguments, expected) = (self.arguments.clone(), &self.expected);
        let mut results = backend(&mut arguments)?.into_iter();
        for (tensor, made) in kernel.tensors.iter().filter(|t| t.role == Role::Result).zip(&lowered.results) {
            let fields: Vec<Value> = results.by_ref().take(made.fields.len()).collect();
            // Loops over nothing tell the reference no shape.
            let Some(expected) = expected.get(&tensor.name) else { continue };
            let Some(format) = &tensor.format else {
                let Value::Scalar(found) = fields[0] else { return Err("a scalar is a number".into()) };
                close(&tensor.name, &[number(found)], &expected.values())?;
                continue;
            };
            let found = unpack(format, &expected.shape, tensor.value, fill(tensor.fill), &fields)?;
            close(&tensor.name, &found.values(), &expected.values())?;
            if !format.is_full()
                && format.levels.iter().all(|level| level.properties.zeroless || level.properties.full)
                && format.is_plain()
                && format.levels.last().is_some_and(|level| !level.properties.full)
            {
                let pattern = |tensor: &Tensor| tensor.cells.iter().map(Option::is_some).collect::<Vec<_>>();
                if pattern(&found) != pattern(expected) {
                    return Err(format!("{} stores {:?} and not {:?}", tensor.name, found.cells, expected.cells));
                }
            }
        }
        // What was written in place comes back in the arguments.
        let mut at = 0;
        for (tensor, passed) in kernel.tensors.iter().filter(|t| t.role == Role::Param).zip(&lowered.params) {
            if let (Access::Write, Value::Array(vals)) = (passed.access, &arguments[at + passed.fields.len() - 1]) {
                let found: Vec<Number> = (0..vals.len()).map(|k| number(vals.get(k).unwrap())).collect();
                let mut expected = expected[&tensor.name].clone();
                // The reference's cells are in the order of the indices, the array's in that of the levels.
                let format = tensor.format.as_ref().unwrap();
                expected.cells = in_level_order(format, &expected);
                close(&tensor.name, &found, &expected.values())?;
            }
            at += passed.fields.len();
        }
        Ok(())
    }
}

fn in_level_order(format: &Format, tensor: &Tensor) -> Vec<Option<Number>> {
    let order: Vec<usize> = format
        .levels
        .iter()
        .map(|level| match level.coordinate {
            Coordinate::Index(m) => m,
            _ => panic!("what is written in place is plain"),
        })
        .collect();
    let mut cells = vec![None; tensor.cells.len()];
    for (at, cell) in tensor.cells.iter().enumerate() {
        let mut rest = at;
        let mut coords = vec![0; tensor.shape.len()];
        for (c, n) in coords.iter_mut().zip(&tensor.shape).rev() {
            *c = rest % n;
            rest /= n;
        }
        cells[order.iter().fold(0, |to, &m| to * tensor.shape[m] + coords[m])] = *cell;
    }
    cells
}

fn close(name: &str, found: &[Number], expected: &[Number]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{name} has {} elements and not {}", found.len(), expected.len()));
    }
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let (x, y) = (a.float(), b.float());
        let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-6 * x.abs().max(y.abs());
        if !same {
            return Err(format!("{name} at {at}: {found:?} and not {expected:?}"));
        }
    }
    Ok(())
}

/// The extent of each tensor's dimensions, from those of the indices. Indices of slices that have an end are as long as these; if all extents
/// are the same, so are all others then.
pub fn extents(ast: &Ast, of: &BTreeMap<&str, usize>) -> BTreeMap<String, usize> {
    let accesses = accesses(ast);
    let mut lengths: BTreeMap<String, usize> = of.iter().map(|(&name, &n)| (name.to_owned(), n)).collect();
    let same = lengths.values().all(|n| Some(n) == lengths.values().next());
    for slice in accesses.iter().flat_map(|(_, coordinates)| coordinates).filter_map(slice) {
        let (own, n) = (&slice.index.text, constant(&slice.hi).map(|hi| length(slice, hi)));
        match n {
            Some(n) if same && of.contains_key(&own[..]) => lengths.values_mut().for_each(|length| *length = n),
            Some(n) => *lengths.entry(own.clone()).or_default() = n,
            None => _ = lengths.entry(own.clone()).or_insert(3),
        }
    }
    let mut found = BTreeMap::new();
    for (name, coordinates) in &accesses {
        for (m, coordinate) in coordinates.iter().enumerate() {
            // A dimension is as large as the index that runs along it, or first in the computation of a place in it.
            let mut names = Vec::new();
            coordinate.index_names(&mut names);
            let Some(&n) = names.first().and_then(|name| lengths.get(&name.text)) else { continue };
            found.insert(format!("{name}{m}"), slice(coordinate).map_or(n, |slice| sliced(slice, n)));
        }
    }
    found
}

fn slice(coordinate: &Expr) -> Option<&Slice> {
    match &coordinate.kind {
        ExprKind::Slice(slice) => Some(slice),
        _ => None,
    }
}

fn constant(bound: &Option<Box<Expr>>) -> Option<usize> {
    match bound.as_ref()?.kind {
        ExprKind::Literal(Literal::Int(n)) => usize::try_from(n).ok(),
        _ => None,
    }
}

fn length(slice: &Slice, hi: usize) -> usize {
    (hi - constant(&slice.lo).unwrap_or(0)).div_ceil(slice.step as usize)
}

/// An extent of which a slice has `n` coordinates: one that ends with the last of them, or goes beyond the end of the slice.
fn sliced(slice: &Slice, n: usize) -> usize {
    match constant(&slice.hi) {
        Some(hi) => hi + 1,
        None if n == 0 => 0,
        None => constant(&slice.lo).unwrap_or(0) + (n - 1) * slice.step as usize + 1,
    }
}

/// The tensors of a kernel and their coordinates, access by access.
fn accesses(ast: &Ast) -> Vec<(String, Vec<Expr>)> {
    fn expr(e: &Expr, found: &mut Vec<(String, Vec<Expr>)>) {
        match &e.kind {
            ExprKind::Apply { name, args } => {
                found.push((name.text.clone(), args.clone()));
                args.iter().for_each(|arg| expr(arg, found));
            }
            ExprKind::Neg(inner) => expr(inner, found),
            ExprKind::Binary { left, right, .. } => {
                expr(left, found);
                expr(right, found);
            }
            _ => {}
        }
    }
    fn stmt(s: &Stmt, found: &mut Vec<(String, Vec<Expr>)>) {
        match &s.kind {
            StmtKind::Assign(assign) => {
                let target = assign.target.coordinates();
                found.push((assign.target.tensor.text.clone(), target.clone()));
                if let Some(mask) = &assign.mask {
                    let plain = |index: &Name| Expr { kind: ExprKind::Name(index.clone()), span: index.span };
                    let own = mask.indices.as_ref().map(|own| own.iter().map(plain).collect());
                    found.push((mask.tensor.text.clone(), own.unwrap_or(target)));
                }
                expr(&assign.value, found);
            }
            StmtKind::Forall { body, .. } => stmt(body, found),
            StmtKind::Where { consumer, producer } => {
                stmt(consumer, found);
                stmt(producer, found);
            }
            StmtKind::Sequence(parts) => parts.iter().for_each(|part| stmt(part, found)),
        }
    }
    let mut found = Vec::new();
    ast.body.iter().for_each(|s| stmt(s, &mut found));
    found
}

/// Every choice of formats of every kernel in `text`, with the extents of its indices.
pub fn grid(text: &str, of: &[(&str, usize)], seeds: u64) -> usize {
    grid_in(&world(), text, of, seeds)
}

/// The same in a world of one's own.
pub fn grid_in(world: &World, text: &str, of: &[(&str, usize)], seeds: u64) -> usize {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("grid", text));
    let of: BTreeMap<&str, usize> = of.iter().copied().collect();
    let mut ran = 0;
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        let kernels =
            resolve(ast, &world.declarations).unwrap_or_else(|wrong| panic!("{}", wrong.render("grid", text)));
        for kernel in kernels {
            if let Err(why) = run_seeds(world, ast, &kernel, &extents(ast, &of), seeds) {
                panic!("{}: {why}", kernel.name);
            }
            ran += 1;
        }
    }
    ran
}

/// There is Rust for whatever the interpreter computes, but for results that keep stores below anything but dense levels of
/// their own indices.
pub fn becomes_rust(kernel: &Kernel) {
    let mut lowered = stages(kernel).unwrap().lowered;
    lowered.simplify();
    simplified_becomes_rust(kernel, &lowered);
}

/// As [`becomes_rust`], of a kernel that has been lowered and simplified.
fn simplified_becomes_rust(kernel: &Kernel, lowered: &Lowered) {
    let nested = |format: &Format| {
        let first = format.levels.iter().position(|level| level.is_store()).unwrap_or(format.levels.len());
        let arrays = !format.is_plain()
            || format.levels[..first].iter().any(|level| !level.kind.fields(&level.switches).is_empty());
        first < format.levels.len() && (arrays || first + 1 < format.levels.len())
    };
    if kernel.tensors.iter().any(|t| t.role == Role::Result && t.format.as_ref().is_some_and(nested)) {
        return;
    }
    if let Err(why) = rust::tokens(std::slice::from_ref(lowered), &rust::Options::default()) {
        let formats = kernel.tensors.iter().filter_map(|tensor| tensor.format.as_ref().map(ToString::to_string));
        panic!("{why}: {}", formats.collect::<Vec<_>>().join("; "));
    }
}
