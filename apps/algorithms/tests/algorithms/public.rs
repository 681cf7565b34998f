//! What the public crates promise of their options and errors: that more may be added without breaking users, and that each option states
//! its default.

use std::path::{Path, PathBuf};

/// The sources of the public crates, from the root of the repository.
const CRATES: [&str; 7] = [
    "codegen/src",
    "codegen/runtime/src",
    "engine/src",
    "engine/erased/src",
    "engine/log/src",
    "datasets/src",
    "apps/algorithms/src",
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
    Some(&name[..name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len())])
}

/// Whether a type has setters among its own methods.
fn has_setters(text: &str, name: &str) -> bool {
    let own = [format!("\nimpl {name} {{\n"), format!("\nimpl<V> {name}<V> {{\n")];
    own.iter()
        .filter_map(|own| text.split_once(own.as_str()))
        .any(|(_, methods)| methods.split("\n}\n").next().is_some_and(|methods| methods.contains("pub fn with_")))
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
            if let Some(name) = item(line, "pub enum ").filter(|name| name.ends_with("Error")) {
                errors += 1;
                if !may_grow() {
                    wrong.push(format!("{}: `{name}` is not `#[non_exhaustive]`", file.display()));
                }
            }
            // Options are what can be made without any argument and has setters.
            let Some(name) = item(line, "pub struct ") else { continue };
            let has_default = text.contains(&format!("Default for {name}"))
                || above(&lines, at).iter().any(|line| line.starts_with("#[derive(") && line.contains("Default"));
            if !has_default || !(name.ends_with("Options") || has_setters(&text, name)) {
                continue;
            }
            options += 1;
            if !may_grow() {
                wrong.push(format!("{}: `{name}` is not `#[non_exhaustive]`", file.display()));
            }
            let mut words = String::new();
            for line in lines[at + 1..].iter().take_while(|line| **line != "}") {
                if let Some(field) = item(line.trim_start(), "pub ") {
                    if !["efault", "unless"].iter().any(|word| words.contains(word)) {
                        wrong.push(format!("{}: `{name}::{field}` does not state its default", file.display()));
                    }
                    words.clear();
                } else {
                    words += line;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if files.iter().any(|file| file.ends_with("graph/options.rs")) {
        assert!(errors >= 15 && options >= 10, "{errors} error enums and {options} option structs were found");
    }
}
