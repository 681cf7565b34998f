//! Sums of a row of blocks in local arrays: the same results to the bit, and only where the part of the array exists.

use crate::kernels::data::Random;
use pleach_codegen::ir::check::CheckError;
use pleach_codegen::ir::interpret::{Array, Compile, Limits, Value};
use pleach_codegen::ir::*;

/// A product with a matrix in blocks, `y(i) op= A(i,j) times x(j)`.
#[derive(Clone, Copy)]
struct Blocks {
    scalar: Scalar,
    op: Reduce,
    times: BinaryOp,
    /// Rows and columns of a block.
    block: (usize, usize),
}

/// The variables of such a product that tests change something of.
struct Vars4 {
    y: Var,
    rows: Var,
    row: Var,
    p: Var,
}

impl Blocks {
    /// The kernel. `change` gets the body of the loop over the blocks of a row.
    fn kernel(self, change: impl FnOnce(&Vars4, &mut Block)) -> Kernel {
        let mut vars = Vars::new();
        let array = |vars: &mut Vars, name: &str, scalar| vars.fresh(name, Type::array(scalar));
        let y = array(&mut vars, "y_vals", self.scalar);
        let (rows, cols) = (vars.fresh("rows", Scalar::Usize), vars.fresh("cols", Scalar::Usize));
        let (pos, crd) = (array(&mut vars, "pos", Scalar::Usize), array(&mut vars, "crd", Scalar::U32));
        let (vals, x) = (array(&mut vars, "vals", self.scalar), array(&mut vars, "x", self.scalar));
        let [row, p, col] = ["c1", "p", "c2"].map(|name| vars.fresh(name, Scalar::Usize));
        let (height, width) = self.block;
        let mut around = |body: &dyn Fn(Var, Var) -> Block| {
            let [r, c] = ["r", "c"].map(|name| vars.fresh(name, Scalar::Usize));
            Stmt::count(r, usize(0), usize(height), Stmt::count(c, usize(0), usize(width), body(r, c)))
        };
        let (i, j) = (|r: Var| row * usize(height) + r, |c: Var| col * usize(width) + c);
        let product = |r: Var, c: Var| {
            let value = load(vals, (p * usize(height) + r) * usize(width) + c);
            Stmt::StoreUpdate(y, i(r), self.op, value.binary(self.times, load(x, j(c))))
        };
        let whole = around(&|r, c| product(r, c).into());
        let edge = around(&|r, c| Stmt::when(i(r).less(rows).and(j(c).less(cols)), product(r, c)).into());
        let last = |block: Var, size: usize| block * usize(size) + usize(size - 1);
        let inside = last(row, height).less(rows).and(last(col, width).less(cols));
        let mut body = Block(vec![Stmt::Let(col, load(crd, p).cast(Scalar::Usize)), Stmt::either(inside, whole, edge)]);
        change(&Vars4 { y, rows, row, p }, &mut body);
        let over_blocks = Stmt::count(p, load(pos, row), load(pos, row + usize(1)), body);
        let blocks = (var(rows) + usize(height - 1)) / usize(height);
        let tensor = |name: &str, access, fields: &[(&str, Option<usize>, Var)]| {
            crate::kernels::tensor(name, "i: dense", access, fields)
        };
        Kernel {
            functions: vec![],
            name: "blocks".into(),
            doc: vec![],
            params: vec![
                tensor("y", Access::Write, &[("rows", None, rows), ("vals", None, y)]),
                tensor(
                    "a",
                    Access::Read,
                    &[("cols", None, cols), ("pos", None, pos), ("crd", None, crd), ("vals", None, vals)],
                ),
                tensor("x", Access::Read, &[("vals", None, x)]),
            ],
            checks: vec![],
            body: Stmt::count(row, usize(0), blocks, over_blocks).into(),
            results: vec![],
            vars,
        }
    }

    /// Random operands. Some rows of blocks are empty; `y` holds numbers already, among them zeros of either sign.
    fn operands(self, rows: usize, cols: usize, random: &mut Random) -> Vec<Value> {
        let (height, width) = self.block;
        let mut values = |n: usize| {
            let mut array = Array::empty(self.scalar);
            for _ in 0..n {
                let value = match random.below(4) {
                    0 if self.scalar.is_float() => -0.0,
                    1 if self.scalar.is_float() => random.value() * 0.1,
                    _ => random.value(),
                };
                array.push(Literal::from_f64(self.scalar, value));
            }
            Value::Array(array)
        };
        let (y, x) = (values(rows), values(cols));
        let (mut pos, mut crd) = (vec![0], Vec::new());
        let mut blocks = Random(rows as u64 * 31 + cols as u64);
        for row in 0..rows.div_ceil(height) {
            crd.extend((0..cols.div_ceil(width) as u32).filter(|_| row % 3 != 1 && blocks.below(3) > 0));
            pos.push(crd.len());
        }
        let vals = values(crd.len() * height * width);
        vec![Value::usize(rows), y, Value::usize(cols), pos.into(), crd.into(), vals, x]
    }
}

const SUMS: Blocks = Blocks { scalar: Scalar::F64, op: Reduce::Add, times: BinaryOp::Mul, block: (2, 3) };

/// Whether a kernel keeps sums in a local array.
fn keeps(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.visit(&mut |stmt| found |= matches!(stmt, Stmt::NewLocal { .. }));
    found
}

fn simplified(kernel: &Kernel) -> Kernel {
    let mut simple = kernel.clone();
    simple.simplify();
    simple.check().unwrap();
    simple
}

fn run(kernel: &Kernel, args: &[Value]) -> String {
    let mut args = args.to_vec();
    Compile::new()
        .compile(kernel)
        .unwrap()
        .run(&mut args, Limits::default().with_steps(1_000_000).with_elements(1_000_000))
        .unwrap();
    // Rust prints a float so that it is read back to the bit, and the sign of a zero.
    format!("{args:?}")
}

#[test]
fn results_are_the_same_to_the_bit() {
    use Scalar::{Bool, F32, F64, I32, U64};
    let mut random = Random(7);
    for (scalar, op, times) in [
        (F64, Reduce::Add, BinaryOp::Mul),
        (F32, Reduce::Add, BinaryOp::Mul),
        (F64, Reduce::Min, BinaryOp::Add),
        (F32, Reduce::Max, BinaryOp::Mul),
        (I32, Reduce::Add, BinaryOp::Mul),
        (U64, Reduce::Mul, BinaryOp::Add),
        (I32, Reduce::Min, BinaryOp::Add),
        (Bool, Reduce::Or, BinaryOp::And),
        (Bool, Reduce::And, BinaryOp::Or),
    ] {
        for block in [(1, 1), (2, 2), (2, 3), (3, 1), (6, 6), (8, 2), (9, 2)] {
            let product = Blocks { scalar, op, times, block };
            let kernel = product.kernel(|_, _| {});
            let simple = simplified(&kernel);
            assert_eq!(keeps(&simple), (2..=8).contains(&block.0), "{simple}");
            for (rows, cols) in [(0, 4), (4, 0), (1, 1), (6, 6), (7, 11), (18, 5), (20, 13)] {
                let args = product.operands(rows, cols, &mut random);
                assert_eq!(run(&kernel, &args), run(&simple, &args), "{rows} x {cols}\n{simple}");
            }
        }
    }
}

#[test]
fn a_zero_keeps_its_sign() {
    let minus = vec![-0.0, -0.0];
    let simple = simplified(&SUMS.kernel(|_, _| {}));
    assert!(keeps(&simple));
    // A row of blocks without a block, and one whose products are −0.
    for (pos, crd) in [(vec![0usize, 0], vec![]), (vec![0, 1], vec![0u32])] {
        let vals = vec![-0.0; 6 * crd.len()];
        let args = [
            Value::usize(2),
            minus.clone().into(),
            Value::usize(3),
            pos.into(),
            crd.into(),
            vals.into(),
            vec![1.0; 3].into(),
        ];
        assert!(run(&simple, &args).contains("[-0.0, -0.0]"), "{}", run(&simple, &args));
    }
}

#[test]
fn an_array_that_is_used_otherwise_is_left_alone() {
    let refused = |change: &dyn Fn(&Vars4, &mut Block)| {
        let simple = simplified(&SUMS.kernel(change));
        assert!(!keeps(&simple), "{simple}");
    };
    let first = |of: &Vars4| of.row * usize(2);
    let zero = || lit(Literal::F64(0.0));
    let branch = |body: &mut Block, with: &dyn Fn(&mut Expr, &mut Block, &mut Block)| {
        let Some(Stmt::If { arms, otherwise }) = body.0.last_mut() else { panic!("a branch") };
        let (condition, then) = &mut arms[0];
        with(condition, then, otherwise);
    };
    // It is read or written for every block.
    refused(&|of, body| body.push(Stmt::Store(of.y, first(of), zero())));
    refused(&|of, body| {
        body.push(Stmt::when(load(of.y, first(of)).equal(zero()), Stmt::Store(of.y, first(of), zero())));
    });
    // Whole blocks set elements, too.
    refused(&|of, body| branch(body, &|_, then, _| then.push(Stmt::Store(of.y, first(of), zero()))));
    // The loop may be left from a block at the edge.
    refused(&|_, body| branch(body, &|_, _, otherwise| otherwise.push(Stmt::Break)));
    // Nothing says that the last row of the block exists.
    refused(&|of, body| {
        branch(body, &|condition, _, _| *condition = first(of).less(of.rows).and(var(of.p).less(usize(9))))
    });
}

#[test]
fn branches_that_use_the_array_find_it_up_to_date() {
    // A block at the edge doubles the first element of the row of blocks.
    let kernel = SUMS.kernel(|of, body| {
        let Some(Stmt::If { otherwise, .. }) = body.0.last_mut() else { panic!("a branch") };
        let first = of.row * usize(2);
        let double = Stmt::Store(of.y, first.clone(), load(of.y, first.clone()) + load(of.y, first.clone()));
        otherwise.push(Stmt::when(first.less(of.rows), double));
    });
    let simple = simplified(&kernel);
    assert!(keeps(&simple), "{simple}");
    let mut random = Random(11);
    for (rows, cols) in [(2, 4), (7, 11), (9, 8)] {
        let args = SUMS.operands(rows, cols, &mut random);
        assert_eq!(run(&kernel, &args), run(&simple, &args), "{rows} x {cols}\n{simple}");
    }
}

#[test]
fn parts_are_printed_and_checked() {
    let mut vars = Vars::new();
    let (y, local) = (vars.fresh("y", Type::array(Scalar::F64)), vars.fresh("part", Type::array(Scalar::F64)));
    let whole = vars.fresh("whole", Type::array(Scalar::I32));
    let copy = |array, from| Stmt::CopyPart { array, at: usize(0), from, first: usize(1), len: 2 };
    let kernel = |vars: &Vars, body: Vec<Stmt>| Kernel {
        functions: vec![],
        name: "parts".into(),
        doc: vec![],
        params: vec![crate::kernels::tensor("y", "i: dense", Access::Write, &[("vals", None, y)])],
        checks: vec![],
        body: body.into(),
        results: vec![],
        vars: vars.clone(),
    };
    let right = kernel(&vars, vec![Stmt::NewLocal { var: local, len: 2 }, copy(local, y)]);
    right.check().unwrap();
    let text = right.to_string();
    assert!(text.contains("let part: [f64], local, of 2") && text.contains("part[0..2] = y[1..3]"), "{text}");
    let wrong = |body: Vec<Stmt>| kernel(&vars, body).check().unwrap_err();
    assert!(matches!(wrong(vec![copy(local, y)]), CheckError::Undeclared(_)));
    assert!(matches!(wrong(vec![copy(y, y)]), CheckError::Read { .. }));
    let other = vec![Stmt::NewLocal { var: whole, len: 2 }, copy(whole, y)];
    assert!(matches!(wrong(other), CheckError::Type { .. }));
    // A part that lies beyond the end is an error, not a part of another length.
    let mut args = [Value::from(vec![1.0, 2.0])];
    let limits = Limits::default().with_steps(100).with_elements(100);
    assert!(Compile::new().compile(&right).unwrap().run(&mut args, limits).is_err());
}
