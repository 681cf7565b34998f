//! Every expression of the grid in every choice of its formats, through both backends: what rustc makes of the generated code and
//! what the interpreter makes of the IR are held against the dense reference, which is written apart from the compiler.
//!
//! The build script compiles the kernels (`texts.rs` says which); their arguments are packed, and their results unpacked, as for the
//! interpreter.

mod call;
#[path = "../../../tests/lowered/harness.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod harness;
mod texts;

#[rustfmt::skip]
#[allow(warnings)]
mod compiled {
    include!(concat!(env!("OUT_DIR"), "/grid.rs"));
}

use std::collections::BTreeMap;

use pleach_codegen::kernel::compile;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use harness::{World, case, extents, interpret, world};

/// The extents of the indices: oblong and square, one row or column, and nothing.
const OBLONG: [usize; 4] = [4, 7, 3, 5];

/// Runs the kernels of one file with these extents of `i`, `j`, `k` and `l`, on so many random tensors each.
fn run(world: &World, name: &str, text: &str, of: [usize; 4], seeds: std::ops::Range<u64>) -> usize {
    let callers: BTreeMap<&str, call::Caller> = compiled::KERNELS.iter().copied().collect();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render(name, text));
    let of: BTreeMap<&str, usize> = ["i", "j", "k", "l"].into_iter().zip(of).collect();
    let (mut ran, mut wrong) = (0, Vec::new());
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        let kernels = compile(ast, text, &world.declarations).unwrap_or_else(|e| panic!("{}", e.render(name, text)));
        // What the reference knows is the kernel without the tensors that compiling it adds.
        let resolved = resolve(ast, &world.declarations).unwrap_or_default();
        for compiled in kernels {
            let ir = &compiled.ir;
            let Some(kernel) = resolved.iter().find(|kernel| kernel.name == ir.name) else { continue };
            let Some(caller) = callers.get(&ir.name[..]) else { continue };
            ran += 1;
            for seed in seeds.clone() {
                let judged = case(world, ast, kernel, &extents(ast, &of), seed).and_then(|case| {
                    let rustc = Box::new(|args: &mut [_]| caller(args).map_err(|error| error.to_string()));
                    case.judge(kernel, ir, rustc).map_err(|why| format!("rustc: {why}"))?;
                    case.judge(kernel, ir, interpret(ir)).map_err(|why| format!("interpreter: {why}"))
                });
                if let Err(why) = judged {
                    wrong.push(format!("{}, extents {of:?}, seed {seed}: {why}", ir.name));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {ran} kernels:\n{}", wrong.len(), wrong.join("\n"));
    ran
}

fn file(name: &str) -> String {
    texts::all().into_iter().find(|(file, _)| *file == name).expect("there is such a file").1
}

fn small(name: &str, extents: [usize; 4], least: usize) {
    let (world, text) = (world(), file(name));
    let ran = run(&world, name, &text, extents, 0..5);
    assert!(ran >= least, "{ran} kernels of {name}");
    for n in [0, 1] {
        run(&world, name, &text, [n; 4], 0..2);
    }
}

#[test]
fn results() {
    small("assembly", OBLONG, 19);
}

#[test]
fn expressions() {
    small("oblong", OBLONG, 240);
}

#[test]
fn expressions_of_square_tensors() {
    small("square", [5; 4], 50);
}

#[test]
fn every_two_levels_of_matrices() {
    small("matrices", OBLONG, 132);
}

#[test]
fn every_two_levels_of_vectors() {
    small("vectors", OBLONG, 120);
}

/// Large enough to be dealt out to several tasks.
#[test]
fn in_several_tasks() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let world = world();
    pool.install(|| {
        run(&world, "matrices", &file("matrices"), [70, 40, 1, 1], 0..1);
        run(&world, "square", &file("square"), [24; 4], 0..1);
    });
}

#[test]
fn there_is_rust_for_everything() {
    assert_eq!(texts::FUNCTIONS, harness::PRELUDE, "kernels are compiled with the functions that the reference knows");
    let missing: Vec<String> = compiled::MISSING.iter().map(|(kernel, what)| format!("{kernel}: {what}")).collect();
    assert!(missing.is_empty(), "{} kernels:\n{}", missing.len(), missing.join("\n"));
}
