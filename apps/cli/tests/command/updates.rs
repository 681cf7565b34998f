//! `pleach stream`: how lines and options are understood that a file of edges has, too.

use crate::common::{Folder, errors, failure, stdout};

/// Weights below a heading are left out where the graph has none, as weights without a heading are.
#[test]
fn a_heading_changes_nothing_about_weights() {
    let folder = Folder::new();
    for (name, text) in [("a", "1,2,1,5\n"), ("b", "source,target,weight,time\n1,2,1,5\n")] {
        let updates = folder.file(name, text);
        let said = errors(&["stream", "empty", "--updates", &updates]);
        assert_eq!(said, "read as: src dst weight time, weights are left out (--weighted keeps them)\n", "{name}");
        let saved = folder.path(&format!("{name}.wel"));
        stdout(&["stream", "empty", "--updates", &updates, "--weighted", "--save", &saved]);
        assert_eq!(folder.read(&format!("{name}.wel")), "1 2 1\n");
    }
    // Where the columns are named, or lines say what they do, a weight is meant.
    let updates = folder.file("c", "op,source,target,weight\n+,1,2,3\n");
    assert!(errors(&["stream", "empty", "--updates", &updates]).contains("the line has a weight"));
}

#[test]
fn options_without_effect_are_refused() {
    let folder = Folder::new();
    let updates = folder.file("u", "1 2\n2 3\n");
    for option in [&["--time-digits", "3"][..], &["--late", "5"], &["--sort-time"]] {
        let all = [&["stream", "empty", "--updates", &updates], option].concat();
        assert!(failure(&all, 2).contains(&format!("{}: the updates have no times", option[0])), "{option:?}");
    }
    let plot = folder.path("y.svg");
    let app = format!("pagerank --plot {plot}");
    assert!(
        failure(&["stream", "empty", "--updates", &updates, "--app", &app], 2).contains("a stream draws no --plot")
    );
}

#[test]
fn the_largest_values_are_printed() {
    let folder = Folder::new();
    let updates = folder.file("u", "1 2\n2 3\n7 8\n");
    let text = stdout(&["stream", "empty", "--updates", &updates, "--app", "cc --top 3"]);
    let largest: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(largest, ["           7  2", "           1  3"], "{text}");
    let names = folder.file("n", "ann,bob\nbob,cid\nbob,dan\n");
    let text = stdout(&["stream", "empty", "--names", "--updates", &names, "--app", "degree --top 1"]);
    assert!(text.ends_with("         bob  2\n"), "{text}");
}
