//! Tests of the compiler: a grid of expressions and formats, computed in three ways.
//!
//! ```text
//!                                 ┌─► Rust, by rustc      ─┐
//!   expression × formats ─► IR ───┤                        ├─► the same result?
//!                                 └─► interpreter         ─┤
//!   expression ───────────────────► dense reference       ─┘      written independently of the compiler
//! ```
//!
//! The build script compiles the kernels of a group, which [`table`] lists, into one file; the test of the same name includes it by
//! [`grid!`] and compares the results on random tensors:
//!
//! ```ignore
//! use pleach_conformance::SMALL;
//!
//! pleach_conformance::grid!("products");
//!
//! #[test]
//! fn small() {
//!     GROUP.hold(&[(SMALL, 0..4)]);
//! }
//! ```
//!
//! Arguments are packed, and results unpacked, as for the interpreter ([`call`]).

pub mod call;
#[path = "../../tests/lowered/examples.rs"]
#[allow(dead_code, reason = "the build script uses the rest")]
mod examples;
#[path = "../../tests/lowered/formats.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod formats;
#[path = "../../tests/lowered/harness.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod harness;
#[path = "../../tests/lowered/statements.rs"]
#[allow(dead_code, reason = "the build script uses the rest")]
mod statements;
#[allow(missing_docs, reason = "the tables of expressions are documented as a whole")]
pub mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_codegen::compile::{compile, stages};
use pleach_codegen::format::{Format, FormatLevel};
use pleach_codegen::ir;
use pleach_codegen::notation::ast::{self, Item};
use pleach_codegen::notation::concrete::Kernel;
use pleach_codegen::notation::{parse_source, resolve};

use harness::{Backend, Case, World, case, extents, interpret, world};
use rayon::prelude::*;
use table::{Kind, Part, covering, parts, tensors};

/// Includes the Rust of a group of kernels. A test that does so allows all lints at its head: they find nothing in generated code, and
/// those that a whole crate allows take no time.
#[macro_export]
macro_rules! compiled {
    ($group:literal) => {
#[rustfmt::skip]
        mod compiled {
            include!(concat!(env!("OUT_DIR"), "/", $group, ".rs"));
        }
        const GROUP: pleach_conformance::Group =
            pleach_conformance::Group { name: $group, kernels: compiled::KERNELS, missing: compiled::MISSING };
    };
}

/// As [`compiled!`], with the tests that every group of the grid has: extents of one and zero, and extents that several tasks share.
#[macro_export]
macro_rules! grid {
    ($group:literal) => {
        pleach_conformance::compiled!($group);

        #[test]
        fn least() {
            GROUP.hold(&pleach_conformance::LEAST.map(|of| (of, 0..1)));
        }

        #[test]
        fn in_several_tasks() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            pool.install(|| GROUP.hold(&[(pleach_conformance::LARGE, 5..6)]));
        }
    };
}

/// Whether rustc has compiled all kernels of the grid (`PLEACH_GRID=full`) and not a sample of them.
pub fn is_full() -> bool {
    env!("PLEACH_GRID_IS") == "full"
}

/// The kernels of one group.
pub struct Group {
    /// What the group is called.
    pub name: &'static str,
    /// The compiled kernels by name.
    pub kernels: &'static [(&'static str, call::Caller)],
    /// The kernels that there is no Rust for yet, and why.
    pub missing: &'static [(&'static str, &'static str)],
}

/// The extents of the indices: oblong, square, and thin.
pub const SMALL: [[usize; 4]; 2] = [[4, 7, 3, 5], [5, 5, 5, 5]];
/// One row or column, and nothing.
pub const LEAST: [[[usize; 4]; 2]; 3] = [[[1; 4]; 2], [[0; 4]; 2], [[3, 0, 2, 1], [0; 4]]];
/// Large enough to be dealt out to several tasks.
pub const LARGE: [[usize; 4]; 2] = [[70, 24, 3, 2], [24; 4]];

/// A kernel that has been run.
pub struct Ran {
    /// What it is called.
    pub name: String,
    /// Whether it was compiled, too.
    pub compiled: bool,
    /// The names of its tensors, the results last, with their formats.
    pub formats: Vec<(String, Format)>,
}

impl Group {
    /// Runs every kernel with each of these extents of `i`, `j`, `k` and `l`, oblong and square, on the random tensors of each of the seeds
    /// beside them.
    ///
    /// # Panics
    ///
    /// If one of them does not do what the reference does, or is missing without a reason.
    pub fn hold(&self, each: &[([[usize; 4]; 2], Range<u64>)]) -> Vec<Ran> {
        let (world, parts) = (world(), parts(self.name, is_full()));
        let judged: Vec<_> = parts.par_iter().map(|part| self.hold_part(&world, part, each)).collect();
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        for (ran, of_part) in judged {
            all.extend(ran);
            wrong.extend(of_part);
        }
        assert!(wrong.is_empty(), "{} of {} kernels:\n{}", wrong.len(), all.len(), wrong.join("\n"));
        all
    }

    /// Runs the kernels of one part of the group, and says which do not do what the reference does.
    fn hold_part(&self, world: &World, part: &Part, each: &[([[usize; 4]; 2], Range<u64>)]) -> (Vec<Ran>, Vec<String>) {
        let caller = |name: &str| self.kernels.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1);
        let missing = |name: &str| self.missing.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1);
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        let (name, text) = (self.name, &part.text);
        let (source, mistakes) = parse_source(text);
        assert!(mistakes.is_empty(), "{}", mistakes.render(name, text));
        for item in &source.items {
            let Item::Kernel(ast) = item else { continue };
            let kernels =
                compile(ast, text, &world.declarations).unwrap_or_else(|e| panic!("{}", e.render(name, text)));
            // What the reference knows is the kernel without the tensors that compiling it adds.
            let resolved = resolve(ast, &world.declarations).unwrap_or_default();
            for compiled in kernels {
                let ir = &compiled.ir;
                let kernel = resolved.iter().find(|kernel| kernel.name == ir.name).expect("it has been compiled");
                let formats = kernel.tensors.iter().filter_map(|t| Some((t.name.clone(), t.format.clone()?)));
                let formats: Vec<(String, Format)> = formats.collect();
                let caller = caller(&ir.name);
                if caller.is_none() && part.compiled {
                    let why = missing(&ir.name).unwrap_or("nobody has compiled it");
                    let of_stores = |two: &[FormatLevel]| two[0].is_store() && two[1].is_store();
                    let known = formats.iter().any(|(_, format)| format.levels.windows(2).any(of_stores));
                    assert!(known, "{}: {why}", ir.name);
                }
                all.push(Ran { name: ir.name.clone(), compiled: caller.is_some(), formats });
                let held = Backends::of(kernel, ir, caller).and_then(|backends| {
                    each.iter().try_for_each(|(of, seeds)| {
                        let of = named(of[usize::from(part.square)]);
                        seeds.clone().try_for_each(|seed| {
                            case(world, ast, kernel, &extents(ast, &of), seed)
                                .and_then(|case| backends.judge(&case))
                                .map_err(|why| format!("extents {of:?}, seed {seed}: {why}"))
                        })
                    })
                });
                if let Err(why) = held {
                    wrong.push(format!("{}, {why}", ir.name));
                }
            }
        }
        (all, wrong)
    }
}

/// The extents of the indices by their names.
fn named(of: [usize; 4]) -> BTreeMap<&'static str, usize> {
    ["i", "j", "k", "l"].into_iter().zip(of).collect()
}

/// What runs a kernel: rustc's code, if there is any, and the interpreter, which runs the kernel simplified and not simplified.
struct Backends<'a> {
    kernel: &'a Kernel,
    simplified: &'a ir::Kernel,
    plain: ir::Kernel,
    rustc: Option<Backend<'static>>,
    interpreter: Backend<'static>,
    of_plain: Backend<'static>,
}

impl<'a> Backends<'a> {
    fn of(kernel: &'a Kernel, ir: &'a ir::Kernel, caller: Option<call::Caller>) -> Result<Self, String> {
        let plain = stages(kernel).map_err(|why| why.to_string())?.lowered;
        let rustc = caller.map(|caller| -> Backend<'static> {
            Box::new(move |args: &mut [_]| caller(args).map_err(|error| error.to_string()))
        });
        let (interpreter, of_plain) = (interpret(ir), interpret(&plain));
        Ok(Backends { kernel, simplified: ir, plain, rustc, interpreter, of_plain })
    }

    /// Holds all of them to a case.
    fn judge(&self, case: &Case) -> Result<(), String> {
        if let Some(rustc) = &self.rustc {
            case.judge(self.kernel, self.simplified, rustc).map_err(|why| format!("rustc: {why}"))?;
        }
        case.judge(self.kernel, self.simplified, &self.interpreter).map_err(|why| format!("interpreter: {why}"))?;
        case.judge(self.kernel, &self.plain, &self.of_plain).map_err(|why| format!("not simplified: {why}"))
    }
}

/// The one kernel of a text in all its choices of formats: the syntax, what is resolved of it, and what is compiled.
fn choices(world: &World, text: &str) -> (ast::Kernel, Vec<(Kernel, ir::Kernel)>) {
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("kernel", text));
    let Some(Item::Kernel(ast)) = source.items.into_iter().next() else { panic!("{text}") };
    let compiled = compile(&ast, text, &world.declarations).unwrap_or_else(|e| panic!("{}", e.render("kernel", text)));
    let resolved = resolve(&ast, &world.declarations).unwrap_or_default();
    let both = resolved.into_iter().filter_map(|kernel| {
        let own = compiled.iter().find(|compiled| compiled.ir.name == kernel.name)?;
        Some((kernel, own.ir.clone()))
    });
    let both = both.collect();
    (ast, both)
}

/// Runs the examples of the page on absence. Returns how many kernels rustc has compiled of them.
///
/// # Panics
///
/// If one does not come out as the page says.
pub fn hold_page(kernels: &[(&str, call::Caller)]) -> usize {
    let world = world();
    let callers: BTreeMap<&str, call::Caller> = kernels.iter().copied().collect();
    let page = std::fs::read_to_string(examples::page()).expect("the page on absence");
    let (mut ran, mut wrong) = (0, Vec::new());
    for example in examples::examples(&page).into_iter().filter(|example| example.refused.is_none()) {
        let (ast, choices) = choices(&world, &example.kernel);
        for (kernel, ir) in choices {
            let caller = callers.get(&ir.name[..]).copied();
            ran += usize::from(caller.is_some());
            let judged = harness::stated(&world, &ast, &kernel, &example)
                .and_then(|case| Backends::of(&kernel, &ir, caller)?.judge(&case));
            if let Err(why) = judged {
                wrong.push(format!("line {}, {}: {why}", example.line, ir.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {ran} kernels:\n{}", wrong.len(), wrong.join("\n"));
    ran
}

/// Runs random statements on random tensors of several extents. Returns how many of them rustc has compiled.
///
/// # Panics
///
/// If one of them does not do what the reference does.
pub fn hold_statements(texts: &[(&str, bool)], kernels: &[(&str, call::Caller)], seed: u64) -> usize {
    let world = world();
    let callers: BTreeMap<&str, call::Caller> = kernels.iter().copied().collect();
    let (mut ran, mut wrong) = (0, Vec::new());
    for (number, (text, square)) in texts.iter().enumerate() {
        let (ast, choices) = choices(&world, text);
        for (kernel, ir) in choices {
            let caller = callers.get(&ir.name[..]).copied();
            ran += usize::from(caller.is_some());
            let mut at = String::new();
            let judged = catch_unwind(AssertUnwindSafe(|| -> Result<(), String> {
                let backends = Backends::of(&kernel, &ir, caller)?;
                for (n, of) in [SMALL, LEAST[0], LEAST[2], [[11, 9, 3, 2], [9; 4]]].into_iter().enumerate() {
                    let of = named(of[usize::from(*square)]);
                    at = format!("extents {of:?}: ");
                    let seed = seed ^ ((number as u64) << 8) ^ n as u64;
                    case(&world, &ast, &kernel, &extents(&ast, &of), seed).and_then(|case| backends.judge(&case))?;
                }
                Ok(())
            }));
            if let Err(why) = judged.unwrap_or_else(|_| Err(String::from("panicked"))) {
                wrong.push(format!("{text}{at}{}", why.get(..1500).unwrap_or(&why)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {ran} kernels of seed {seed}:\n{}", wrong.len(), wrong.join("\n"));
    ran
}

/// Asserts that each expression of a table has been computed (and compiled, if the grid is full) in at least 25 combinations of formats, its operands all static, all
/// dynamic and (of several) some of both, its result static and dynamic, and with several formats that keep places for more than their entries.
///
/// # Panics
///
/// If one has not.
pub fn many_combinations(table: &[(&str, &str)], ran: &[Ran]) {
    for (name, expression) in table {
        let own = ran
            .iter()
            .filter(|ran| (ran.compiled || !is_full()) && ran.name.rsplit_once('_').is_some_and(|(of, _)| of == *name));
        let (mut combinations, mut operands, mut results) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut padded = BTreeSet::new();
        for ran in own {
            let dynamic = |format: &Format| format.levels.iter().any(|level| level.is_store());
            let (result, read): (Vec<_>, Vec<_>) = ran.formats.iter().partition(|(name, _)| name == "R");
            let stores = read.iter().filter(|(_, format)| dynamic(format)).count();
            operands.insert((stores > 0, stores < read.len()));
            results.extend(result.iter().map(|(_, format)| dynamic(format)));
            padded.extend(
                read.iter().filter(|(_, format)| !format.keeps_entries_only()).map(|(_, format)| format.to_string()),
            );
            combinations.insert(ran.formats.iter().map(|(_, format)| format.to_string()).collect::<Vec<_>>());
        }
        assert!(combinations.len() >= 25, "{expression} in {} combinations of formats", combinations.len());
        assert!(operands.contains(&(false, true)) && operands.contains(&(true, false)), "{expression}: {operands:?}");
        let several = tensors(expression).iter().filter(|(name, rank)| *name != 'R' && *rank > 0).count() > 1;
        assert!(!several || operands.contains(&(true, true)), "{expression}: {operands:?}");
        assert!(!expression.starts_with("R(") || results.len() == 2, "{expression}: a static and a dynamic result");
        assert!(padded.len() >= 3, "{expression}: of formats with padding {padded:?}");
    }
}

/// Panics unless each two tensors of each expression are compiled in each two kinds of formats together.
pub fn pairwise(table: &[(&str, &str)]) {
    let mut used = BTreeMap::new();
    for (_, expression) in table {
        let formats = covering(expression, &mut used);
        let tensors = formats[0].len();
        for (a, b) in (0..tensors).flat_map(|a| (a + 1..tensors).map(move |b| (a, b))) {
            let kinds = formats.iter().map(|formats| format!("{:?}", [Kind::of(formats[a]), Kind::of(formats[b])]));
            assert_eq!(kinds.collect::<BTreeSet<_>>().len(), 9, "{expression}: tensors {a} and {b} in {formats:?}");
        }
    }
}
