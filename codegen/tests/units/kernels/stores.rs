//! Kernels over dynamic levels, written by hand in the IR.

use super::{check, tensor};
use pleach_codegen::ir::*;

fn row() -> StoreType {
    StoreType {
        name: "packed".into(),
        coord: Scalar::U32,
        element: Element::Scalar(Scalar::F64),
        lookup: Growth::Logarithmic,
    }
}

/// `y(i) = A(i,j) * x(j)`, the rows of A in a store below an outer level: a parallel map over rows, a map over each row.
pub fn spmv_store() -> Kernel {
    let mut vars = Vars::new();
    let outer = StoreType {
        name: "paged".into(),
        coord: Scalar::U32,
        element: Element::Store(Box::new(row())),
        lookup: Growth::Logarithmic,
    };
    let a = vars.fresh("a", Type::Store(outer));
    let (x, y) = (vars.fresh("x", Type::array(Scalar::F64)), vars.fresh("y", Type::array(Scalar::F64)));
    let (i, a_i) = (vars.fresh("i", Scalar::Usize), vars.fresh("a_i", Type::Store(row())));
    let (j, a_ij, sum) =
        (vars.fresh("j", Scalar::Usize), vars.fresh("a_ij", Scalar::F64), vars.fresh("sum", Scalar::F64));
    let body = vec![
        Stmt::Let(sum, lit(Literal::F64(0.0))),
        Stmt::ForEntries {
            store: var(a_i),
            coord: j,
            value: Some(a_ij),
            ordered: false,
            fold: None,
            body: Stmt::Update(sum, Reduce::Add, a_ij * load(x, j)).into(),
        },
        Stmt::StoreUpdate(y, var(i), Reduce::Add, var(sum)),
    ];
    Kernel {
        functions: vec![],
        name: "spmv_store".into(),
        doc: vec!["y(i) += A(i,j) * x(j)          A: i: paged, j: packed".into()],
        params: vec![
            tensor("y", "i: dense", Access::Write, &[("vals", None, y)]),
            tensor("A", "i: paged, j: packed", Access::Read, &[("root", Some(0), a)]),
            tensor("x", "j: dense", Access::Read, &[("vals", None, x)]),
        ],
        checks: vec![],
        body: Stmt::Parallel {
            var: i,
            domain: Domain::Entries { store: var(a), value: Some(a_i) },
            owned: vec![Owned { array: y, partition: Partition::Each { offset: usize(0), stride: usize(1) } }],
            reductions: vec![],
            work: Work::default(),
            scratch: Block::new(),
            body: body.into(),
        }
        .into(),
        results: vec![],
        vars,
    }
}

/// `C(j) = A(j) + B(j)` over stores into a store, with cursors; only as far as both last, then the rests.
pub fn add_stores() -> Kernel {
    let mut vars = Vars::new();
    let (a, b) = (vars.fresh("a", Type::Store(row())), vars.fresh("b", Type::Store(row())));
    let (at_a, at_b) = (vars.fresh("at_a", Type::Cursor(row())), vars.fresh("at_b", Type::Cursor(row())));
    let c = vars.fresh("c", Type::Store(row()));
    let (crd, vals) = (vars.fresh("c_crd", Type::vec(Scalar::U32)), vars.fresh("c_vals", Type::vec(Scalar::F64)));
    let (j, v) = (vars.fresh("j", Scalar::Usize), vars.fresh("c_j", Scalar::F64));
    let append = |j: Var, v: Var| [Stmt::Push(crd, var(j).cast(Scalar::U32)), Stmt::Push(vals, var(v))];
    let mut rest = |cursor: Var| {
        let (j, v) = (vars.fresh("j", Scalar::Usize), vars.fresh("v", Scalar::F64));
        Stmt::Rest { cursor, coord: j, value: Some(v), body: Vec::from(append(j, v)).into() }
    };
    let (rest_a, rest_b) = (rest(at_a), rest(at_b));
    let take = |cursor: Var| {
        Stmt::when(
            Expr::CursorCoord(cursor).equal(j),
            vec![Stmt::Update(v, Reduce::Add, Expr::CursorValue(cursor)), Stmt::Advance(cursor)],
        )
    };
    let body = vec![
        Stmt::NewVec { var: crd, capacity: None },
        Stmt::NewVec { var: vals, capacity: None },
        Stmt::OpenCursor { cursor: at_a, store: var(a), ordered: true },
        Stmt::OpenCursor { cursor: at_b, store: var(b), ordered: true },
        Stmt::While(
            Expr::CursorValid(at_a).and(Expr::CursorValid(at_b)),
            [
                Stmt::Let(j, Expr::CursorCoord(at_a).min(Expr::CursorCoord(at_b))),
                Stmt::Let(v, lit(Literal::F64(0.0))),
                take(at_a),
                take(at_b),
            ]
            .into_iter()
            .chain(append(j, v))
            .collect::<Vec<_>>()
            .into(),
        ),
        rest_a,
        rest_b,
        Stmt::Let(
            c,
            Expr::Build {
                store: row(),
                coords: crd,
                values: Some(vals),
                lo: Box::new(usize(0)),
                hi: Box::new(len(crd)),
            },
        ),
    ];
    Kernel {
        functions: vec![],
        name: "add_stores".into(),
        doc: vec!["C(j) = A(j) + B(j)          A, B, C: j: packed".into()],
        params: vec![
            tensor("A", "j: packed", Access::Read, &[("root", Some(0), a)]),
            tensor("B", "j: packed", Access::Read, &[("root", Some(0), b)]),
        ],
        checks: vec![check(usize(0), "nothing", usize(0), "nothing")],
        body: body.into(),
        results: vec![tensor("C", "j: packed", Access::Write, &[("root", Some(0), c)])],
        vars,
    }
}
