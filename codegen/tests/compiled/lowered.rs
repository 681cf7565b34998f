//! Kernels written in index notation, lowered, and compiled: rustc's answer beside the interpreter's.

use std::sync::Arc;

use pleach_codegen::emit::{Options, source};
use pleach_codegen::ir::Kernel;
use pleach_codegen::ir::interpret::{Array, Store as Model, Value};
use pleach_codegen::level::StoreLevel;
use pleach_codegen::lower::lower;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{Declarations, parse_source, resolve};
use pleach_codegen::schema;
use pleach_runtime::{BuildOuter, Dense, Elements, Fiber, Packed, RowBlock, Store};

use super::kernels::data::{CsrData, Random, SHAPES};
use super::lowered_generated as compiled;
use super::{OfLevel, interpret_twice};

/// What is compiled: static, dynamic and mixed operands, each kind of result, sequential and parallel.
pub const KERNELS: &str = "
kernel union_rows(A: csr, B: stinger) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel common_rows(A: stinger, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }
kernel grown(A: csr, B: stinger) -> C: stinger { C(i,j) = A(i,j) + B(i,j) }
kernel union_parallel(A: csr, B: stinger) -> C: csr { forall(i, parallel, forall(j, C(i,j) = A(i,j) + B(i,j))) }
kernel coordinates(A: coo, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel product(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }
kernel spmv_rows(y: dense, A: stinger, x: dense) { forall(i, parallel, forall(j, y(i) += A(i,j) * x(j))) }
kernel column(A: stinger, x: dense) -> y: bst { y(i) = A(i,j) * x(j) }
kernel outer_union(A: pam, B: lil) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel outer_common(A: aspen, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }
kernel outer_rows(y: dense, A: aspen, x: dense) { forall(i, parallel, forall(j, y(i) += A(i,j) * x(j))) }
kernel compressed_rows(y: dense, A: dcsr, x: dense) { forall(i, parallel, forall(j, y(i) += A(i,j) * x(j))) }
kernel from_outside(A: (dense, spans), B: stinger) -> C: csr { C(i,j) = A(i,j) + B(i,j) }
kernel transposed_sum(A: csr) -> C: csr { C(i,j) = A(i,j) + A(j,i) }
kernel seven(A: csr, B: stinger, C: csr, D: csr, E: csr, F: csr, G: csr) -> R: csr {
    R(i,j) = A(i,j) + B(i,j) - C(i,j) + D(i,j) * E(i,j) + F(i,j) + G(i,j)
}
kernel seven_parallel(A: csr, B: stinger, C: csr, D: csr, E: csr, F: csr, G: csr) -> R: csr {
    forall(i, parallel, forall(j, R(i,j) = (A(i,j) + B(i,j) + C(i,j) + D(i,j)) * (E(i,j) + F(i,j) + G(i,j))))
}
";

/// The kernels, lowered.
pub fn all() -> Vec<Kernel> {
    let mut scope = Declarations::new();
    for schema in pleach_catalog::SCHEMAS {
        let stores = schema::parse(schema.text).unwrap();
        scope.kinds.add(Arc::new(StoreLevel::of(&schema::check(&stores[0], schema.name).unwrap())));
    }
    for level in pleach_catalog::LEVELS {
        scope.kinds.add(Arc::new(StoreLevel::by_hand(level)));
    }
    scope.kinds.add(Arc::new(super::spans::Spans));
    assert!(scope.add(&parse_source(pleach_catalog::FORMATS).0).is_empty());
    let (text, mistakes) = parse_source(KERNELS);
    assert!(mistakes.is_empty(), "{}", mistakes.render("kernels", KERNELS));
    let mut kernels = Vec::new();
    for item in &text.items {
        if let Item::Kernel(kernel) = item {
            let resolved = resolve(kernel, &scope).unwrap();
            kernels.extend(resolved.iter().map(|kernel| field_by_field(lower(kernel).unwrap())));
        }
    }
    kernels
}

/// A kernel whose tensors are passed as the interpreter has them: without a layout, field by field.
fn field_by_field(mut kernel: Kernel) -> Kernel {
    kernel.params.iter_mut().chain(&mut kernel.results).for_each(|tensor| tensor.layout = None);
    kernel
}

/// What the emitter writes for them.
pub fn generated() -> String {
    let mut kernels = all();
    kernels.iter_mut().for_each(Kernel::simplify);
    format!("// Written by the emitter; see main.rs.\n\n{}", source(&kernels, &Options::default()).unwrap())
}

type Row = Packed<u32, f64>;

fn model(coords: &[u32], vals: &[f64]) -> Arc<Model> {
    let coords = coords.iter().map(|&c| c as usize).collect();
    Arc::new(Model { coords, values: Some(Array::F64(vals.to_vec())), ordered: true })
}

/// A matrix whose rows are stores, for the interpreter.
fn row_models(m: &CsrData) -> Vec<Value> {
    let rows = m.pos.windows(2).map(|r| model(&m.crd[r[0]..r[1]], &m.vals[r[0]..r[1]])).collect();
    vec![Value::usize(m.rows), Value::usize(m.cols), Value::Array(Array::Stores(rows))]
}

/// A matrix whose rows are entries of a store, as far as they hold anything.
fn outer_model(m: &CsrData) -> Vec<Value> {
    let kept: Vec<usize> = (0..m.rows).filter(|&i| m.pos[i] < m.pos[i + 1]).collect();
    let rows = kept.iter().map(|&i| m.pos[i]..m.pos[i + 1]).map(|r| model(&m.crd[r.clone()], &m.vals[r])).collect();
    let outer = Model { coords: kept, values: Some(Array::Stores(rows)), ordered: true };
    vec![Value::usize(m.rows), Value::usize(m.cols), Value::Store(Arc::new(outer))]
}

/// The same for compiled kernels.
fn row_stores(m: &CsrData) -> OfLevel {
    let block = RowBlock::new(0, &m.pos, Elements::copied(&m.crd, &m.vals));
    let level = Dense::join(m.rows, vec![Dense::<Row>::build_part(block)]);
    OfLevel { level, rows: m.rows, cols: m.cols }
}

fn taken_apart(store: &Row) -> Arc<Model> {
    let (coords, vals) = store.fiber().fold_runs((vec![], vec![]), |mut all: (Vec<u32>, Vec<f64>), run| {
        all.0.extend(run.coords());
        all.1.extend(run.values());
        all
    });
    model(&coords, &vals)
}

fn csr((rows, cols, pos, crd, vals): (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>)) -> Vec<Value> {
    vec![Value::usize(rows), Value::usize(cols), pos.into(), crd.into(), vals.into()]
}

#[test]
fn lowered_kernels_agree() {
    let kernels = all();
    let kernel = |name: &str| kernels.iter().find(|kernel| kernel.name == name).unwrap();
    let check = |name: &str, args: &[Vec<Value>], found: Vec<Value>| {
        assert_eq!(interpret_twice(kernel(name), &mut args.concat()), found, "{name}");
    };
    let mut rng = Random(23);
    for (rows, cols, percent) in SHAPES {
        let (a, b) = (CsrData::random(&mut rng, rows, cols, percent), CsrData::random(&mut rng, rows, cols, percent));
        let x = rng.values(cols);
        let (a_rows, b_rows) = (row_stores(&a), row_stores(&b));
        let found = compiled::union_rows(rows, cols, &a.pos, &a.crd, &a.vals, rows, cols, &b_rows).unwrap();
        check("union_rows", &[a.args(), row_models(&b)], csr(found));
        let found = compiled::common_rows(rows, cols, &a_rows, rows, cols, &b.pos, &b.crd, &b.vals).unwrap();
        check("common_rows", &[row_models(&a), b.args()], csr(found));
        let found = compiled::union_parallel(rows, cols, &a.pos, &a.crd, &a.vals, rows, cols, &b_rows).unwrap();
        check("union_parallel", &[a.args(), row_models(&b)], csr(found));

        let (_, _, grown): (usize, usize, Vec<Row>) =
            compiled::grown(rows, cols, &a.pos, &a.crd, &a.vals, rows, cols, &b_rows).unwrap();
        let grown = Value::Array(Array::Stores(grown.iter().map(taken_apart).collect()));
        check("grown", &[a.args(), row_models(&b)], vec![Value::usize(rows), Value::usize(cols), grown]);

        let (pos, crd) = (vec![0, a.crd.len()], a.row_crd());
        let found = compiled::coordinates(rows, cols, &pos, &crd, &a.crd, &a.vals, rows, cols, &b.pos, &b.crd, &b.vals)
            .unwrap();
        let coo: Vec<Value> = vec![
            Value::usize(rows),
            Value::usize(cols),
            pos.into(),
            crd.into(),
            a.crd.clone().into(),
            a.vals.clone().into(),
        ];
        check("coordinates", &[coo, b.args()], csr(found));

        let c = CsrData::random(&mut rng, cols, rows + 2, percent);
        let found =
            compiled::product(rows, cols, &a.pos, &a.crd, &a.vals, cols, rows + 2, &c.pos, &c.crd, &c.vals).unwrap();
        check("product", &[a.args(), c.args()], csr(found));

        let dense = |x: &[f64]| vec![Value::usize(x.len()), x.to_vec().into()];
        let mut y = rng.values(rows);
        let mut args = [dense(&y), row_models(&a), dense(&x)].concat();
        compiled::spmv_rows(rows, &mut y, rows, cols, &a_rows, cols, &x).unwrap();
        interpret_twice(kernel("spmv_rows"), &mut args);
        assert_eq!(args[1], y.into());

        let (len, column): (usize, Row) = compiled::column(rows, cols, &a_rows, cols, &x).unwrap();
        let column = vec![Value::usize(len), Value::Store(taken_apart(&column))];
        check("column", &[row_models(&a), dense(&x)], column);

        {
            // Outer levels that are stores: gone through together, looked up, and in parallel.
            let found = compiled::outer_union(rows, cols, &a_rows, rows, cols, &b_rows).unwrap();
            check("outer_union", &[outer_model(&a), outer_model(&b)], csr(found));
            let found = compiled::outer_common(rows, cols, &a_rows, rows, cols, &b.pos, &b.crd, &b.vals).unwrap();
            check("outer_common", &[outer_model(&a), b.args()], csr(found));
            let mut y = rng.values(rows);
            let mut args = [dense(&y), outer_model(&a), dense(&x)].concat();
            compiled::outer_rows(rows, &mut y, rows, cols, &a_rows, cols, &x).unwrap();
            interpret_twice(kernel("outer_rows"), &mut args);
            assert_eq!(args[1], y.into());

            // Rows of which only those are listed that hold anything.
            let kept: Vec<u32> = (0..rows).filter(|&i| a.pos[i] < a.pos[i + 1]).map(|i| i as u32).collect();
            let mut starts: Vec<usize> = kept.iter().map(|&i| a.pos[i as usize]).collect();
            starts.push(a.crd.len());
            let outer = vec![0, kept.len()];
            let mut y = rng.values(rows);
            let dcsr: Vec<Value> = vec![
                Value::usize(rows),
                Value::usize(cols),
                outer.clone().into(),
                kept.clone().into(),
                starts.clone().into(),
                a.crd.clone().into(),
                a.vals.clone().into(),
            ];
            let mut args = [dense(&y), dcsr, dense(&x)].concat();
            compiled::compressed_rows(rows, &mut y, rows, cols, &outer, &kept, &starts, &a.crd, &a.vals, cols, &x)
                .unwrap();
            interpret_twice(kernel("compressed_rows"), &mut args);
            assert_eq!(args[1], y.into());

            // A level that the compiler does not know.
            let (begin, end) = (a.pos[..rows].to_vec(), a.pos[1..].to_vec());
            let found = compiled::from_outside(rows, cols, &begin, &end, &a.crd, &a.vals, rows, cols, &b_rows).unwrap();
            let spans: Vec<Value> = vec![
                Value::usize(rows),
                Value::usize(cols),
                begin.into(),
                end.into(),
                a.crd.clone().into(),
                a.vals.clone().into(),
            ];
            check("from_outside", &[spans, row_models(&b)], csr(found));
        }
        // More operands than cases are told apart for: some of them are empty, some full, some the same.
        let none = CsrData::random(&mut rng, rows, cols, 0);
        let all = CsrData::random(&mut rng, rows, cols, 100);
        macro_rules! seven {
            ($kernel:ident, $name:literal, $a:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr) => {{
                let found = compiled::$kernel(
                    rows, cols, &$a.pos, &$a.crd, &$a.vals, rows, cols, &b_rows, rows, cols, &$c.pos, &$c.crd,
                    &$c.vals, rows, cols, &$d.pos, &$d.crd, &$d.vals, rows, cols, &$e.pos, &$e.crd, &$e.vals, rows,
                    cols, &$f.pos, &$f.crd, &$f.vals, rows, cols, &$g.pos, &$g.crd, &$g.vals,
                );
                let args = [$a.args(), row_models(&b), $c.args(), $d.args(), $e.args(), $f.args(), $g.args()];
                check($name, &args, csr(found.unwrap()));
            }};
        }
        let (d, e) = (CsrData::random(&mut rng, rows, cols, percent), CsrData::random(&mut rng, rows, cols, percent));
        seven!(seven, "seven", a, none, d, e, all, e);
        seven!(seven, "seven", none, a, all, d, e, none);
        seven!(seven_parallel, "seven_parallel", a, d, e, none, all, e);
        seven!(seven_parallel, "seven_parallel", none, e, a, d, none, a);
        let s = CsrData::random(&mut rng, rows, rows, percent);
        let found = compiled::transposed_sum(rows, rows, &s.pos, &s.crd, &s.vals).unwrap();
        check("transposed_sum", &[s.args()], csr(found));
    }
    let wrong = compiled::transposed_sum(2, 3, &[0, 0, 0], &[], &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "`A` along its second index has extent 3, but `A` along its first index has extent 2"
    );
}
