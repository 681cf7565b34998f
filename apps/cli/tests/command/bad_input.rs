//! Whatever is wrong with what a user gives is said in one message that names the place, with exit status 1 (the input or the
//! environment) or 2 (the usage), and leaves nothing half-written.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::common::{failure, json, pleach, stdout};

/// A temporary folder with files in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("a file can be written");
        path.to_str().expect("a path in Unicode").to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// The message about a graph file.
fn about(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    let file = folder.file(name, content);
    let message = failure(&["run", "pagerank", &file], 1);
    assert!(message.contains(name), "{message} does not name the file");
    message
}

const MTX: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn truncated_files() {
    assert!(about("cut.mtx", format!("{MTX}3 3 3\n1 2 1.0\n2 3 1.0\n")).contains('3'));
    assert!(about("cut.mtx", format!("{MTX}3 3 1\n1 2")).contains("cut.mtx:3"));
}

#[test]
fn binary_and_empty_files() {
    about("noise.txt", [0u8, 159, 146, 150, 0, 1, 2, 3, 10, 0]);
    about("empty.mtx", "");
}

/// The decoder of another library panics on this file, which nobody is to see.
#[test]
fn a_column_that_reaches_beyond_its_file() {
    let folder = Folder::new();
    let path = folder.path("karate.arrow");
    pleach(&["data", "write", "karate", "-o", path.to_str().expect("a path in Unicode")]);
    let mut bytes = std::fs::read(&path).expect("a file that was written");
    // 78 edges are 624 bytes a column.
    let length = bytes.windows(8).position(|word| word == 624u64.to_le_bytes()).expect("the length of a column");
    bytes[length + 7] = 0x33;
    let message = about("beyond.arrow", bytes);
    assert!(message.contains("is no whole arrow file"), "{message}");
}

#[test]
fn ids_that_are_negative_or_too_large() {
    assert!(about("edges.txt", "1 2\n-3 4\n").contains("edges.txt:2:1"));
    assert!(about("edges.txt", "1 2\n3 99999999999999999999999\n").contains("edges.txt:2:3"));
}

/// Going round lowers the distance by so little that it would take ages to come below zero.
#[test]
fn cycles_of_negative_weights() {
    let folder = Folder::new();
    let file = folder.file("cycle.wel", "1 2 1\n2 3 1e-16\n3 2 -3e-16\n3 3 -1e-300\n");
    let message = failure(&["run", "sssp", &file, "--source", "1", "--directed"], 1);
    assert!(message.contains("not negative"), "{message}");
}

#[test]
fn weights_that_are_no_numbers() {
    // Algorithms without weights do not mind, one or several.
    let folder = Folder::new();
    let list = folder.file("weights.wel", "1 2 0.5\n2 3 NaN\n");
    assert!(failure(&["run", "sssp", &list, "--source", "1"], 1).contains("weights.wel:2:5"));
    assert!(failure(&["run", "bfs,sssp", &list, "--source", "1"], 1).contains("weights.wel:2:5"));
    assert_eq!(json(&["run", "bfs", &list, "--source", "1", "--json"])["result"]["reached"], 3);
    assert!(pleach(&["run", "bfs,cc", &list, "--source", "1"]).status.success());
    assert_eq!(json(&["cluster", "run", "cc", &list, "--json"])["graph"]["vertices"], 3);
    assert!(about("weights.wel", "1 2 0.5\n2 3 x\n").contains("weights.wel:2:5"));
    let file = folder.file("weights.mtx", format!("{MTX}2 2 1\n1 2 inf\n"));
    assert!(failure(&["run", "sssp", &file, "--source", "1"], 1).contains("weights.mtx:3:5"));
}

#[test]
fn counts_that_do_not_fit() {
    about("many.mtx", format!("{MTX}2 2 1\n1 2 1.0\n2 1 1.0\n"));
    about("outside.mtx", format!("{MTX}2 2 1\n1 3 1.0\n"));
    // Must not allocate what it claims.
    about("huge.mtx", format!("{MTX}1000000 1000000 1000000000000000000\n1 1 1.0\n"));
}

#[test]
fn headers_that_claim_more_vertices_than_any_memory_holds() {
    for (name, content) in [
        ("rows.mtx", format!("{MTX}4000000000 4000000000 1\n1 1 1.0\n")),
        ("wide.mtx", format!("{MTX}5 99999999999 1\n1 1 1.0\n")),
        ("many.graph", "4000000000 1\n2\n1\n".to_owned()),
        ("many.gr", "p sp 4000000000 1\na 1 2 1\n".to_owned()),
        ("many.adj", "AdjacencyGraph\n4000000000\n0\n".to_owned()),
    ] {
        about(name, content);
    }
}

#[test]
fn columns_that_are_missing_or_too_many() {
    assert!(about("short.txt", "1 2\n3\n").contains("short.txt:2"));
    about("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 0.0\n");
}

#[test]
fn not_a_gzip_file() {
    about("graph.txt.gz", "1 2\n");
}

#[test]
fn a_cut_gzip_file() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    for i in 0..10_000u32 {
        writeln!(encoder, "{} {}", i, i.wrapping_mul(2_654_435_761) % 10_000).expect("memory can be written");
    }
    let whole = encoder.finish().expect("memory can be written");
    about("graph.txt.gz", &whole[..whole.len() / 2]);
}

#[test]
fn a_directory_a_missing_file_and_an_unknown_name() {
    let folder = Folder::new();
    let directory = folder.0.path().to_str().unwrap();
    assert!(failure(&["run", "pagerank", directory], 1).contains("directory"));
    assert!(failure(&["run", "pagerank", "no/such/file.mtx"], 1).contains("no/such/file.mtx"));
    assert!(failure(&["run", "pagerank", "karat"], 1).contains("karate"));
}

#[test]
fn a_store_that_does_not_exist() {
    let message = failure(&["run", "pagerank", "karate", "--store", "dense,bts"], 2);
    assert!(message.contains("bts") && message.contains("bst"), "{message}");
    let message = failure(&["run", "pagerank", "karate", "--store", "dens,bst"], 2);
    assert!(message.contains("dens") && message.contains("dense"), "{message}");
    let message = failure(&["run", "pagerank", "karate", "--store", "scr"], 2);
    assert!(message.contains("csr") && message.contains("aspen"), "{message}");
}

#[test]
fn options_that_make_no_sense() {
    failure(&["run", "pagerank", "karate", "--threads", "0"], 2);
    failure(&["run", "pagerank", "karate", "--damping", "1.5"], 2);
    failure(&["run", "pagerank", "karate", "--tolerance", "0"], 2);
    failure(&["run", "pagerank", "karate", "--directed", "--undirected"], 2);
    assert!(failure(&["run", "pagerank", "karate", "--personalise", "77"], 1).contains("77"));
    failure(&["run", "pagerank", "karate", "--personalise", "x"], 2);
    failure(&["run", "pagerank", "karate", "--personalise", "1:-2"], 2);
    assert!(failure(&["run", "pagerank", "karate", "--personalise", "1:x"], 2).contains("1:x: `x` is not a weight"));
    // Vertices are named as the file names them, from 1 on.
    assert!(failure(&["run", "pagerank", "karate", "--personalise", "34:-1"], 2).contains("(34 has -1)"));
    failure(&["data", "gen", "rmat:99", "-o", "never-written"], 1);
    failure(&["data", "gen", "tree:9", "-o", "never-written"], 2);
    assert!(!Path::new("never-written").exists());
}

#[test]
fn an_output_path_that_cannot_be_written() {
    let folder = Folder::new();
    let missing = folder.path("missing/ranks");
    let message = failure(&["run", "pagerank", "karate", "--out", missing.to_str().unwrap()], 1);
    assert!(message.contains("missing/ranks"), "{message}");
    let directory = folder.0.path().to_str().unwrap();
    assert!(failure(&["run", "pagerank", "karate", "--out", directory], 1).contains("directory"));
    assert!(
        failure(&["data", "gen", "grid:3x3", "-o", folder.path("no/grid.mtx").to_str().unwrap()], 1)
            .contains("no/grid.mtx")
    );
    failure(&["data", "gen", "grid:3x3", "-o", folder.path("grid.docx").to_str().unwrap()], 1);
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn what_cannot_be_fetched() {
    let message = failure(&["data", "fetch", "wiki-Votes"], 1);
    assert!(message.contains("wiki-Votes") && message.contains("wiki-Vote,"), "{message}");
    let folder = Folder::new();
    let pleach = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pleach"));
        let output = command.args(arguments).env("PLEACH_CACHE", folder.0.path()).output().expect("pleach starts");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("messages are text")
    };
    // Nobody listens at port 1.
    let message = pleach(&["data", "fetch", "wiki-Vote", "--from", "http://127.0.0.1:1/wiki-Vote.txt.gz"]);
    assert!(message.starts_with("error: cannot fetch http://127.0.0.1:1/wiki-Vote.txt.gz: "), "{message}");
    assert!(message.contains("can be put at") && message.lines().count() == 1, "{message}");
    let message = pleach(&["run", "pagerank", "wiki-Vote"]);
    assert!(message.contains("pleach data fetch wiki-Vote"), "{message}");
}

#[test]
fn a_matrix_that_is_no_graph() {
    let message = about("wide.mtx", format!("{MTX}2 3 1\n1 3 1.0\n"));
    assert!(message.contains("2 rows and 3 columns"), "{message}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["data", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pleach starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("pleach ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    // More than a pipe holds, of which the first bytes are read.
    let folder = Folder::new();
    let [list, matrix] =
        ["g.tsv", "g.mtx"].map(|name| folder.path(name).to_str().expect("a path in Unicode").to_owned());
    for file in [&list, &matrix] {
        stdout(&["-q", "data", "gen", "rmat:13", "-o", file]);
    }
    let given = format!("A={matrix}");
    for arguments in [
        &["data", "write", &list, "-o", "-"][..],
        &["data", "write", &list, "-o", "-", "--to", "parquet"],
        &["data", "gen", "rmat:13", "-o", "-", "--to", "csv.gz"],
        &["convert", &matrix, "-", "--to", "csr"],
        &["eval", "C(i,j) = A(i,j)", &given, "-f", "A=csr", "-f", "C=csr"],
        &["eval", "C(i,j) = A(i,j)", &given, "-f", "A=csr", "-f", "C=csr", "-o", "-"],
        &["run", "cc", "rmat:14", "--out", "-"],
        &["stream", "empty", "--updates", &list, "--app", "cc", "--out", "-"],
        &["stream", "empty", "--updates", &list, "--json", "--batch", "10"],
        &["stream", "empty", "--updates", &list, "--save", "-"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .arg("-q")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("pleach starts");
        let mut first = [0; 16];
        std::io::Read::read_exact(child.stdout.as_mut().expect("a pipe"), &mut first).expect("it prints");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("pleach ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !said.contains("error") && !said.contains("panicked"),
            "{arguments:?}: {said}"
        );
    }
}

/// A schema with one mistake, and a word that the message must hold.
const BAD_SCHEMAS: &[(&str, &str)] = &[
    ("def a { e : elem nonempty  n : b  seq = e, n }", "b"),
    ("def a { e : elem nonempty  e : a }", "e"),
    ("def a { e : elem[N] nonempty  n : a } def h { r : a }", "N"),
    ("def a { e : elem nonempty  N : size  n : a } def h { r : a }", "N"),
    ("def a { e : elem nonempty  n : a  seq = e, n, e } def h { r : a }", "e"),
    ("def a { e : elem nonempty  n : a  seq = e } def h { r : a }", "n"),
    ("def a { e : elem nonempty  n : a }", "handle"),
    ("def a { e : elem nonempty  n : a } def h { r : a } def g { r : a }", "handle"),
    ("def a { e : elem nonempty  n : a nonempty } def h { r : a }", "end"),
    ("def a { e : elem", ""),
    ("", ""),
];

#[test]
fn schemas_with_each_kind_of_mistake() {
    let folder = Folder::new();
    for (text, word) in BAD_SCHEMAS {
        let file = folder.file("bad.schema", text);
        let message = failure(&["schema", "check", &file], 1);
        assert!(message.contains("bad.schema") && message.contains(word), "{text}\n{message}");
    }
    failure(&["schema", "check", "no-such.schema"], 1);
    failure(&["schema", "check", &folder.file("noise.schema", [0u8, 255, 254])], 1);
    assert!(failure(&["schema", "show", "bts"], 2).contains("bst"));
}

/// A result whose size is known is refused before it is computed, and one that grows while it does.
#[test]
fn results_that_are_too_large_are_refused() {
    let folder = Folder::new();
    let vector = folder.file("v.tns", (1..=6000).map(|k| format!("{k} 1\n")).collect::<String>());
    let given = [format!("a={vector}"), format!("b={vector}")];
    let eval = |more: &[&str], product: &str| failure(&[&["eval", product, &given[0], &given[1]], more].concat(), 1);
    let known = eval(&[], "C(i,j,k) = a(i) * b(j) * a(k)");
    assert!(known.contains("`C` would take 216000000000 elements") && known.contains("-f C=csf"), "{known}");
    for format in ["C=csr", "C=dcsr"] {
        let grown = eval(&["-f", format], "C(i,j) = a(i) * b(j)");
        let size = "`C` has more entries than fit: the 33554432 coordinates and values that eval keeps are used up";
        assert!(grown.contains(size) && grown.contains("compute a part of it"), "{grown}");
    }
}

/// A sparse result with an entry at each coordinate is refused by how many entries it may have. Its own format is no way out.
#[test]
fn sparse_results_with_an_entry_everywhere_are_refused() {
    let folder = Folder::new();
    let (long, tall) = (folder.file("x.tns", "1000000000 1\n"), folder.file("A.tns", "1000000000 1 2\n"));
    let (x, z, a) = (format!("x={long}"), format!("z={long}"), format!("A={tall}"));
    let why =
        "would have an entry at each coordinate, and a sparse result has room for 2^28 of these; compute a part of it";
    let largest = ["eval", "y(i) max= A(i,j)", &a, "-f", "A=dcsr", "-f", "y=sparse"];
    let sum = ["eval", "C(i,j) = x(i) + z(j)", &x, &z, "-f", "x=sparse", "-f", "z=sparse", "-f", "C=dcsr"];
    for arguments in [&largest[..], &sum[..]] {
        let said = failure(arguments, 1);
        assert!(said.contains(why) && !said.contains("-f C=dcsr"), "{said}");
    }
}

/// Runs `pleach` with a limit on its address space, in KiB.
#[cfg(target_os = "linux")]
fn limited(kib: u64, arguments: &[&str]) -> std::process::Output {
    let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_pleach")]).args(arguments);
    shell.env("RAYON_NUM_THREADS", "2").output().expect("there is a shell")
}

#[test]
#[cfg(target_os = "linux")]
fn graphs_beyond_the_limit_of_the_process_are_refused_beforehand() {
    let output = limited(1 << 20, &["run", "cc", "rmat:22"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let room = said.strip_prefix("error: rmat22 needs about 2176 MiB of memory, there are ");
    let room: Option<u64> = room.and_then(|room| room.trim_end().parse().ok());
    assert!(room.is_some_and(|room| room < 1 << 10), "{said}");
}

/// Whatever the limit, the process ends by itself: also where there is no room for an arena of the allocator, for a thread, or for its stack.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_on_addresses_ends_no_process_by_a_signal() {
    let folder = Folder::new();
    let lines: String = (0..30_000u64).map(|k| format!("+ {} {}\n", k * k % 20_011, k * 7 % 20_011)).collect();
    let updates = folder.file("updates", lines);
    let stream = ["stream", "empty", "--updates", &updates, "--app", "cc"];
    let cases = [&stream[..], &["run", "sssp", "rmat:12", "--source", "0"]];
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_pleach")).expect("it is there").len() >> 10;
    let mut well = 0;
    for more in (32..=512).step_by(48) {
        for case in cases {
            let output = limited(program + (more << 10), case);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0 | 1 | 3)),
                "{more} MiB for {case:?}: {}: {said}",
                output.status
            );
            well += usize::from(output.status.success());
        }
    }
    assert!(well >= cases.len(), "512 MiB are enough");
}

#[test]
fn what_is_cut_off_on_standard_input_is_counted() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["run", "cc", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let cut = "%%MatrixMarket matrix coordinate pattern general\n3 3 5\n1 2\n2 3\n";
    child.stdin.take().unwrap().write_all(cut.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("expected 5 entries as the header says, found only 2"), "{said}");
}
