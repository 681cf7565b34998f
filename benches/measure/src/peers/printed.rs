//! What programs of others print, each in its own way, as figures.

use super::{Asked, Kernel};

/// How a program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Print {
    /// GAP: `Trial Time:  0.01234` for each trial, and behind the last one what was found.
    Gap,
    /// Aspen's algorithms: `RESULT  test=BFS  time=0.012  iteration=0  p=2`, with tabs.
    Aspen,
    /// CPAM's algorithms: `### Running Time: 0.012`, after `### Threads: 2` and `### m: 1000`.
    Cpam,
    /// Aspen's updates: `Running bs: 10`, then `Avg insert: 0.001`.
    AspenInsert,
    /// CPAM's updates: `RESULT: Insert,10,0.001`.
    CpamInsert,
    /// Aspen's memory: sections, each with `Total: 0.15 GB`; difference-coded first, then plain.
    AspenMemory {
        /// Which of the sections.
        coded: bool,
    },
    /// CPAM's memory: `csv: file,vertices,arcs,mode,bytes,…`.
    CpamMemory,
    /// F-Graph: `F-Graph, 3, BFS, 17, file, ##, 0.012`, `10, 0.001, 0.001` for batches, and `size = 1000 bytes, num_edges = 100`.
    Fgraph,
    /// Any program: `RESULT kernel=bfs graph=rmat20 seconds=0.012 threads=2`.
    Result,
}

/// What a process has found.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Printed {
    /// Its figures, in the unit of the kernel: one for each trial, or the one that it has computed of all.
    pub figures: Vec<f64>,
    /// A number that tells whether it has found the same as we have: components, triangles, vertices reached.
    pub answer: Option<u64>,
}

impl Print {
    /// Reads what was printed.
    ///
    /// Errors are sentences about the program.
    pub(super) fn read(self, lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
        let printed = match self {
            Print::Gap => gap(lines),
            Print::Aspen => aspen(lines, asked),
            Print::Cpam => cpam(lines, asked),
            Print::AspenInsert => aspen_insert(lines, asked),
            Print::CpamInsert => cpam_insert(lines, asked),
            Print::AspenMemory { coded } => aspen_memory(lines, asked, coded),
            Print::CpamMemory => cpam_memory(lines),
            Print::Fgraph => fgraph(lines, asked),
            Print::Result => result(lines, asked),
        }?;
        if printed.figures.is_empty() {
            return Err(format!("it printed {} lines, and no figure of {} among them", lines.len(), asked.kernel));
        }
        Ok(printed)
    }

    /// Whether nothing is read behind this line, so that the program can be ended.
    pub(super) fn is_enough(self, line: &str, asked: &Asked<'_>) -> bool {
        let Kernel::Insert { largest, .. } = asked.kernel else { return false };
        let begins = |label: &str| line.strip_prefix(label).and_then(|size| size.trim().parse::<usize>().ok());
        matches!(self, Print::AspenInsert | Print::CpamInsert)
            && begins("Running bs:").is_some_and(|size| size > largest)
    }
}

/// A number that is not negative.
fn number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => {
            let text: String = text.trim().chars().take(60).collect();
            Err(format!("it printed {text:?} where a figure was expected"))
        }
    }
}

/// What stands behind a label at the beginning of lines.
fn behind<'a>(lines: &'a [String], label: &'a str) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(move |line| line.strip_prefix(label))
}

/// The whole number that stands between two texts in a line.
fn count(lines: &[String], before: &str, after: &str) -> Option<u64> {
    lines.iter().rev().find_map(|line| {
        let rest = &line[line.find(before)? + before.len()..];
        rest[..rest.find(after)?].trim().parse().ok()
    })
}

fn gap(lines: &[String]) -> Result<Printed, String> {
    let figures = behind(lines, "Trial Time:").map(number).collect::<Result<_, _>>()?;
    let answer = count(lines, "There are ", " components")
        .or_else(|| lines.iter().rev().find_map(|line| line.strip_suffix(" triangles")?.trim().parse().ok()))
        .or_else(|| count(lines, "BFS Tree has ", " nodes"))
        .or_else(|| count(lines, "SSSP Tree reaches ", " nodes"));
    Ok(Printed { figures, answer })
}

/// Refuses a process that has used another number of threads.
fn check_threads(threads: Option<&str>, asked: &Asked<'_>) -> Result<(), String> {
    match threads.map(str::trim) {
        Some(threads) if threads != asked.threads.to_string() => {
            Err(format!("it ran by {threads} threads, and {} were asked for", asked.threads))
        }
        _ => Ok(()),
    }
}

/// The value of `key=value` among words.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn aspen(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    let mut figures = Vec::new();
    for line in behind(lines, "RESULT\t") {
        check_threads(value(line, "p"), asked)?;
        figures.push(number(value(line, "time").unwrap_or(line))?);
    }
    Ok(Printed { figures, answer: None })
}

fn cpam(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    behind(lines, "### Threads:").try_for_each(|threads| check_threads(Some(threads), asked))?;
    let arcs = behind(lines, "### m:").next().map(str::trim);
    if !asked.kernel.is_without_loops() && arcs.is_some_and(|arcs| arcs != asked.arcs.to_string()) {
        return Err(format!("it read {} arcs of {}", arcs.unwrap_or_default(), asked.arcs));
    }
    let figures = behind(lines, "### Running Time:").map(number).collect::<Result<_, _>>()?;
    Ok(Printed { figures, answer: None })
}

/// The rate of a batch that took so many seconds.
fn rate(asked: &Asked<'_>, seconds: &str) -> Result<f64, String> {
    let Kernel::Insert { arcs, .. } = asked.kernel else { return Err("it printed batches".to_owned()) };
    Ok(arcs as f64 / number(seconds)?)
}

/// Arcs of the batch that was asked for.
fn batch(asked: &Asked<'_>) -> usize {
    if let Kernel::Insert { arcs, .. } = asked.kernel { arcs } else { 0 }
}

fn aspen_insert(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    let head = format!("Running bs: {}", batch(asked));
    let mut of_batch = lines.iter().skip_while(|line| **line != head).skip(1);
    let mut figures = Vec::new();
    if let Some(seconds) = of_batch.find_map(|line| line.strip_prefix("Avg insert:")) {
        figures.push(rate(asked, seconds)?);
    }
    Ok(Printed { figures, answer: None })
}

fn cpam_insert(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    let head = format!("RESULT: Insert,{},", batch(asked));
    let figures = behind(lines, &head).map(|seconds| rate(asked, seconds)).collect::<Result<_, _>>()?;
    Ok(Printed { figures, answer: None })
}

fn aspen_memory(lines: &[String], asked: &Asked<'_>, coded: bool) -> Result<Printed, String> {
    let head = if coded { "== Aspen Difference Encoded" } else { "== Aspen No Difference Encoding" };
    let mut section = lines.iter().skip_while(|line| !line.starts_with(head)).skip(1);
    let total = section.find_map(|line| line.strip_prefix("Total:"));
    let gigabytes = total.map(|total| number(total.trim().trim_end_matches("GB")));
    // They count 2^30 bytes.
    let figures = gigabytes.transpose()?.map(|total| total * (1u64 << 30) as f64 / asked.arcs.max(1) as f64);
    Ok(Printed { figures: figures.into_iter().collect(), answer: None })
}

fn cpam_memory(lines: &[String]) -> Result<Printed, String> {
    let mut figures = Vec::new();
    for line in behind(lines, "csv:") {
        // The name of the file stands first and may hold commas.
        let fields: Vec<&str> = line.rsplit(',').collect();
        let [_, _, bytes, _, arcs, ..] = fields[..] else { return Err(format!("it printed \"csv:{line}\"")) };
        figures.push(number(bytes)? / number(arcs)?.max(1.0));
    }
    Ok(Printed { figures, answer: None })
}

/// What F-Graph calls an algorithm.
fn fgraph_name(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::Bfs => "BFS",
        Kernel::Cc => "Components",
        Kernel::Bc => "BC",
        Kernel::PageRank => "PageRank",
        _ => "",
    }
}

fn fgraph(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    let mut figures = Vec::new();
    match asked.kernel {
        Kernel::Memory => {
            for line in behind(lines, "size =") {
                let (bytes, rest) = line.split_once(" bytes, num_edges =").unwrap_or((line, ""));
                figures.push(number(bytes)? / number(rest.split(',').next().unwrap_or(""))?.max(1.0));
            }
        }
        Kernel::Insert { arcs, .. } => {
            for line in behind(lines, &format!("{arcs}, ")) {
                figures.push(rate(asked, line.split(',').next().unwrap_or(""))?);
            }
        }
        kernel => {
            let of_kernel = format!(", {}, ", fgraph_name(kernel));
            for line in behind(lines, "F-Graph,").filter(|line| line.contains(&of_kernel)) {
                figures.push(number(line.rsplit(',').next().unwrap_or(""))?);
            }
        }
    }
    let answer = match asked.kernel {
        // It does not know vertices behind the last one that has an arc.
        Kernel::Cc => count(lines, "there are ", " components").map(|components| {
            let known = behind(lines, "size =").find_map(|line| line.rsplit_once("num_nodes = ")?.1.parse().ok());
            components + (asked.vertices as u64).saturating_sub(known.unwrap_or(asked.vertices as u64))
        }),
        Kernel::Bfs => count(lines, ", reached ", " vertices"),
        _ => None,
    };
    Ok(Printed { figures, answer })
}

/// `RESULT` and `key=value`, the keys in any order, others ignored.
fn result(lines: &[String], asked: &Asked<'_>) -> Result<Printed, String> {
    let mut printed = Printed::default();
    for line in behind(lines, "RESULT ") {
        let of = |key: &'static str| value(line, key).ok_or_else(|| format!("it printed a RESULT without {key}="));
        let (kernel, graph) = (of("kernel")?, of("graph")?);
        let name = asked.kernel.name();
        if kernel != name || graph != asked.graph {
            let expected = &asked.graph;
            return Err(format!("it printed a RESULT of {kernel} on {graph}; {name} on {expected} was asked for"));
        }
        if line.split_whitespace().any(|word| word == "unsupported") {
            return Err("it does not do this".to_owned());
        }
        check_threads(Some(of("threads")?), asked)?;
        printed.figures.push(figure(line, asked)?);
        if let Some(answer) = value(line, "answer") {
            let whole = answer.parse().map_err(|_| format!("it printed answer={answer}, which is no whole number"))?;
            printed.answer = Some(whole);
        }
    }
    Ok(printed)
}

/// The figure of a `RESULT` line, in the unit of the kernel.
fn figure(line: &str, asked: &Asked<'_>) -> Result<f64, String> {
    let of = |key| value(line, key).map(number).transpose();
    let missing = |keys: &str| format!("it printed a RESULT without {keys}");
    match asked.kernel {
        Kernel::Memory => of("bytes_per_arc")?.ok_or_else(|| missing("bytes_per_arc=")),
        Kernel::Insert { .. } => match (of("arcs_per_second")?, value(line, "seconds")) {
            (Some(arcs), _) => Ok(arcs),
            (None, Some(seconds)) => rate(asked, seconds),
            (None, None) => Err(missing("seconds= or arcs_per_second=")),
        },
        _ => of("seconds")?.ok_or_else(|| missing("seconds=")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kernel: Kernel) -> Asked<'static> {
        Asked {
            kernel,
            graph: "rmat8".to_owned(),
            vertices: 257,
            arcs: 1000,
            threads: 2,
            sources: &[],
            enough: std::time::Duration::ZERO,
            expected: Box::new(|_| None),
        }
    }

    fn read(print: Print, kernel: Kernel, text: &str) -> Result<Printed, String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        print.read(&lines, &asked(kernel))
    }

    fn figures(print: Print, kernel: Kernel, text: &str) -> Vec<f64> {
        read(print, kernel, text).unwrap().figures
    }

    const INSERT: Kernel = Kernel::Insert { arcs: 1000, largest: 1000, published: true };

    #[test]
    fn each_program_prints_in_its_own_way() {
        let gap = "Read Time:           0.00178\nTrial Time:          0.00512\nTrial Time:          0.00411\n\
                   There are 17 components\nAverage Time:        0.00461\n";
        let expected = Printed { figures: vec![0.00512, 0.00411], answer: Some(17) };
        assert_eq!(read(Print::Gap, Kernel::Cc, gap), Ok(expected));
        let found = |text: &str| read(Print::Gap, Kernel::Bfs, &format!("Trial Time: 1\n{text}\n")).unwrap().answer;
        assert_eq!(found("BFS Tree has 646 nodes and 31 edges"), Some(646));
        assert_eq!(found("SSSP Tree reaches 12 nodes"), Some(12));
        assert_eq!(found("1612010 triangles"), Some(1_612_010));
        let aspen = "RESULT\ttest=BFS\ttime=0.034000\titeration=0\tp=2\nRESULT (AVG)\ttest=BFS\ttime=0.030000\tp=2\n";
        assert_eq!(figures(Print::Aspen, Kernel::Bfs, aspen), [0.034]);
        let cpam = "### Threads: 2\n### n: 256\n### m: 1000\n### Running Time: 0.5\n# time per iter: 0.5\n";
        assert_eq!(figures(Print::Cpam, Kernel::Mis, cpam), [0.5]);
        let aspen = "Running bs: 100\nAvg insert: 0.1\nRunning bs: 1000\nAvg insert: 0.002\nAvg delete: 0.003\n";
        assert_eq!(figures(Print::AspenInsert, INSERT, aspen), [500_000.0]);
        let cpam = "RESULT: Insert,100,0.5\nRESULT: Insert,1000,0.004\nRESULT: Delete,1000,0.5\n";
        assert_eq!(figures(Print::CpamInsert, INSERT, cpam), [250_000.0]);
        let memory = "== Aspen Difference Encoded Stats (DE) ==\nTotal: 0.5 GB\n\
                      == Aspen No Difference Encoding Stats (No DE) ==\nTotal: 1 GB\n";
        for (coded, gigabytes) in [(true, 0.5), (false, 1.0)] {
            let found = figures(Print::AspenMemory { coded }, Kernel::Memory, memory);
            assert_eq!(found, [gigabytes * 1_073_741_824.0 / 1000.0]);
        }
        let cpam = "csv: /a,b/graph.adj,256,1000,cpam-cpam,3600,100,3500\n";
        assert_eq!(figures(Print::CpamMemory, Kernel::Memory, cpam), [3.6]);
        let fgraph = "size = 2800 bytes, num_edges = 1000, num_nodes = 256\nthe bfs from source 3, reached 99 vertices\n\
                      F-Graph, 3, BFS, 3, /tmp/g.adj, ##, 0.25\nF-Graph, 3, BC, 3, /tmp/g.adj, ##, 0.75\n\
                      there are 5 components\n10, 0.000005, 0.000006\n1000, 0.001000, 0.002000\n";
        assert_eq!(read(Print::Fgraph, Kernel::Bfs, fgraph), Ok(Printed { figures: vec![0.25], answer: Some(99) }));
        assert_eq!(figures(Print::Fgraph, Kernel::Memory, fgraph), [2.8]);
        assert_eq!(read(Print::Fgraph, Kernel::Cc, &fgraph.replace("BFS", "Components")).unwrap().answer, Some(6));
        assert_eq!(figures(Print::Fgraph, INSERT, fgraph), [1e6]);
    }

    #[test]
    fn result_lines_say_what_they_are_of() {
        let line = |rest: &str| format!("noise\nRESULT kernel=bfs graph=rmat8 threads=2 {rest}\n");
        let expected = Printed { figures: vec![0.25], answer: Some(7) };
        assert_eq!(read(Print::Result, Kernel::Bfs, &line("seconds=0.25 answer=7 width=32")), Ok(expected));
        let insert = |rest: &str| format!("RESULT kernel=insert-published graph=rmat8 threads=2 {rest}");
        assert_eq!(figures(Print::Result, INSERT, &insert("seconds=0.001")), [1e6]);
        assert_eq!(figures(Print::Result, INSERT, &insert("arcs_per_second=3e6")), [3e6]);
        for (text, expected) in [
            ("".to_owned(), "no figure of bfs"),
            (line("seconds=soon"), "\"soon\" where a figure"),
            (line("seconds=-1"), "\"-1\" where a figure"),
            (line("seconds=NaN"), "\"NaN\" where a figure"),
            (line(""), "without seconds="),
            (line("unsupported"), "does not do this"),
            (line("seconds=1 answer=many"), "no whole number"),
            ("RESULT kernel=cc graph=rmat8 threads=2 seconds=1".to_owned(), "a RESULT of cc on rmat8"),
            ("RESULT kernel=bfs graph=rmat8 threads=4 seconds=1".to_owned(), "by 4 threads, and 2"),
            ("RESULT kernel=bfs threads=2 seconds=1".to_owned(), "without graph="),
        ] {
            let why = read(Print::Result, Kernel::Bfs, &text).unwrap_err();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }

    #[test]
    fn garbage_is_no_figure() {
        let garbage = "Trial Time: \u{fffd}\u{fffd}\nRESULT\ttime=fast\n### Running Time: -\nAvg insert: \ncsv: 1,2\n\
                       RESULT: Insert,1000,x\nF-Graph, BFS, \nF-Graph, 3, BFS, 3, f, ##, x\nsize = much\nTotal: ? GB\n";
        for print in [Print::Gap, Print::Aspen, Print::Cpam, Print::CpamMemory, Print::Fgraph, Print::Result] {
            assert!(read(print, Kernel::Bfs, garbage).is_err(), "{print:?}");
        }
        for print in [Print::AspenInsert, Print::CpamInsert, Print::Fgraph] {
            assert!(read(print, INSERT, garbage).is_err(), "{print:?}");
        }
        for print in [Print::AspenMemory { coded: true }, Print::Fgraph] {
            assert!(read(print, Kernel::Memory, garbage).is_err(), "{print:?}");
        }
        let other = read(Print::Cpam, Kernel::Bfs, "### Threads: 2\n### m: 999\n### Running Time: 1\n");
        assert_eq!(other, Err("it read 999 arcs of 1000".to_owned()));
        assert!(read(Print::Aspen, Kernel::Bfs, "RESULT\ttest=BFS\ttime=1\tp=8\n").unwrap_err().contains("8 threads"));
    }

    #[test]
    fn updates_end_behind_the_largest_batch() {
        let asked = asked(INSERT);
        for (line, enough) in [("Running bs: 1000", false), ("Running bs: 10000", true), ("Avg insert: 10000", false)] {
            assert_eq!(Print::AspenInsert.is_enough(line, &asked), enough, "{line}");
        }
        assert!(!Print::Gap.is_enough("Running bs: 10000", &asked));
    }
}
