//! Folders in which each file is a test: what is in `syntax` and `pass` parses and prints to a text that parses to the same,
//! what is in `pass` makes sense beside the bundled formats, what is in `fail` is refused with the messages beside it.
//! `PLEACH_BLESS=1` writes the messages anew.

use std::path::{Path, PathBuf};

use crate::bundled::bundled;
use pleach_codegen::diagnostic::Diagnostics;
use pleach_codegen::notation::ast::{Item, Source};
use pleach_codegen::notation::{parse_source, parse_statements, resolve};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notation").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pleach"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn meaning(source: &Source) -> Diagnostics {
    let mut scope = bundled();
    let mut mistakes = scope.add(source);
    for item in &source.items {
        if let Item::Kernel(kernel) = item
            && let Err(wrong) = resolve(kernel, &scope)
        {
            mistakes.extend(wrong);
        }
    }
    mistakes.into_result(()).err().unwrap_or_default()
}

#[test]
fn what_passes_makes_sense() {
    for path in files("pass") {
        let text = std::fs::read_to_string(&path).unwrap();
        let mistakes = meaning(&parse_source(&text).0);
        assert!(mistakes.is_empty(), "{}", mistakes.render(&path.display().to_string(), &text));
    }
}

#[test]
fn what_passes_prints_to_the_same() {
    for path in files("pass").into_iter().chain(files("syntax")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (source, mistakes) = parse_source(&text);
        assert!(mistakes.is_empty(), "{}", mistakes.render(&path.display().to_string(), &text));
        let printed = source.to_string();
        let (again, mistakes) = parse_source(&printed);
        assert!(mistakes.is_empty(), "{}", mistakes.render("printed", &printed));
        let printed_again = again.to_string();
        // A store is printed as a comment, which the second reading drops.
        let kept: Vec<&str> = printed.lines().filter(|line| !line.starts_with("// store")).collect();
        assert_eq!(kept, printed_again.lines().collect::<Vec<_>>());
    }
}

#[test]
fn what_fails_says_why() {
    for path in files("fail") {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (source, mut mistakes) = parse_source(&text);
        if mistakes.is_empty() {
            mistakes = meaning(&source);
        }
        assert!(!mistakes.is_empty(), "{name} should be refused");
        let said = mistakes.render(name, &text);
        let expected = path.with_extension("expected");
        if std::env::var_os("PLEACH_BLESS").is_some() {
            std::fs::write(&expected, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&expected).expect("run once with PLEACH_BLESS=1");
        assert_eq!(said, expected, "{name}");
    }
}

#[test]
fn deep_and_long_texts_are_refused_or_read() {
    for deep in ["(", "-", "min(", "forall(i, ", "f(-(", "a + ("] {
        let text = format!("y = {}", deep.repeat(50_000));
        assert!(!parse_statements(&text).1.is_empty());
        assert!(!parse_statements(&deep.repeat(50_000)).1.is_empty());
    }
    for deep in ["(", "-", "let x = ", "let x = 1 in ", "1 + ("] {
        let text = format!("format f(i) = {}", deep.repeat(50_000));
        assert!(!parse_source(&text).1.is_empty());
    }
    for chain in [" + a", " where a = 1", " without a", " - -a"] {
        let text = format!("y = a{}", chain.repeat(50_000));
        let (_, mistakes) = parse_statements(&text);
        assert!(mistakes.iter().any(|m| m.message.contains("nests deeper")), "{chain}: {mistakes}");
    }
    let (_, mistakes) = parse_statements(&format!("y = a{}", " + a".repeat(300)));
    assert!(mistakes.render("text", "").contains("`a + b + c` is `(a + b) + c`"), "{mistakes}");
    // The bounds of a slice count, too.
    let nested = (0..100).fold("a".to_owned(), |inner, _| format!("A({inner}{} : )", " + a".repeat(100)));
    let (_, mistakes) = parse_statements(&format!("y = {nested}"));
    assert!(mistakes.iter().any(|m| m.message.contains("nests deeper")), "{mistakes}");
    let (body, mistakes) = parse_statements(&format!("y = a{}", " + a".repeat(120)));
    assert!(mistakes.is_empty() && body.len() == 1);
    let (body, mistakes) = parse_statements(&"y(i) = 1\n".repeat(10_000));
    assert!(mistakes.is_empty() && body.len() == 10_000);
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 54] = [
        "kernel",
        "format",
        "store",
        "semiring",
        "function",
        "use",
        "forall",
        "where",
        "without",
        "over",
        "of",
        "fill",
        "let",
        "in",
        "extern",
        "parallel",
        "annihilator",
        "identity",
        "plus",
        "min",
        "f32",
        "inf",
        "a",
        "B",
        "i",
        "j",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        ",",
        ":",
        ";",
        "=",
        "+=",
        "min=",
        "|=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<<",
        ">=",
        "|",
        "#",
        "!",
        "->",
        "1",
        "2.5",
        "\"x\"",
        "\n",
    ];

    proptest! {
        #[test]
        fn characters_do_not_panic(text in ".{0,200}") {
            let (_, mistakes) = parse_source(&text);
            let _ = mistakes.render("text", &text);
            parse_statements(&text);
        }

        #[test]
        fn words_do_not_panic_and_print_to_the_same(
            words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60),
        ) {
            let text = words.join(" ");
            let (source, mistakes) = parse_source(&text);
            let _ = mistakes.render("text", &text);
            let printed = source.to_string();
            let again = parse_source(&printed).0.to_string();
            let kept: Vec<&str> = printed.lines().filter(|line| !line.starts_with("// store")).collect();
            prop_assert_eq!(again.lines().collect::<Vec<_>>(), kept);
            let (body, mistakes) = parse_statements(&text);
            if mistakes.is_empty() {
                let printed = body.iter().map(|s| format!("({s});\n")).collect::<String>();
                let (again, mistakes) = parse_statements(&printed);
                prop_assert!(mistakes.is_empty(), "{}: {}", printed, mistakes);
                prop_assert_eq!(again.iter().map(|s| format!("({s});\n")).collect::<String>(), printed);
            }
        }
    }
}
