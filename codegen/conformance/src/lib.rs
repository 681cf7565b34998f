//! Nothing but tests. Every expression of the grid in every choice of its formats goes through both backends: what rustc makes of
//! the generated code and what the interpreter makes of the IR are held against the dense reference, which is written apart from
//! the compiler.
//!
//! The build script compiles the kernels (`table.rs` says which), group by group, for a test of the same name; their arguments are
//! packed, and their results unpacked, as for the interpreter.

pub mod call;
#[path = "../../tests/lowered/formats.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod formats;
#[path = "../../tests/lowered/harness.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod harness;
#[allow(missing_docs, reason = "what it says of itself is for its readers")]
pub mod table;

use std::collections::{BTreeMap, BTreeSet};

use pleach_codegen::format::{Format, FormatLevel};
use pleach_codegen::kernel::compile;
use pleach_codegen::lower::lower;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use harness::{case, extents, interpret, world};
use table::{parts, tensors};

/// Brings in what the build script made of a group of kernels. Lints have nothing to say of generated code and take their time over
/// it, so that there is none of it for them.
#[macro_export]
macro_rules! compiled {
    ($group:literal) => {
#[rustfmt::skip]
        #[allow(warnings)]
        #[cfg(not(clippy))]
        mod compiled {
            include!(concat!(env!("OUT_DIR"), "/", $group, ".rs"));
        }
        #[cfg(clippy)]
        mod compiled {
            pub const KERNELS: &[(&str, pleach_conformance::call::Caller)] = &[];
            pub const MISSING: &[(&str, &str)] = &[];
        }
        const GROUP: pleach_conformance::Group =
            pleach_conformance::Group { name: $group, kernels: compiled::KERNELS, missing: compiled::MISSING };
    };
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
    /// Runs every kernel with these extents of `i`, `j`, `k` and `l`, oblong and square, on as many random tensors.
    ///
    /// # Panics
    ///
    /// If one of them does not do what the reference does, or is missing without a reason.
    pub fn hold(&self, of: [[usize; 4]; 2], seeds: std::ops::Range<u64>) -> Vec<Ran> {
        let world = world();
        let callers: BTreeMap<&str, call::Caller> = self.kernels.iter().copied().collect();
        let missing: BTreeMap<&str, &str> = self.missing.iter().copied().collect();
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        for part in parts(self.name) {
            let (name, text, of) = (self.name, &part.text, of[usize::from(part.square)]);
            let (source, mistakes) = parse_source(text);
            assert!(mistakes.is_empty(), "{}", mistakes.render(name, text));
            let of: BTreeMap<&str, usize> = ["i", "j", "k", "l"].into_iter().zip(of).collect();
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
                    let caller = callers.get(&ir.name[..]);
                    if caller.is_none() && part.compiled {
                        let why = missing.get(&ir.name[..]).copied().unwrap_or("nobody has compiled it");
                        let of_stores = |two: &[FormatLevel]| two[0].is_store() && two[1].is_store();
                        let known = formats.iter().any(|(_, format)| format.levels.windows(2).any(of_stores));
                        assert!(known || cfg!(clippy), "{}: {why}", ir.name);
                    }
                    all.push(Ran { name: ir.name.clone(), compiled: caller.is_some(), formats });
                    for seed in seeds.clone() {
                        let judged = case(&world, ast, kernel, &extents(ast, &of), seed).and_then(|case| {
                            if let Some(caller) = caller {
                                let rustc = Box::new(|args: &mut [_]| caller(args).map_err(|error| error.to_string()));
                                case.judge(kernel, ir, rustc).map_err(|why| format!("rustc: {why}"))?;
                            }
                            case.judge(kernel, ir, interpret(ir)).map_err(|why| format!("interpreter: {why}"))?;
                            let plain = lower(kernel).map_err(|why| why.to_string())?;
                            case.judge(kernel, &plain, interpret(&plain))
                                .map_err(|why| format!("not simplified: {why}"))
                        });
                        if let Err(why) = judged {
                            wrong.push(format!("{}, extents {of:?}, seed {seed}: {why}", ir.name));
                            break;
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {} kernels:\n{}", wrong.len(), all.len(), wrong.join("\n"));
        all
    }
}

/// Asserts that each expression of a table has been compiled in at least 25 combinations of formats, its operands all static, all
/// dynamic and (of several) some of both, its result static and dynamic, and with several formats that keep places for more than their entries.
///
/// # Panics
///
/// If one has not.
pub fn many_combinations(table: &[(&str, &str)], ran: &[Ran]) {
    for (name, expression) in table {
        let own = ran.iter().filter(|ran| ran.compiled && ran.name.rsplit_once('_').is_some_and(|(of, _)| of == *name));
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
        if cfg!(clippy) {
            continue;
        }
        assert!(combinations.len() >= 25, "{expression} in {} combinations of formats", combinations.len());
        assert!(operands.contains(&(false, true)) && operands.contains(&(true, false)), "{expression}: {operands:?}");
        let several = tensors(expression).iter().filter(|(name, rank)| *name != 'R' && *rank > 0).count() > 1;
        assert!(!several || operands.contains(&(true, true)), "{expression}: {operands:?}");
        assert!(!expression.starts_with("R(") || results.len() == 2, "{expression}: a static and a dynamic result");
        assert!(padded.len() >= 3, "{expression}: of formats with padding {padded:?}");
    }
}
