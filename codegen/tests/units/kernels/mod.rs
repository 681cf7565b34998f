//! Kernels written by hand in the IR: what lowering is expected to produce, and what both backends are tested with.

#![allow(dead_code)] // each test file uses some of them

pub mod data;
pub mod programs;
pub mod stores;

use pleach_codegen::ir::*;

/// A tensor's grouping of variables.
pub fn tensor(name: &str, format: &str, access: Access, fields: &[(&str, Option<usize>, Var)]) -> Tensor {
    Tensor {
        name: name.into(),
        format: format.into(),
        layout: None,
        access,
        fields: fields.iter().map(|&(name, level, var)| Field { name: name.into(), level, var }).collect(),
    }
}

pub fn check(left: impl Into<Expr>, left_name: &str, right: impl Into<Expr>, right_name: &str) -> ShapeCheck {
    ShapeCheck { left: left.into(), left_name: left_name.into(), right: right.into(), right_name: right_name.into() }
}

/// The arrays of a CSR matrix.
pub struct Csr {
    pub rows: Var,
    pub cols: Var,
    pub pos: Var,
    pub crd: Var,
    pub vals: Var,
}

const CSR: &str = "i: dense, j: compressed";

impl Csr {
    pub fn new(vars: &mut Vars, name: &str) -> Csr {
        Csr {
            rows: vars.fresh(format!("{name}_rows"), Scalar::Usize),
            cols: vars.fresh(format!("{name}_cols"), Scalar::Usize),
            pos: vars.fresh(format!("{name}_pos"), Type::array(Scalar::Usize)),
            crd: vars.fresh(format!("{name}_crd"), Type::array(Scalar::U32)),
            vals: vars.fresh(format!("{name}_vals"), Type::array(Scalar::F64)),
        }
    }

    pub fn tensor(&self, name: &str) -> Tensor {
        tensor(
            name,
            CSR,
            Access::Read,
            &[
                ("rows", None, self.rows),
                ("cols", None, self.cols),
                ("pos", Some(1), self.pos),
                ("crd", Some(1), self.crd),
                ("vals", None, self.vals),
            ],
        )
    }

    /// `crd[p] as usize`
    fn coord(&self, p: Var) -> Expr {
        load(self.crd, p).cast(Scalar::Usize)
    }

    fn row(&self, i: Var) -> (Expr, Expr) {
        (load(self.pos, i), load(self.pos, i + usize(1)))
    }
}

fn dense(name: &str, var: Var, access: Access) -> Tensor {
    tensor(name, "i: dense", access, &[("vals", None, var)])
}

/// `y(i) = A(i,j) * x(j)`, A in CSR.
pub fn spmv_csr(parallel: bool) -> Kernel {
    let mut vars = Vars::new();
    let a = Csr::new(&mut vars, "a");
    let x = vars.fresh("x", Type::array(Scalar::F64));
    let y = vars.fresh("y", Type::array(Scalar::F64));
    let (i, p, j) = (vars.fresh("i", Scalar::Usize), vars.fresh("p", Scalar::Usize), vars.fresh("j", Scalar::Usize));
    let sum = vars.fresh("sum", Scalar::F64);
    let (lo, hi) = a.row(i);
    let row = Block::from(vec![
        Stmt::Let(sum, lit(Literal::F64(0.0))),
        Stmt::count(
            p,
            lo,
            hi,
            vec![Stmt::Let(j, a.coord(p)), Stmt::Update(sum, Reduce::Add, load(a.vals, p) * load(x, j))],
        ),
        Stmt::Store(y, var(i), var(sum)),
    ]);
    let body = if parallel {
        Stmt::Parallel {
            var: i,
            domain: Domain::Range { lo: usize(0), hi: var(a.rows) },
            owned: vec![Owned { array: y, partition: Partition::Each { offset: usize(0), stride: usize(1) } }],
            reductions: vec![],
            work: Work::default(),
            scratch: Block::new(),
            body: row,
        }
    } else {
        Stmt::count(i, usize(0), a.rows, row)
    };
    Kernel {
        functions: vec![],
        name: if parallel { "spmv_csr_parallel" } else { "spmv_csr" }.into(),
        doc: vec![format!("y(i) = A(i,j) * x(j)          A: {CSR}")],
        params: vec![dense("y", y, Access::Write), a.tensor("A"), dense("x", x, Access::Read)],
        checks: vec![
            check(len(y), "`y` along `i`", a.rows, "`A` along `i`"),
            check(len(x), "`x` along `j`", a.cols, "`A` along `j`"),
        ],
        body: body.into(),
        results: vec![],
        vars,
    }
}

/// `y(i) = A(i,j) * x(j)`, A in COO: scatters into y.
pub fn spmv_coo() -> Kernel {
    let mut vars = Vars::new();
    let rows = vars.fresh("a_rows", Scalar::Usize);
    let cols = vars.fresh("a_cols", Scalar::Usize);
    let crd0 = vars.fresh("a_crd_i", Type::array(Scalar::U32));
    let crd1 = vars.fresh("a_crd_j", Type::array(Scalar::U32));
    let vals = vars.fresh("a_vals", Type::array(Scalar::F64));
    let x = vars.fresh("x", Type::array(Scalar::F64));
    let y = vars.fresh("y", Type::array(Scalar::F64));
    let (i, p, j) = (vars.fresh("i", Scalar::Usize), vars.fresh("p", Scalar::Usize), vars.fresh("j", Scalar::Usize));
    let body = vec![
        Stmt::Fill { array: y, lo: usize(0), hi: len(y), value: lit(Literal::F64(0.0)) },
        Stmt::count(
            p,
            usize(0),
            len(crd0),
            vec![
                Stmt::Let(i, load(crd0, p).cast(Scalar::Usize)),
                Stmt::Let(j, load(crd1, p).cast(Scalar::Usize)),
                Stmt::StoreUpdate(y, var(i), Reduce::Add, load(vals, p) * load(x, j)),
            ],
        ),
    ];
    Kernel {
        functions: vec![],
        name: "spmv_coo".into(),
        doc: vec!["y(i) = A(i,j) * x(j)          A: i: compressed(nonunique), j: singleton".into()],
        params: vec![
            dense("y", y, Access::Write),
            tensor(
                "A",
                "i: compressed(nonunique), j: singleton",
                Access::Read,
                &[
                    ("rows", None, rows),
                    ("cols", None, cols),
                    ("crd_i", Some(0), crd0),
                    ("crd_j", Some(1), crd1),
                    ("vals", None, vals),
                ],
            ),
            dense("x", x, Access::Read),
        ],
        checks: vec![
            check(len(y), "`y` along `i`", rows, "`A` along `i`"),
            check(len(x), "`x` along `j`", cols, "`A` along `j`"),
        ],
        body: body.into(),
        results: vec![],
        vars,
    }
}

/// `alpha = x(i) * y(i)`, dense.
pub fn dot(parallel: bool) -> Kernel {
    let mut vars = Vars::new();
    let x = vars.fresh("x", Type::array(Scalar::F64));
    let y = vars.fresh("y", Type::array(Scalar::F64));
    let (i, alpha) = (vars.fresh("i", Scalar::Usize), vars.fresh("alpha", Scalar::F64));
    let update = Stmt::Update(alpha, Reduce::Add, load(x, i) * load(y, i));
    let body = vec![
        Stmt::Let(alpha, lit(Literal::F64(0.0))),
        if parallel {
            Stmt::Parallel {
                var: i,
                domain: Domain::Range { lo: usize(0), hi: len(x) },
                owned: vec![],
                reductions: vec![(alpha, Reduce::Add)],
                work: Work::default(),
                scratch: Block::new(),
                body: update.into(),
            }
        } else {
            Stmt::count(i, usize(0), len(x), update)
        },
    ];
    Kernel {
        functions: vec![],
        name: if parallel { "dot_parallel" } else { "dot" }.into(),
        doc: vec!["alpha = x(i) * y(i)".into()],
        params: vec![dense("x", x, Access::Read), dense("y", y, Access::Read)],
        checks: vec![check(len(x), "`x` along `i`", len(y), "`y` along `i`")],
        body: body.into(),
        results: vec![tensor("alpha", "", Access::Write, &[("value", None, alpha)])],
        vars,
    }
}

/// `C(i,j) = A(i,j) + B(i,j)`, all CSR: three loops for the three points of the lattice, results appended.
pub fn add_csr() -> Kernel {
    let mut vars = Vars::new();
    let (a, b) = (Csr::new(&mut vars, "a"), Csr::new(&mut vars, "b"));
    let pos = vars.fresh("c_pos", Type::vec(Scalar::Usize));
    let crd = vars.fresh("c_crd", Type::vec(Scalar::U32));
    let vals = vars.fresh("c_vals", Type::vec(Scalar::F64));
    let i = vars.fresh("i", Scalar::Usize);
    let (pa, pa_end) = (vars.fresh("pa", Scalar::Usize), vars.fresh("pa_end", Scalar::Usize));
    let (pb, pb_end) = (vars.fresh("pb", Scalar::Usize), vars.fresh("pb_end", Scalar::Usize));
    let (ja, jb, j) =
        (vars.fresh("ja", Scalar::Usize), vars.fresh("jb", Scalar::Usize), vars.fresh("j", Scalar::Usize));
    let append =
        |j: Expr, value: Expr| Block::from(vec![Stmt::Push(crd, j.cast(Scalar::U32)), Stmt::Push(vals, value)]);
    let step = |p: Var, at: Var| Stmt::when(var(at).equal(j), Stmt::Assign(p, p + usize(1)));
    let mut rest = |m: &Csr, p: Var, end: Var| {
        let q = vars.fresh("q", Scalar::Usize);
        let mut body = Block::new();
        body.append(append(m.coord(q), load(m.vals, q)));
        Stmt::count(q, p, end, body)
    };
    let (rest_a, rest_b) = (rest(&a, pa, pa_end), rest(&b, pb, pb_end));
    let (a_lo, a_hi) = a.row(i);
    let (b_lo, b_hi) = b.row(i);
    let row = vec![
        Stmt::Let(pa, a_lo),
        Stmt::Let(pa_end, a_hi),
        Stmt::Let(pb, b_lo),
        Stmt::Let(pb_end, b_hi),
        Stmt::Comment("A ∪ B while both last".into()),
        Stmt::While(
            var(pa).less(pa_end).and(var(pb).less(pb_end)),
            vec![
                Stmt::Let(ja, a.coord(pa)),
                Stmt::Let(jb, b.coord(pb)),
                Stmt::Let(j, var(ja).min(jb)),
                Stmt::If {
                    arms: vec![
                        (var(ja).equal(j).and(var(jb).equal(j)), append(var(j), load(a.vals, pa) + load(b.vals, pb))),
                        (var(ja).equal(j), append(var(j), load(a.vals, pa))),
                    ],
                    otherwise: append(var(j), load(b.vals, pb)),
                },
                step(pa, ja),
                step(pb, jb),
            ]
            .into(),
        ),
        Stmt::Comment("A alone".into()),
        rest_a,
        Stmt::Comment("B alone".into()),
        rest_b,
        Stmt::Push(pos, len(crd)),
    ];
    let body = vec![
        Stmt::NewVec { var: pos, capacity: Some(a.rows + usize(1)) },
        Stmt::NewVec { var: crd, capacity: None },
        Stmt::NewVec { var: vals, capacity: None },
        Stmt::Push(pos, usize(0)),
        Stmt::count(i, usize(0), a.rows, row),
    ];
    Kernel {
        functions: vec![],
        name: "add_csr".into(),
        doc: vec![format!("C(i,j) = A(i,j) + B(i,j)          A, B, C: {CSR}")],
        checks: vec![
            check(a.rows, "`A` along `i`", b.rows, "`B` along `i`"),
            check(a.cols, "`A` along `j`", b.cols, "`B` along `j`"),
        ],
        params: vec![a.tensor("A"), b.tensor("B")],
        body: body.into(),
        results: vec![tensor(
            "C",
            CSR,
            Access::Write,
            &[("pos", Some(1), pos), ("crd", Some(1), crd), ("vals", None, vals)],
        )],
        vars,
    }
}

/// `C(i,j) = A(i,k) * B(k,j)`, all CSR: rows in parallel, counted, then filled through a workspace.
pub fn spgemm_csr() -> Kernel {
    let mut vars = Vars::new();
    let (a, b) = (Csr::new(&mut vars, "a"), Csr::new(&mut vars, "b"));
    let pos = vars.fresh("c_pos", Type::array(Scalar::Usize));
    let crd = vars.fresh("c_crd", Type::array(Scalar::U32));
    let vals = vars.fresh("c_vals", Type::array(Scalar::F64));

    // Count the distinct coordinates of each row: `seen[j]` is one more than the last row that had j.
    let (i, n) = (vars.fresh("i", Scalar::Usize), vars.fresh("n", Scalar::Usize));
    let seen = vars.fresh("seen", Type::array(Scalar::Usize));
    let count_row = products(&mut vars, &a, &b, i, |j, _| {
        vec![Stmt::when(
            load(seen, j).not_equal(i + usize(1)),
            vec![Stmt::Store(seen, var(j), i + usize(1)), Stmt::Update(n, Reduce::Add, usize(1))],
        )]
    });
    let count = Stmt::Parallel {
        var: i,
        domain: Domain::Range { lo: usize(0), hi: var(a.rows) },
        owned: vec![Owned { array: pos, partition: Partition::Each { offset: usize(1), stride: usize(1) } }],
        reductions: vec![],
        work: Work::default(),
        scratch: Stmt::NewArray { var: seen, len: var(b.cols), fill: usize(0) }.into(),
        body: vec![Stmt::Let(n, usize(0)), count_row, Stmt::Store(pos, i + usize(1), var(n))].into(),
    };

    // Fill: products are gathered in a dense workspace `w`, and the coordinates met in the result's own row.
    let (i, n, j, q) = (
        vars.fresh("i", Scalar::Usize),
        vars.fresh("n", Scalar::Usize),
        vars.fresh("j", Scalar::Usize),
        vars.fresh("q", Scalar::Usize),
    );
    let (w, met) = (vars.fresh("w", Type::array(Scalar::F64)), vars.fresh("met", Type::array(Scalar::Bool)));
    let start = vars.fresh("start", Scalar::Usize);
    let fill_row = products(&mut vars, &a, &b, i, |j, product| {
        vec![
            Stmt::when(
                !load(met, j),
                vec![
                    Stmt::Store(met, var(j), bool(true)),
                    Stmt::Store(crd, start + var(n), var(j).cast(Scalar::U32)),
                    Stmt::Update(n, Reduce::Add, usize(1)),
                ],
            ),
            Stmt::StoreUpdate(w, var(j), Reduce::Add, product),
        ]
    });
    let fill = Stmt::Parallel {
        var: i,
        domain: Domain::Range { lo: usize(0), hi: var(a.rows) },
        owned: vec![
            Owned { array: crd, partition: Partition::Segments { pos, stride: usize(1) } },
            Owned { array: vals, partition: Partition::Segments { pos, stride: usize(1) } },
        ],
        reductions: vec![],
        work: Work::default(),
        scratch: vec![
            Stmt::NewArray { var: w, len: var(b.cols), fill: lit(Literal::F64(0.0)) },
            Stmt::NewArray { var: met, len: var(b.cols), fill: bool(false) },
        ]
        .into(),
        body: vec![
            Stmt::Let(start, load(pos, i)),
            Stmt::Let(n, usize(0)),
            fill_row,
            Stmt::Sort { array: crd, lo: var(start), hi: start + var(n), keys: Vec::new() },
            Stmt::count(
                q,
                start,
                start + var(n),
                vec![
                    Stmt::Let(j, load(crd, q).cast(Scalar::Usize)),
                    Stmt::Store(vals, var(q), load(w, j)),
                    Stmt::Store(w, var(j), lit(Literal::F64(0.0))),
                    Stmt::Store(met, var(j), bool(false)),
                ],
            ),
        ]
        .into(),
    };
    let nonzeros = || load(pos, var(a.rows));
    let body = vec![
        Stmt::NewArray { var: pos, len: a.rows + usize(1), fill: usize(0) },
        Stmt::Comment("count".into()),
        count,
        Stmt::PrefixSum(pos),
        Stmt::NewArray { var: crd, len: nonzeros(), fill: lit(Literal::U32(0)) },
        Stmt::NewArray { var: vals, len: nonzeros(), fill: lit(Literal::F64(0.0)) },
        Stmt::Comment("fill".into()),
        fill,
    ];
    Kernel {
        functions: vec![],
        name: "spgemm_csr".into(),
        doc: vec![format!("C(i,j) = A(i,k) * B(k,j)          A, B, C: {CSR}")],
        checks: vec![check(a.cols, "`A` along `k`", b.rows, "`B` along `k`")],
        params: vec![a.tensor("A"), b.tensor("B")],
        body: body.into(),
        results: vec![tensor(
            "C",
            CSR,
            Access::Write,
            &[("pos", Some(1), pos), ("crd", Some(1), crd), ("vals", None, vals)],
        )],
        vars,
    }
}

/// Walks the products `A(i,k) * B(k,j)` of row `i`; `visit` says what to do with each `j` and product.
fn products(vars: &mut Vars, a: &Csr, b: &Csr, i: Var, visit: impl Fn(Var, Expr) -> Vec<Stmt>) -> Stmt {
    let (pa, pb) = (vars.fresh("pa", Scalar::Usize), vars.fresh("pb", Scalar::Usize));
    let (k, j) = (vars.fresh("k", Scalar::Usize), vars.fresh("j", Scalar::Usize));
    let (a_lo, a_hi) = a.row(i);
    let (b_lo, b_hi) = b.row(k);
    let mut inner = vec![Stmt::Let(j, b.coord(pb))];
    inner.extend(visit(j, load(a.vals, pa) * load(b.vals, pb)));
    Stmt::count(pa, a_lo, a_hi, vec![Stmt::Let(k, a.coord(pa)), Stmt::count(pb, b_lo, b_hi, inner)])
}

/// Every kernel of this file.
pub fn all() -> Vec<Kernel> {
    vec![spmv_csr(false), spmv_csr(true), spmv_coo(), dot(false), dot(true), add_csr(), spgemm_csr()]
}
