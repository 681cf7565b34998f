//! Every level beside every other: in unions, in intersections, and as a result.
#![allow(warnings, missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]

use std::collections::BTreeSet;

use pleach_codegen::format::Format;
use pleach_conformance::{Ran, SMALL};

pleach_conformance::grid!("levels");

/// Levels that no schema describes and that the runtime does not keep.
const STATIC: [&str; 9] =
    ["dense", "compressed", "singleton", "range", "offset", "hashed", "squeezed", "sliced", "banded"];

/// Two levels, in alphabetic order.
fn pair<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    (a.min(b), a.max(b))
}

fn levels(format: &Format) -> impl Iterator<Item = &str> {
    format.levels.iter().map(|level| level.kind.name())
}

/// Levels that have met.
type Pairs<'r> = BTreeSet<(&'r str, &'r str)>;

/// Which levels have met which, in kernels (compiled ones, if the grid is full) whose names begin so: of the operands, and of operands and results.
fn met<'r>(ran: &'r [Ran], name: &str) -> (Pairs<'r>, Pairs<'r>) {
    let (mut operands, mut results) = (BTreeSet::new(), BTreeSet::new());
    for ran in ran.iter().filter(|ran| (ran.compiled || !pleach_conformance::is_full()) && ran.name.starts_with(name)) {
        let of = |name: &str| &ran.formats.iter().find(|(of, _)| of == name).expect("a tensor of the kernel").1;
        for a in levels(of("A")) {
            operands.extend(levels(of("B")).map(|b| pair(a, b)));
            results.extend(levels(of("R")).map(|r| (r, a)));
        }
        results.extend(levels(of("R")).flat_map(|r| levels(of("B")).map(move |b| (r, b))));
    }
    (operands, results)
}

#[test]
fn every_level_meets_every_other() {
    let ran = GROUP.hold(&[(SMALL, 0..3)]);
    let stores = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name).chain(pleach_catalog::LEVELS.iter().copied());
    let levels: Vec<&str> = STATIC.into_iter().chain(stores).collect();
    let (in_unions, of_unions) = met(&ran, "union");
    let (in_intersections, of_intersections) = met(&ran, "intersection");
    let returned: BTreeSet<_> = of_unions.union(&of_intersections).collect();
    let mut missing = Vec::new();
    for &a in &levels {
        for &b in &levels {
            if !in_unions.contains(&pair(a, b)) {
                missing.push(format!("{a} and {b} in a union"));
            }
            if !in_intersections.contains(&pair(a, b)) {
                missing.push(format!("{a} and {b} in an intersection"));
            }
            // Rows in a `paged` level are no result: it would hold stores.
            if a != "paged" && !returned.contains(&(a, b)) {
                missing.push(format!("{b} returned as {a}"));
            }
        }
    }
    assert!(missing.is_empty(), "{} do not meet:\n{}", missing.len(), missing.join("\n"));
}
