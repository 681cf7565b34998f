//! The paper's transformations of queries (table 1), each a rewriting of its own, applied until none applies.
//!
//! | transformation | what it does |
//! |---|---|
//! | reduction-to-assign | a reduction that writes each place once is an assignment |
//! | inline-temporary | a temporary that is assigned, and not reduced, is put where it is read |
//! | simplify-width-count | counting the innermost level takes the difference of its bounds |
//! | counter-to-histogram | the largest counter is the largest count |

use super::order;
use super::statement::{Op, Statement, Term, Value};
use crate::format::Coordinate;

/// What transformations ask of the source.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How many indices the tensor has.
    pub rank: usize,
    /// Whether no two entries agree in all indices.
    pub unique: bool,
    /// The index that the innermost level keeps, if that level stores entries only, all of a parent's in a stretch of positions.
    pub counted: Option<usize>,
    /// Whether the indices of the levels above it are enough for each loop but the innermost.
    pub outer: Vec<usize>,
}

/// A transformation: the statement afterwards, if it applies.
type Rewriting = fn(&Statement, &Facts) -> Option<Statement>;

/// All transformations, by name.
pub const ALL: [(&str, Rewriting); 4] = [
    ("counter-to-histogram", counter_to_histogram),
    ("reduction-to-assign", reduction_to_assign),
    ("inline-temporary", inline_temporary),
    ("simplify-width-count", simplify_width_count),
];

/// Applies all transformations, wherever one applies; returns what each made of the statement.
pub fn optimise(statement: &Statement, facts: &Facts) -> Vec<(&'static str, Statement)> {
    let mut steps: Vec<(&'static str, Statement)> = Vec::new();
    // Each step removes a reduction, a temporary, a loop or a counter.
    for _ in 0..16 {
        let now = steps.last().map_or(statement, |step| &step.1);
        let Some(step) = ALL.iter().find_map(|(name, rewrite)| Some((*name, anywhere(now, facts, *rewrite)?))) else {
            break;
        };
        steps.push(step);
    }
    steps
}

/// The rewriting at the statement or at what makes its temporary.
fn anywhere(statement: &Statement, facts: &Facts, rewrite: Rewriting) -> Option<Statement> {
    rewrite(statement, facts).or_else(|| {
        let given = anywhere(statement.given.as_ref()?, facts, rewrite)?;
        Some(Statement { given: Some(Box::new(given)), ..statement.clone() })
    })
}

/// `forall(i, forall(j, W(i, j) |= e))` to `forall(i, forall(j, W(i, j) = e))`: each place is written by one entry.
pub fn reduction_to_assign(statement: &Statement, facts: &Facts) -> Option<Statement> {
    if statement.op == Op::Assign {
        return None;
    }
    let once = match statement.value {
        // The loops over the source may be fewer than its indices.
        Value::Source(_) | Value::Width => {
            let loops = indices_of(&statement.over);
            let by: Vec<Coordinate> = (0..facts.rank).filter(|m| !loops.contains(m)).map(Coordinate::Index).collect();
            let known: Vec<Coordinate> = statement.at.iter().cloned().chain(by).collect();
            (facts.unique || statement.op == Op::Or) && order::single_out(facts.rank, &known)
        }
        Value::Temporary(_) | Value::Read => statement.over.iter().all(|c| statement.at.contains(c)),
    };
    once.then(|| Statement { op: Op::Assign, ..statement.clone() })
}

/// `forall(i, forall(j, n(i) += map(W(i, j), 1))) where forall(i, forall(j, W(i, j) = map(A(i, j), 1)))` to
/// `forall(i, forall(j, n(i) += map(A(i, j), 1)))`.
pub fn inline_temporary(statement: &Statement, _: &Facts) -> Option<Statement> {
    let given = statement.given.as_ref().filter(|given| given.op == Op::Assign)?;
    let value = match (&statement.value, &given.value) {
        (Value::Temporary(term), Value::Source(Term::One)) => Value::Source(term.clone()),
        (Value::Read, value) => value.clone(),
        _ => return None,
    };
    Some(Statement { over: given.over.clone(), value, given: given.given.clone(), ..statement.clone() })
}

/// `forall(i, forall(j, n(i) += map(A(i, j), 1)))` to `forall(i, n(i) += A'(i))`.
pub fn simplify_width_count(statement: &Statement, facts: &Facts) -> Option<Statement> {
    let innermost = facts.counted?;
    let counts = statement.op == Op::Add && statement.value == Value::Source(Term::One);
    let last = statement.over.last() == Some(&Coordinate::Index(innermost));
    let read = statement.at.iter().any(|c| order::indices(c).iter().any(|m| !facts.outer.contains(m)));
    (counts && last && !read).then(|| Statement {
        over: statement.over[..statement.over.len() - 1].to_vec(),
        value: Value::Width,
        ..statement.clone()
    })
}

/// `forall(i, forall(j, s() max= map(A(i, j), #i + 1)))` to
/// `forall(i, s() max= W(i)) where forall(i, forall(j, W(i) += map(A(i, j), 1)))`.
pub fn counter_to_histogram(statement: &Statement, _: &Facts) -> Option<Statement> {
    let (Op::Max, Value::Source(Term::Above(Coordinate::Counter(of)))) = (statement.op, &statement.value) else {
        return None;
    };
    let by: Vec<Coordinate> = statement.at.iter().cloned().chain(of.iter().copied().map(Coordinate::Index)).collect();
    let histogram = Statement {
        over: statement.over.clone(),
        target: "W".to_owned(),
        at: by.clone(),
        op: Op::Add,
        value: Value::Source(Term::One),
        given: None,
    };
    Some(Statement { over: by, value: Value::Read, given: Some(Box::new(histogram)), ..statement.clone() })
}

fn indices_of(loops: &[Coordinate]) -> Vec<usize> {
    loops.iter().flat_map(order::indices).collect()
}
