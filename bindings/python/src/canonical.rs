//! The canonical form of an expression, by which kernels of the library are found.
//!
//! ```text
//!   y(r) = v(c) * M(r,c)     M in csr     ──►     dense(0) = dense(1) * sparse(0,1)     ──►     matrix times vector: A is M, x is v
//! ```
//!
//! Names are gone: an operand is the class of its format, and indices are numbered, those of the result first and then as they come.
//! Sums and products are in the one of all orders of terms and factors that comes first as text. So two expressions have the same form
//! exactly if they differ in names, and in the order of what commutes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pleach_codegen::expression::Expression;
use pleach_codegen::notation::ast::{Assign, AssignOp, BinaryOp, Expr, ExprKind, Literal, StmtKind};
use pleach_codegen::notation::parse_statements;

/// Formats that store entries and nothing between them: kernels read and make all of them as compressed rows.
const ENTRIES: [&str; 3] = ["csr", "csc", "coo"];

/// Orders of terms and factors that are compared. Expressions of more are none of the library's.
const MOST_ORDERS: usize = 1000;

/// What an expression multiplies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A tensor or scalar, by its name.
    Tensor(String),
    /// A number of the text.
    Number(f64),
}

/// An operand where it stands.
#[derive(Clone, Debug)]
struct Access {
    operand: Operand,
    class: String,
    indices: Vec<String>,
}

/// Factors, and whether their product is taken away.
#[derive(Clone, Debug, Default)]
struct Term {
    negative: bool,
    factors: Vec<Access>,
}

/// The canonical form of an expression, and what stands for each of its operands, in the form's order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Canonical {
    pub text: String,
    pub operands: Vec<Operand>,
}

impl Canonical {
    /// Of one assignment without a mask, a semiring, slices and functions; tensors without a format are dense.
    pub fn of(text: &str, formats: &BTreeMap<String, String>) -> Option<Self> {
        let parsed = Expression::parse(text, &[]).ok()?;
        let (statements, _) = parse_statements(text);
        let [statement] = &statements[..] else { return None };
        let StmtKind::Assign(assign) = &statement.kind else { return None };
        Reading { parsed: &parsed, formats }.canonical(assign)
    }
}

/// The tensors of an expression.
struct Reading<'a> {
    parsed: &'a Expression,
    formats: &'a BTreeMap<String, String>,
}

impl Reading<'_> {
    fn canonical(&self, assign: &Assign) -> Option<Canonical> {
        let Assign { target, mask, op, value, over } = assign;
        // What is new is zero at first: to add to it is to set it.
        let plain = matches!(op, AssignOp::Set | AssignOp::Add) && mask.is_none() && over.is_none();
        if !plain || target.coordinates.is_some() || self.parsed.tensor(&target.tensor.text)?.read {
            return None;
        }
        let indices: Vec<String> = target.indices.iter().map(|index| index.text.clone()).collect();
        let made = format!("{} = ", shown(&self.class(&target.tensor.text)?, &indices, &mut indices.clone()));
        let mut terms = Vec::new();
        self.terms(value, false, &mut terms)?;
        let (text, operands) =
            orders(&terms)?.into_iter().map(|terms| written(&terms, &indices)).min_by(|a, b| a.0.cmp(&b.0))?;
        Some(Canonical { text: made + &text, operands })
    }

    /// The class of a tensor's format.
    fn class(&self, name: &str) -> Option<String> {
        let tensor = self.parsed.tensor(name)?;
        let class = match (self.formats.get(name).map(|format| format.trim()), tensor.rank()) {
            (None, 0) => "number",
            (None | Some("dense"), _) => "dense",
            (Some(format), _) if ENTRIES.contains(&format) => "sparse",
            (Some(format), _) => format,
        };
        Some(class.to_owned())
    }

    fn terms(&self, value: &Expr, negative: bool, terms: &mut Vec<Term>) -> Option<()> {
        match &value.kind {
            ExprKind::Neg(inner) => return self.terms(inner, !negative, terms),
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                self.terms(left, negative, terms)?;
                return self.terms(right, negative != (*op == BinaryOp::Sub), terms);
            }
            _ => {}
        }
        let mut term = Term { negative, factors: Vec::new() };
        self.factors(value, &mut term)?;
        terms.push(term);
        Some(())
    }

    fn factors(&self, value: &Expr, term: &mut Term) -> Option<()> {
        let (operand, class, indices) = match &value.kind {
            ExprKind::Binary { op: BinaryOp::Mul, left, right } => {
                self.factors(left, term)?;
                return self.factors(right, term);
            }
            ExprKind::Neg(inner) => {
                term.negative = !term.negative;
                return self.factors(inner, term);
            }
            ExprKind::Literal(Literal::Int(number)) => {
                (Operand::Number(*number as f64), "number".to_owned(), Vec::new())
            }
            ExprKind::Literal(Literal::Float(number)) => (Operand::Number(*number), "number".to_owned(), Vec::new()),
            ExprKind::Name(name) => (Operand::Tensor(name.text.clone()), self.class(&name.text)?, Vec::new()),
            ExprKind::Apply { name, args } => {
                let index = |arg: &Expr| match &arg.kind {
                    ExprKind::Name(index) => Some(index.text.clone()),
                    _ => None,
                };
                let indices = args.iter().map(index).collect::<Option<_>>()?;
                (Operand::Tensor(name.text.clone()), self.class(&name.text)?, indices)
            }
            _ => return None,
        };
        term.factors.push(Access { operand, class, indices });
        Some(())
    }
}

/// An access as text. Indices that are new get the next numbers.
fn shown(class: &str, indices: &[String], known: &mut Vec<String>) -> String {
    let number = |index: &String| {
        let at = known.iter().position(|other| other == index).unwrap_or_else(|| {
            known.push(index.clone());
            known.len() - 1
        });
        at.to_string()
    };
    let numbers: Vec<String> = indices.iter().map(number).collect();
    if numbers.is_empty() { class.to_owned() } else { format!("{class}({})", numbers.join(",")) }
}

/// The text of terms in this order, and their operands.
fn written(terms: &[Term], indices: &[String]) -> (String, Vec<Operand>) {
    let (mut text, mut operands, mut known) = (String::new(), Vec::new(), indices.to_vec());
    for (at, term) in terms.iter().enumerate() {
        text.push_str(match (at, term.negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        let factors: Vec<String> =
            term.factors.iter().map(|factor| shown(&factor.class, &factor.indices, &mut known)).collect();
        text.push_str(&factors.join(" * "));
        operands.extend(term.factors.iter().map(|factor| factor.operand.clone()));
    }
    (text, operands)
}

/// Every order of some things.
fn permutations<T: Clone>(things: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = things.split_first() else { return vec![Vec::new()] };
    let insert = |order: Vec<T>| {
        (0..=order.len()).map(move |at| [&order[..at], std::slice::from_ref(first), &order[at..]].concat())
    };
    permutations(rest).into_iter().flat_map(insert).collect()
}

/// Every order of terms and of the factors of each, positive terms first. `None` if there are too many.
fn orders(terms: &[Term]) -> Option<Vec<Vec<Term>>> {
    let count = |of: usize| (1..=of).try_fold(1usize, |product, k| product.checked_mul(k));
    let (negative, positive): (Vec<Term>, Vec<Term>) = terms.iter().cloned().partition(|term| term.negative);
    let all = [positive.len(), negative.len()].into_iter().chain(terms.iter().map(|term| term.factors.len()));
    all.map(count).try_fold(1usize, |product, count| product.checked_mul(count?)).filter(|&all| all <= MOST_ORDERS)?;
    let mut found = Vec::new();
    for first in permutations(&positive) {
        for last in permutations(&negative) {
            let mut orders = vec![Vec::new()];
            for term in first.iter().chain(&last) {
                let of_term = permutations(&term.factors);
                let with = |order: Vec<Term>| {
                    of_term.iter().map(move |factors| {
                        [&order[..], &[Term { negative: term.negative, factors: factors.clone() }]].concat()
                    })
                };
                orders = orders.into_iter().flat_map(with).collect();
            }
            found.append(&mut orders);
        }
    }
    Some(found)
}

/// The kernels of the library, each by an expression that it computes. Letters from A on are its operands; A, B and C are sparse.
const KERNELS: [(&str, &str); 13] = [
    ("matrix times matrix", "C(i,j) = A(i,k) * B(k,j)"),
    ("matrix plus matrix", "C(i,j) = A(i,j) + B(i,j)"),
    ("matrix minus matrix", "C(i,j) = A(i,j) - B(i,j)"),
    ("matrix by matrix, element by element", "C(i,j) = A(i,j) * B(i,j)"),
    ("sampled product", "C(i,j) = A(i,j) * D(i,k) * E(k,j)"),
    ("sampled product with transpose", "C(i,j) = A(i,j) * D(i,k) * E(j,k)"),
    ("transposition", "C(j,i) = A(i,j)"),
    ("number times matrix", "C(i,j) = s * A(i,j)"),
    ("matrix times vector", "y(i) = A(i,j) * x(j)"),
    ("transpose times vector", "y(j) = A(i,j) * x(i)"),
    ("sums of rows", "y(i) = A(i,j)"),
    ("sums of columns", "y(j) = A(i,j)"),
    ("sum of all", "r = A(i,j)"),
];

/// A kernel of the library: its name, and the letters of its operands in the order of its form.
type Kernel = (&'static str, Vec<String>);

static FORMS: LazyLock<BTreeMap<String, Kernel>> = LazyLock::new(|| {
    let sparse = ["A", "B", "C"].map(|letter| (letter.to_owned(), "csr".to_owned()));
    let kernel = |(name, text): (&'static str, &str)| {
        let formats = sparse.iter().filter(|(letter, _)| text.contains(&letter[..])).cloned().collect();
        let form = Canonical::of(text, &formats).expect("a kernel of the library has a form");
        let letter = |operand| match operand {
            Operand::Tensor(letter) => letter,
            Operand::Number(number) => number.to_string(),
        };
        (form.text, (name, form.operands.into_iter().map(letter).collect()))
    };
    KERNELS.into_iter().map(kernel).collect()
});

/// The kernel of the library that has a form, and what stands for each of its letters.
pub(crate) fn kernel(form: &Canonical) -> Option<(&'static str, Vec<(String, Operand)>)> {
    // A dense matrix is made of the sparse one.
    let text = match form.text.strip_prefix("dense(0,1) = ") {
        Some(rest) => format!("sparse(0,1) = {rest}"),
        None => form.text.clone(),
    };
    let (name, letters) = FORMS.get(&text)?;
    Some((*name, letters.iter().cloned().zip(form.operands.iter().cloned()).collect()))
}
