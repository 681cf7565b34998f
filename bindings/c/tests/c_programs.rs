//! Programs in C, compiled with the compiler of the machine: one with many threads, and the example of the guide.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the libraries are built: beside this test.
fn libraries() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The C compiler: `$CC`, or `cc`. `None`, with a message, if there is none.
fn compiler() -> Option<String> {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let found = Command::new(&compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no C compiler `{compiler}`; set CC to one");
    }
    found.then_some(compiler)
}

fn succeed(output: &Output, what: &str) -> String {
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{said}\n{complained}", output.status);
    said.into_owned()
}

/// Compiles a program and links it to the library, static or shared.
fn compile(compiler: &str, program: &Path, shared: bool, binary: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]);
    command.arg("-I").arg(here.join("include")).arg("-o").arg(binary).arg(program);
    if shared {
        let rpath = format!("-Wl,-rpath,{}", libraries().display());
        command.arg("-L").arg(libraries()).args(["-lpleach_capi", &rpath]);
    } else {
        command.arg(libraries().join("libpleach_capi.a"));
    }
    command.args(["-lpthread", "-ldl", "-lm"]);
    succeed(&command.output().unwrap(), "the compiler");
}

#[test]
fn a_program_with_many_threads() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/threads.c");
    for shared in [false, true] {
        let binary = folder.path().join(format!("threads-{shared}"));
        compile(&compiler, &program, shared, &binary);
        let said = succeed(&Command::new(&binary).output().unwrap(), "the program");
        assert_eq!(said, "4800 edges\n");
        // On one core, too.
        match Command::new("taskset").args(["-c", "0"]).arg(&binary).output() {
            Ok(output) => assert_eq!(succeed(&output, "the program on one core"), "4800 edges\n"),
            Err(error) => eprintln!("not run on one core: there is no `taskset` ({error})"),
        }
    }
}

/// The C blocks of the guide's page are one program, and print what the page says.
#[test]
fn the_example_of_the_guide() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/c.md");
    // A package of this crate alone has no guide.
    let Ok(page) = fs::read_to_string(page) else { return eprintln!("skipped: the guide is not here") };
    let block = |language: &str| {
        let text = page.split_once(&format!("```{language}\n")).expect("the page has such a block").1;
        text.split_once("```").unwrap().0.to_owned()
    };
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (program, binary) = (folder.path().join("friends.c"), folder.path().join("friends"));
    fs::write(&program, block("c")).unwrap();
    compile(&compiler, &program, true, &binary);
    assert_eq!(succeed(&Command::new(&binary).output().unwrap(), "the example"), block("text"));
}

/// C++ programs include the same header.
#[test]
fn the_header_is_valid_in_cxx() {
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/pleach.h");
    let mut command = Command::new(&compiler);
    command.args(["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++"]);
    match command.arg(header).output() {
        Ok(output) => drop(succeed(&output, "the compiler")),
        Err(error) => eprintln!("skipped: there is no C++ compiler `{compiler}` ({error}); set CXX to one"),
    }
}
