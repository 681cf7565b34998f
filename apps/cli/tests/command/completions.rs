//! `pleach completions`: what shells offer.

use std::fs;
use std::process::Command;

use crate::common::stdout;

/// What bash offers for the last of these words.
fn offered_by_bash(script: &str, words: &[&str]) -> Vec<String> {
    let line = format!(
        "source {script}; COMP_WORDS=({}); COMP_CWORD={}; COMP_LINE='{}'; _pleach_parts pleach \"${{COMP_WORDS[COMP_CWORD]}}\" \
         \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1,
        words.join(" ")
    );
    let output = Command::new("bash").args(["-c", &line]).output().expect("bash starts");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_lists_and_values() {
    if Command::new("bash").arg("--version").output().is_err() {
        return eprintln!("skipped, because there is no bash");
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("pleach.bash");
    fs::write(&script, stdout(&["completions", "bash"])).unwrap();
    let offered = |words: &[&str]| offered_by_bash(script.to_str().unwrap(), words);
    assert_eq!(offered(&["pleach", "run", "cc,bf"]), ["cc,bfs"]);
    assert_eq!(offered(&["pleach", "run", "louv"]), ["louvain"]);
    assert_eq!(offered(&["pleach", "eval", "-f", "A", "=", "mode_gen"]), ["mode_generic"]);
    assert_eq!(offered(&["pleach", "data", "write", "--to", "grap"]), ["graph", "graphml"]);
    assert_eq!(offered(&["pleach", "data", "gen", "rm"]), ["rmat:"]);
    assert_eq!(offered(&["pleach", "stream", "--app", "louv"]), ["louvain"]);
    assert_eq!(offered(&["pleach", "help", "expr"]), ["expressions"]);
}

#[test]
fn completions_offer_stores_formats_and_graphs() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&["completions", shell]);
        for offered in
            ["karate", "paged,packed", "aspen", "graphml", "mode_generic", "feather", "rmat:", "louvain", "expressions"]
        {
            assert!(script.replace('\\', "").contains(offered), "{shell} does not offer {offered}");
        }
    }
    let zsh = stdout(&["completions", "zsh"]);
    assert!(zsh.contains("_alternative \"files:file:_files\""), "paths are offered beside names");
    assert!(!stdout(&["run", "bfs", "--help"]).contains("paged,ctree"), "help stays short");
}
