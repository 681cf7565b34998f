//! Random small programs: every scalar type, operator and loop, with indices that stay inside their arrays.

use super::data::Random;
use super::tensor;
use pleach_codegen::ir::*;

/// The types that values have.
const VALUES: [Scalar; 6] = [Scalar::F32, Scalar::F64, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U64];

struct Writer<'a> {
    rng: &'a mut Random,
    vars: Vars,
    scalar: Scalar,
    /// Scalars of the program's type, and positions below `n`.
    values: Vec<Var>,
    positions: Vec<Var>,
    /// Arrays of `n` elements.
    arrays: Vec<Var>,
    n: Var,
    depth: usize,
}

impl Writer<'_> {
    fn pick(&mut self, from: &[Var]) -> Var {
        from[self.rng.below(from.len())]
    }

    fn literal(&mut self) -> Expr {
        let extreme = [0.0, 1.0, -1.0, 3.0, 1e9, -7.0, f64::INFINITY, 0.5];
        let x = extreme[self.rng.below(extreme.len())];
        lit(Literal::from_f64(self.scalar, x))
    }

    fn position(&mut self) -> Expr {
        let positions = self.positions.clone();
        if positions.is_empty() || self.rng.below(4) == 0 {
            // Reduced to the array's length, whatever it is; arrays are never empty.
            let value = self.value(1);
            return value.cast(Scalar::Usize).binary(BinaryOp::Rem, self.n);
        }
        var(self.pick(&positions))
    }

    fn condition(&mut self, depth: usize) -> Expr {
        use BinaryOp::*;
        let op = [Eq, Ne, Lt, Le, Gt, Ge][self.rng.below(6)];
        let one = self.value(depth).binary(op, self.value(depth));
        match self.rng.below(4) {
            0 => one.and(self.value(0).less(self.value(0))),
            1 => one.or(self.value(0).equal(self.value(0))),
            2 => !one,
            _ => one,
        }
    }

    fn value(&mut self, depth: usize) -> Expr {
        use BinaryOp::*;
        let (values, arrays) = (self.values.clone(), self.arrays.clone());
        if depth == 0 {
            return match self.rng.below(3) {
                0 => self.literal(),
                _ => var(self.pick(&values)),
            };
        }
        match self.rng.below(9) {
            0 => {
                let array = self.pick(&arrays);
                let at = self.position();
                load(array, at)
            }
            1 => {
                let condition = self.condition(depth - 1);
                condition.select(self.value(depth - 1), self.value(depth - 1))
            }
            2 => {
                let to = VALUES[self.rng.below(VALUES.len())];
                self.value(depth - 1).cast(to).cast(self.scalar)
            }
            3 if self.scalar.is_signed() => self.value(depth - 1).unary(UnaryOp::Abs),
            4 => self.condition(depth - 1).cast(self.scalar),
            _ => {
                let floats: &[BinaryOp] = &[Add, Sub, Mul, Div, Min, Max];
                let integers: &[BinaryOp] = &[Add, Sub, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr];
                let ops = if self.scalar.is_float() { floats } else { integers };
                let op = ops[self.rng.below(ops.len())];
                self.value(depth - 1).binary(op, self.value(depth - 1))
            }
        }
    }

    fn reduce(&mut self) -> Reduce {
        let ops = [Reduce::Add, Reduce::Mul, Reduce::Min, Reduce::Max, Reduce::And, Reduce::Or];
        ops[self.rng.below(if self.scalar.is_float() { 4 } else { 6 })]
    }

    fn block(&mut self, statements: usize) -> Block {
        let (values, positions, arrays) = (self.values.len(), self.positions.len(), self.arrays.len());
        self.depth += 1;
        let block = (0..statements).map(|_| self.stmt()).collect();
        self.depth -= 1;
        self.values.truncate(values);
        self.positions.truncate(positions);
        self.arrays.truncate(arrays);
        block
    }

    fn stmt(&mut self) -> Stmt {
        let (values, arrays) = (self.values.clone(), self.arrays.clone());
        let scalar = self.scalar;
        match self.rng.below(if self.depth < 3 { 11 } else { 7 }) {
            0 => {
                let value = self.value(2);
                let v = self.vars.fresh("t", scalar);
                self.values.push(v);
                Stmt::Let(v, value)
            }
            1 => Stmt::Assign(self.pick(&values), self.value(2)),
            2 => Stmt::Update(self.pick(&values), self.reduce(), self.value(2)),
            3 => Stmt::Store(self.pick(&arrays), self.position(), self.value(2)),
            4 => Stmt::StoreUpdate(self.pick(&arrays), self.position(), self.reduce(), self.value(2)),
            5 => Stmt::Comment("a remark".into()),
            6 => {
                let value = self.value(1);
                let a = self.vars.fresh("w", Type::array(scalar));
                self.arrays.push(a);
                Stmt::NewArray { var: a, len: var(self.n), fill: value }
            }
            7 | 8 => {
                let i = self.vars.fresh("p", Scalar::Usize);
                self.positions.push(i);
                let body = self.block(3);
                self.positions.retain(|&v| v != i);
                Stmt::count(i, usize(0), self.n, body)
            }
            9 => {
                let condition = self.condition(1);
                Stmt::either(condition, self.block(2), self.block(1))
            }
            _ => {
                let condition = self.condition(1);
                let i = self.vars.fresh("p", Scalar::Usize);
                self.positions.push(i);
                let mut body = self.block(2);
                self.positions.retain(|&v| v != i);
                body.push(Stmt::when(condition, Stmt::Break));
                Stmt::count(i, usize(0), self.n, body)
            }
        }
    }
}

/// A program of one value type: it changes the array it is given and returns a scalar.
pub fn random(seed: u64) -> Kernel {
    let mut rng = Random(seed);
    let scalar = VALUES[rng.below(VALUES.len())];
    let mut vars = Vars::new();
    let (n, a, b) =
        (vars.fresh("n", Scalar::Usize), vars.fresh("a", Type::array(scalar)), vars.fresh("b", Type::array(scalar)));
    let s = vars.fresh("s", scalar);
    let mut w =
        Writer { rng: &mut rng, vars, scalar, values: vec![s], positions: vec![], arrays: vec![a], n, depth: 0 };
    // `b` is only read, so that walks along it are found.
    let mut body = Block::from(Stmt::Let(s, load(b, usize(0))));
    let p = w.vars.fresh("p", Scalar::Usize);
    let op = w.reduce();
    body.push(Stmt::count(
        p,
        usize(0),
        n,
        vec![Stmt::Update(s, op, load(b, p)), Stmt::StoreUpdate(a, var(p), Reduce::Add, load(b, p))],
    ));
    for _ in 0..5 {
        let stmt = w.stmt();
        body.push(stmt);
    }
    Kernel {
        functions: vec![],
        name: format!("random_{seed}_{scalar}"),
        doc: vec![format!("Random program {seed}.")],
        params: vec![
            tensor("n", "", Access::Read, &[("value", None, n)]),
            tensor("a", "", Access::Write, &[("vals", None, a)]),
            tensor("b", "", Access::Read, &[("vals", None, b)]),
        ],
        checks: vec![
            ShapeCheck { left: len(a), left_name: "`a`".into(), right: var(n), right_name: "`n`".into() },
            ShapeCheck { left: len(b), left_name: "`b`".into(), right: var(n), right_name: "`n`".into() },
        ],
        body,
        results: vec![tensor("s", "", Access::Write, &[("value", None, s)])],
        vars: w.vars,
    }
}
