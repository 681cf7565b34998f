//! The programs that are known by their folders, and how each is asked for a kernel.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::printed::Print;
use super::{Asked, Given, Kernel};

/// Iterations that F-Graph takes the mean of: it prints nothing of each.
const FGRAPH_TRIALS: usize = 3;
/// Iterations of PageRank, as in the suite.
const ITERATIONS: &str = "10";

/// How a program is asked for a kernel.
pub(super) struct Plan {
    /// What it is called in the table.
    pub competitor: String,
    /// The program, or why there is none.
    pub program: Result<PathBuf, String>,
    /// The ending of the file that it reads.
    pub ending: &'static str,
    /// Its arguments.
    pub arguments: fn(&Turn<'_>) -> Vec<OsString>,
    /// Whether each vertex to start from is a process of its own.
    pub per_source: bool,
    /// Whether it prints one figure of several trials, and so is run once.
    pub once: bool,
    /// How it prints.
    pub print: Print,
    /// What differs from what we do.
    pub note: &'static str,
}

/// What a process is asked.
pub(super) struct Turn<'a> {
    pub file: &'a Path,
    pub source: u32,
    pub trials: usize,
    pub asked: &'a Asked<'a>,
}

/// A program that is known by its folder, and the kernels that it has, in the order of rows.
pub(super) struct Known {
    pub name: &'static str,
    /// What stands behind `NAME=`.
    pub given_as: &'static str,
    has: fn(Kernel) -> bool,
}

/// Programs of others that a comparison mentions where they are not given.
pub(super) const KNOWN: [Known; 9] = [
    Known { name: "gap", given_as: "FOLDER", has: |kernel| gap_program(kernel).is_some() },
    Known { name: "aspen", given_as: "FOLDER", has: |kernel| aspen_test(kernel).is_some() || has_trees(kernel) },
    Known { name: "cpam", given_as: "FOLDER", has: |kernel| cpam_program(kernel).is_some() || has_trees(kernel) },
    Known { name: "cpma", given_as: "FOLDER", has: has_fgraph },
    Known {
        name: "pam",
        given_as: "PROGRAM",
        has: |kernel| matches!(kernel, Kernel::SpmvTree | Kernel::Union | Kernel::AddTree),
    },
    Known { name: "graph", given_as: "PROGRAM", has: Kernel::has_weights },
    Known { name: "taco", given_as: "PROGRAM", has: |kernel| kernel == Kernel::Spmv },
    Known {
        name: "graphblas",
        given_as: "PROGRAM",
        has: |kernel| matches!(kernel, Kernel::Spmv | Kernel::Spgemm | Kernel::Spmm | Kernel::Sddmm),
    },
    Known {
        name: "scipy",
        given_as: "PROGRAM",
        has: |kernel| {
            let products = matches!(kernel, Kernel::Spmv | Kernel::Spgemm | Kernel::Spmm | Kernel::Sddmm);
            products
                || matches!(kernel, Kernel::Add | Kernel::Transpose)
                || matches!(kernel, Kernel::CooToCsr | Kernel::CsrToCsc | Kernel::CsrToDia | Kernel::CsrToBcsr)
        },
    },
];

impl Known {
    /// Whether it has a kernel.
    pub(super) fn has(&self, kernel: Kernel) -> bool {
        (self.has)(kernel)
    }
}

/// Names whose folders hold the tools that their authors have published.
pub(super) const FOLDERS: [&str; 4] = ["gap", "aspen", "cpam", "cpma"];

/// How a program that was given is asked for a kernel; nothing if it does not have it.
pub(super) fn plans(given: &Given, asked: &Asked<'_>) -> Vec<Plan> {
    if !given.path.is_dir() {
        return vec![any(given, asked.kernel)];
    }
    match &given.name[..] {
        "gap" => gap(&given.path, asked.kernel).into_iter().collect(),
        "aspen" => aspen(&given.path, asked.kernel),
        "cpam" => cpam(&given.path, asked.kernel),
        "cpma" => fgraph(&given.path, asked.kernel).into_iter().collect(),
        name => {
            let why = format!("a program is expected behind {name}=; folders are known of {}", FOLDERS.join(", "));
            vec![Plan { program: Err(why), ..any(given, asked.kernel) }]
        }
    }
}

/// The last component of a path: results that are kept say nothing of a machine's folders.
pub(super) fn last(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Looks for a program in a folder and in those below it where its authors build it.
fn find(folder: &Path, below: &[&str], program: &str) -> Result<PathBuf, String> {
    let all = [""].iter().chain(below).map(|below| folder.join(below).join(program));
    let missing = || format!("there is no program {program} in {}", last(folder));
    all.into_iter().find(|path| path.is_file()).ok_or_else(missing)
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn gap_program(kernel: Kernel) -> Option<&'static str> {
    Some(match kernel {
        Kernel::Bfs => "bfs",
        Kernel::Cc => "cc",
        Kernel::Sssp | Kernel::Sssp32 => "sssp",
        Kernel::Bc => "bc",
        Kernel::Tc => "tc",
        Kernel::PageRank | Kernel::PageRank32 => "pr",
        _ => return None,
    })
}

/// The GAP Benchmark Suite.
fn gap(folder: &Path, kernel: Kernel) -> Option<Plan> {
    Some(Plan {
        competitor: "gap".to_owned(),
        program: find(folder, &[], gap_program(kernel)?),
        ending: if kernel.has_weights() { "wsg" } else { "sg" },
        arguments: |turn| {
            let mut all = vec!["-f".into(), turn.file.into(), "-n".into(), turn.trials.to_string().into()];
            if turn.asked.kernel.has_sources() {
                all.extend(["-r".into(), turn.source.to_string().into()]);
            }
            all.extend(words(match turn.asked.kernel {
                Kernel::Bc => &["-i", "1"],
                Kernel::PageRank | Kernel::PageRank32 => &["-i", ITERATIONS, "-t", "0"],
                // Prints what was found.
                _ => &["-a"],
            }));
            all
        },
        per_source: kernel.has_sources(),
        once: false,
        print: Print::Gap,
        note: match kernel {
            Kernel::Sssp => "whole weights of 32 bits; ours are of 64",
            Kernel::Sssp32 => "whole weights; ours are floats",
            Kernel::PageRank => "scores of 32 bits, updated in place; ours are of 64",
            Kernel::PageRank32 => "scores updated in place",
            Kernel::Bc => "scores of 32 bits; ours are of 64",
            _ => "",
        },
    })
}

fn aspen_test(kernel: Kernel) -> Option<&'static str> {
    Some(match kernel {
        Kernel::Bfs => "BFS",
        Kernel::Bc => "BC",
        Kernel::Mis => "MIS",
        _ => return None,
    })
}

/// What Aspen and CPAM measure of their trees.
fn has_trees(kernel: Kernel) -> bool {
    matches!(kernel, Kernel::Memory | Kernel::Insert { published: true, .. })
}

/// Aspen's tools, in its folder or in `code` below it.
fn aspen(folder: &Path, kernel: Kernel) -> Vec<Plan> {
    let tool = |program, print, competitor: &str| Plan {
        competitor: competitor.to_owned(),
        program: find(folder, &["code"], program),
        ending: "adj",
        arguments: |turn| vec!["-s".into(), "-f".into(), turn.file.into()],
        per_source: false,
        once: true,
        print,
        note: "",
    };
    match kernel {
        Kernel::Memory => vec![
            tool("memory_footprint", Print::AspenMemory { coded: false }, "aspen"),
            Plan {
                note: "difference-coded",
                ..tool("memory_footprint", Print::AspenMemory { coded: true }, "aspen-coded")
            },
        ],
        Kernel::Insert { published: true, .. } => vec![Plan {
            note: "difference-coded; mean of 20 batches of arcs in one direction, from its own R-MAT",
            ..tool("run_batch_updates", Print::AspenInsert, "aspen")
        }],
        _ if aspen_test(kernel).is_some() => vec![Plan {
            arguments: |turn| {
                let mut all = words(&["-t", aspen_test(turn.asked.kernel).unwrap_or_default(), "-s", "-rounds"]);
                all.extend([turn.trials.to_string().into(), "-src".into(), turn.source.to_string().into()]);
                all.extend(["-f".into(), turn.file.into()]);
                all
            },
            per_source: kernel.has_sources(),
            once: false,
            note: "difference-coded",
            ..tool("run_static_algorithm", Print::Aspen, "aspen")
        }],
        _ => Vec::new(),
    }
}

fn cpam_program(kernel: Kernel) -> Option<&'static str> {
    Some(match kernel {
        Kernel::Bfs => "BFS-CPAM",
        Kernel::Bc => "BC-CPAM",
        Kernel::Mis => "MIS-CPAM",
        _ => return None,
    })
}

/// CPAM's tools, all in one folder or where it builds them.
fn cpam(folder: &Path, kernel: Kernel) -> Vec<Plan> {
    let below = [
        "examples/graphs/algorithms",
        "examples/graphs/run_batch_updates",
        "examples/graphs/run_graph_stats",
        "algorithms",
        "run_batch_updates",
        "run_graph_stats",
    ];
    let tool = |program: &str, print, competitor: &str, note| Plan {
        competitor: competitor.to_owned(),
        program: find(folder, &below, program),
        ending: "adj",
        arguments: |turn| vec!["-s".into(), "-rounds".into(), "1".into(), turn.file.into()],
        per_source: false,
        once: true,
        print,
        note,
    };
    const BATCHES: &str = "in place; median of 9 batches of arcs in one direction, from its own R-MAT";
    const CODED: &str = "difference-coded, in place; median of 9 batches of arcs in one direction, from its own R-MAT";
    match kernel {
        Kernel::Memory => vec![
            tool("GraphStatsCPAM-CPAM", Print::CpamMemory, "cpam", ""),
            tool("GraphStatsCPAM-CPAM-Diff", Print::CpamMemory, "cpam-coded", "difference-coded"),
        ],
        Kernel::Insert { published: true, .. } => vec![
            tool("run_batch_updates-CPAM-CPAM", Print::CpamInsert, "cpam", BATCHES),
            tool("run_batch_updates-CPAM-CPAM-Diff", Print::CpamInsert, "cpam-coded", CODED),
        ],
        _ => cpam_program(kernel)
            .map(|program| Plan {
                arguments: |turn| {
                    let mut all = vec!["-src".into(), turn.source.to_string().into(), "-s".into(), "-rounds".into()];
                    all.extend([turn.trials.to_string().into(), "-flatsnap".into(), turn.file.into()]);
                    all
                },
                per_source: kernel.has_sources(),
                once: false,
                ..tool(program, Print::Cpam, "cpam", "difference-coded, over a flat snapshot")
            })
            .into_iter()
            .collect(),
    }
}

fn has_fgraph(kernel: Kernel) -> bool {
    matches!(kernel, Kernel::Bfs | Kernel::Cc | Kernel::Bc | Kernel::PageRank | Kernel::Memory)
        || matches!(kernel, Kernel::Insert { published: false, .. })
}

/// F-Graph over the compressed packed memory array.
fn fgraph(folder: &Path, kernel: Kernel) -> Option<Plan> {
    has_fgraph(kernel).then(|| Plan {
        competitor: "cpma".to_owned(),
        program: find(folder, &["build"], "basic_uint64_t_delta_compressed_Eytzinger"),
        ending: "adj",
        arguments: |turn| {
            let most = if let Kernel::Insert { largest, .. } = turn.asked.kernel { largest } else { 0 };
            let mut all: Vec<OsString> = vec!["graph".into(), turn.file.into()];
            let numbers = [FGRAPH_TRIALS, turn.source as usize, most];
            all.extend(numbers.map(|number| OsString::from(number.to_string())));
            all
        },
        // A process runs all of its algorithms.
        per_source: false,
        once: true,
        print: Print::Fgraph,
        note: match kernel {
            Kernel::Memory => "compressed",
            Kernel::Bfs | Kernel::Bc => {
                "compressed; mean of 3 runs from the first vertex, and ours is that of several vertices"
            }
            Kernel::Insert { .. } => "compressed; mean of 3 batches of arcs in one direction, from its own R-MAT",
            _ => "compressed; mean of 3 runs",
        },
    })
}

/// A program that prints `RESULT` lines.
fn any(given: &Given, kernel: Kernel) -> Plan {
    let missing = || format!("there is no file {}", last(&given.path));
    Plan {
        competitor: given.name.clone(),
        program: given.path.is_file().then(|| given.path.clone()).ok_or_else(missing),
        ending: if kernel.has_weights() { "wsg" } else { "sg" },
        arguments: |turn| {
            let Turn { file, trials, asked, .. } = turn;
            let mut all = vec![format!("kernel={}", asked.kernel.name()), format!("graph={}", asked.graph)];
            all.extend([format!("threads={}", asked.threads), format!("trials={trials}")]);
            if let Kernel::Insert { arcs, .. } = asked.kernel {
                all.push(format!("batch={arcs}"));
            }
            if asked.kernel.has_sources() {
                let sources: Vec<String> = asked.sources.iter().map(u32::to_string).collect();
                all.push(format!("sources={}", sources.join(",")));
            }
            let mut file_is = OsString::from("file=");
            file_is.push(file);
            all.into_iter().map(OsString::from).chain([file_is]).collect()
        },
        per_source: false,
        once: false,
        print: Print::Result,
        note: "",
    }
}
