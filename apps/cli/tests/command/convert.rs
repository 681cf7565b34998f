//! `pleach convert`: round trips through files, refusals, what is printed, and SciPy's own reading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::common::{FULL, data, failure, json, stdout};
use pleach_codegen::convert::convert;
use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::{Compile, Limits, Program, Value};
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::reference::unpack_with;
use pleach_codegen::session::Session;
use pleach_datasets::{Coo, Options, read_tensor};

const FORMATS: &[&str] = &[
    "coo",
    "csr",
    "csc",
    "dcsr",
    "dia",
    "ell",
    "bcsr",
    "csb",
    "skyline",
    "banded",
    "dok",
    "(dense, hashed)",
    "hicoo",
    "lil",
    "graph",
    "aspen",
    "stinger",
];

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn held(path: &str) -> BTreeMap<Vec<u32>, f64> {
    let tensor = read_tensor(path, &Options::default()).unwrap();
    sums(&tensor)
}

fn sums(tensor: &Coo) -> BTreeMap<Vec<u32>, f64> {
    let mut all = BTreeMap::new();
    for k in 0..tensor.nnz() {
        *all.entry(tensor.coords.iter().map(|mode| mode[k]).collect()).or_insert(0.0) += tensor.values[k];
    }
    all.retain(|_, value| *value != 0.0);
    all
}

const SMALL: &str =
    "%%MatrixMarket matrix coordinate real general\n5 4 7\n5 1 1.5\n1 1 2\n1 4 3\n3 2 -4\n3 3 5\n3 2 6\n5 4 7\n";

#[test]
fn products_are_measured_in_each_format() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), "a.mtx", SMALL);
    let told = json(&["data", "info", &small, "--measure", "--json"]);
    let formats = told["matrix"]["formats"].as_array().expect("a list");
    assert_eq!(formats.len(), 9);
    for format in formats {
        assert!(format["product_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{format}");
    }
    let text = stdout(&["data", "info", &small, "--measure"]);
    assert_eq!(text.matches("ms times a vector").count(), 9, "{text}");
    assert!(text.contains("fastest times a vector"), "{text}");
    assert!(json(&["data", "info", &small, "--json"])["matrix"]["formats"][0].get("product_seconds").is_none());
    // Diagonals of a matrix with one entry on each of many are not made.
    let entries: String = (1..=4000).map(|i| format!("{i} {} 1\n", i * 7919 % 4000 + 1)).collect();
    let header = "%%MatrixMarket matrix coordinate real general\n4000 4000 4000\n";
    let scattered = file(folder.path(), "b.mtx", &format!("{header}{entries}"));
    let told = json(&["data", "info", &scattered, "--measure", "--json"]);
    let of = |name: &str| {
        let formats = told["matrix"]["formats"].as_array().expect("a list");
        formats.iter().find(|format| format["format"] == name).expect("it is listed")["product_seconds"].clone()
    };
    assert!(of("dia").is_null() && of("csr").is_number(), "{told}");
    assert!(failure(&["data", "info", "karate", "--measure"], 2).contains("--measure is for a matrix"));
}

#[test]
fn every_format_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let want = held(&input);
    assert_eq!(want[&vec![2, 1]], 2.0);
    for format in FORMATS.iter().chain(&["matrix", "csr_unsorted", "coo_duplicates", "bcsr<2, 2>", "csb<2, 2>"]) {
        let out = folder.path().join("b.mtx").display().to_string();
        stdout(&["convert", &input, &out, "--to", format]);
        assert_eq!(held(&out), want, "{format}");
        if *format == "lil" || *format == "graph" || *format == "aspen" || *format == "stinger" {
            continue;
        }
        // The arrays of the format, and from them to another one.
        let arrays = folder.path().join("b.plg").display().to_string();
        stdout(&["convert", &input, &arrays, "--to", format]);
        for next in ["csr", "dia", "ell"] {
            let out = folder.path().join("c.mtx").display().to_string();
            stdout(&["convert", &arrays, &out, "--to", next]);
            assert_eq!(held(&out), want, "{format} to {next}");
        }
    }
}

#[test]
fn transposes() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let out = folder.path().join("b.mtx").display().to_string();
    let turned: BTreeMap<Vec<u32>, f64> = held(&input).into_iter().map(|(c, v)| (vec![c[1], c[0]], v)).collect();
    let stores = ["terrace", "graphone", "pam", "(rbtree, ttree)", "(btree, blist_unsorted)", "(dense, ctree_delta)"];
    for format in FORMATS.iter().chain(&stores).chain(&["(paged, packed_delta)", "coo_unsorted", "dcsc"]) {
        stdout(&["convert", &input, &out, "--to", format, "--transpose"]);
        assert_eq!(held(&out), turned, "{format}");
        assert_eq!(read_tensor(&out, &Options::default()).unwrap().dims, [4, 5], "{format}");
        stdout(&["convert", &input, &out, "--from", "csc", "--to", format, "--transpose"]);
        assert_eq!(held(&out), turned, "csc to {format}");
    }
    let tensor = file(folder.path(), "a.tns", EVENTS);
    assert!(failure(&["convert", &tensor, "--to", "csf", "--transpose"], 2).contains("of order 3"));
}

/// A tensor of the third order in FROSTT's format, one place of which is there twice, and the last slices of which are empty.
const EVENTS: &str = "# dimensions: 5 3 6\n5 3 4 2\n1 1 1 1.5\n1 2 1 -3\n4 1 4 0.25\n1 1 5 4\n5 3 4 0.5\n";

#[test]
fn tensors_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.tns", EVENTS);
    let [out, arrays, again] = ["b.tns", "b.plg", "c.tns"].map(|name| folder.path().join(name).display().to_string());
    stdout(&["convert", &input, &out, "--to", "coo3"]);
    let written = std::fs::read_to_string(&out).unwrap();
    assert_eq!(written, "# dimensions: 5 3 6\n1 1 1 1.5\n1 1 5 4\n1 2 1 -3\n4 1 4 0.25\n5 3 4 2.5\n");
    let entries = [([0, 0, 0], 1.5), ([0, 0, 4], 4.0), ([0, 1, 0], -3.0), ([3, 0, 3], 0.25), ([4, 2, 3], 2.5)];
    let want: BTreeMap<Vec<u32>, f64> = entries.into_iter().map(|(c, v)| (c.to_vec(), v)).collect();
    let stores = ["(bst, bst, bst)", "(dense, bst, ctree)"];
    let kept = ["coo_kji", "csf", "csf_jki", "csf_kij", "hicoo3", "mode_generic", "cube", "(dense, dense, hashed)"];
    for format in stores.iter().chain(&kept) {
        stdout(&["convert", &input, &out, "--to", format]);
        assert_eq!(held(&out), want, "{format}");
        assert_eq!(read_tensor(&out, &Options::default()).unwrap().dims, [5, 3, 6], "{format}");
        if kept.contains(format) {
            stdout(&["convert", &out, &arrays, "--to", format]);
            for next in ["csf_kji", "coo3", "hicoo3"] {
                stdout(&["convert", &arrays, &again, "--to", next]);
                assert_eq!(held(&again), want, "{format} to {next}");
                assert_eq!(read_tensor(&again, &Options::default()).unwrap().dims, [5, 3, 6], "{format} to {next}");
            }
        }
    }
    // The fourth order, compressed on the way.
    let input = file(folder.path(), "d.tns", "2 1 3 1 5\n1 1 1 2 -1\n2 1 3 2 0.5\n");
    let out = folder.path().join("e.tns.gz").display().to_string();
    stdout(&["convert", &input, &out, "--to", "(compressed, dense, compressed, compressed)"]);
    let entries = [([0, 0, 0, 1], -1.0), ([1, 0, 2, 0], 5.0), ([1, 0, 2, 1], 0.5)];
    assert_eq!(held(&out), entries.into_iter().map(|(c, v)| (c.to_vec(), v)).collect());
}

#[test]
fn morton_blocks_are_kept_in_our_binary() {
    let folder = tempfile::tempdir().unwrap();
    // Blocks in all four quarters of both halves, in no order.
    let text: String = (0..400u32).map(|k| format!("{} {} {}\n", k * 29 % 70 + 1, k * 41 % 45 + 1, k + 1)).collect();
    let input =
        file(folder.path(), "a.mtx", &format!("%%MatrixMarket matrix coordinate real general\n70 45 400\n{text}"));
    let [arrays, again, out] = ["a.plg", "b.plg", "c.mtx"].map(|name| folder.path().join(name).display().to_string());
    stdout(&["convert", &input, &arrays, "--to", "hicoo"]);
    stdout(&["convert", &arrays, &again, "--to", "hicoo"]);
    assert_eq!(std::fs::read(&arrays).unwrap(), std::fs::read(&again).unwrap());
    for (from, next) in [("hicoo", "coo"), ("csb", "csr"), ("csr", "hicoo"), ("hicoo", "graph"), ("dia", "csc")] {
        stdout(&["convert", &arrays, &out, "--from", from, "--to", next]);
        assert_eq!(held(&out), held(&input), "{from} to {next}");
    }
    let printed = json(&["convert", &arrays, "--to", "hicoo", "--json"]);
    let blocks: BTreeSet<(u32, u32)> = held(&input).keys().map(|c| (c[0] / 4, c[1] / 4)).collect();
    assert_eq!(printed["positions"][0].as_u64(), Some(blocks.len() as u64), "{printed}");
    // Rows of blocks beyond the matrix are refused.
    use pleach_datasets::Observer;
    use pleach_datasets::plg::{Archive, Values};
    let mut archive = Archive::read(&arrays, &Observer::default()).unwrap();
    let Some(Values::U32(rows)) = archive.take("crd_2") else { panic!("rows of blocks") };
    let mut rows = rows.into_owned();
    rows[0] = 1000;
    archive.with_array("crd_2", Values::U32(rows.into())).write(&again).unwrap();
    let message = failure(&["convert", &again, "--to", "csr"], 1);
    assert!(message.contains("level 2"), "{message}");
}

/// What was computed may be infinite or no number. It is read from every file that it is written to, and is no weight of a graph.
#[test]
fn what_is_no_number_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let entries = "1 1 NaN\n1 2 inf\n2 2 -inf\n3 1 0.5\n";
    let header = "%%MatrixMarket matrix coordinate real general\n3 3 4\n";
    let input = file(folder.path(), "a.mtx", &format!("{header}{entries}"));
    let out = folder.path().join("out.tns").display().to_string();
    let want = format!("# dimensions: 3 3\n{entries}");
    let files = [
        ("b.npz", "csr"),
        ("b.npz", "csc"),
        ("b.npz", "coo"),
        ("b.npz", "dia"),
        ("b.npz", "bcsr<3, 1>"),
        ("b.mtx", "ell"),
        ("b.tns", "hicoo"),
        ("b.tns.gz", "dok"),
        ("b.plg", "csr"),
        ("b.plg", "dia"),
        ("b.plg", "(dense, ctree)"),
    ];
    for (name, format) in files {
        let kept = folder.path().join(name).display().to_string();
        stdout(&["convert", &input, &kept, "--to", format]);
        stdout(&["convert", &kept, &out, "--to", "coo"]);
        assert_eq!(std::fs::read_to_string(&out).unwrap(), want, "{name} of {format}");
        assert_eq!(
            stdout(&["eval", "B(i,j) = A(i,j)", "-f", "A=csr", "-f", "B=csr", &format!("A={kept}")]),
            entries,
            "{name} of {format}"
        );
        failure(&["run", "sssp", &kept, "--source", "1"], 1);
    }
    let twice = folder.path().join("twice.tns").display().to_string();
    stdout(&["eval", "y(i) = A(i,j) * x(j)", &format!("A={input}"), "x=2", "-o", &twice]);
    // NaN and an infinity add up to NaN.
    assert_eq!(stdout(&["eval", "z(i) = y(i)", &format!("y={twice}")]), "1 NaN\n2 -inf\n3 1\n");
}

/// The arrays of coordinates of a format, by their names in a file.
type Coordinates = BTreeMap<String, Vec<u32>>;

/// Writes the arrays of a format, changed, and says how they are refused.
fn refused_arrays(input: &str, format: &str, change: &dyn Fn(&mut Coordinates)) -> String {
    use pleach_datasets::Observer;
    use pleach_datasets::plg::{Archive, Values};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plg").display().to_string();
    stdout(&["convert", input, &path, "--to", format]);
    let mut archive = Archive::read(&path, &Observer::default()).unwrap();
    let mut arrays = BTreeMap::new();
    for level in 1..=8 {
        let name = format!("crd_{level}");
        if let Some(Values::U32(numbers)) = archive.take(&name) {
            arrays.insert(name, numbers.into_owned());
        }
    }
    change(&mut arrays);
    for (name, numbers) in arrays {
        archive = archive.with_array(&name, Values::U32(numbers.into()));
    }
    archive.write(&path).unwrap();
    let message = failure(&["convert", &path, "--to", "coo"], 1);
    assert_eq!(failure(&["eval", "y(i) = A(i,j) * x(j)", &format!("A={path}"), "x=2"], 1), message);
    message.trim_end().split_once("a.plg: ").expect("the file is named").1.to_owned()
}

/// Kernels rely on the order of coordinates, and on each being there once, as far as the levels of a format promise it.
#[test]
fn arrays_out_of_order_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    // The entries are (0, 0), (0, 3), (2, 1), (2, 2), (4, 0), (4, 3).
    let swap = |name: &'static str, a: usize, b: usize| {
        move |arrays: &mut Coordinates| arrays.get_mut(name).unwrap().swap(a, b)
    };
    let set =
        |name: &'static str, at: usize, c: u32| move |arrays: &mut Coordinates| arrays.get_mut(name).unwrap()[at] = c;
    assert_eq!(
        refused_arrays(&input, "coo", &swap("crd_1", 1, 2)),
        "level 1 (`compressed`): the coordinates of parent 0 do not ascend: 0 at position 2 stands behind 2"
    );
    assert_eq!(
        refused_arrays(&input, "coo", &swap("crd_2", 2, 3)),
        "level 2 (`singleton`): the coordinates of parent 0 do not ascend: (2, 1) at position 3 stands behind (2, 2)"
    );
    let twice = "level 2 (`singleton`): parent 0 has the coordinates (2, 1) twice, at positions 2 and 3";
    assert_eq!(refused_arrays(&input, "coo", &set("crd_2", 3, 1)), twice);
    assert_eq!(refused_arrays(&input, "coo_unsorted", &set("crd_2", 3, 1)), twice);
    assert_eq!(
        refused_arrays(&input, "csr", &set("crd_2", 1, 0)),
        "level 2 (`compressed`): parent 0 has the coordinate 0 twice, at positions 0 and 1"
    );
    assert_eq!(
        refused_arrays(&input, "csr_unsorted", &set("crd_2", 5, 0)),
        "level 2 (`compressed`): parent 4 has the coordinate 0 twice, at positions 4 and 5"
    );
    // Rows 0, 2 and 4 in a table of six slots.
    let table = |arrays: &mut Coordinates| {
        let slots = arrays.get_mut("crd_1").unwrap();
        assert_eq!(slots[..], [0, u32::MAX, 2, u32::MAX, 4, u32::MAX]);
        slots.swap(2, 5);
    };
    assert_eq!(
        refused_arrays(&input, "dok", &table),
        "level 1 (`hashed`): a lookup does not find the coordinate 2 of parent 0, which is at position 5"
    );
    let table = |arrays: &mut Coordinates| arrays.get_mut("crd_1").unwrap()[3] = 2;
    assert_eq!(
        refused_arrays(&input, "dok", &table),
        "level 1 (`hashed`): parent 0 has the coordinate 2 twice, at positions 2 and 3"
    );
    // The diagonals -4, -1, 0 and 3 are counted from -4.
    assert_eq!(
        refused_arrays(&input, "dia", &set("crd_1", 1, 0)),
        "level 1 (`squeezed`): its coordinates do not ascend: 0 at position 1 stands behind 0"
    );
    // The first entries of the rows, then the second ones.
    assert_eq!(
        refused_arrays(&input, "ell", &swap("crd_3", 2, 7)),
        "level 1 (`sliced`): it counts entries in order, and the one at (2, 1) stands behind (2, 2)"
    );
    assert_eq!(
        refused_arrays(&input, "ell", &set("crd_3", 7, 1)),
        "level 1 (`sliced`): it counts entries in order, and the one at (2, 1) stands behind (2, 1)"
    );
}

#[test]
fn blocks_in_another_order_than_that_of_morton_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    // Blocks 0 and 1 of the second row of blocks have the numbers 1 and 3; the entries of block 1 have 0 and 7.
    let matrix = "%%MatrixMarket matrix coordinate real general\n8 8 3\n5 1 1\n5 5 2\n7 6 3\n";
    let input = file(folder.path(), "a.mtx", matrix);
    let set = |name: &'static str, want: &'static [u32], with: &'static [u32]| {
        move |arrays: &mut Coordinates| {
            let array = arrays.get_mut(name).unwrap();
            assert_eq!(array, want, "{name}");
            array.copy_from_slice(with);
        }
    };
    assert_eq!(
        refused_arrays(&input, "hicoo", &set("crd_1", &[1, 3], &[3, 1])),
        "level 1 (`compressed`): the coordinates of parent 0 do not ascend: 1 at position 1 stands behind 3"
    );
    assert_eq!(
        refused_arrays(&input, "hicoo", &set("crd_4", &[0, 0, 6], &[0, 6, 0])),
        "level 4 (`compressed`): the coordinates of parent 1 do not ascend: 0 at position 2 stands behind 6"
    );
    assert_eq!(
        refused_arrays(&input, "hicoo", &set("crd_1", &[1, 3], &[1, 1])),
        "level 1: [4, 4] is kept below the coordinate 1, and belongs below 3"
    );
}

#[test]
fn which_routine_was_used_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let printed = json(&["convert", &input, "--to", "ell", "--json"]);
    let steps = printed["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "{printed}");
    assert!(steps.iter().all(|step| step["routine"] == "compiled"), "{printed}");
    let printed = json(&["convert", &input, "--to", "(dense, hashed)", "--json"]);
    assert_eq!(printed["steps"][1]["routine"], "interpreted", "{printed}");
    assert_eq!((printed["entries"].as_u64(), printed["values"].as_u64()), (Some(6), Some(20)), "{printed}");
}

#[test]
fn tensors_of_the_third_order_are_converted_by_compiled_routines() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.tns", "9 1 2 3\n1 2 3 1\n1 2 3 0.5\n4 7 6 2\n1 1 1 4\n");
    for (from, format) in [("hicoo3", "csf"), ("csf", "hicoo3"), ("hicoo3", "coo3")] {
        let output = folder.path().join("b.tns").display().to_string();
        let printed = json(&["convert", &input, &output, "--from", from, "--to", format, "--json"]);
        let steps = printed["steps"].as_array().unwrap();
        assert!(steps.iter().all(|step| step["routine"] == "compiled"), "{printed}");
        let written = std::fs::read_to_string(&output).unwrap();
        let entries: Vec<&str> = written.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(entries, ["1 1 1 4", "1 2 3 1.5", "4 7 6 2", "9 1 2 3"], "{format}");
    }
}

#[test]
fn statistics_have_a_line_for_each_level() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let text = stdout(&["convert", &input, "--to", "csr", "--stats"]);
    let want = "5 × 4, 6 entries\ncsr(i, j)\n  i: dense: 5 positions\n  j: compressed: 6 positions\n";
    assert!(text.starts_with(want), "{text}");
    let text = stdout(&["convert", &input, "--to", "hicoo", "--stats"]);
    assert_eq!((text.matches("16384").count(), text.lines().count()), (0, 9), "{text}");
    assert_eq!(text.matches("8192").count(), 2, "{text}");
}

#[test]
fn what_is_interpreted_in_any_case_takes_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.tns", "9 1 2 3\n1 2 3 1\n1 2 3 0.5\n4 7 6 2\n1 1 1 4\n");
    let [list, csf] = ["a.plg", "b.plg"].map(|name| folder.path().join(name).display().to_string());
    stdout(&["convert", &input, &list, "--to", "coo3"]);
    stdout(&["convert", &input, &csf, "--to", "csf"]);
    for to in ["csf_kij", "csf_jik", "coo_kji"] {
        for from in [&list, &csf] {
            let printed = json(&["convert", from, "--to", to, "--json"]);
            let steps = printed["steps"].as_array().unwrap();
            assert!(steps.len() == 1 && steps[0]["routine"] == "interpreted", "{printed}");
        }
    }
}

#[test]
fn sizes_are_those_of_the_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    for (format, values) in [
        ("csr", 6),
        ("dia", 4 * 5),
        ("ell", 10),
        ("matrix", 20),
        ("bcsr<2, 2>", 24),
        ("skyline", 10),
        ("banded", 12),
        ("coo_duplicates", 7),
    ] {
        let printed = json(&["convert", &input, "--to", format, "--json"]);
        assert_eq!(printed["values"].as_u64(), Some(values), "{format}: {printed}");
    }
    let full: String = (0..6).map(|k| format!("{} {} 1\n", k / 2 + 1, k % 2 + 1)).collect();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let full = file(folder.path(), "full.mtx", &format!("{header}3 2 6\n{full}"));
    let bytes = |matrix: &str, format: &str| json(&["convert", matrix, "--to", format, "--json"])["bytes"].as_u64();
    // Ends of rows, a column and a value for each entry.
    assert_eq!(bytes(&full, "csr"), Some(4 * 8 + 6 * 4 + 6 * 8));
    // Ends of rows, the first column of each row, values.
    assert_eq!(bytes(&input, "skyline"), Some(6 * 8 + 5 * 4 + 10 * 8));
    // Two widths, six slots for three rows, and four slots for columns in each of them.
    assert_eq!(bytes(&input, "dok"), Some(2 * 8 + 6 * 4 + 24 * 4 + 24 * 8));
    assert_eq!(bytes(&input, "dia"), Some(4 * 4 + 20 * 8));
    // A stored zero is an entry, too.
    let zero = file(folder.path(), "zero.mtx", &format!("{header}2 2 2\n1 1 0\n2 1 3\n"));
    for (format, values) in [("csr", 2), ("dia", 4), ("bcsr<1, 1>", 2), ("skyline", 2)] {
        let printed = json(&["convert", &zero, "--to", format, "--json"]);
        assert_eq!(printed["values"].as_u64(), Some(values), "{format}: {printed}");
        let printed = json(&["convert", &zero, "--from", "matrix", "--to", format, "--json"]);
        assert!(printed["values"].as_u64().is_some_and(|all| all < values), "{format}: {printed}");
    }
}

#[test]
fn what_would_explode_is_refused_with_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "%%MatrixMarket matrix coordinate real general\n100000 100000 1000\n".to_owned();
    for k in 1..=1000u64 {
        text += &format!("{} {} 1\n", k * 37 % 100_000 + 1, k * k * 91 % 100_000 + 1);
    }
    let input = file(folder.path(), "scattered.mtx", &text);
    for format in ["dia", "matrix"] {
        let message = failure(&["convert", &input, "--to", format], 1);
        assert!(message.contains("places for 1000 entries") && message.contains("--force"), "{message}");
    }
    let mut text = "%%MatrixMarket matrix coordinate real general\n100000 100000 1000\n".to_owned();
    for k in 1..=1000u64 {
        text += &format!("7 {} 1\n", k * 91);
    }
    let input = file(folder.path(), "row.mtx", &text);
    let message = failure(&["convert", &input, "--to", "ell"], 1);
    assert!(message.contains("100000000 places"), "{message}");
    stdout(&["convert", &input, "--to", "csr"]);
}

/// A matrix of a few entries in huge dimensions takes memory for its entries, or is refused.
#[test]
fn huge_dimensions_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "4000000000 1 2\n5 3999999999 1\n5 7 3\n";
    let input = file(folder.path(), "huge.tns", text);
    let out = folder.path().join("out.tns").display().to_string();
    for format in ["coo", "dcsr", "lil", "aspen"] {
        stdout(&["convert", &input, &out, "--to", format]);
        assert_eq!(held(&out), held(&input), "{format}");
    }
    for format in ["csr", "csc", "dia", "ell", "bcsr", "matrix"] {
        let message = failure(&["convert", &input, "--to", format], 1);
        assert!(message.contains("--force"), "{format}: {message}");
    }
}

#[test]
fn what_is_needed_while_a_format_is_made_counts_too() {
    let folder = tempfile::tempdir().unwrap();
    // One diagonal for each of two entries, among 4 thousand millions.
    let wide = file(folder.path(), "wide.tns", "1 1 1\n13 4294967290 1\n");
    let message = failure(&["convert", &wide, "--to", "dia"], 1);
    assert!(message.contains("--force"), "{message}");
    let small = file(folder.path(), "a.mtx", SMALL);
    for blocks in ["bcsr<1000000000, 1000000000>", "bcsr<4294967295, 1>", "bcsr<5000, 10000>"] {
        let message = failure(&["convert", &small, "--to", blocks], 1);
        assert!(message.contains("--force"), "{blocks}: {message}");
    }
}

#[test]
fn formats_and_files_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), "a.mtx", SMALL);
    let out = |name: &str| folder.path().join(name).display().to_string();
    let message = failure(&["convert", &small, "--from", "csf", "--to", "coo3"], 1);
    assert!(message.contains("`csf` for those of order 3"), "{message}");
    // Coordinates that 32 bits do not hold.
    let diagonals = file(folder.path(), "d.pleach", "format diag(i, j) = (j - i): compressed, i: compressed\n");
    let wide = file(folder.path(), "w.tns", "# dimensions: 3000000000 3000000000\n1 3000000000 5\n");
    let message = failure(&["convert", &wide, &out("w.plg"), "--with", &diagonals, "--to", "diag"], 1);
    assert!(message.contains("5999999999 coordinates, and 32 bits for each"), "{message}");
    // SciPy keeps a column for each diagonal.
    let entries: String = (1..=3000).map(|j| format!("1 {j} 1\n")).collect();
    let row =
        file(folder.path(), "r.mtx", &format!("%%MatrixMarket matrix coordinate real general\n1 3000 3000\n{entries}"));
    let message = failure(&["convert", &row, &out("r.npz"), "--to", "dia"], 1);
    assert!(message.contains("9000000 places in diagonals for 3000 entries"), "{message}");
    // What is printed is not converted, too.
    failure(&["convert", &small, &out("b.plg"), "--to", "csr", "--emit", "plan"], 2);
    let cube = file(folder.path(), "c.tns", "1 1 1 1\n2 2 2 2\n");
    let message = failure(&["data", "info", &cube, "--plot", &out("c.svg")], 2);
    assert!(message.contains("--plot is for a matrix"), "{message}");
    // SciPy's formats are told by their levels, and not by names.
    let own = "format bcsr_t(i, j) = (j / 2): dense, (i / 2): compressed, (j % 2): dense, (i % 2): dense\n\
               format blocks(r, c) = (r / 1): dense, (c / 2): compressed, (r % 1): dense, (c % 2): dense\n\
               format rows(r, c) = r: dense, c: compressed\n";
    let own = file(folder.path(), "o.pleach", own);
    for format in ["bcsr_t", "(compressed(unordered), compressed)"] {
        let message = failure(&["convert", &small, &out("o.npz"), "--with", &own, "--to", format], 1);
        assert!(message.contains("SciPy has no format like"), "{format}: {message}");
    }
    for format in ["blocks", "rows"] {
        stdout(&["convert", &small, &out("o.npz"), "--with", &own, "--to", format]);
        assert_eq!(held(&out("o.npz")), held(&small), "{format}");
    }
}

#[test]
fn a_pair_of_levels_may_have_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), "a.mtx", SMALL);
    for (pair, levels) in [
        ("dense,blist<4>", "i: dense, j: blist<4>"),
        ("btree<2, 3>,ctree", "i: btree<2, 3>, j: ctree"),
        ("bst, blist< 4 >", "i: bst, j: blist<4>"),
    ] {
        let object = json(&["convert", &small, "--json", "--to", pair]);
        assert!(object["format"].as_str().unwrap().ends_with(levels), "{pair}: {object}");
    }
    // The comma in the parameters of one format parts no levels.
    let blocks = json(&["convert", &small, "--json", "--to", "bcsr<2,2>"]);
    assert!(blocks["format"].as_str().unwrap().starts_with("bcsr_2_2("), "{blocks}");
    assert!(failure(&["convert", &small, "--to", "dense,blist<4"], 2).contains("expected"));
}

/// A `singleton` level is refused if some position above it has several coordinates, or none.
#[test]
fn formats_that_cannot_keep_the_entries_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let several = file(folder.path(), "a.mtx", SMALL);
    for format in ["(dense, singleton)", "(compressed, singleton)", "(hashed, singleton)", "(bst, singleton(padded))"] {
        for arguments in [&["--to", format][..], &["--to", format, "--force"], &["--from", format, "--to", "csr"]] {
            let message = failure(&[&["convert", &several, &out("b.mtx")][..], arguments].concat(), 1);
            assert!(message.contains("`j: singleton") && message.contains("would lose entries"), "{format}: {message}");
        }
    }
    assert!(!Path::new(&out("b.mtx")).exists());
    // At most one entry in each row, and none in the second one.
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let few = file(folder.path(), "c.mtx", &format!("{header}3 4 2\n1 2 5\n3 4 -1\n"));
    for format in ["(dense, singleton)", "(hashed, singleton)"] {
        let message = failure(&["convert", &few, &out("c.plg"), "--to", format], 1);
        assert!(message.contains("some positions have none; `singleton(padded)` marks them"), "{format}: {message}");
    }
    for format in ["(dense, singleton(padded))", "(compressed, singleton)", "(hashed, singleton(padded))"] {
        stdout(&["convert", &few, &out("c.plg"), "--to", format]);
        stdout(&["convert", &out("c.plg"), &out("d.mtx"), "--to", "csc"]);
        assert_eq!(held(&out("d.mtx")), held(&few), "{format}");
    }
}

/// An entry that is not stored has the fill as its value, and zero may be a stored entry.
#[test]
fn places_that_hold_the_fill_are_no_entries() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let input = file(folder.path(), "a.mtx", &format!("{header}2 3 2\n1 1 0\n2 3 5\n"));
    let own = "format rows(i, j) = i: dense, j: compressed fill inf\n\
               format full(i, j) = i: dense, j: dense fill inf\n\
               format blocks(i, j) = (i / 2): dense, (j / 2): compressed, (i % 2): dense, (j % 2): dense fill inf\n";
    let own = file(folder.path(), "o.pleach", own);
    for format in ["full", "blocks", "rows"] {
        // A list of entries has the fill 0, and not infinity.
        let to = ["--with", &own, "--from", "rows", "--to", format, "--force"];
        stdout(&[&["convert", &input, &out("b.tns")][..], &to].concat());
        let written = std::fs::read_to_string(out("b.tns")).unwrap();
        assert_eq!(written, "# dimensions: 2 3\n1 1 0\n2 3 5\n", "{format}");
        assert_eq!(json(&[&["convert", &input, "--json"][..], &to].concat())["entries"], 2, "{format}");
        // SciPy's formats with padding have the fill 0.
        let npz = out("b.npz");
        let npz = [&["convert", &input, &npz][..], &to].concat();
        match format {
            "rows" => _ = stdout(&npz),
            _ => assert!(failure(&npz, 1).contains(&format!("`{format}` has the fill inf"))),
        }
    }
}

/// A conversion to a format with another fill is refused, unless every place is stored.
#[test]
fn conversions_to_another_fill_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let input = file(folder.path(), "a.mtx", &format!("{header}2 3 3\n1 1 0\n1 3 2\n2 2 5\n"));
    let own = "format rinf(i, j) = i: dense, j: compressed fill inf\n\
               format minf(i, j) = i: dense, j: dense fill inf\n";
    let own = file(folder.path(), "f.pleach", own);
    let convert = |input: &str, output: &str, more: &[&str]| -> Vec<String> {
        let all = [&["convert", input, output, "--with", &own][..], more].concat();
        all.into_iter().map(str::to_owned).collect()
    };
    let refused = |input: &str, output: &str, more: &[&str]| failure(&convert(input, output, more), 1);
    let made = |input: &str, output: &str, more: &[&str]| stdout(&convert(input, output, more));
    let (rows, other, list) = (out("r.plg"), out("c.plg"), out("b.tns"));
    let message = refused(&input, &rows, &["--to", "rinf"]);
    assert!(message.contains("what is not stored is 0 in `coo`, and inf in `rinf`; --force converts"), "{message}");
    assert!(!Path::new(&rows).exists());
    made(&input, &rows, &["--to", "rinf", "--force"]);
    for to in [&["--to", "csr"][..], &["--to", "csr", "--transpose"], &["--from", "csr", "--to", "rinf"]] {
        let message = refused(&rows, &other, to);
        assert!(message.contains("what is not stored is inf in `") && message.contains("and 0 in `csr`"), "{message}");
    }
    for name in ["b.npz", "b.mtx", "b.tns"] {
        let message = refused(&rows, &out(name), &["--to", "rinf"]);
        assert!(
            message.contains("what is not stored is inf in `rinf`, and 0 in ") && message.contains(name),
            "{message}"
        );
        made(&rows, &out(name), &["--to", "rinf", "--force"]);
        assert_eq!(held(&out(name)), held(&input), "{name}");
    }
    assert!(refused(&rows, &list, &["--to", "matrix", "--transpose"]).contains("what is not stored is inf"));
    // Between formats of the same fill, zeros are entries, and other places stay infinite.
    made(&rows, &other, &["--to", "minf", "--transpose"]);
    made(&other, &list, &["--to", "minf", "--transpose", "--force"]);
    let want = "# dimensions: 2 3\n1 1 0\n1 3 2\n2 2 5\n";
    assert_eq!(std::fs::read_to_string(&list).unwrap(), want);
    made(&other, &rows, &["--to", "rinf", "--transpose"]);
    made(&rows, &list, &["--to", "rinf", "--force"]);
    assert_eq!(std::fs::read_to_string(&list).unwrap(), want);
    // If every place is stored, the fill does not matter.
    let full = file(folder.path(), "full.mtx", &format!("{header}1 2 2\n1 1 7\n1 2 0\n"));
    made(&full, &rows, &["--to", "rinf"]);
    made(&rows, &list, &["--to", "csr"]);
    assert_eq!(std::fs::read_to_string(&list).unwrap(), "# dimensions: 1 2\n1 1 7\n1 2 0\n");
}

/// Zeros in the input stay entries in formats without padding.
#[test]
fn zeros_are_kept_below_levels_with_empty_positions() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let input = file(folder.path(), "z.mtx", &format!("{header}3 4 3\n1 1 5\n2 4 0\n3 3 -1\n"));
    for format in ["(dense, compressed)", "(squeezed, compressed)", "(banded, compressed)", "(squeezed, list)"] {
        let text = stdout(&["convert", &input, &out("o.tns"), "--to", format, "--stats"]);
        assert!(text.contains("3 × 4, 3 entries") && text.contains("3 values, 100.0 % of them"), "{format}: {text}");
        let written = std::fs::read_to_string(out("o.tns")).unwrap();
        assert_eq!(written, "# dimensions: 3 4\n1 1 5\n2 4 0\n3 3 -1\n", "{format}");
    }
    let input = file(folder.path(), "z.tns", "2 3 4 5\n1 1 2 0\n");
    stdout(&["convert", &input, &out("o.tns"), "--to", "(squeezed, compressed, list)"]);
    assert_eq!(std::fs::read_to_string(out("o.tns")).unwrap(), "# dimensions: 2 3 4\n1 1 2 0\n2 3 4 5\n");
}

/// Tensors with an extent of 0 are read back.
#[test]
fn empty_intervals_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let own = file(folder.path(), "o.pleach", "format bands(i, j) = i: banded, j: banded\n");
    for (extents, format) in [("5 0", "skyline"), ("0 5", "banded"), ("0 5", "bands"), ("0 0", "bands")] {
        let text = format!("%%MatrixMarket matrix coordinate real general\n{extents} 0\n");
        let input = file(folder.path(), "a.mtx", &text);
        stdout(&["convert", &input, &out("b.plg"), "--with", &own, "--to", format]);
        stdout(&["convert", &out("b.plg"), &out("c.mtx"), "--with", &own, "--to", "csr"]);
        assert_eq!(std::fs::read_to_string(out("c.mtx")).unwrap(), text, "{format} of {extents}");
    }
}

#[test]
fn arrays_are_read_back_whatever_their_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), "a.mtx", SMALL);
    let out = |name: &str| folder.path().join(name).display().to_string();
    for (format, name) in [("dense,compressed", "a.plg"), ("csr", "A.PLG"), ("ell", "a.plg.zst")] {
        stdout(&["convert", &small, &out(name), "--to", format]);
        let renamed = out("renamed");
        std::fs::rename(out(name), &renamed).unwrap();
        stdout(&["convert", &renamed, &out("c.mtx"), "--to", "csr"]);
        assert_eq!(held(&out("c.mtx")), held(&small), "{format}");
    }
    stdout(&["convert", &small, &out("A.NPZ"), "--to", "csr"]);
    assert_eq!(held(&out("A.NPZ")), held(&small));
}

#[test]
fn stages_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let queries = stdout(&["convert", &input, "--from", "csr", "--to", "ell", "--emit", "queries"]);
    assert!(
        queries.contains("select [] -> max(#i) as slices") && queries.contains("forall(i, slices() max= A'(i))"),
        "{queries}"
    );
    let plan = stdout(&["convert", &input, "--from", "csr", "--to", "bcsr", "--emit", "plan"]);
    assert!(plan.contains("inserted") && plan.contains("where each was seen last is remembered"), "{plan}");
    let rust = stdout(&["convert", &input, "--from", "csr", "--to", "dia", "--emit", "rust"]);
    assert!(rust.contains("pub fn csr_to_dia("), "{rust}");
}

#[test]
fn a_store_may_be_named_as_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(folder.path(), "a.mtx", SMALL);
    let out = folder.path().join("out.mtx").display().to_string();
    for store in ["bst,ctree", "(bst, ctree)", "paged, packed"] {
        stdout(&["convert", &small, &out, "--to", store]);
        assert_eq!(held(&out), held(&small), "{store}");
    }
}

#[test]
fn mistakes_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let message = failure(&["convert", &input, "--to", "cssr"], 2);
    assert!(message.contains("csr"), "{message}");
    let message = failure(&["convert", &input, "--to", "csf"], 1);
    assert!(message.contains("of order 2, and `csf` for those of order 3"), "{message}");
    let nowhere = folder.path().join("nowhere/b.mtx").display().to_string();
    let message = failure(&["convert", &input, &nowhere, "--to", "csr"], 1);
    assert!(message.contains(&format!("cannot write {nowhere}: there is no directory ")), "{message}");
    let message = failure(&["convert", &input, "b.npz", "--to", "ell"], 1);
    assert!(message.contains("SciPy has no format like `ell`"), "{message}");
    // Arrays that do not fit the format are refused before any routine reads them.
    let arrays = folder.path().join("b.plg").display().to_string();
    stdout(&["convert", &input, &arrays, "--to", "csr"]);
    use pleach_datasets::plg::Archive;
    let archive = Archive::new("levels")
        .with("format", "csr")
        .with("levels", "csr(i, j) = i: dense, j: compressed")
        .with("rows", 2);
    let archive = archive.with("cols", 2).with_array("pos_2", &[0u64, 1, 9][..]).with_array("crd_2", &[0u32, 1][..]);
    archive.with_array("vals", &[1.0f64, 2.0][..]).write(&arrays).unwrap();
    let message = failure(&["convert", &arrays, "--to", "csc"], 1);
    assert!(message.contains("level 2"), "{message}");
}

#[test]
fn complex_matrices_are_refused_by_name() {
    let Some(folder) = data("complex_matrices_are_refused_by_name") else { return };
    let input = folder.join("matrices/qc324.cua.gz").display().to_string();
    let message = failure(&["convert", &input, "--to", "csr"], 1);
    assert!(message.contains("complex"), "{message}");
}

/// The fields of a list of entries in order.
fn list(tensor: &Coo) -> Vec<Value> {
    let entries = sums(tensor);
    let mut fields: Vec<Value> = tensor.dims.iter().map(|&n| Value::usize(n)).collect();
    fields.push(vec![0usize, entries.len()].into());
    for m in 0..tensor.order() {
        fields.push(entries.keys().map(|c| c[m]).collect::<Vec<u32>>().into());
    }
    fields.push(entries.values().copied().collect::<Vec<f64>>().into());
    fields
}

/// Conversions, each generated once for all tensors.
struct Routines {
    session: Session,
    programs: BTreeMap<(String, String), Program>,
}

impl Routines {
    fn new() -> Routines {
        Routines { session: Session::bundled(), programs: BTreeMap::new() }
    }

    fn format(&self, name: &str) -> Format {
        self.session.format(name).unwrap()
    }

    fn run(&mut self, from: &str, to: &str, fields: &[Value], context: &str) -> Vec<Value> {
        let key = (from.to_owned(), to.to_owned());
        if !self.programs.contains_key(&key) {
            let conversion = convert(&self.format(from), &self.format(to), ValueType::F64).unwrap();
            self.programs.insert(key.clone(), Compile::new().compile(&conversion.kernel).unwrap());
        }
        let made = self.programs[&key].run(&mut fields.to_vec(), Limits::default());
        made.unwrap_or_else(|why| panic!("{context}: {from} to {to}: {why}"))
    }

    /// What the fields of a tensor hold, zeros left out.
    fn holds(&self, format: &str, dims: &[usize], fields: &[Value], context: &str) -> BTreeMap<Vec<u32>, f64> {
        let mut all: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        let format = self.format(format);
        unpack_with(&format, dims, ValueType::F64, fields, &mut |coords, value| {
            let twice = all.insert(coords.iter().map(|&c| c as u32).collect(), value.float());
            assert!(twice.is_none(), "{context}: {format} keeps {coords:?} twice");
        })
        .unwrap_or_else(|why| panic!("{context}: {format}: {why}"));
        all.retain(|_, value| *value != 0.0);
        all
    }

    /// Converts `from` each format to each other one, and compares what they hold.
    fn pairs(&mut self, tensor: &Coo, first: &str, formats: &[&str], all: bool, context: &str) {
        let want = sums(tensor);
        let fields = list(tensor);
        let mut made = BTreeMap::new();
        for format in formats {
            let at = |m: usize, e: usize| tensor.coords[m][e] as usize;
            let size = pleach_codegen::convert::size_of(&self.format(format), &tensor.dims, tensor.nnz(), &at);
            if size.values() > (if FULL { 1 << 20 } else { 1 << 17 }).max(16 * tensor.nnz() as u128) {
                eprintln!("{context}: `{format}` would keep {} values, and is left out", size.values());
                continue;
            }
            let fields = self.run(first, format, &fields, context);
            assert_eq!(self.holds(format, &tensor.dims, &fields, context), want, "{context}: {first} to {format}");
            made.insert(*format, fields);
        }
        for (from, fields) in &made {
            for (to, known) in made.iter().filter(|(to, _)| all || **to == first) {
                // Most formats keep a tensor in one way only. Arrays that are equal to those that have been read hold the same.
                let again = self.run(from, to, fields, context);
                if again != *known {
                    assert_eq!(self.holds(to, &tensor.dims, &again, context), want, "{context}: {from} to {to}");
                }
            }
        }
    }
}

/// Matrices between each two formats, if they are small; larger ones from a list to each format and back; the largest ones by night only.
#[test]
fn published_matrices_between_all_formats() {
    let Some(folder) = data("published_matrices_between_all_formats") else { return };
    let (small, large) = if FULL { (4000, usize::MAX) } else { (1500, 20_000) };
    let (mut routines, mut read) = (Routines::new(), 0);
    for entry in std::fs::read_dir(folder.join("matrices")).unwrap() {
        let file = entry.unwrap().path();
        let context = file.file_name().unwrap().to_string_lossy().into_owned();
        match read_tensor(&file, &Options::default()) {
            Ok(matrix) if matrix.nnz() > large => eprintln!("{context}: left to the tests by night"),
            Ok(matrix) => {
                read += 1;
                routines.pairs(&matrix, "coo", FORMATS, matrix.nnz() <= small, &context);
            }
            Err(why) => assert!(why.to_string().contains("complex") && context.contains("cua"), "{context}: {why}"),
        }
    }
    assert!(read >= if FULL { 16 } else { 13 }, "{read} matrices");
}

#[test]
fn published_tensors_between_all_formats() {
    let Some(folder) = data("published_tensors_between_all_formats") else { return };
    let mut routines = Routines::new();
    for entry in std::fs::read_dir(folder.join("tensors")).unwrap() {
        let file = entry.unwrap().path();
        let tensor = read_tensor(&file, &Options::default()).unwrap();
        // As many entries as the interpreter takes in a moment, and by night in some seconds.
        let mut part = Coo::new(tensor.dims.clone());
        for k in (0..tensor.nnz()).step_by(1 + tensor.nnz() / if FULL { 20_000 } else { 2000 }) {
            let coords: Vec<u32> = tensor.coords.iter().map(|mode| mode[k]).collect();
            part.push(&coords, tensor.values[k]);
        }
        let context = file.file_name().unwrap().to_string_lossy().into_owned();
        routines.pairs(
            &part,
            "coo3",
            &[
                "coo3",
                "coo_ikj",
                "coo_jik",
                "coo_jki",
                "coo_kij",
                "coo_kji",
                "csf",
                "csf_ikj",
                "csf_jik",
                "csf_jki",
                "csf_kij",
                "csf_kji",
                "hicoo3",
                "(dense, compressed, compressed)",
                "(bst, bst, bst)",
            ],
            true,
            &context,
        );
    }
}

/// SciPy, if it is installed: what a program prints.
fn scipy(program: &str, arguments: &[&str]) -> Option<String> {
    let run = |code: &str, arguments: &[&str]| {
        Command::new("python3")
            .arg("-c")
            .arg(code)
            .args(arguments)
            .output()
            .ok()
            .filter(|output| output.status.success())
    };
    run("import scipy.sparse", &[])?;
    let output = Command::new("python3").arg("-c").arg(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn scipy_reads_what_is_written_and_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", &SMALL.replace("5 4 7\n5 1", "8 4 7\n5 1"));
    let program = "
import sys, scipy.sparse as s
m = s.load_npz(sys.argv[1])
assert m.format == sys.argv[2], m.format
c = m.tocoo(); c.sum_duplicates()
print(m.shape, sorted((int(i), int(j), float(v)) for i, j, v in zip(c.row, c.col, c.data) if v))
s.save_npz(sys.argv[3], m)
";
    for (format, name) in [("csr", "csr"), ("csc", "csc"), ("coo", "coo"), ("dia", "dia"), ("bcsr<2, 2>", "bsr")] {
        let out = folder.path().join(format!("{name}.npz")).display().to_string();
        let again = folder.path().join(format!("{name}_again.npz")).display().to_string();
        stdout(&["convert", &input, &out, "--to", format]);
        let Some(seen) = scipy(program, &[&out, name, &again]) else {
            eprintln!("skipped: SciPy is not installed in the `python3` that `PATH` names");
            return;
        };
        let want: Vec<String> = held(&input).iter().map(|(c, v)| format!("({}, {}, {v:?})", c[0], c[1])).collect();
        assert_eq!(seen.trim(), format!("(8, 4) [{}]", want.join(", ")), "{format}");
        let back = folder.path().join("back.mtx").display().to_string();
        stdout(&["convert", &again, &back, "--to", "csr"]);
        assert_eq!(held(&back), held(&input), "{format}");
    }
}

#[test]
fn what_is_false_in_a_matrix_of_scipy_is_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let program = "
import sys, scipy.sparse as s
m = s.csr_matrix(([True, False, True], [0, 1, 2], [0, 2, 3]), shape=(2, 3))
s.save_npz(sys.argv[1], m.asformat(sys.argv[2]))
";
    for format in ["csr", "csc", "coo"] {
        let path = folder.path().join(format!("{format}.npz")).display().to_string();
        if scipy(program, &[&path, format]).is_none() {
            eprintln!("skipped: SciPy is not installed in the `python3` that `PATH` names");
            return;
        }
        let back = folder.path().join("back.mtx").display().to_string();
        stdout(&["convert", &path, &back, "--to", "coo"]);
        assert_eq!(held(&back), BTreeMap::from([(vec![0, 0], 1.0), (vec![1, 2], 1.0)]), "{format}");
    }
}

/// The arrays of a format are operands of an expression as lists of entries are, and are no graph. A store is written as the list of its
/// entries, which is a graph where it has as many rows as columns.
#[test]
fn arrays_of_formats_are_operands() {
    let folder = tempfile::tempdir().unwrap();
    let input = file(folder.path(), "a.mtx", SMALL);
    let square = file(folder.path(), "b.mtx", &SMALL.replace("5 4 7\n5 1", "5 5 7\n5 1"));
    let arrays = folder.path().join("a.plg").display().to_string();
    let rows = |path: &str| stdout(&["eval", "y(i) = A(i,j) * x(j)", &format!("A={path}"), "x=2"]);
    for format in ["csr", "csc", "coo", "hicoo", "bcsr<2, 2>"] {
        for matrix in [&input, &square] {
            stdout(&["convert", matrix, &arrays, "--to", format]);
            assert_eq!(rows(&arrays), rows(matrix), "{format}");
            let refused = failure(&["run", "cc", &arrays], 1);
            assert!(refused.contains("a.plg"), "{format}: {refused}");
            assert!(refused.contains("`pleach convert` and `pleach eval` read"), "{format}: {refused}");
        }
    }
    stdout(&["convert", &input, &arrays, "--to", "(dense, ctree)"]);
    assert_eq!(rows(&arrays), rows(&input));
    let refused = failure(&["run", "cc", &arrays], 1);
    assert!(refused.contains("a.plg is a matrix of 5 rows and 4 columns; a graph has as many of both"), "{refused}");
    stdout(&["convert", &square, &arrays, "--to", "(dense, ctree)"]);
    // Entries join 5 with 1 and 4, 1 with 4, and 3 with 2.
    for graph in [&arrays, &square] {
        let found = json(&["run", "cc", graph, "--json"]);
        assert_eq!(found["result"]["components"], 2, "{graph}: {found}");
    }
}
