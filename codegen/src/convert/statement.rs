//! Queries as concrete index notation over computed coordinates (section 5.2 of the conversion paper).
//!
//! ```text
//! select [i] -> count(j) as nir       forall(i, forall(j, nir(i) += map(W(i, j), 1)))
//!                                       where forall(i, forall(j, W(i, j) |= map(A(i, j), 1)))
//! select [] -> max(#i) as slices      forall(i, forall(j, slices() max= map(A(i, j), #i + 1)))
//! ```
//!
//! `map(A(i, j), x)` is `x` where `A` has an entry, and nothing elsewhere. Answers begin at 0, so the largest coordinate is kept plus 1, and
//! the smallest one as its distance from the extent.

use super::query::{Aggregate, Query};
use crate::format::{Coordinate, Format};

/// A statement, and the statement that makes its temporary.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The loops, outermost first. Those over the source are over its indices.
    pub over: Vec<Coordinate>,
    /// What is written.
    pub target: String,
    /// Where it is written.
    pub at: Vec<Coordinate>,
    /// How it is written.
    pub op: Op,
    /// What is written there.
    pub value: Value,
    /// What makes `W`.
    pub given: Option<Box<Statement>>,
}

/// How a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `=`
    Assign,
    /// `+=`
    Add,
    /// `max=`
    Max,
    /// `|=`
    Or,
}

/// What a statement writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `map(A(i, j), term)`
    Source(Term),
    /// `map(W(…), term)`
    Temporary(Term),
    /// `W(…)`
    Read,
    /// `A'(i)`: how many entries lie below, which follows from the bounds of the innermost level.
    Width,
}

/// What an entry stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// 1
    One,
    /// A coordinate, plus 1.
    Above(Coordinate),
    /// The distance of a coordinate from its extent.
    Below(Coordinate),
}

/// The canonical forms of a query's answers. `loops` are the source's indices in the order in which it is walked.
pub fn canonical(query: &Query, loops: &[Coordinate]) -> Vec<Statement> {
    let one = |asked: &super::query::Asked| {
        let source = |op, term| Statement {
            over: loops.to_vec(),
            target: asked.label.clone(),
            at: query.by.clone(),
            op,
            value: Value::Source(term),
            given: None,
        };
        match &asked.what {
            Aggregate::Id => source(Op::Or, Term::One),
            Aggregate::Max(of) => source(Op::Max, Term::Above(of.clone())),
            Aggregate::Min(of) => source(Op::Max, Term::Below(of.clone())),
            Aggregate::Count(of) => {
                let all: Vec<Coordinate> = query.by.iter().chain(of).cloned().collect();
                Statement {
                    over: all.clone(),
                    target: asked.label.clone(),
                    at: query.by.clone(),
                    op: Op::Add,
                    value: Value::Temporary(Term::One),
                    given: Some(Box::new(Statement { target: "W".to_owned(), at: all, ..source(Op::Or, Term::One) })),
                }
            }
        }
    };
    query.asked.iter().map(one).collect()
}

impl Statement {
    /// The statement as text over the indices of `format`.
    pub fn show(&self, format: &Format) -> String {
        let text = |c: &Coordinate| format.coordinate_text(c);
        let list = |all: &[Coordinate]| all.iter().map(text).collect::<Vec<_>>().join(", ");
        let source = || format.indices.join(", ");
        let term = |term: &Term| match term {
            Term::One => "1".to_owned(),
            Term::Above(c) => format!("{} + 1", text(c)),
            Term::Below(c) => match c {
                Coordinate::Index(_) => format!("extent - {}", text(c)),
                _ => format!("extent - ({})", text(c)),
            },
        };
        let temporary = || self.given.as_ref().map_or(String::new(), |given| list(&given.at));
        let value = match &self.value {
            Value::Source(t) => format!("map(A({}), {})", source(), term(t)),
            Value::Temporary(t) => format!("map(W({}), {})", temporary(), term(t)),
            Value::Read => format!("W({})", temporary()),
            Value::Width => format!("A'({})", list(&self.over)),
        };
        let op = match self.op {
            Op::Assign => "=",
            Op::Add => "+=",
            Op::Max => "max=",
            Op::Or => "|=",
        };
        let mut shown = format!("{}({}) {op} {value}", self.target, list(&self.at));
        for c in self.over.iter().rev() {
            shown = format!("forall({}, {shown})", text(c));
        }
        if let Some(given) = &self.given {
            shown += &format!(" where {}", given.show(format));
        }
        shown
    }
}
