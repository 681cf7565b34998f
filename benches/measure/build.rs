//! Tells the crate which compiler and which commit it is built from.

use std::process::Command;

fn main() {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        output.status.success().then_some(text)
    };
    let unknown = || "unknown".to_owned();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    println!("cargo::rustc-env=PLEACH_RUSTC={}", said(&rustc, &["--version"]).unwrap_or_else(unknown));
    // The repository around a copy of this package is not the one that it comes from.
    let kept = said("git", &["ls-files", "--error-unmatch", "build.rs"]);
    let commit = kept.and_then(|_| said("git", &["rev-parse", "HEAD"])).filter(|commit| !commit.is_empty());
    let changed =
        said("git", &["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    let behind = if changed && commit.is_some() { " and changes" } else { "" };
    println!("cargo::rustc-env=PLEACH_COMMIT={}{behind}", commit.unwrap_or_else(unknown));
    println!("cargo::rerun-if-changed=src");
    // Grows with each commit.
    if let Some(log) = said("git", &["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
}
