//! `pleach compile` and `pleach eval`: expressions from the command line, stage by stage and computed.

use std::path::Path;

use crate::common::{failure, pleach, stdout};

const SPMV: &str = "y(i) = A(i,j) * x(j)";
const A: &str = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 3\n2 2 -1.5\n";

/// `A`, as an argument that names a file.
fn given(folder: &Path) -> String {
    let matrix = folder.join("a.mtx");
    std::fs::write(&matrix, A).unwrap();
    format!("A={}", matrix.display())
}

#[test]
fn every_stage_of_an_expression_is_shown() {
    let show = |emit: &str| stdout(&["compile", SPMV, "-f", "A=csr", "--emit", emit]);
    assert!(
        show("concrete").contains("forall(i, y(i) = t where forall(j, t += A(i,j) * x(j)))"),
        "{}",
        show("concrete")
    );
    let plan = show("plan");
    assert!(
        plan.contains("  access A(i,j)  direct ") && plan.contains("fill  loop j    walk          A(i,j)"),
        "{plan}"
    );
    assert!(show("ir").contains("kernel compute"), "{}", show("ir"));
    let rust = show("rust");
    assert!(rust.contains("pub fn compute(") && rust.contains("a: CsrView<'_, f64>"), "{rust}");
    assert!(rust.contains("::pleach::runtime::"), "{rust}");
    let moved = stdout(&["compile", SPMV, "-f", "A=(dense, ctree)", "--runtime", "::pleach_runtime"]);
    assert!(moved.contains("a: &impl ::pleach_runtime::Rows<Value = f64>"), "{moved}");
}

#[test]
fn a_file_becomes_its_modules() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.pleach");
    let text = "store link { def cell { e : elem nonempty  n : cell  seq = e, n }  def first { h : cell  seq = h } }\n\
                kernel dot(x: link, y: dense) -> t: f64 { t = x(i) * y(i) }\n";
    std::fs::write(&file, text).unwrap();
    let rust = stdout(&["compile", file.to_str().unwrap()]);
    assert!(rust.contains("pub struct Link<") && rust.contains("pub fn dot<"), "{rust}");
    std::fs::write(&file, "kernel f(A: csr) -> t: f64 { t = A(i) }\n").unwrap();
    let message = failure(&["compile", file.to_str().unwrap()], 1);
    assert!(message.contains("mine.pleach:1:34"), "{message}");
    assert!(failure(&["compile", "absent.pleach"], 1).contains("absent.pleach"));
    assert!(failure(&["compile", file.to_str().unwrap(), "-f", "A=csr"], 2).contains("for an expression"));
}

#[test]
fn files_in_any_order_are_sorted_below_levels_in_no_order() {
    let folder = tempfile::tempdir().unwrap();
    let entries = folder.path().join("a.tns");
    std::fs::write(&entries, "2 2 -1.5\n1 3 3\n2 1 4\n1 1 2\n").unwrap();
    let (a, b) = (format!("A={}", entries.display()), format!("B={}", entries.display()));
    for format in ["A=(blist_unsorted, compressed)", "A=(blist_unsorted, ctree)", "A=coo", "A=dcsr"] {
        // 9 + 4 + 2.25 + 16
        let squares = ["eval", "t = A(i,j) * B(i,j)", "-f", format, "-f", "B=csr", &a, &b];
        assert_eq!(stdout(&squares), "31.25\n", "{format}");
    }
}

#[test]
fn expressions_are_computed_on_files() {
    let folder = tempfile::tempdir().unwrap();
    let a = given(folder.path());
    for format in ["csr", "csc", "coo", "dcsr", "ell", "dia", "bcsr<2, 2>", "dok", "aspen", "(dense, blist)", "matrix"]
    {
        let format = format!("A={format}");
        assert_eq!(stdout(&["eval", SPMV, "-f", &format, &a, "x=2"]), "1 10\n2 -3\n", "{format}");
        assert_eq!(stdout(&["eval", "t = A(i,j)", "-f", &format, &a]), "3.5\n", "{format}");
    }
    let out = folder.path().join("c.mtx");
    let product = ["eval", "C(i,j) = alpha * A(i,k) * A(j,k)", "-f", "A=csr", "-f", "C=csr", &a, "alpha=2", "-o"];
    assert_eq!(stdout(&[&product[..], &[out.to_str().unwrap()]].concat()), "");
    let c = format!("C={}", out.display());
    assert_eq!(stdout(&["eval", "t max= C(i,j)", "-f", "C=coo", &c]), "26\n");
    // A list of coordinates reaches as far as the others say.
    let tensor = folder.path().join("b.tns");
    std::fs::write(&tensor, "1 1 10\n2 1 20\n").unwrap();
    let b = format!("B={}", tensor.display());
    let sum =
        stdout(&["eval", "C(i,j) = A(i,j) + B(i,j)", "-f", "A=csr", "-f", "B=(dense, bst)", "-f", "C=csr", &a, &b]);
    assert_eq!(sum, "1 1 12\n1 3 3\n2 1 20\n2 2 -1.5\n");
    // Added to what is there.
    let y = folder.path().join("y.tns");
    std::fs::write(&y, "1 100\n2 200\n").unwrap();
    let y = format!("y={}", y.display());
    let timed = pleach(&["eval", "y(i) += A(i,j)", "-f", "A=csr", &a, &y, "--time", "3", "--emit", "ir"]);
    assert_eq!(String::from_utf8(timed.stdout).unwrap(), "1 105\n2 198.5\n");
    let printed = String::from_utf8(timed.stderr).unwrap();
    assert!(printed.contains("kernel compute") && printed.contains("the median of 3"), "{printed}");
}

#[test]
fn results_may_be_read_by_later_statements() {
    let folder = tempfile::tempdir().unwrap();
    let a = given(folder.path());
    let eval = |text: &str| stdout(&["eval", text, "-f", "A=csr", &a]);
    // The rows add up to 5 and -1.5.
    assert_eq!(eval("y(i) = A(i,j); y(i) += y(i)"), "1 10\n2 -3\n");
    assert_eq!(eval("y(i) = A(i,j); y(i) = y(i) * 2"), "1 10\n2 -3\n");
    assert_eq!(eval("s = A(i,j); s += s"), "7\n");
    // A step to the result of the last statement is none itself, unless that is the same.
    assert_eq!(eval("s = A(i,j); t = s * 2"), "7\n");
    assert_eq!(eval("s = A(i,j); t = s * 2; s = s + t"), "10.5\n");
    assert_eq!(eval("y(i) = A(i,j); y(i) = y(i) * 2; s = A(i,j)"), "# y\n1 10\n2 -3\n# s\n3.5\n");
}

#[test]
fn what_cannot_be_is_said_in_the_users_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let a = format!("A={}", file("a.mtx", A));
    let cube = format!("A={}", file("cube.tns", "1 1 1 2.0\n"));
    let huge =
        format!("A={}", file("huge.mtx", "%%MatrixMarket matrix coordinate real general\n90000 90000 1\n1 1 1\n"));
    for (arguments, status, message) in [
        (&["compile", "y(i) = "][..], 2, "expected"),
        (&["compile", SPMV, "-f", "B=csr"], 2, "no tensor `B`; it has y, A, x"),
        (&["compile", SPMV, "-f", "A"], 2, "TENSOR=FORMAT"),
        (&["compile", SPMV, "-f", "A=csrr"], 1, "did you mean `csr`?"),
        (&["compile", SPMV, "-f", "A=csf"], 1, "`A`"),
        (&["compile", SPMV, "-f", "A=csr", "-f", "A=csc"], 2, "twice"),
        (&["eval", "y(i) = A(j,k)", &a], 1, "index `i` is only on the left"),
        (&["eval", SPMV, "-f", "A=csr", &a], 2, "`x` has no values"),
        (&["eval", SPMV, "-f", "A=csr", &a, "x=absent.mtx"], 1, "absent.mtx"),
        (&["eval", SPMV, "-f", "A=csr", &cube, "x=1"], 1, "order 3, but `A` has 2 indices"),
        (&["eval", SPMV, "-f", "A=csr", &a, "x"], 2, "TENSOR=FILE"),
        (&["eval", SPMV, "-f", "A=csr", &a, "z=1"], 2, "no tensor `z`"),
        (&["eval", "t = x(i)", "x=1"], 2, "how large `x` is"),
        (&["eval", "t = alpha * A(i,j)", &a, "alpha=big"], 2, "no number"),
        (&["eval", "t = alpha * A(i,j)", &a], 2, "`alpha` has no value"),
        (&["eval", "t = A(i,j)", &huge], 1, "would keep 8100000000 values"),
        (&["eval", "t = A(i,j)", "-f", "A=csr", &a, "-o", "t.tns"], 2, "a scalar"),
        (&["eval", SPMV, "-f", "A=csr", &a, "x=1", "-o", "y.png"], 1, "y.png"),
    ] {
        let said = failure(arguments, status);
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    // Extents that do not agree.
    let b = format!("B={}", file("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n"));
    let said = failure(&["eval", "t = A(i,j) * B(i,j)", "-f", "A=csr", "-f", "B=csr", &a, &b], 1);
    assert!(said.contains("has extent 2") && said.contains("has extent 3"), "{said}");
}

#[test]
fn extents_come_from_files_that_say_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let a = format!("A={}", file("a.mtx", A));
    // A comment says the extents: they are held to.
    let sized = format!("x={}", file("my.tns.sized.tns", "# dimensions: 4\n1 10\n"));
    let said = failure(&["eval", SPMV, "-f", "A=csr", "-f", "x=sparse", &a, &sized], 1);
    assert!(said.contains("has extent 3") && said.contains("has extent 4"), "{said}");
    let fitting = format!("x={}", file("fitting.tns", "# dimensions: 3\n1 10\n"));
    assert_eq!(stdout(&["eval", SPMV, "-f", "A=csr", "-f", "x=sparse", &a, &fitting]), "1 20\n2 0\n");
    // Nothing says them: the list reaches as far as the others say, in a folder of whatever name.
    let inside = folder.path().join("x.tns.d");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("b.mtx"), "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n").unwrap();
    let b = format!("B={}", inside.join("b.mtx").display());
    let said = failure(&["eval", "t = A(i,j) * B(i,j)", "-f", "A=csr", "-f", "B=csr", &a, &b], 1);
    assert!(said.contains("has extent 2") && said.contains("has extent 3"), "{said}");
    // Tensors have extents and nonzeros, no vertices and edges.
    for (text, message) in [
        ("4000000000 1 1\n", "`A` as csr(i, j) = i: dense, j: compressed would keep 4000000000 values for 1 entries"),
        ("# dimensions: 2\n1 1 1\n", "expected 2 dimensions"),
        ("# dimensions: 2 2\n3 1 1\n", "a dimension of 3 or more"),
        ("1 x 1\n", "coordinate"),
        ("", "a graph or a tensor"),
    ] {
        let wrong = format!("A={}", file("wrong.tns", text));
        let said = failure(&["eval", "t = A(i,j)", "-f", "A=csr", &wrong], 1);
        assert!(said.contains(message), "{said}");
        assert!(!["vert", "edge"].iter().any(|word| said.contains(word)), "{said}");
    }
}

#[test]
fn products_of_wide_matrices_cost_what_their_entries_do() {
    let folder = tempfile::tempdir().unwrap();
    let extent = 1_000_000_000u64;
    // 1000 entries each; rows of the second are columns of the first.
    let entries = |shift: u64| -> Vec<(u64, u64, f64)> {
        (0..1000)
            .map(|n| (n * n * 977 % 991 * 1_000_003 + shift, n * 7919 % 997 * 1_000_003 + shift, 1.0 + (n % 5) as f64))
            .collect()
    };
    let (mut a, mut b) = (entries(0), entries(0));
    for list in [&mut a, &mut b] {
        list.sort_by_key(|entry| (entry.0, entry.1));
        list.dedup_by_key(|entry| (entry.0, entry.1));
    }
    let mut expected = std::collections::BTreeMap::new();
    for (i, k, x) in &a {
        for (_, j, y) in b.iter().filter(|entry| entry.0 == *k) {
            *expected.entry((*i, *j)).or_insert(0.0) += x * y;
        }
    }
    assert!(expected.len() > 500, "{} entries", expected.len());
    let file = |name: &str, entries: &[(u64, u64, f64)]| {
        let mut text = format!("# dimensions: {extent} {extent}\n");
        entries.iter().for_each(|(i, j, x)| text += &format!("{} {} {x}\n", i + 1, j + 1));
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (a, b) = (format!("A={}", file("a.tns", &a)), format!("B={}", file("b.tns", &b)));
    let shown: String = expected.iter().map(|((i, j), x)| format!("{} {} {x}\n", i + 1, j + 1)).collect();
    for [of_a, of_b, of_c] in [["dcsr"; 3], ["(bst, ctree)", "dcsr", "dcsr"], ["coo", "dcsr", "coo"]] {
        let formats = [format!("A={of_a}"), format!("B={of_b}"), format!("C={of_c}")];
        let [f, g, h] = formats.each_ref().map(String::as_str);
        let product = "C(i,j) = A(i,k) * B(k,j)";
        assert_eq!(stdout(&["eval", product, "-f", f, "-f", g, "-f", h, &a, &b]), shown, "{formats:?}");
    }
}

#[test]
fn wide_tensors_cost_what_their_entries_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let a = format!("A={}", file("a.tns", "# dimensions: 16000000 16000000\n7 9 3\n15000000 2 4\n"));
    for (format, expression, result) in [
        ("dcsr", "s min= A(i,j)", "0\n"),
        ("dcsr", "s max= A(i,j)", "4\n"),
        ("(bst, ctree)", "s min= A(i,j)", "0\n"),
        ("coo", "s = A(i,j) * A(i,j)", "25\n"),
    ] {
        assert_eq!(stdout(&["eval", expression, "-f", &format!("A={format}"), &a]), result, "{format}: {expression}");
    }
    let x = format!("x={}", file("x.tns", "# dimensions: 16000000\n1 1\n"));
    for (arguments, name, size, remedy) in [
        (&["C(i,j) = x(i) * x(j)", "-f", "x=sparse"][..], "`C`", "256000000000000 elements", "`-f C=csr`"),
        (&["T(i,j,k) = x(i) * x(j) * x(k)", "-f", "x=sparse"], "`T`", "elements", "`-f T=csf`"),
    ] {
        let said = failure(&[&["eval"], arguments, &[&x]].concat(), 1);
        assert!(said.contains(name) && said.contains(size) && said.contains(remedy), "{said}");
    }
    let said = failure(&["eval", "C(i,j) = A(i,j)", &a], 1);
    assert!(said.contains("`A` as") && said.contains("would keep 256000000000000 values"), "{said}");
}

#[test]
fn vectors_are_written_as_matrices_of_one_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("a.mtx"), A).unwrap();
    let (a, y) = (format!("A={}", path("a.mtx")), path("y.mtx"));
    assert_eq!(stdout(&["eval", "y(i) = A(i,j)", "-f", "A=csr", &a, "-o", &y]), "");
    let text = std::fs::read_to_string(&y).unwrap();
    assert_eq!(text, "%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 5\n2 1 -1.5\n");
    assert_eq!(stdout(&["eval", "t = y(i)", &format!("y={y}")]), "3.5\n");
}

#[test]
fn a_bad_format_is_reported_once() {
    let said = failure(&["compile", "C(i,j) = A(i,j) + B(i,j)", "-f", "A=csrr", "-f", "B=csr"], 1);
    assert_eq!(said.matches("there is no format called `csrr`").count(), 1, "{said}");
}

#[test]
fn formats_are_listed_where_none_is_near() {
    let said = failure(&["compile", SPMV, "-f", "A=rowwise"], 1);
    assert!(said.contains("there is no format called `rowwise`"), "{said}");
    assert!(said.contains("in scope are aspen, ") && said.contains(", csr, csr_unsorted, "), "{said}");
}

#[test]
fn a_tensor_may_be_a_graph_by_its_name() {
    assert_eq!(stdout(&["eval", "t = A(i,j)", "-f", "A=csr", "A=karate"]), "156\n");
    let said = failure(&["eval", "t = A(i,j)", "-f", "A=csr", "A=karte"], 1);
    assert!(said.contains("no bundled graph named `karte`") && said.contains("karate"), "{said}");
}

/// A `singleton` level keeps one coordinate for each position of the level above.
#[test]
fn formats_without_room_for_every_entry_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let a = given(folder.path());
    for format in ["(dense, singleton)", "(dense, singleton(padded))", "(compressed, singleton)"] {
        let said = failure(&["eval", "t = A(i,j)", "-f", &format!("A={format}"), &a], 1);
        assert!(said.contains("`A` does not fit its format: `j: singleton"), "{format}: {said}");
        assert!(said.contains("the position of the entry at (1, 3), counted from 1,"), "{format}: {said}");
        let said = failure(&["eval", "C(i,j) = A(i,j)", "-f", "A=csr", "-f", &format!("C={format}"), &a], 1);
        assert!(said.contains("`C` cannot be made: `j: singleton"), "{format}: {said}");
    }
    // At most one entry in each row, and none in the second one.
    let few = folder.path().join("few.mtx");
    std::fs::write(&few, "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 2 5\n3 4 -1\n").unwrap();
    let few = format!("A={}", few.display());
    let said = failure(&["eval", "t = A(i,j)", "-f", "A=(dense, singleton)", &few], 1);
    assert!(said.contains("some positions have none; `singleton(padded)` marks them"), "{said}");
    for format in ["(dense, singleton(padded))", "(compressed, singleton)"] {
        assert_eq!(stdout(&["eval", "t = A(i,j)", "-f", &format!("A={format}"), &few]), "4\n", "{format}");
    }
}

#[test]
fn what_becomes_of_a_sparse_tensor_is_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, lines: &str| {
        let path = folder.path().join(name);
        let count = lines.lines().count();
        std::fs::write(&path, format!("%%MatrixMarket matrix coordinate real general\n2 3 {count}\n{lines}")).unwrap();
        path.display().to_string()
    };
    let (a, d) = (path("a.mtx", "1 1 2\n1 3 3\n2 2 -1.5\n"), path("d.mtx", "1 3 1\n2 1 1\n"));
    let (a, d) = (format!("A={a}"), format!("D={d}"));
    const DELETE: &str = "A(i,j) = A(i,j) without D(i,j)";
    for format in ["csr", "csc", "dok", "aspen", "(dense, blist)"] {
        // Entries are printed in the order of the format.
        let eval = |expression: &str| {
            let text = stdout(&["eval", expression, "-f", &format!("A={format}"), "-f", "D=csr", &a, &d]);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(eval(DELETE), ["1 1 2", "2 2 -1.5"], "{format}");
        assert_eq!(eval("A(i,j) += D(i,j)"), ["1 1 2", "1 3 4", "2 1 1", "2 2 -1.5"], "{format}");
    }
    let rust = stdout(&["compile", DELETE, "-f", "A=csr", "-f", "D=csr"]);
    assert!(rust.contains("a: CsrView<'_, f64>") && rust.contains("-> Result<Csr<f64>,"), "{rust}");
}

#[test]
fn expressions_use_what_files_declare() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let a = format!("A={}", path("a.mtx", A));
    let shared = path("shared.pleach", "function twice(a) annihilator 0 = a * 2\n");
    let mine = path(
        "mine.pleach",
        "use \"shared.pleach\"\n\
         function wave(i, high) = high * (i % 2)\n\
         semiring widest { plus: max, zero: 0, times: min }\n\
         format rows(i, j) = i: dense, j: link\n\
         store link { def cell { e : elem nonempty  n : cell  seq = e, n }  def first { h : cell  seq = h } }\n\
         kernel other(x: dense) -> t: f64 { t = x(i) }\n",
    );
    let eval = |expression: &str, more: &[&str]| {
        let with = ["eval", expression, "--with", &mine, "-f", "A=rows", &a];
        stdout(&[&with[..], more].concat())
    };
    assert_eq!(eval("y(i) = twice(A(i,j))", &[]), "1 10\n2 -3\n");
    assert_eq!(eval("y(i) = A(i,j) * wave(j, high)", &["high=10"]), "1 0\n2 -15\n");
    assert_eq!(eval("y(i) = A(i,j) * x(j) over widest", &["x=2.5"]), "1 2.5\n2 0\n");
    let rust = stdout(&["compile", "y(i) = twice(A(i,j))", "-w", &shared, "-f", "A=csr"]);
    assert!(rust.contains("t += a * 2.0;"), "{rust}");
    let said = failure(&["eval", "y(i) = twice(A(i,j))", &a], 1);
    assert!(said.contains("twice"), "{said}");
    assert!(failure(&["eval", "t = A(i,j)", "--with", "absent.pleach", &a], 1).contains("absent.pleach"));
    let broken = path("broken.pleach", "function = 2\n");
    assert!(failure(&["eval", "t = A(i,j)", "-w", &broken, &a], 1).contains("broken.pleach:1"));
    assert!(failure(&["compile", &mine, "-w", &shared], 2).contains("by `use`"));
}
