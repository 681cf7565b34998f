//! See the crate's description.
//!
//! rustc compiles the programs against the crates that Cargo has built for this test: a harness that calls Cargo would build the compiler, which
//! the macro contains, a second time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder from which Cargo compiles the crates of the workspace: their paths in messages are relative to it.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The folder of this crate in the workspace.
const HERE: &str = "schemas/refused";

#[test]
fn messages_underline_the_token() {
    refused("messages");
}

#[test]
fn unsound_programs_are_refused() {
    refused("programs");
}

/// Compiles each program of a folder.
///
/// # Panics
///
/// If rustc accepts one, or prints another message than the file beside it holds. `PLEACH_REFUSED=write` writes these files.
fn refused(folder: &str) {
    let overwrite = env::var("PLEACH_REFUSED").is_ok_and(|what| what == "write");
    let mut programs: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    programs.sort();
    assert!(!programs.is_empty(), "{folder} holds no programs");
    let crates = Crates::beside_this_test();
    let (accepted, printed) = crates.compile(Path::new("accepted.rs"));
    assert!(accepted, "without a mistake, too:\n{printed}");
    let mut wrong = Vec::new();
    for program in programs {
        let (accepted, found) = crates.compile(&program);
        assert!(!accepted, "rustc accepts {}", program.display());
        let beside = program.with_extension("stderr");
        if overwrite {
            fs::write(beside, found).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{}\nexpected:\n{expected}\nfound:\n{found}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The crate that programs use, and where its dependencies lie.
struct Crates {
    /// The build of this crate that the test was linked with.
    own: PathBuf,
    folders: BTreeSet<PathBuf>,
    /// The platform that Cargo compiles for, if it has a folder of its own.
    target: Option<String>,
}

impl Crates {
    /// The newest build of this crate that is no newer than this test: when Cargo links a test, what it depends on is up to date.
    fn beside_this_test() -> Self {
        let test = env::current_exe().unwrap();
        let folder = test.parent().unwrap().to_owned();
        let linked = fs::metadata(&test).and_then(|of| of.modified()).unwrap();
        let files = fs::read_dir(&folder).unwrap().map(Result::unwrap).filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with("libpleach_refused-") && name.ends_with(".rlib"))
        });
        let built = files.map(|entry| (entry.metadata().and_then(|of| of.modified()).unwrap(), entry.path()));
        let newest = built.filter(|(built, _)| *built <= linked).max();
        let (_, own) = newest.unwrap_or_else(|| panic!("no libpleach_refused-*.rlib in {}", folder.display()));
        // Macros lie among the crates for this machine, also where Cargo compiles for another one: in PROFILE/deps and not TARGET/PROFILE/deps.
        let profile = folder.parent().unwrap();
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let host = all.join(profile.file_name().unwrap()).join("deps");
        let target = profile.parent().filter(|above| *above != all).and_then(Path::file_name);
        let target = target.map(|name| name.to_str().unwrap().to_owned());
        Crates { own, folders: [folder, host].into(), target }
    }

    /// Whether rustc accepts a program, and what it prints about it.
    fn compile(&self, program: &Path) -> (bool, String) {
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--verbose", "--edition", "2024", "--emit", "metadata", "--out-dir", env!("CARGO_TARGET_TMPDIR")]);
        self.folders.iter().for_each(|folder| _ = rustc.arg("-L").arg(format!("dependency={}", folder.display())));
        self.target.iter().for_each(|target| _ = rustc.args(["--target", target]));
        rustc.arg("--extern").arg(format!("pleach_refused={}", self.own.display()));
        let output = rustc.arg(Path::new(HERE).join(program)).current_dir(WORKSPACE).output().unwrap();
        (output.status.success(), message(&String::from_utf8(output.stderr).unwrap()))
    }
}

/// What rustc has printed, without what changes for other reasons than the program: its summary, other types that implement a trait, and the
/// lines that it shows of files that lie elsewhere.
fn message(printed: &str) -> String {
    let is_summary = |part: &&str| {
        ["error: aborting due to", "Some errors have detailed", "For more information about"]
            .iter()
            .any(|start| part.starts_with(start))
    };
    let parts = printed.trim_end().split("\n\n").filter(|part| !is_summary(part));
    parts.map(|part| diagnostic(part.trim_matches('\n')) + "\n").collect::<Vec<_>>().join("\n")
}

/// One error or warning.
fn diagnostic(printed: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let number = |line: &str| line.trim_start().chars().take_while(char::is_ascii_digit).count();
    let (mut kept, mut elsewhere, mut others) = (Vec::new(), false, None);
    for line in printed.lines() {
        let text = line.trim_start();
        if others.is_some_and(|list| indent(line) > list) {
            continue;
        }
        others = text.starts_with("= help: the following other types").then(|| indent(line));
        if let Some((arrow, place)) = text.split_at_checked(4).filter(|(arrow, _)| ["--> ", "::: "].contains(arrow)) {
            let own = place.strip_prefix(HERE).map(|place| place.trim_start_matches('/'));
            elsewhere = own.is_none();
            kept.push(format!("{}{arrow}{}", &line[..indent(line)], own.unwrap_or_else(|| file(place))));
            continue;
        }
        elsewhere &= text.starts_with(['|', '.']) || number(line) > 0;
        if !elsewhere {
            kept.push(line.to_owned());
        }
    }
    // Numbers of lines that are shown no more may have been longer.
    let printed_width = kept.iter().find(|line| line.trim_start().starts_with("--> ")).map_or(0, |line| indent(line));
    let width = kept.iter().map(|line| number(line)).max().unwrap_or(0).max(1);
    let surplus = " ".repeat(printed_width.saturating_sub(width));
    kept.iter().map(|line| line.strip_prefix(&surplus).unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The file of a place, within the workspace or the standard library.
fn file(place: &str) -> &str {
    let end = place.find(".rs:").map_or(place.len(), |at| at + ".rs".len());
    let file = &place[..end];
    file.split_once("/library/").map_or(file, |(_, file)| file)
}
