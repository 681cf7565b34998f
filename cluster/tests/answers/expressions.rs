//! Kernels from expressions on one to four workers, against sums that are written out over a list of arcs.

use std::collections::BTreeMap;

use pleach_cluster::algorithms::{self as many, Stop};
use pleach_cluster::expression::{Expression, Input as Given, Tensor};
use pleach_datasets::{Direction, Input};

use crate::{CUTS, open, values};

/// A value of a vertex that is no whole number.
fn x(id: u64) -> f64 {
    0.5 + (id % 7) as f64
}

/// The arcs of a graph, each once.
fn arcs(input: &Input) -> BTreeMap<(u64, u64), f64> {
    let mut arcs = BTreeMap::new();
    for (k, (&src, &dst)) in input.edges.src().iter().zip(input.edges.dst()).enumerate() {
        let (src, dst, weight) = (input.ids.external(src), input.ids.external(dst), input.edges.weight().unwrap()[k]);
        arcs.insert((src, dst), weight);
        if input.mirrored {
            arcs.insert((dst, src), weight);
        }
    }
    arcs
}

/// What an expression makes of `x`, `y` and `alpha`, for each vertex of a graph; the same at every worker for a number.
fn computed(input: &Input, cut: (usize, u64), text: &str, times: usize) -> BTreeMap<u64, f64> {
    let expression = Expression::parse(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    values(input, cut, |part, wire| {
        let own = |of: &dyn Fn(u64) -> f64| part.own.iter().map(|&vertex| of(part.ids[vertex as usize])).collect();
        let mut all = BTreeMap::new();
        for Given { name, rank, .. } in expression.inputs() {
            let value = match (name, rank) {
                ("y", _) => Tensor::Vector(own(&|id| 10.0 + (id % 3) as f64)),
                ("far", _) => Tensor::Vector(own(&|id| if id == FIRST { 0.0 } else { f64::INFINITY })),
                (_, 1) => Tensor::Vector(own(&x)),
                _ => Tensor::Scalar(0.25),
            };
            all.insert(name.to_owned(), value);
        }
        expression.evaluate(part, wire, &mut all, times).unwrap();
        match all.remove(expression.result()).unwrap() {
            Tensor::Vector(values) => values,
            Tensor::Scalar(number) => vec![number; part.own.len()],
        }
    })
}

/// Where paths begin.
const FIRST: u64 = 3;

fn near(found: &BTreeMap<u64, f64>, right: &dyn Fn(u64) -> f64, at: &str) {
    for (&id, &value) in found {
        let right = right(id);
        let equal = value == right || (value - right).abs() <= 1e-12 * right.abs().max(1.0);
        assert!(equal, "{at}: {value} instead of {right} at {id}");
    }
}

#[test]
fn products_over_semirings_are_sums_over_arcs() {
    for (name, direction) in [("rmat:8", Some(Direction::Directed)), ("karate", None), ("dijkstra", None)] {
        let input = open(name, direction);
        let arcs = arcs(&input);
        let row = |i: u64| arcs.range((i, 0)..=(i, u64::MAX)).map(|(&(_, j), &a)| (j, a));
        let column = |j: u64| arcs.iter().filter(move |((_, to), _)| *to == j).map(|(&(i, _), &a)| (i, a));
        let least = |a: f64, b: f64| a.min(b);
        let most = |a: f64, b: f64| a.max(b);
        let cases: &[(&str, &dyn Fn(u64) -> f64)] = &[
            ("z(i) = A(i,j) * x(j)", &|i| row(i).map(|(j, a)| a * x(j)).sum()),
            ("z(i) = A(i,j) * x(j) over min_plus", &|i| row(i).map(|(j, a)| a + x(j)).fold(f64::INFINITY, least)),
            ("z(i) = A(i,j) * x(j) over max_times", &|i| row(i).map(|(j, a)| a * x(j)).fold(f64::NEG_INFINITY, most)),
            ("z(i) = A(i,j) * x(j) over max_min", &|i| row(i).map(|(j, a)| a.min(x(j))).fold(f64::NEG_INFINITY, most)),
            ("z(i) = A(i,j) * x(j) over plus_second", &|i| row(i).map(|(j, _)| x(j)).sum()),
            // Results at the columns are those of ghosts, too.
            ("z(j) = A(i,j) * x(i)", &|j| column(j).map(|(i, a)| a * x(i)).sum()),
            ("z(j) = A(i,j) * x(i) over min_plus", &|j| column(j).map(|(i, a)| a + x(i)).fold(f64::INFINITY, least)),
            ("z(j) = A(i,j) * x(i) over max_plus", &|j| column(j).map(|(i, a)| a + x(i)).fold(f64::NEG_INFINITY, most)),
            ("z(k) = A(i,k) * (x(i) - x(k))", &|k| column(k).map(|(i, a)| a * (x(i) - x(k))).sum()),
            ("z(i) = A(i,j) * (x(j) - x(i))", &|i| row(i).map(|(j, a)| a * (x(j) - x(i))).sum()),
            // What is there already stays in.
            ("y(i) += A(i,j) * x(j)", &|i| 10.0 + (i % 3) as f64 + row(i).map(|(j, a)| a * x(j)).sum::<f64>()),
            ("y(j) min= A(i,j) * x(i) over min_plus", &|j| {
                column(j).map(|(i, a)| a + x(i)).fold(10.0 + (j % 3) as f64, least)
            }),
            // Numbers.
            ("s = A(i,j) * x(j) * x(i)", &|_| arcs.iter().map(|(&(i, j), a)| a * x(i) * x(j)).sum()),
            ("s = A(i,j) over max_min", &|_| arcs.values().copied().fold(f64::NEG_INFINITY, most)),
            ("s = alpha * 2; z(i) = s * x(i)", &|i| 0.5 * x(i)),
            // Several statements.
            ("d(i) = A(i,_j); z(i) = x(i) + alpha * d(i)", &|i| x(i) + 0.25 * row(i).map(|(_, a)| a).sum::<f64>()),
            ("t(k) = A(k,j) * x(j); z(i) = A(i,k) * t(k)", &|i| {
                row(i).map(|(k, a)| a * row(k).map(|(j, a)| a * x(j)).sum::<f64>()).sum()
            }),
        ];
        for (text, right) in cases {
            for cut in CUTS {
                near(&computed(&input, cut, text, 1), right, &format!("{text} of {name} on {cut:?}"));
            }
        }
    }
}

#[test]
fn iterated_expressions_are_algorithms() {
    let input = open("rmat:8", None);
    for cut in CUTS {
        let shortest = values(&input, cut, |part, wire| many::sssp(part, wire, FIRST).unwrap().unwrap());
        let found = computed(&input, cut, "far(j) min= A(i,j) * far(i) over min_plus", 12);
        assert_eq!(found, shortest, "shortest paths on {cut:?}");
        let ranks =
            values(&input, cut, |part, wire| many::pagerank(part, wire, 0.85, Stop::Iterations(10)).unwrap().ranks);
        // A rank of one for each vertex on average; vertices without arcs hand out their ranks evenly.
        let n = input.num_vertices() as f64;
        let text = format!(
            "r(i) = x(i) / x(i) / {n:?}; d(i) = A(i,_j); {}",
            "q(i) = select(r(i) / d(i), d(i) > 0); lost = select(r(i), d(i) == 0); t(j) = A(i,j) * q(i); r(i) = (0.15 + 0.85 * lost) / N + 0.85 * t(i); "
                .replace('N', &format!("{n:?}"))
                .repeat(10)
        );
        let text = text.trim_end().trim_end_matches(';');
        near(&computed(&input, cut, text, 1), &|id| ranks[&id], &format!("ranks on {cut:?}"));
    }
}

#[test]
fn plans_say_what_is_exchanged() {
    let plan = |text: &str| Expression::parse(text, &[]).unwrap().plan();
    let has = |text: &str, words: &[&str]| {
        let plan = plan(text);
        assert!(words.iter().all(|words| plan.contains(words)), "{plan}");
    };
    has(
        "y(i) = A(i,j) * x(j) over min_plus",
        &["rows    A(i,j)", "gather  x", "keep    y", "8 bytes a ghost", "loop j"],
    );
    has("y(j) = A(i,j) * x(i)", &["rows    A(i,j)", "reduce  y", "partial results"]);
    has("s = x(i) * y(i)", &["reduce  s", "a pair of workers"]);
    assert!(!plan("y(j) = A(i,j) * x(i)").contains("gather"));
    assert!(!plan("z(i) = x(i) + y(i)").contains("8 bytes"));
}

#[test]
fn what_workers_cannot_compute_is_refused() {
    for (text, words) in [
        ("y(i) = ", "expected"),
        ("C(i,j) = A(i,j) * 2", "results are vectors and numbers"),
        ("y(i) = A(i,i)", "the diagonal"),
        ("y(i) = A(i,j) * A(j,k) * x(k)", "write two"),
        ("y(i) = (A(i,j) + A(j,i)) * x(j)", "write two"),
        ("y(i) = A(i,j) * B(i,j) * x(j)", "there is one matrix"),
        ("y(i) = A(i,j) * z(k)", "none of the matrix's"),
        ("y(i) = x(i) * z(j)", "not joined by the matrix"),
        ("y(i) = alpha", "no tensor on the right"),
        ("y(i)<m> = A(i,j) * x(j)", "masks"),
        ("y(i) = A(i,j) * j", "value of an index"),
        ("y(i) = x(0:2)", "expected indices only"),
        ("y(i) = T(i,j,k) * x(j) * x(k)", "expected a matrix"),
        ("y(j) min= A(i,j) + x(i)", "pairs of vertices without an arc"),
        ("s max= A(i,j)", "pairs of vertices without an arc"),
        ("y(j) = A(i,j) * x(i) + x(j)", "write the sum by itself"),
        ("s = x(i) * x(i) + 1", "write the sum by itself"),
        ("y(i) = A(i,j) * x(j) over nothing", "nothing"),
        ("forall(i, y(i) = x(i))", "loops are implied"),
        ("y(i) = A(i,j) * x(j) * x_ghosts(i)", "`x_ghosts`: a worker uses this name"),
        ("y(i) = A(i,j) * x_ghosts(i) * x(j)", "`x_ghosts`: a worker uses this name"),
        ("y(i) = x(i) + y_new(i)", "`y_new`: a worker uses this name"),
    ] {
        let error = Expression::parse(text, &[]).err().unwrap_or_else(|| panic!("{text} is not refused")).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    // A user's own semiring and function.
    let mine = pleach_codegen::diagnostic::SourceFile::new(
        "mine",
        "function near(a, b) = abs(a - b) semiring far { plus: max, zero: -inf, times: near }",
    );
    assert!(Expression::parse("y(i) = A(i,j) * x(j) over far", &[mine]).is_ok());
}
