//! What the public crates promise of their options and errors: that more may be added without breaking users, and that each option states
//! its default.

use std::path::{Path, PathBuf};

/// The sources of the public crates, from the root of the repository.
const CRATES: [&str; 14] = [
    "schemas/catalog/src",
    "codegen/src",
    "codegen/runtime/src",
    "codegen/macros/src",
    "engine/src",
    "engine/erased/src",
    "engine/log/src",
    "datasets/src",
    "apps/algorithms/src",
    "apps/compiled/src",
    "apps/server/src",
    "benches/measure/src",
    "benches/memory/src",
    "cluster/src",
];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The lines before one, back to the last that is empty: documentation and attributes.
fn above<'t>(lines: &[&'t str], at: usize) -> Vec<&'t str> {
    lines[..at].iter().rev().take_while(|line| !line.trim().is_empty()).copied().collect()
}

/// The name behind a keyword that begins a line.
fn item<'t>(line: &'t str, keyword: &str) -> Option<&'t str> {
    let name = line.strip_prefix(keyword)?;
    Some(&name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())])
}

/// A type's own methods.
fn methods<'t>(text: &'t str, name: &str) -> &'t str {
    let own = [format!("\nimpl {name} {{\n"), format!("\nimpl<V> {name}<V> {{\n")];
    let of = |own: &String| text.split_once(own.as_str())?.1.split("\n}\n").next();
    own.iter().find_map(of).unwrap_or("")
}

/// The attributes of an item that derive traits.
fn derives(lines: &[&str], at: usize, name: &str) -> bool {
    let derived = |line: &&str| line.starts_with("#[derive(") && line.contains(name);
    above(lines, at).iter().any(derived)
}

/// The fields of an option struct that do not state their defaults. A field that the constructor takes has none.
fn without_default<'t>(body: &[&'t str], methods: &str) -> Vec<&'t str> {
    let arguments = methods.split_once("pub fn new(").map_or("", |(_, rest)| &rest[..rest.find("->").unwrap_or(0)]);
    let (mut words, mut silent) = (String::new(), Vec::new());
    for line in body.iter().take_while(|line| **line != "}") {
        let Some(field) = item(line.trim_start(), "pub ") else {
            words += line;
            continue;
        };
        let says = ["efault", "unless"].iter().any(|word| words.contains(word));
        if !says && !arguments.contains(&format!("{field}: ")) {
            silent.push(field);
        }
        words.clear();
    }
    silent
}

#[test]
fn errors_and_options_may_grow_and_options_state_their_defaults() {
    // A package that is tested outside of the repository has no other crates beside it.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut errors, mut options, mut wrong) = (0, 0, Vec::new());
    let mut files = Vec::new();
    CRATES.iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir()).for_each(|folder| {
        rust_files(&folder, &mut files);
    });
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let may_grow = || above(&lines, at).contains(&"#[non_exhaustive]");
            let mut must_grow = |name: &str| {
                if !may_grow() {
                    wrong.push(format!("{}: `{name}` is not `#[non_exhaustive]`", file.display()));
                }
            };
            if let Some(name) = item(line, "pub enum ")
                && (name.ends_with("Error") || derives(&lines, at, "Error"))
            {
                errors += 1;
                must_grow(name);
            }
            // Options are what is called so, and what can be made without any argument and has setters.
            let Some(name) = item(line, "pub struct ") else { continue };
            let methods = methods(&text, name);
            let has_default = text.contains(&format!("Default for {name}")) || derives(&lines, at, "Default");
            let is_called_so = ["Options", "Limits"].iter().any(|ending| name.ends_with(ending));
            if is_called_so || has_default && methods.contains("pub fn with_") {
                options += 1;
                must_grow(name);
                for field in without_default(&lines[at + 1..], methods) {
                    wrong.push(format!("{}: `{name}::{field}` does not state its default", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if files.iter().any(|file| file.ends_with("graph/options.rs")) {
        assert!(errors >= 60 && options >= 25, "{errors} error enums and {options} option structs were found");
    }
}
