//! Random statements through the interpreter, and through the printer of Rust; `pleach-conformance` has rustc compile some of them.
//!
//! `PLEACH_HUNT=7:10000 cargo test -p pleach-codegen --test lowered hunt` runs ten thousand statements of seed 7.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_codegen::backend::rust::{self, EmitError};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::harness::{Forms, Outcome, World, extents, world};
use crate::statements::statement;
use pleach_codegen::compile::stages;

/// Extents of `i`, `j`, `k` and `l`: oblong, square, one, and none.
const EXTENTS: [[[usize; 4]; 2]; 4] =
    [[[4, 6, 3, 5], [5; 4]], [[3, 2, 5, 2], [3; 4]], [[1; 4]; 2], [[3, 0, 2, 1], [0; 4]]];

fn one(world: &World, seed: u64, number: u64) -> Result<Outcome, String> {
    let statement = statement(seed, number);
    let (source, mistakes) = parse_source(&statement.text);
    if !mistakes.is_empty() {
        return Err(mistakes.render("statement", &statement.text));
    }
    let Some(Item::Kernel(ast)) = source.items.first() else { return Err("no kernel".into()) };
    let kernel = match resolve(ast, &world.declarations) {
        Ok(mut kernels) => kernels.remove(0),
        Err(wrong) => return Ok(Outcome::Refused(wrong.to_string())),
    };
    let lowered = match stages(&kernel) {
        Ok(stages) => stages.lowered,
        Err(wrong) => return Ok(Outcome::Refused(wrong.to_string())),
    };
    let forms = Forms::of(lowered.clone());
    for n in [number % 2, 2 + number % 5 / 4] {
        let of = EXTENTS[n as usize];
        let of: BTreeMap<&str, usize> =
            ["i", "j", "k", "l"].into_iter().zip(of[usize::from(statement.square)]).collect();
        forms.run(world, ast, &kernel, &extents(ast, &of), seed ^ (number << 8) ^ n)?;
    }
    let mut simplified = lowered;
    simplified.simplify();
    match rust::tokens(&[simplified], &rust::Options::default()) {
        Ok(_) | Err(EmitError::Unsupported { .. }) => Ok(Outcome::Agrees),
        Err(why) => Err(why.to_string()),
    }
}

#[test]
fn random_statements_agree() {
    let wanted = std::env::var("PLEACH_HUNT").unwrap_or_else(|_| "1:200".into());
    let (seed, count) = wanted.split_once(':').expect("SEED:COUNT");
    let (seed, count): (u64, u64) = (seed.parse().expect("a seed"), count.parse().expect("a count"));
    let world = world();
    let (mut refused, mut wrong) = (0, Vec::new());
    for number in 0..count {
        match catch_unwind(AssertUnwindSafe(|| one(&world, seed, number))) {
            Ok(Ok(Outcome::Agrees)) => {}
            Ok(Ok(Outcome::Refused(_))) => refused += 1,
            Ok(Err(why)) => wrong.push(format!("{}{why}", statement(seed, number).text)),
            Err(_) => wrong.push(format!("{}panicked", statement(seed, number).text)),
        }
    }
    println!("{refused} of {count} statements of seed {seed} were refused");
    let shown: Vec<&str> = wrong.iter().take(12).map(|why| why.get(..1500).unwrap_or(why)).collect();
    assert!(wrong.is_empty(), "{} of {count} statements of seed {seed}:\n{}", wrong.len(), shown.join("\n"));
    assert!(refused * 2 < count, "most statements should be computed, and {refused} were refused");
}
