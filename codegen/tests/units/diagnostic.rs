//! Messages: how they are drawn under the text, and what they suggest.

use pleach_codegen::diagnostic::{Diagnostic, Diagnostics, Span, line_column, nearest};

#[test]
fn draws_the_line_and_the_carets() {
    let source = "def prefix {\n\te : elem[M] nonempty\n}\n";
    let at = source.find('M').unwrap();
    let rendered = Diagnostic::new(at..at + 1, "nothing is called `M`")
        .label("not a size")
        .related(4..10, "in this node")
        .note("sizes are fields")
        .help("add a field `M : size`")
        .render("ctree.schema", source);
    let expected = "\
error: nothing is called `M`
 --> ctree.schema:2:11
  |
2 |  e : elem[M] nonempty
  |           ^ not a size
  |
1 | def prefix {
  |     ------ in this node
  |
  = note: sizes are fields
  = help: add a field `M : size`
";
    assert_eq!(rendered, expected);
}

#[test]
fn marks_the_end_of_the_text_and_stretches_over_lines() {
    assert_eq!(
        Diagnostic::new(3..3, "expected `}`").render("x", "ab\n"),
        "error: expected `}`\n --> x:2:1\n  |\n2 |\n  | ^\n"
    );
    assert_eq!(
        Diagnostic::new(1..5, "over two lines").render("x", "abc\ndef"),
        "error: over two lines\n --> x:1:2\n  |\n1 | abc\n  |  ^^\n"
    );
}

#[test]
fn survives_spans_outside_the_text_and_inside_characters() {
    for (start, end) in [(0, 0), (1, 2), (2, 1), (100, 200), (0, usize::MAX)] {
        let rendered = Diagnostic::new(Span::new(start, end), "m").render("x", "ä\r\nö");
        assert!(rendered.starts_with("error: m\n --> x:"), "{rendered}");
    }
    assert_eq!(line_column("äö\nü", 2), (1, 2));
    assert_eq!(line_column("äö\nü", 5), (2, 1));
    assert_eq!(line_column("", 0), (1, 1));
}

#[test]
fn shows_a_part_of_a_long_line() {
    let source = "x".repeat(100_000);
    let rendered = Diagnostic::new(50_000..50_004, "m").render("x", &source);
    assert!(rendered.len() < 1000, "{rendered}");
    let lines: Vec<&str> = rendered.lines().collect();
    let caret = lines[4].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[3].chars().nth(caret), Some('x'));
    assert_eq!(lines[4].matches('^').count(), 4);
}

#[test]
fn finds_what_was_meant() {
    assert_eq!(nearest("Ctree", ["bst", "ctree", "btree"]), Some("ctree"));
    assert_eq!(nearest("nonemtpy", ["nonempty", "delta"]), Some("nonempty"));
    assert_eq!(nearest("quux", ["bst", "ctree"]), None);
}

#[test]
fn collects_in_the_order_of_the_source() {
    let mut all = Diagnostics::new();
    all.push(Diagnostic::new(5..6, "second"));
    all.push(Diagnostic::new(1..2, "first"));
    assert_eq!(all.into_result(()).unwrap_err().to_string(), "first; second");
    assert_eq!(Diagnostics::new().into_result(7), Ok(7));
}
