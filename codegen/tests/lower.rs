//! Lowered kernels, run by the interpreter, agree with the dense reference in values and in what is stored.

use std::collections::BTreeMap;

use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::level::{Capabilities, Properties, StoreLevel};
use pleach_codegen::lower::lower;
use pleach_codegen::notation::ast::{Item, Kernel as Ast, Literal, ValueType};
use pleach_codegen::notation::concrete::{Kernel, Role};
use pleach_codegen::notation::{Declarations, parse_source, resolve};
use pleach_codegen::reference::{Number, Scope, Tensor, evaluate, number, pack, scalar_argument, unpack};

const PRELUDE: &str = "
function near(a, b) annihilator 0 = a + b * 2
function clamp(a) annihilator 0 = min(max(a, -1), 1)
";

struct World {
    declarations: Declarations,
    reference: Scope,
}

fn world() -> World {
    let mut declarations = Declarations::new();
    for name in ["list", "blist", "vblist", "bst", "rbtree", "ttree", "ctree", "btree", "paged", "packed"] {
        declarations.kinds.add(std::sync::Arc::new(StoreLevel {
            name: name.to_owned(),
            parameters: 1,
            properties: Properties { ordered: true, unique: true, ..Properties::default() },
            capabilities: Capabilities { map: true, step: true, build: true, ..Capabilities::default() },
        }));
    }
    let (source, _) = parse_source(pleach_catalog::FORMATS);
    assert!(declarations.add(&source).is_empty());
    let (source, _) = parse_source(PRELUDE);
    assert!(declarations.add(&source).is_empty());
    let mut reference = Scope::bundled();
    reference.add(&source);
    World { declarations, reference }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
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
            entries.push((coords, Number::Float(random.below(7) as f64 - 3.0)));
        }
    }
    let unique = format.levels.iter().all(|level| level.properties.unique);
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

/// Runs one kernel of one choice of formats on one set of random tensors.
fn run(world: &World, ast: &Ast, kernel: &Kernel, extents: &BTreeMap<String, usize>, seed: u64) {
    let random = &mut Random(seed);
    let mut arguments: Vec<Value> = Vec::new();
    let mut inputs = BTreeMap::new();
    let shape_of =
        |name: &str, rank: usize| -> Vec<usize> { (0..rank).map(|m| extents[&format!("{name}{m}")]).collect() };
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param) {
        match &tensor.format {
            None => {
                let value = Number::Int(random.below(5) as i128).cast(tensor.value);
                arguments.push(scalar_argument(value, tensor.value));
                inputs.insert(tensor.name.clone(), Tensor::dense(Vec::new(), tensor.value, vec![value]));
            }
            Some(format) => {
                let shape = shape_of(&tensor.name, tensor.rank);
                let entries = entries(format, &shape, random);
                let packed = pack(format, &shape, tensor.value, fill(tensor.fill), &entries);
                arguments.extend(packed.arguments);
                let mut kept = packed.kept;
                let declared = ast.params.iter().find(|p| p.name.text == tensor.name).and_then(|p| p.fill.as_ref());
                if declared.is_none() && format.fill.is_none() {
                    kept.fill = None;
                }
                inputs.insert(tensor.name.clone(), kept);
            }
        }
    }
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role == Role::Result) {
        let mut empty = Tensor::empty(Vec::new(), tensor.value);
        let declared = ast.results.iter().find(|p| p.name.text == tensor.name).and_then(|p| p.fill.as_ref());
        let declared = declared.is_some() || tensor.format.as_ref().is_some_and(|format| format.fill.is_some());
        empty.fill = declared.then(|| fill(tensor.fill));
        inputs.insert(tensor.name.clone(), empty);
    }
    let expected = evaluate(ast, &world.reference, inputs).unwrap_or_else(|why| panic!("{}: {why}", kernel.name));
    let lowered = lower(kernel).unwrap_or_else(|wrong| panic!("{}: {}", kernel.name, wrong));
    let mut simplified = lowered.clone();
    simplified.simplify();
    for lowered in [lowered, simplified] {
        let program =
            Compile::new().compile(&lowered).unwrap_or_else(|why| panic!("{}: {why}\n{lowered}", kernel.name));
        let mut arguments = arguments.clone();
        let results = program
            .run(&mut arguments, Limits { steps: 10_000_000, elements: 10_000_000 })
            .unwrap_or_else(|why| panic!("{}: {why}\n{lowered}", kernel.name));
        let mut results = results.into_iter();
        for (tensor, made) in kernel.tensors.iter().filter(|t| t.role == Role::Result).zip(&lowered.results) {
            let fields: Vec<Value> = results.by_ref().take(made.fields.len()).collect();
            let expected = &expected[&tensor.name];
            match &tensor.format {
                None => {
                    let Value::Scalar(found) = fields[0] else { panic!("a scalar is a number") };
                    close(&kernel.name, &[number(found)], &expected.values(), &lowered);
                }
                Some(format) => {
                    let found = unpack(format, &expected.shape, tensor.value, fill(tensor.fill), &fields)
                        .unwrap_or_else(|why| panic!("{}: {why}\n{lowered}", kernel.name));
                    close(&kernel.name, &found.values(), &expected.values(), &lowered);
                    if !format.is_full()
                        && format.levels.iter().all(|level| level.properties.zeroless || level.properties.full)
                        && format.is_plain()
                        && format.levels.last().is_some_and(|level| !level.properties.full)
                    {
                        let pattern = |tensor: &Tensor| tensor.cells.iter().map(Option::is_some).collect::<Vec<_>>();
                        assert_eq!(
                            pattern(&found),
                            pattern(expected),
                            "what {} stores, seed {seed}\n{lowered}",
                            kernel.name
                        );
                    }
                }
            }
        }
        // What was written in place comes back in the arguments.
        let mut at = 0;
        for (tensor, passed) in kernel.tensors.iter().filter(|t| t.role == Role::Param).zip(&lowered.params) {
            if let (pleach_codegen::ir::Access::Write, Value::Array(vals)) =
                (passed.access, &arguments[at + passed.fields.len() - 1])
            {
                let found: Vec<Number> = (0..vals.len()).map(|k| number(vals.get(k).unwrap())).collect();
                close(&kernel.name, &found, &expected[&tensor.name].values(), &lowered);
            }
            at += passed.fields.len();
        }
    }
}

fn close(name: &str, found: &[Number], expected: &[Number], lowered: &pleach_codegen::ir::Kernel) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let (x, y) = (a.float(), b.float());
        let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-6 * x.abs().max(y.abs());
        assert!(same, "{name} at {at}: {found:?} and not {expected:?}\n{lowered}");
    }
}

/// The extent of each tensor's dimensions, from those of the indices.
fn extents(ast: &Ast, of: &BTreeMap<&str, usize>) -> BTreeMap<String, usize> {
    use pleach_codegen::notation::ast::{Expr, ExprKind, Stmt, StmtKind};
    let mut found = BTreeMap::new();
    fn note(name: &str, indices: &[&str], of: &BTreeMap<&str, usize>, found: &mut BTreeMap<String, usize>) {
        for (m, index) in indices.iter().enumerate() {
            if let Some(&n) = of.get(index) {
                found.insert(format!("{name}{m}"), n);
            }
        }
    }
    fn expr(e: &Expr, of: &BTreeMap<&str, usize>, found: &mut BTreeMap<String, usize>) {
        match &e.kind {
            ExprKind::Apply { name, args } => {
                let names: Vec<&str> = args
                    .iter()
                    .map(|arg| match &arg.kind {
                        ExprKind::Name(name) => name.text.as_str(),
                        _ => "",
                    })
                    .collect();
                note(&name.text, &names, of, found);
                args.iter().for_each(|arg| expr(arg, of, found));
            }
            ExprKind::Neg(inner) => expr(inner, of, found),
            ExprKind::Binary { left, right, .. } => {
                expr(left, of, found);
                expr(right, of, found);
            }
            _ => {}
        }
    }
    fn stmt(s: &Stmt, of: &BTreeMap<&str, usize>, found: &mut BTreeMap<String, usize>) {
        match &s.kind {
            StmtKind::Assign(assign) => {
                let target: Vec<&str> = assign.target.indices.iter().map(|i| i.text.as_str()).collect();
                note(&assign.target.tensor.text, &target, of, found);
                if let Some(mask) = &assign.mask {
                    let own: Vec<&str> = mask.indices.iter().flatten().map(|i| i.text.as_str()).collect();
                    note(&mask.tensor.text, if mask.indices.is_some() { &own } else { &target }, of, found);
                }
                expr(&assign.value, of, found);
            }
            StmtKind::Forall { body, .. } => stmt(body, of, found),
            StmtKind::Where { consumer, producer } => {
                stmt(consumer, of, found);
                stmt(producer, of, found);
            }
            StmtKind::Sequence(parts) => parts.iter().for_each(|part| stmt(part, of, found)),
        }
    }
    ast.body.iter().for_each(|s| stmt(s, of, &mut found));
    found
}

/// Every choice of formats of every kernel in `text`, with the extents of its indices.
fn grid(text: &str, of: &[(&str, usize)], seeds: u64) -> usize {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("grid", text));
    let of: BTreeMap<&str, usize> = of.iter().copied().collect();
    let mut ran = 0;
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        let kernels =
            resolve(ast, &world.declarations).unwrap_or_else(|wrong| panic!("{}", wrong.render("grid", text)));
        for kernel in kernels {
            for seed in 0..seeds {
                run(&world, ast, &kernel, &extents(ast, &of), seed);
            }
            ran += 1;
        }
    }
    ran
}

const SQUARE: &[(&str, usize)] = &[("i", 5), ("j", 5), ("k", 5), ("l", 5)];
const OBLONG: &[(&str, usize)] = &[("i", 4), ("j", 7), ("k", 3), ("l", 5)];

const MATRICES: &str = "csr | csc | coo | coo_unsorted | coo_aos | dcsr | dok | matrix | dia | ell | bcsr<2, 3> | skyline | banded | stinger | pam";

#[test]
fn matrix_times_vector() {
    let ran = grid(
        &format!(
            "
kernel spmv(A: {MATRICES}, x: dense) -> y: dense {{ y(i) = A(i,j) * x(j) }}
kernel transposed(A: {MATRICES}, x: dense) -> y: dense {{ y(j) = A(i,j) * x(i) }}
kernel spmspv(A: csr | csc | dcsr | coo | stinger, x: sparse | hash | bst) -> y: dense {{ y(i) = A(i,j) * x(j) }}
kernel sparse_result(A: csr | csc | coo | pam, x: sparse | dense) -> y: sparse {{ y(i) = A(i,j) * x(j) }}
kernel in_place(y: dense, A: csr | csc | coo | dia, x: dense) {{ y(i) = A(i,j) * x(j) }}
kernel accumulate(y: dense, A: csr | csc | ell, x: dense) {{ y(i) += A(i,j) * x(j) }}
kernel residual(A: csr | csc | coo | stinger, x: dense, b: dense) -> y: dense {{ y(i) = b(i) - A(i,j) * x(j) }}
kernel min_plus(A: csr | csc | dcsr | pam, x: dense | sparse) -> y: dense {{ y(i) = A(i,j) * x(j) over min_plus }}
kernel plus_second(A: csr of pattern | csc of pattern, x: dense) -> y: dense {{ y(i) = A(i,j) * x(j) over plus_second }}
kernel rows(A: {MATRICES}) -> y: dense {{ y(i) = A(i,j) }}
kernel largest(A: csr | csc | coo) -> y: dense {{ y(i) max= A(i,j) }}
kernel total(A: {MATRICES}) -> t: f64 {{ t = A(i,j) }}
"
        )
        .replace("csr of pattern | csc of pattern", "csr | csc of pattern"),
        OBLONG,
        12,
    );
    assert!(ran > 100, "{ran}");
}

#[test]
fn elementwise() {
    let ran = grid(
        &format!(
            "
kernel add(A: {MATRICES}, B: csr | coo | dcsr) -> C: csr {{ C(i,j) = A(i,j) + B(i,j) }}
kernel multiply(A: {MATRICES}, B: csr | csc) -> C: csr {{ C(i,j) = A(i,j) * B(i,j) }}
kernel subtract(A: csr | stinger | pam, B: csr | dcsr | matrix) -> C: dcsr {{ C(i,j) = A(i,j) - B(i,j) }}
kernel into(A: csr, B: pam) -> C: coo {{ C(i,j) = A(i,j) + B(i,j) }}
kernel three(A: csr | pam, B: csr | csc, C: coo | dcsr) -> D: csr {{ D(i,j) = A(i,j) + B(i,j) + C(i,j) }}
kernel mixed(A: csr | stinger, B: csr | dia, C: csr | ell) -> D: csr {{ D(i,j) = A(i,j) * B(i,j) + C(i,j) }}
kernel factored(A: csr, B: csr | pam, C: csr | matrix) -> D: csr {{ D(i,j) = A(i,j) * (B(i,j) + C(i,j)) }}
kernel gone(A: csr | pam, B: csr | coo of pattern) -> C: csr {{ C(i,j) = A(i,j) without B(i,j) }}
kernel masked(A: csr, B: dcsr | pam, M: csr | matrix) -> C: csr {{ C(i,j)<M> = A(i,j) + B(i,j) }}
kernel unmasked(A: csr, B: dcsr | pam, M: csr | matrix) -> C: csr {{ C(i,j)<!M> = A(i,j) + B(i,j) }}
kernel constant(A: csr | coo | pam) -> C: matrix {{ C(i,j) = A(i,j) + 1 }}
kernel filled(A: csr | coo | pam) -> C: csr fill 1 {{ C(i,j) = A(i,j) + 1 }}
kernel unfilled(A: csr | csc) -> C: csr {{ C(i,j) = A(i,j) + 1 }}
kernel scaled(A: csr | csc, B: csr, alpha: f64, beta: f64) -> C: csr {{ C(i,j) = alpha * A(i,j) + beta * B(i,j) }}
kernel lower(A: csr | csc | coo) -> C: csr {{ C(i,j) = select(A(i,j), i > j) }}
kernel indexed(A: csr | dcsr | pam) -> C: csr {{ C(i,j) = A(i,j) * (i - j) }}
kernel function(A: csr | coo, B: csr | matrix) -> C: csr {{ C(i,j) = near(A(i,j), B(i,j)) }}
kernel apply(A: csr | csc | pam) -> C: csc {{ C(i,j) = clamp(A(i,j)) }}
kernel copy(A: {MATRICES}) -> C: csr {{ C(i,j) = A(i,j) }}
kernel difference(A: csr fill inf, B: csr) -> C: csr fill inf {{ C(i,j) = min(A(i,j), A(i,j) + B(i,j)) }}
kernel integers(A: csr | csc of i32, B: coo of i64) -> C: csr of i64 {{ C(i,j) = A(i,j) + B(i,j) / 2 }}
kernel truth(A: csr of bool, B: csr of pattern) -> C: csr of bool {{ C(i,j) = or(A(i,j), B(i,j)) }}
kernel single(A: csr of f32, B: csc of f32) -> C: csr of f32 {{ C(i,j) = A(i,j) * 0.5 + B(i,j) }}
"
        ),
        OBLONG,
        8,
    );
    assert!(ran > 100, "{ran}");
}

#[test]
fn transposes_and_products() {
    let ran = grid(
        "
kernel symmetric(A: csr | csc | coo | dcsr | stinger | dia) -> C: csr { C(i,j) = A(i,j) + A(j,i) }
kernel diagonal(A: csr | csc | coo | pam | matrix) -> d: dense { d(i) = A(i,i) }
kernel twice(A: csr | coo) -> C: csr { C(i,j) = A(i,j) * A(i,j) }
kernel gram(A: csr | csc | coo) -> C: csr { C(i,j) = A(k,i) * A(k,j) }
kernel spgemm(A: matrix | csr | csc | coo, B: matrix | csr | csc | coo) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_dense(A: csr | csc, B: csr | csc) -> C: matrix { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_csc(A: csr | csc, B: csr | csc) -> C: csc { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_coo(A: csr | pam, B: csr | stinger) -> C: coo { C(i,j) = A(i,k) * B(k,j) }
kernel spgemm_min(A: csr, B: csr | dcsr) -> C: csr { C(i,j) = A(i,k) * B(k,j) over min_plus }
kernel masked(A: csr, B: csr, M: csr of pattern) -> C: csr { C(i,j)<M> = A(i,k) * B(k,j) }
kernel triangles(A: csr of pattern) -> t: u64 { t = A(i,j) * A(j,k) * A(i,k) }
kernel sddmm(A: csr | coo | pam, B: matrix, C: matrix) -> D: csr { D(i,j) = A(i,j) * B(i,k) * C(j,k) }
kernel spmm(A: csr | csc | coo | ell, B: matrix) -> C: matrix { C(i,j) = A(i,k) * B(k,j) }
kernel chain(A: csr, B: csr, C: csr) -> D: csr { D(i,j) = A(i,k) * B(k,l) * C(l,j) }
kernel plus(A: csr, B: csr, C: csr) -> D: csr { D(i,j) = A(i,k) * B(k,j) + C(i,j) }
",
        SQUARE,
        8,
    );
    assert!(ran > 50, "{ran}");
}

#[test]
fn higher_orders() {
    let ran = grid(
        "
kernel ttv(A: csf | coo3 | cube | mode_generic, x: dense) -> C: csr { C(i,j) = A(i,j,k) * x(k) }
kernel ttm(A: csf | coo3, B: matrix) -> C: (dense, dense, dense) | csf { C(i,j,l) = A(i,j,k) * B(k,l) }
kernel mttkrp(A: csf | coo3 | cube, C: matrix, D: matrix) -> B: matrix { B(i,l) = A(i,j,k) * C(j,l) * D(k,l) }
kernel inner(A: csf | coo3 | mode_generic, B: csf | cube) -> t: f64 { t = A(i,j,k) * B(i,j,k) }
kernel plus(A: csf | coo3, B: csf | cube) -> C: csf { C(i,j,k) = A(i,j,k) + B(i,j,k) }
kernel blocks(A: hicoo) -> t: f64 { t = A(i,j,k) }
",
        OBLONG,
        6,
    );
    assert!(ran > 20, "{ran}");
}

#[test]
fn results_of_every_kind() {
    let ran = grid("
kernel made(A: csr | pam, B: csc) -> C: csr | csc | coo | coo_aos | dcsr | dok | dia | ell | bcsr<2, 2> | skyline | banded { C(i,j) = A(i,j) + B(i,j) }
", OBLONG, 8);
    assert!(ran > 10, "{ran}");
}

#[test]
fn empty_and_single() {
    for n in [0, 1] {
        let of = [("i", n), ("j", n), ("k", n), ("l", n)];
        grid(
            "
kernel add(A: csr | csc | coo | dia | ell | bcsr<2, 2> | dok | pam, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel spgemm(A: csr, B: csr | csc) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spmv(A: csr | dia | skyline | ell, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }
",
            &of,
            6,
        );
    }
}

#[test]
fn written_by_hand() {
    grid(
        "
kernel pagerank(y: dense, A: csr | stinger, x: dense, d: dense) {
    forall(i, forall(j, y(i) += A(i,j) * w(j))) where forall(j, w(j) = x(j) * d(j))
}
kernel gustavson(A: csr, B: csr) -> C: csr {
    forall(i, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(k,j))))
}
kernel steps(A: csr, x: dense) -> y: dense { t(i) = A(i,j) * x(j)  y(i) = t(i) * 2  y(i) += x(i) }
",
        SQUARE,
        8,
    );
}

#[test]
fn types_meet() {
    for ty in ValueType::ALL {
        grid(
            &format!(
                "kernel add(A: csr of {ty}, B: csc of {ty}) -> C: csr of {ty} {{ C(i,j) = A(i,j) + B(i,j) }}
kernel spmv(A: csr of {ty}, x: dense of f64) -> y: dense of f64 {{ y(i) = A(i,j) * x(j) }}"
            ),
            OBLONG,
            4,
        );
    }
}
