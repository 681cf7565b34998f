//! Programs of others that are scripts, which print what the real ones print.
#![cfg(unix)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use pleach::{BuildOptions, EdgeList};
use pleach_measure::peers::{Given, Kernel, NoPeer, Peers, Subject};
use pleach_measure::{Bench, Competitor, Machine, Method, Row, Side, Unit, Work};
use tempfile::TempDir;

/// A folder with scripts of the shell.
fn folder(scripts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in scripts {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// A path of three vertices and a vertex alone.
fn path() -> EdgeList {
    let mut edges = EdgeList::new(4, 4);
    edges.push(0, 1, ());
    edges.push(1, 2, ());
    edges
}

/// The rows of a comparison with programs, which takes six rounds and ends processes after so many seconds.
fn compared(given: Vec<Given>, kernel: Kernel, sources: &[u32], directed: bool, limit: f64) -> Vec<Row> {
    compared_within(60.0, given, kernel, sources, directed, limit)
}

/// The same, with so many seconds for each competitor.
fn compared_within(
    seconds: f64,
    given: Vec<Given>,
    kernel: Kernel,
    sources: &[u32],
    directed: bool,
    limit: f64,
) -> Vec<Row> {
    let method = Method { rounds: 6, seconds, threads: 2, ..Method::default() };
    let peers = Peers::new(given, Duration::from_secs_f64(limit));
    let mut bench = Bench::new(method, Machine::default(), Box::new(|_| ())).unwrap().beside(peers);
    bench.begin("suite", Some("path"));
    let (edges, build) = (path(), BuildOptions::default().with_undirected(!directed));
    let weights = EdgeList { num_rows: 4, num_cols: 4, src: vec![0, 1], dst: vec![1, 2], weight: vec![3.0, 5.0] };
    let weighted = BuildOptions::default().with_undirected(!directed);
    let subject = match kernel {
        Kernel::Sssp => Subject::of(&weights, &weighted, directed, if directed { 2 } else { 4 }),
        _ => Subject::of(&edges, &build, directed, if directed { 2 } else { 4 }),
    };
    let mut all = vec![Competitor::new("csr", Side::Static, || Ok(vec![2.0]))];
    all.extend(bench.theirs_from(kernel, subject, sources, |_| Some(2)));
    let unit = match kernel {
        Kernel::Insert { .. } => Unit::ArcsPerSecond,
        Kernel::Memory => Unit::BytesPerArc,
        _ => Unit::Seconds,
    };
    bench.compare(&[Work::in_unit("work", unit)], all);
    bench.into_results().rows
}

fn given(name: &str, path: &Path) -> Given {
    Given { name: name.to_owned(), path: path.to_owned() }
}

/// The row of a competitor.
fn row<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row.competitor == name).unwrap_or_else(|| panic!("{name}: {rows:?}"))
}

/// Why a program, a script in the place of GAP's `cc`, has no figure.
fn refused(script: &str, limit: f64) -> String {
    let folder = folder(&[("cc", script)]);
    let rows = compared(vec![given("gap", folder.path())], Kernel::Cc, &[0], false, limit);
    assert_eq!(row(&rows, "csr").median, Some(2.0), "ours are measured all the same");
    let row = row(&rows, "gap");
    assert_eq!((row.median, row.side), (None, Side::Peer));
    row.skipped.clone().unwrap()
}

#[test]
fn trials_of_processes_are_dealt_to_turns() {
    // Each process prints as many trials as it is asked for, the n-th process n hundredths of a second, and what it was asked.
    let folder = folder(&[(
        "bfs",
        "echo . >> calls\nn=$(wc -l < calls)\necho \"$@ by $OMP_NUM_THREADS\" >> asked\n\
         while [ \"$1\" != -n ]; do shift; done\n\
         i=0; while [ $i -lt $2 ]; do echo \"Trial Time:     0.0$n\"; i=$((i+1)); done\n\
         echo 'BFS Tree has 2 nodes and 2 edges'\ncp asked \"$(dirname \"$0\")/\"",
    )]);
    let rows = compared(vec![given("gap", folder.path())], Kernel::Bfs, &[0, 2], false, 60.0);
    let found = row(&rows, "gap");
    // Two processes of four trials, one for each source, and two of seven. A turn is the mean of both; the first one is not counted.
    assert_eq!((found.repetitions, found.skipped.as_deref()), (6, None));
    assert_eq!(found.quartiles, Some([0.015, 0.035]));
    assert_eq!(found.ratio, Some(found.median.unwrap() / 2.0));
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    let tail: Vec<&str> = asked.lines().map(|line| line.split_once(".sg ").unwrap().1).collect();
    assert_eq!(tail, ["-n 4 -r 0 -a by 2", "-n 4 -r 2 -a by 2", "-n 7 -r 0 -a by 2", "-n 7 -r 2 -a by 2"]);
    let file = asked.split_whitespace().nth(1).unwrap();
    assert!(file.contains("pleach-bench-") && !Path::new(file).exists(), "the file is removed: {file}");
}

#[test]
fn who_takes_long_in_all_is_not_started_again() {
    let script = "echo . >> calls\nsleep 0.3\n\
                  for trial in 1 2 3 4; do echo \"Trial Time: 0.0$trial\"; done\n\
                  cp calls \"$(dirname \"$0\")/\"";
    let calls = |seconds: f64| {
        let gap = folder(&[("bc", script)]);
        let rows = compared_within(seconds, vec![given("gap", gap.path())], Kernel::Bc, &[0, 1, 2], false, 60.0);
        let found = row(&rows, "gap");
        let calls = std::fs::read_to_string(gap.path().join("calls")).unwrap().lines().count();
        (calls, found.repetitions, found.note.clone())
    };
    // Ten times a hundredth of a second: the first processes have taken more, and the first trial of each is not counted. There is one for
    // each vertex all the same.
    let note = "scores of 32 bits; ours are of 64";
    assert_eq!(calls(0.01), (3, 3, Some(note.to_owned())));
    assert_eq!(calls(60.0), (6, 6, Some(note.to_owned())));
}

#[test]
fn files_hold_the_graph_with_its_weights() {
    let copy =
        "cp \"$2\" \"$(dirname \"$0\")/read.wsg\"\necho 'Trial Time: 1'\necho 'Trial Time: 1'\necho 'Trial Time: 1'";
    let gap = folder(&[("sssp", copy)]);
    compared(vec![given("gap", gap.path())], Kernel::Sssp, &[0], true, 60.0);
    let read = |path: &Path| pleach_datasets::read(path, &pleach_datasets::Options::default()).unwrap();
    let input = read(&gap.path().join("read.wsg"));
    assert!(input.directed);
    assert_eq!((input.edges.src(), input.edges.dst()), (&[0, 1][..], &[1, 2][..]));
    assert_eq!(input.edges.weight(), Some(&[3.0, 5.0][..]));
    let cpma = folder(&[(
        "build/basic_uint64_t_delta_compressed_Eytzinger",
        "cp \"$2\" \"$(dirname \"$0\")/read.adj\"\necho 'size = 12 bytes, num_edges = 4, num_nodes = 4'",
    )]);
    let rows = compared(vec![given("cpma", cpma.path())], Kernel::Memory, &[], false, 60.0);
    assert_eq!((row(&rows, "cpma").median, row(&rows, "cpma").repetitions), (Some(3.0), 1));
    let text = std::fs::read_to_string(cpma.path().join("build/read.adj")).unwrap();
    assert_eq!(text, "AdjacencyGraph\n4\n4\n0\n1\n3\n4\n1\n0\n2\n1\n");
    let rows = compared(vec![given("cpma", cpma.path())], Kernel::Memory, &[], true, 60.0);
    assert_eq!(row(&rows, "cpma").skipped.as_deref(), Some("it takes undirected graphs"));
}

#[test]
fn published_tools_are_found_and_read() {
    let aspen = folder(&[
        (
            "code/run_static_algorithm",
            "for i in 1 2 3 4 5 6 7; do printf 'RESULT\\ttest=MIS\\ttime=0.5\\titeration=1\\tp=2\\n'; done",
        ),
        // Without end: it is ended when it has printed the largest batch.
        (
            "code/run_batch_updates",
            "echo 'Running bs: 10'\necho 'Avg insert: 0.001'\necho 'Running bs: 100'\nsleep 100",
        ),
        (
            "code/memory_footprint",
            "echo '== Aspen Difference Encoded Stats (DE) =='\necho 'Total: 0.000001 GB'\n\
             echo '== Aspen No Difference Encoding Stats (No DE) =='\necho 'Total: 0.000002 GB'",
        ),
    ]);
    let cpam = folder(&[
        ("MIS-CPAM", "for i in 1 2 3 4 5 6 7; do echo '### Running Time: 0.25'; done"),
        ("run_batch_updates-CPAM-CPAM", "echo 'RESULT: Insert,10,0.01'\necho 'Running bs: 100'\nsleep 100"),
    ]);
    let both = || vec![given("aspen", aspen.path()), given("cpam", cpam.path())];
    let rows = compared(both(), Kernel::Mis, &[0], false, 60.0);
    assert_eq!((row(&rows, "aspen").median, row(&rows, "cpam").median), (Some(0.5), Some(0.25)));
    assert_eq!(row(&rows, "aspen").note.as_deref(), Some("difference-coded"));
    let rows = compared(both(), Kernel::Insert { arcs: 10, largest: 10, published: true }, &[], false, 60.0);
    let [aspen_row, cpam_row] = ["aspen", "cpam"].map(|name| row(&rows, name));
    assert_eq!((aspen_row.median, aspen_row.repetitions), (Some(10_000.0), 1));
    assert_eq!(cpam_row.median, Some(1000.0));
    let missing = row(&rows, "cpam-coded").skipped.clone().unwrap();
    assert!(missing.starts_with("there is no program run_batch_updates-CPAM-CPAM-Diff in"), "{missing}");
    let rows = compared(both(), Kernel::Memory, &[], false, 60.0);
    let bytes = |name| row(&rows, name).median.unwrap_or_else(|| panic!("{rows:?}")).round();
    assert_eq!((bytes("aspen"), bytes("aspen-coded")), (537.0, 268.0));
}

#[test]
fn what_runs_once_runs_once_for_each_graph() {
    // It counts its calls in the folder in which all of them run.
    let script = "echo . >> calls\necho \"size = $(wc -l < calls)00 bytes, num_edges = 1, num_nodes = 4\"";
    let cpma = folder(&[("build/basic_uint64_t_delta_compressed_Eytzinger", script)]);
    let method = Method { rounds: 1, seconds: 60.0, threads: 2, ..Method::default() };
    let peers = Peers::new(vec![given("cpma", cpma.path())], Duration::from_secs(60));
    let mut bench = Bench::new(method, Machine::default(), Box::new(|_| ())).unwrap().beside(peers);
    let (edges, build) = (path(), BuildOptions::default().with_undirected(true));
    for graph in ["path", "path", "another"] {
        bench.begin("suite", Some(graph));
        let theirs = bench.theirs_from(Kernel::Memory, Subject::of(&edges, &build, false, 4), &[], |_| None);
        bench.compare(&[Work::in_unit("work", Unit::BytesPerArc)], theirs);
    }
    let rows = bench.into_results().rows;
    let cpma: Vec<_> = rows.iter().filter(|row| row.competitor == "cpma").map(|row| row.median).collect();
    assert_eq!(cpma, [Some(100.0), Some(100.0), Some(200.0)]);
}

#[test]
fn any_program_takes_part_by_lines_of_results() {
    let script = folder(&[(
        "mine",
        "echo \"$@\" > \"$(dirname \"$0\")/asked\"\n\
         for i in 1 2 3 4 5 6 7; do echo 'RESULT kernel=bfs graph=path seconds=0.5 threads=2 answer=2'; done",
    )]);
    let program = script.path().join("mine");
    let rows = compared(vec![given("mine", &program)], Kernel::Bfs, &[0, 2], false, 60.0);
    assert_eq!((row(&rows, "mine").median, row(&rows, "mine").ratio), (Some(0.5), Some(0.25)));
    let asked = std::fs::read_to_string(script.path().join("asked")).unwrap();
    assert!(asked.starts_with("kernel=bfs graph=path threads=2 trials=4 sources=0,2 file=/"), "{asked}");
    assert!(asked.trim_end().ends_with("/undirected.sg"), "{asked}");
    for name in ["gap", "aspen", "cpam", "cpma"] {
        let expected = format!("not given: --peer {name}=FOLDER");
        assert_eq!(row(&rows, name).skipped.as_deref(), Some(&expected[..]));
    }
    let rows = compared(vec![given("mine", script.path())], Kernel::Bfs, &[0], false, 60.0);
    assert!(row(&rows, "mine").skipped.as_deref().unwrap().contains("a program is expected behind mine="));
    let nothing = given("pam", Path::new("/no/such/program"));
    let rows = compared(vec![nothing], Kernel::Union, &[], false, 60.0);
    assert_eq!(row(&rows, "pam").skipped.as_deref(), Some("there is no file program"));
}

#[test]
fn what_goes_wrong_is_a_row_that_says_so() {
    for (script, expected) in [
        ("", "it printed 0 lines, and no figure of cc among them"),
        ("echo nothing of use", "it printed 1 lines, and no figure of cc"),
        ("head -c 100000 /dev/urandom", "and no figure of cc among them"),
        ("yes | head -c 100000000", "it printed more than 64 MB or 1048576 lines"),
        ("head -c 100000000 /dev/zero", "it printed more than 64 MB or 1048576 lines"),
        ("echo 'Trial Time: ?'", "it printed \"?\" where a figure was expected"),
        ("echo 'Trial Time: 1'; echo 'cannot go on' >&2; exit 3", "it failed (exit status: 3): cannot go on"),
        ("kill -SEGV $$", "it failed (signal: 11"),
        ("echo 'Trial Time: 1'; echo 'There are 3 components'", "it has another answer: 3, where we have 2"),
    ] {
        let why = refused(script, 60.0);
        assert!(why.contains(expected), "{script}: {why}");
    }
    let folder = folder(&[]);
    std::fs::write(folder.path().join("cc"), "no program").unwrap();
    let rows = compared(vec![given("gap", folder.path())], Kernel::Cc, &[0], false, 60.0);
    assert!(row(&rows, "gap").skipped.as_deref().unwrap().contains("does not start"), "{rows:?}");
}

#[test]
fn what_hangs_is_ended_with_all_that_it_has_started() {
    let expected = "it took more than 0.4 s and was ended: --peer-limit allows more";
    for script in ["sleep 1000", "echo 'Trial Time: 1'; sleep 1000 | cat", "exec >&- 2>&-; sleep 1000"] {
        assert_eq!(refused(script, 0.4), expected, "{script}");
    }
    // One that leaves another process behind, which keeps its output open, has ended all the same.
    let why = refused("echo 'There are 3 components'; echo 'Trial Time: 1'; sleep 3 &", 60.0);
    assert!(why.contains("another answer"), "{why}");
}

#[test]
fn names_and_paths_are_read() {
    assert_eq!("gap=../gapbs".parse(), Ok(given("gap", Path::new("../gapbs"))));
    assert_eq!("my-2nd=/a=b".parse(), Ok(given("my-2nd", Path::new("/a=b"))));
    for text in ["gap", "=path", "gap=", "My Program=x", ""] {
        assert_eq!(text.parse::<Given>(), Err(NoPeer::Form), "{text}");
    }
    assert_eq!("csr=x".parse::<Given>(), Err(NoPeer::Taken("csr".to_owned())));
}
