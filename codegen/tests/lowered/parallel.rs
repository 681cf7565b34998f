//! Parallel loops and transformations: what they give means what it was given, or is refused in the user's words.

use std::collections::BTreeMap;

use pleach_codegen::compile::stages;
use pleach_codegen::lower::lower;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::concrete::{Index, Stmt};
use pleach_codegen::notation::{concretize, parse_source, resolve};
use pleach_codegen::plan::{MOST_CASES, plan};

use crate::harness::{Forms, Random, extents, grid, world};

const OBLONG: &[(&str, usize)] = &[("i", 6), ("j", 5), ("k", 4), ("l", 3)];

#[test]
fn rows_at_the_same_time() {
    grid(
        "
kernel spmv(y: dense, A: csr | dcsr | stinger | matrix | aspen | graph, x: dense) {
    forall(i, parallel, forall(j, y(i) += A(i,j) * x(j)))
}
kernel anew(A: csr | terrace, x: dense) -> y: dense {
    forall(i, parallel, y(i) = t where forall(j, t += A(i,j) * x(j)))
}
kernel total(A: csr | stinger | matrix) -> t: f64 { forall(i, parallel, forall(j, t += A(i,j))) }
kernel largest(A: csr) -> t: f64 { forall(i, parallel, forall(j, t max= A(i,j))) }
kernel product(A: csr, B: matrix) -> C: matrix { forall(i, parallel, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j)))) }
kernel inner(A: matrix, x: dense) -> C: matrix { forall(i, forall(j, parallel, C(i,j) = A(i,j) * x(j))) }
kernel producer(x: dense, z: dense, A: matrix, Y: matrix) {
    forall(i, forall(j, Y(i,j) = A(i,j) * w) where (w = x(i) * 2; z(i) = x(i)))
}
",
        OBLONG,
        8,
    );
    grid(
        "
kernel twice(A: matrix, B: matrix, C: matrix) { forall(i, (forall(j, C(i,j) = A(i,j)); forall(l, C(i,l) += B(i,l)))) }
",
        &[("i", 6), ("j", 5), ("l", 5)],
        8,
    );
}

#[test]
fn sparse_rows_are_counted_and_then_filled() {
    grid(
        "
kernel add(A: csr | stinger | pam | matrix, B: csr | terrace) -> C: csr | stinger {
    forall(i, parallel, forall(j, C(i,j) = A(i,j) + B(i,j)))
}
kernel multiply(A: csr | graph, B: csr) -> C: csr of pattern { forall(i, parallel, forall(j, C(i,j) = A(i,j) * B(i,j))) }
kernel by_rows(A: csr | stinger, B: csr) -> C: coo | dok | csr { forall(i, parallel, forall(j, C(i,j) = A(i,j) + B(i,j))) }
kernel gustavson(A: csr, B: csr) -> C: csr | coo {
    forall(i, parallel, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(k,j))))
}
kernel beside(y: dense, A: csr | stinger, B: csr) -> C: csr {
    forall(i, (forall(j, C(i,j) = A(i,j) + B(i,j)); forall(j, y(i) += A(i,j))))
}
kernel folded(A: csr | stinger, B: csr) -> C: csr, t: f64 {
    forall(i, (forall(j, C(i,j) = A(i,j) + B(i,j)); forall(j, t += A(i,j))))
}
",
        OBLONG,
        8,
    );
}

fn refusal(text: &str) -> String {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
    match resolve(ast, &world.declarations) {
        Err(wrong) => wrong.render("text", text),
        Ok(mut kernels) => match stages(&kernels.remove(0)) {
            Err(wrong) => wrong.render("text", text),
            Ok(stages) => panic!("{text} should have been refused:\n{}", stages.lowered),
        },
    }
}

#[test]
fn what_cannot_be_dealt_out_is_refused() {
    for (text, why) in [
        (
            "kernel one(A: csc, x: dense) -> y: dense { forall(j, parallel, forall(i, y(i) += A(i,j) * x(j))) }",
            "several iterations may write the same element of `y(i)`",
        ),
        (
            "kernel beside(y: dense, A: csr, B: csr) -> C: csr {
                forall(i, parallel, (forall(j, C(i,j) = A(i,j) + B(i,j)); forall(j, y(i) += A(i,j))))
            }",
            "rows of `C` are counted before they are filled, and `y` would be written both times",
        ),
        (
            "kernel two(A: dcsr) -> C: dok { forall(i, parallel, forall(j, C(i,j) = A(i,j))) }",
            "entries of `C(i,j)` are collected in the order in which they are computed",
        ),
        (
            "kernel three(A: csr, x: dense) -> y: dense {
                forall(i, parallel, forall(j, parallel, y(i) += A(i,j) * x(j)))
            }",
            "it stands inside of another parallel loop",
        ),
        (
            "kernel four(A: coo, B: coo, x: dense) -> y: dense {
                forall(i, parallel, forall(j, y(i) += (A(i,j) + B(i,j)) * x(j)))
            }",
            "its coordinates are found in `A` and `B`, entry by entry",
        ),
        (
            "kernel rows(A: coo, B: csr) -> y: dense { forall(i, parallel, forall(j, y(i) += A(i,j) * B(i,j))) }",
            "its coordinates are found in `A`, entry by entry",
        ),
        (
            "kernel product(A: csr, B: csr) -> C: csr {
                forall(i, parallel, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j))))
            }",
            "`C` can only be appended to, and every `k` folds into entries that are there already",
        ),
        (
            "kernel product(A: csr, B: csr) -> C: csr {
                forall(i, parallel, forall(k, forall(j, C(i,j) += A(i,k) * B(k,j))))
            }",
            "fold a row in a workspace first: `forall(j, C(i,j) = w(j)) where …`; or return a dense format",
        ),
        (
            "kernel turned(A: csc, x: dense) -> y: dense { forall(j, parallel, forall(i, y(i) += A(i,j) * x(j))) }",
            "run an index of `y(i)` in parallel, not `j`",
        ),
        (
            "kernel two(A: dcsr) -> C: dok { forall(i, parallel, forall(j, C(i,j) = A(i,j))) }",
            "run the loops in the order of the result's levels, the outermost of them dense",
        ),
        (
            "kernel across(A: matrix, x: dense) { forall(j, forall(i, parallel, (A(i,j) = x(i); A(j,i) = x(i)))) }",
            "one iteration writes several parts of `A`",
        ),
        (
            "kernel above(A: matrix, B: matrix) { forall(j, forall(i, parallel, forall(k, A(j,i) += B(j,k) * A(k,i)))) }",
            "iterations read what others write of `A`",
        ),
        (
            "kernel five(A: csr) -> y: dense { forall(i, forall(j, y(i) = A(i,j))) }",
            "`y(i)` is assigned anew for every `j`, and only the last value stays",
        ),
        (
            "kernel six(A: csr, B: csr) -> C: csr { forall(i, forall(j, C(i,j) = A(i,j))); forall(i, forall(j, C(i,j) = B(i,j))) }",
            "`C` is not dense, and is written by this and by another statement",
        ),
        (
            "kernel seven(A: csr, B: csr) -> C: csr {
                (forall(i, forall(j, C(i,j) += A(i,j))); forall(i, forall(j, C(i,j) max= B(i,j))))
            }",
            "`C` is written in several ways by one statement",
        ),
    ] {
        let message = refusal(text);
        assert!(message.contains(why), "{text}\n{message}");
    }
}

/// Expressions whose loops are turned about.
const TURNED: &[&str] = &[
    "kernel spmv(A: csr | matrix | coo, x: dense) -> y: dense { forall(i, forall(j, y(i) += A(i,j) * x(j))) }",
    "kernel matmul(A: matrix, B: matrix | csr) -> C: matrix { forall(i, forall(j, forall(k, C(i,j) += A(i,k) * B(k,j)))) }",
    "kernel add(A: csr | aspen, B: csc) -> C: csr | dcsr { forall(i, forall(j, C(i,j) = A(i,j) + B(i,j))) }",
    "kernel mttkrp(A: csf | cube, C: matrix, D: matrix) -> B: matrix {
        forall(i, forall(j, forall(k, forall(l, B(i,l) += A(i,j,k) * C(j,l) * D(k,l)))))
    }",
    "kernel total(A: csr | pam) -> t: f64 { forall(i, forall(j, t += A(i,j))) }",
];

/// A nest of loops in another order. The outermost one runs in parallel where its iterations write elements of their own, or fold into a
/// scalar.
fn nest(stmt: &Stmt, order: &[Index]) -> Stmt {
    let mut inner = stmt;
    while let Stmt::Forall { body, .. } = inner {
        inner = body;
    }
    let Stmt::Assign(assign) = inner else { panic!("loops around an assignment") };
    let own = assign.target.indices.is_empty() || assign.target.indices.contains(&order[0]);
    let body = Stmt::foralls(order[1..].to_vec(), inner.clone(), assign.span);
    Stmt::Forall { index: order[0], parallel: own, body: Box::new(body), span: assign.span }
}

#[test]
fn loops_in_any_order_give_the_same() {
    let world = world();
    let of: BTreeMap<&str, usize> = OBLONG.iter().copied().collect();
    let random = &mut Random::new(5);
    let (mut turned, mut dealt) = (0, 0);
    for text in TURNED {
        let (source, mistakes) = parse_source(text);
        assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
        let Some(Item::Kernel(ast)) = source.items.first() else { panic!("{text}") };
        for mut kernel in resolve(ast, &world.declarations).unwrap() {
            let stmts = concretize(&mut kernel).unwrap();
            for seed in 0..8 {
                let mut order: Vec<Index> = (0..kernel.indices.len()).map(Index).collect();
                for at in (1..order.len()).rev() {
                    order.swap(at, random.below(at as u64 + 1) as usize);
                }
                let stmt = nest(&stmts[0], &order);
                turned += 1;
                let lowered = match plan(&kernel, std::slice::from_ref(&stmt), MOST_CASES[0]) {
                    Ok(plan) => lower(&kernel, &plan),
                    Err(wrong) => {
                        // Only what runs in parallel may be refused.
                        let message = wrong.to_string();
                        assert!(message.contains("cannot run in parallel"), "{message}");
                        continue;
                    }
                };
                dealt += usize::from(lowered.to_string().contains("parallel"));
                let held = Forms::of(lowered).run(&world, ast, &kernel, &extents(ast, &of), seed);
                held.unwrap_or_else(|why| panic!("{}: {why}", kernel.show(&stmt)));
            }
        }
    }
    assert!(turned > 80 && dealt > 20, "{turned} {dealt}");
}
