//! The guide, the README and the other pages hold what they promise: links lead somewhere, commands print what is shown, notation
//! compiles, and the reference is that of the program.
//!
//! Rust in the guide runs as doc tests of the crates in `DOCTESTED`. `PLEACH_GUIDE=write` writes the reference pages, and the output
//! below the commands, anew. `.ci/book` builds the book by mdBook; what it would refuse or leave out is checked here too.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PLEACH: &str = env!("CARGO_BIN_EXE_pleach");

/// The root of the repository.
fn root() -> PathBuf {
    let mut folder = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    while !folder.join("docs/src/SUMMARY.md").exists() {
        assert!(folder.pop(), "docs/ is above the tests");
    }
    folder
}

/// All Markdown below `folder`, but not what is built.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(pages(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A fenced block: what stands behind the fence, its lines, and the number of its first line, counted from 0.
struct Block {
    kind: String,
    lines: Vec<String>,
    at: usize,
}

/// The fenced blocks of a page, and its other lines without them.
fn split(text: &str) -> (Vec<Block>, Vec<String>) {
    let (mut blocks, mut prose): (Vec<Block>, Vec<String>) = Default::default();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(kind) => {
                blocks.push(Block { kind: kind.trim().to_owned(), lines: Vec::new(), at: at + 1 });
                open = true;
            }
            None if open => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            None => prose.push(line.to_owned()),
        }
    }
    assert!(!open, "a block is not closed");
    (blocks, prose)
}

/// The targets of the links in some lines: `[text](target)` outside of code.
fn links(prose: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose {
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in text.split("](").skip(1) {
            found.extend(part.split(')').next().map(|target| target.split(' ').next().unwrap_or_default().to_owned()));
        }
    }
    found
}

/// The anchor that mdBook and GitHub give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn has_anchor(page: &Path, wanted: &str) -> bool {
    let (_, prose) = split(&fs::read_to_string(page).unwrap());
    prose
        .iter()
        .filter(|line| line.starts_with('#'))
        .any(|heading| anchor(heading.trim_start_matches('#').trim()) == wanted)
}

#[test]
fn no_link_is_dead() {
    let root = root();
    let mut dead = Vec::new();
    for page in pages(&root) {
        let (_, prose) = split(&fs::read_to_string(&page).unwrap());
        for target in links(&prose) {
            if target.starts_with("https://") || target.starts_with("http://") || target.starts_with("crate::") {
                continue;
            }
            let (file, wanted) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let is_page = path.extension().is_some_and(|ending| ending == "md");
            // The guide is a book by itself: its pages cannot lead out of it but by addresses.
            let outside = page.starts_with(root.join("docs/src"))
                && !path.canonicalize().is_ok_and(|p| p.starts_with(root.join("docs/src").canonicalize().unwrap()));
            if !path.exists() || outside || (is_page && !wanted.is_empty() && !has_anchor(&path, wanted)) {
                dead.push(format!("{}: {target}", page.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let folder = root().join("docs/src");
    let (_, prose) = split(&fs::read_to_string(folder.join("SUMMARY.md")).unwrap());
    let listed = links(&prose);
    let named: BTreeSet<PathBuf> = listed.iter().map(|target| folder.join(target)).collect();
    assert_eq!(named.len(), listed.len(), "a page is listed twice");
    let written: BTreeSet<PathBuf> = pages(&folder).into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(named, written);
}

/// mdBook takes a summary of a title, unnumbered chapters, numbered ones as a list, headings of parts, and nothing else. Chapters are called
/// as their pages are.
#[test]
fn the_summary_is_one_that_mdbook_takes() {
    let docs = root().join("docs");
    let book = fs::read_to_string(docs.join("book.toml")).unwrap();
    for setting in ["[book]", "src = \"src\"", "create-missing = false"] {
        assert!(book.lines().any(|line| line == setting), "book.toml has no line `{setting}`");
    }
    let summary = fs::read_to_string(docs.join("src/SUMMARY.md")).unwrap();
    let (mut numbered, mut depth) = (false, 0);
    for (number, line) in (1..).zip(summary.lines()).filter(|(_, line)| !line.is_empty()) {
        let chapter = line.trim_start().strip_prefix("- ");
        match chapter {
            Some(_) => {
                let indent = line.len() - line.trim_start().len();
                assert!(indent.is_multiple_of(2) && indent / 2 <= depth, "SUMMARY.md:{number}: indented by {indent}");
                (numbered, depth) = (true, indent / 2 + 1);
            }
            None if line.starts_with("# ") => continue,
            None => assert!(!numbered, "SUMMARY.md:{number}: a chapter without a number behind numbered ones"),
        }
        let link = chapter.unwrap_or(line).strip_prefix('[').and_then(|link| link.strip_suffix(')'));
        let (title, page) = link.and_then(|link| link.split_once("](")).unwrap_or_else(|| {
            panic!("SUMMARY.md:{number}: expected `[TITLE](PAGE)`");
        });
        let text = fs::read_to_string(docs.join("src").join(page)).unwrap();
        assert_eq!(text.lines().next(), Some(&*format!("# {title}")), "{page} is called otherwise in SUMMARY.md");
    }
}

/// Blocks that hold something that could be run say of what kind they are, and all that can be run is.
#[test]
fn every_example_is_tested() {
    let root = root();
    let doctested: String = DOCTESTED.iter().map(|file| fs::read_to_string(root.join(file)).unwrap()).collect();
    for page in guide_and_readme(&root) {
        let text = fs::read_to_string(&page).unwrap();
        let shown = page.strip_prefix(&root).unwrap().display().to_string();
        let (blocks, _) = split(&text);
        for block in &blocks {
            let known = matches!(
                block.kind.as_str(),
                "rust"
                    | "rust,no_run"
                    | "rust,ignore"
                    | "console"
                    | "sh"
                    | "pleach"
                    | "schema"
                    | "absence"
                    | "toml"
                    | "json"
                    | "python"
                    // Compiled and run by the tests of `pleach-capi`.
                    | "c"
                    | "text"
            );
            assert!(known, "{shown}:{}: a block of kind `{}`", block.at, block.kind);
            if block.kind == "rust,ignore" {
                is_of_an_example(&root, block, &shown);
            }
        }
        if blocks.iter().any(|block| block.kind.starts_with("rust")) {
            assert!(
                doctested.contains(&shown),
                "{shown} has Rust in it and is not among the doc tests of {DOCTESTED:?}"
            );
        }
    }
}

/// Rust that is no doc test is part of an example program, which its first line names.
fn is_of_an_example(root: &Path, block: &Block, page: &str) {
    let file = block.lines.first().and_then(|line| line.strip_prefix("// examples/")).unwrap_or_else(|| {
        panic!("{page}:{}: the first line is to name the file in `examples` that these lines are from", block.at);
    });
    let source = fs::read_to_string(root.join("examples").join(file)).unwrap();
    assert!(source.contains(&block.lines[1..].join("\n")), "{page}:{}: {file} has no such lines", block.at);
}

/// Where the pages of the guide are made doc tests.
const DOCTESTED: [&str; 4] =
    ["apps/algorithms/src/lib.rs", "engine/src/lib.rs", "engine/erased/src/lib.rs", "engine/log/src/lib.rs"];

fn guide_and_readme(root: &Path) -> Vec<PathBuf> {
    let mut found = pages(&root.join("docs/src"));
    found.push(root.join("README.md"));
    found
}

fn is_writing() -> bool {
    std::env::var_os("PLEACH_GUIDE").is_some_and(|value| value == "write")
}

#[test]
fn the_reference_is_that_of_the_program() {
    for page in ["catalogue", "commands", "json"] {
        let printed = Command::new(PLEACH).args(["reference", page]).output().unwrap();
        assert!(printed.status.success());
        let printed = String::from_utf8(printed.stdout).unwrap();
        let path = root().join(format!("docs/src/reference/{page}.md"));
        if is_writing() {
            fs::write(&path, &printed).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == printed, "{page}.md is not what the program prints; PLEACH_GUIDE=write writes it anew");
    }
}

/// A folder to work in, where `pleach` is this build's.
struct Shell {
    folder: tempfile::TempDir,
    path: OsString,
}

impl Shell {
    fn new() -> Shell {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let here = Path::new(PLEACH).parent().unwrap().to_owned();
        let path = std::env::join_paths(std::iter::once(here).chain(std::env::split_paths(&before))).unwrap();
        Shell { folder: tempfile::tempdir().unwrap(), path }
    }

    /// Runs a command, both of its outputs in one.
    fn run(&self, command: &str) -> Output {
        Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .env("COLUMNS", "110")
            .env_remove("PLEACH_CACHE")
            .output()
            .unwrap()
    }
}

/// A command with what the page says it prints.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a block. A command begins with `$ `, and its further lines with `> `.
fn commands(block: &Block) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in &block.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { command: command.to_owned(), output: Vec::new() });
            continue;
        }
        let last = all.last_mut().expect("a block of commands begins with one");
        match line.strip_prefix("> ").or((line == ">").then_some("")) {
            Some(more) if last.output.is_empty() => last.command += &format!("\n{more}"),
            _ => last.output.push(line.clone()),
        }
    }
    all
}

/// A line without what differs from run to run: numbers before a unit of time or speed.
fn steady(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &str| {
        let word = word.trim_start_matches('(');
        !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let is_unit = |word: &&str| matches!(word.trim_end_matches([',', ':', ';', ')']), "s" | "ms" | "µs" | "M" | "GB/s");
    let steady =
        words.iter().enumerate().map(|(at, word)| match is_number(word) && words.get(at + 1).is_some_and(is_unit) {
            true => "…",
            false => *word,
        });
    steady.collect::<Vec<_>>().join(" ")
}

#[test]
fn commands_print_what_is_shown() {
    let root = root();
    let mut wrong = Vec::new();
    for page in guide_and_readme(&root) {
        let text = fs::read_to_string(&page).unwrap();
        let shell = Shell::new();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (blocks, _) = split(&text);
        // How many more lines there are before a block than there were.
        let mut moved = 0isize;
        for block in blocks.iter().filter(|block| block.kind == "console") {
            let mut anew = Vec::new();
            for Shown { command, output } in commands(block) {
                let ran = shell.run(&command);
                let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
                let printed: Vec<String> = printed.lines().map(|line| line.trim_end().to_owned()).collect();
                let same = printed.iter().map(|line| steady(line)).eq(output.iter().map(|line| steady(line)));
                if !same {
                    let page = page.strip_prefix(&root).unwrap().display();
                    wrong.push(format!(
                        "{page}: $ {command}\nprints\n{}\nand not\n{}",
                        printed.join("\n"),
                        output.join("\n")
                    ));
                }
                let typed = format!("$ {}", command.replace('\n', "\n> "));
                anew.extend(typed.lines().map(str::to_owned));
                anew.extend(if same { output } else { printed });
            }
            let begin = (block.at as isize + moved) as usize;
            moved += anew.len() as isize - block.lines.len() as isize;
            lines.splice(begin..begin + block.lines.len(), anew);
        }
        if is_writing() {
            fs::write(&page, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(is_writing() || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn notation_and_schemas_compile() {
    let root = root();
    for page in guide_and_readme(&root) {
        let (blocks, _) = split(&fs::read_to_string(&page).unwrap());
        for block in blocks {
            let (file, command) = match block.kind.as_str() {
                "pleach" => ("shown.pleach", "pleach compile shown.pleach"),
                "schema" => ("shown.schema", "pleach schema check shown.schema"),
                _ => continue,
            };
            let shell = Shell::new();
            fs::write(shell.folder.path().join(file), block.lines.join("\n")).unwrap();
            let ran = shell.run(command);
            assert!(ran.status.success(), "{}:{}: {}", page.display(), block.at, String::from_utf8_lossy(&ran.stdout));
        }
    }
}
