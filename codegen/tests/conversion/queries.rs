//! Attribute queries: text, canonical form, each transformation on its own, and what levels ask.

use pleach_codegen::convert::query::{Aggregate, Query};
use pleach_codegen::convert::rewrite::{
    Facts, counter_to_histogram, inline_temporary, optimise, reduction_to_assign, simplify_width_count,
};
use pleach_codegen::convert::statement::{Statement, canonical};
use pleach_codegen::format::{Coordinate, Format};

use crate::{between, format, scope};

fn csr() -> Format {
    format(&scope(), "csr")
}

/// What is known of compressed sparse rows.
fn rows() -> Facts {
    Facts { rank: 2, unique: true, counted: Some(1), outer: vec![0] }
}

/// Of entries in no order.
fn list() -> Facts {
    Facts { rank: 2, unique: true, counted: None, outer: vec![0] }
}

fn of(text: &str) -> Statement {
    let loops = [Coordinate::Index(0), Coordinate::Index(1)];
    canonical(&Query::parse(text, &csr()).unwrap(), &loops).remove(0)
}

fn last(text: &str, facts: &Facts) -> String {
    let statement = of(text);
    let steps = optimise(&statement, facts);
    steps.last().map_or(&statement, |step| &step.1).show(&csr())
}

#[test]
fn text_there_and_back() {
    for text in [
        "select [i] -> count(j) as nir",
        "select [i] -> min(j) as lo, max(j) as hi",
        "select [j - i] -> id() as nz",
        "select [] -> max(#i) as slices",
        "select [i / 4, j / 4] -> count(i % 4, j % 4) as n",
    ] {
        assert_eq!(Query::parse(text, &csr()).unwrap().show(&csr()).to_string(), text);
    }
    let query = Query::parse("select [i] -> count(j) as nir", &csr()).unwrap();
    assert_eq!(query.by, [Coordinate::Index(0)]);
    assert_eq!(query.asked[0].what, Aggregate::Count(vec![Coordinate::Index(1)]));
}

#[test]
fn what_is_no_query_is_refused_where_it_is_wrong() {
    for (text, expected) in [
        ("", "expected `select [i] -> count(j) as n`"),
        ("select i -> count(j) as n", "`[`"),
        ("select [i] -> sum(j) as n", "there is no statistic `sum`"),
        ("select [i] -> min(i, j) as n", "`min` takes one coordinate"),
        ("select [i] -> count() as n", "`count` takes the coordinates"),
        ("select [i] -> id(j) as n", "takes no coordinate"),
        ("select [k] -> id() as n", "there is no index"),
        ("select [i] -> id()", "`as` and a name"),
        ("select [i] -> id() as n, max(j) as n", "two answers are called `n`"),
        ("select [i] -> id() as n and", "the end of the query"),
    ] {
        let wrong = Query::parse(text, &csr()).unwrap_err().to_string();
        assert!(wrong.contains(expected), "{text}: {wrong}");
    }
}

#[test]
fn canonical_forms() {
    let shown = |text: &str| of(text).show(&csr());
    assert_eq!(
        shown("select [i] -> count(j) as n"),
        "forall(i, forall(j, n(i) += map(W(i, j), 1))) where forall(i, forall(j, W(i, j) |= map(A(i, j), 1)))"
    );
    assert_eq!(shown("select [j - i] -> id() as n"), "forall(i, forall(j, n(j - i) |= map(A(i, j), 1)))");
    assert_eq!(shown("select [] -> max(#i) as n"), "forall(i, forall(j, n() max= map(A(i, j), #i + 1)))");
    assert_eq!(shown("select [i] -> min(j) as n"), "forall(i, forall(j, n(i) max= map(A(i, j), extent - j)))");
}

#[test]
fn a_reduction_that_writes_each_place_once_is_an_assignment() {
    let given = *of("select [i] -> count(j) as n").given.unwrap();
    let assigned = reduction_to_assign(&given, &rows()).unwrap();
    assert_eq!(assigned.show(&csr()), "forall(i, forall(j, W(i, j) = map(A(i, j), 1)))");
    assert_eq!(reduction_to_assign(&assigned, &rows()), None);
    // Several entries of a row, and several of a block, write the same place.
    assert_eq!(reduction_to_assign(&of("select [i] -> id() as n"), &rows()), None);
    let blocks = *of("select [i / 4] -> count(j / 4) as n").given.unwrap();
    assert_eq!(reduction_to_assign(&blocks, &rows()), None);
    // A difference and one of its indices are as good as both.
    let diagonal = *of("select [j - i] -> count(i) as n").given.unwrap();
    assert!(reduction_to_assign(&diagonal, &rows()).is_some());
}

#[test]
fn a_temporary_that_is_assigned_goes_where_it_is_read() {
    let mut statement = of("select [i] -> count(j) as n");
    assert_eq!(inline_temporary(&statement, &rows()), None, "it is still reduced");
    let given = reduction_to_assign(statement.given.as_ref().unwrap(), &rows()).unwrap();
    statement.given = Some(Box::new(given));
    let inlined = inline_temporary(&statement, &rows()).unwrap();
    assert_eq!(inlined.show(&csr()), "forall(i, forall(j, n(i) += map(A(i, j), 1)))");
}

#[test]
fn counting_the_innermost_level_takes_its_bounds() {
    let mut statement = of("select [i] -> count(j) as n");
    statement.given = reduction_to_assign(statement.given.as_ref().unwrap(), &rows()).map(Box::new);
    let counts = inline_temporary(&statement, &rows()).unwrap();
    assert_eq!(simplify_width_count(&counts, &rows()).unwrap().show(&csr()), "forall(i, n(i) += A'(i))");
    assert_eq!(simplify_width_count(&counts, &list()), None);
    assert_eq!(simplify_width_count(&of("select [i] -> max(j) as n"), &rows()), None);
    // Columns are not counted by the ends of rows.
    let mut columns = of("select [j] -> count(i) as n");
    columns.given = reduction_to_assign(columns.given.as_ref().unwrap(), &rows()).map(Box::new);
    assert_eq!(simplify_width_count(&inline_temporary(&columns, &rows()).unwrap(), &rows()), None);
}

#[test]
fn the_largest_counter_is_the_largest_count() {
    let histogram = counter_to_histogram(&of("select [] -> max(#i) as n"), &rows()).unwrap();
    assert_eq!(histogram.show(&csr()), "forall(i, n() max= W(i)) where forall(i, forall(j, W(i) += map(A(i, j), 1)))");
    assert_eq!(counter_to_histogram(&of("select [] -> max(j) as n"), &rows()), None);
}

#[test]
fn all_together() {
    assert_eq!(last("select [i] -> count(j) as n", &rows()), "forall(i, n(i) = A'(i))");
    assert_eq!(last("select [i] -> count(j) as n", &list()), "forall(i, forall(j, n(i) += map(A(i, j), 1)))");
    assert_eq!(last("select [] -> max(#i) as n", &rows()), "forall(i, n() max= A'(i))");
    assert_eq!(
        last("select [] -> max(#i) as n", &list()),
        "forall(i, n() max= W(i)) where forall(i, forall(j, W(i) += map(A(i, j), 1)))"
    );
}

#[test]
fn what_conversions_print() {
    let scope = scope();
    let mut shown = String::new();
    for (from, to) in [
        ("csr", "ell"),
        ("coo", "ell"),
        ("coo", "csr"),
        ("csr", "dia"),
        ("csr", "csc"),
        ("csr", "skyline"),
        ("csr", "bcsr"),
        ("csc", "bcsr"),
        ("coo_unsorted", "csr"),
    ] {
        let conversion = between(&scope, from, to);
        shown += &format!("{}{}\n", conversion.plan(), conversion.queries());
    }
    insta::assert_snapshot!(shown);
}
