//! Folders in which each file is a test: schemas in `pass` are accepted and print to a text that says the same; those
//! in `fail` are refused with the messages beside them. `PLEACH_BLESS=1` writes the messages anew.

use std::path::{Path, PathBuf};

use pleach_codegen::diagnostic::Diagnostics;
use pleach_codegen::schema::model::Model;
use pleach_codegen::schema::{ast, check, check_with, parse, print};

fn files(folder: &str) -> Vec<(String, PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "schema"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), path, text)
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Parses and checks every store of a text.
fn models(name: &str, text: &str) -> Result<Vec<Model>, Diagnostics> {
    let stem = name.strip_suffix(".schema").unwrap_or(name);
    let mut models = Vec::new();
    let mut mistakes = Diagnostics::new();
    for store in parse(text)? {
        match check(&store, stem) {
            Ok(model) => models.push(model),
            Err(more) => mistakes.extend(more),
        }
    }
    mistakes.into_result(models)
}

fn assert_round_trip(name: &str, text: &str) -> Vec<ast::Store> {
    let stores = parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(name, text)));
    let printed = print(&stores);
    let again = parse(&printed).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("printed", &printed)));
    assert_eq!(stores, again, "{name} printed is\n{printed}");
    assert_eq!(printed, print(&again), "{name}");
    stores
}

#[test]
fn what_passes_is_accepted_and_prints_to_the_same() {
    for (name, _, text) in files("pass") {
        assert_round_trip(&name, &text);
        let models = models(&name, &text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(&name, &text)));
        assert!(!models.is_empty(), "{name}");
    }
}

#[test]
fn what_fails_says_why() {
    for (name, path, text) in files("fail") {
        let mistakes = match models(&name, &text) {
            Ok(_) => panic!("{name} should be refused"),
            Err(mistakes) => mistakes.render(&name, &text),
        };
        let expected = path.with_extension("expected");
        if std::env::var_os("PLEACH_BLESS").is_some() {
            std::fs::write(&expected, &mistakes).unwrap();
        }
        let expected = std::fs::read_to_string(&expected).expect("run once with PLEACH_BLESS=1");
        assert_eq!(mistakes, expected, "{name}");
        // What parses prints, even if it is wrong.
        if parse(&text).is_ok() {
            assert_round_trip(&name, &text);
        }
    }
}

#[test]
fn every_bundled_schema_is_one_store_of_its_name() {
    for schema in pleach_catalog::SCHEMAS {
        assert_round_trip(schema.name, schema.text);
        let models = models(schema.name, schema.text)
            .unwrap_or_else(|mistakes| panic!("{}", mistakes.render(schema.name, schema.text)));
        assert_eq!(models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), [schema.name]);
    }
}

#[test]
fn parameters_take_arguments() {
    let text = pleach_catalog::schema("blist").unwrap().text;
    let store = &parse(text).unwrap()[0];
    let bound = |model: &Model| model.params[0].value;
    assert_eq!(bound(&check(store, "").unwrap()), 64);
    assert_eq!(bound(&check_with(store, "", &[("B", 3)]).unwrap()), 3);
    for (arguments, message) in [
        (("A", 3), "store `blist` has no parameter `A`"),
        (("B", 0), "`n` is always 0"),
        (("B", 1 << 40), "parameter `B` is too large"),
    ] {
        let mistakes = check_with(store, "", &[arguments]).unwrap_err();
        assert!(mistakes.to_string().contains(message), "{mistakes}");
    }
}

#[test]
fn long_texts_are_read_or_refused() {
    let many = |each: &str| each.repeat(20_000);
    for each in
        ["def ", "{", "}", "store s {", "store s<B = 1> {", "def a {", "def a { e : ", "seq = ", "{e, ", "a : ", "["]
    {
        let mistakes = parse(&many(each)).unwrap_err();
        assert!((1..=50).contains(&mistakes.len()), "{each}: {}", mistakes.len());
    }
    let fields: String = (0..20_000).map(|i| format!("f{i} : elem ")).collect();
    let mistakes = models("many", &format!("def many {{ {fields} }}")).unwrap_err();
    assert!(mistakes.to_string().contains("a node has at most 256 fields"), "{mistakes}");
    let nodes: String = (0..20_000).map(|i| format!("def n{i} {{ e : elem  n : n{} }}\n", i + 1)).collect();
    let mistakes = models("many", &nodes).unwrap_err();
    assert!(mistakes.to_string().contains("a store has at most 256 types of nodes"), "{mistakes}");
    // Every field of every node is a mistake that asks what was meant.
    let long = "x".repeat(50);
    let nodes: String = (0..256)
        .map(|i| {
            let fields: String = (0..256).map(|j| format!("f{j} : {long}{j}{i} ")).collect();
            format!("def {long}{i} {{ {fields} }}\n")
        })
        .collect();
    assert_eq!(models("wrong", &nodes).unwrap_err().len(), 50);
    let chain: String = (0..255).map(|i| format!("def n{i} {{ e : elem  n : n{} }}\n", i + 1)).collect();
    let chain = format!("{chain}def n255 {{ e : elem }}");
    assert_eq!(models("chain", &chain).unwrap()[0].components.len(), 256);
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 44] = [
        "store",
        "def",
        "supertype",
        "elem",
        "size",
        "in",
        "count",
        "deep",
        "parent",
        "bool",
        "int8",
        "uint64",
        "seq",
        "nonempty",
        "delta",
        "inline",
        "coord",
        "a",
        "b",
        "c",
        "N",
        "n",
        "0",
        "1",
        "4",
        "99999999999999999999",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ",",
        ":",
        "=",
        "*",
        ";",
        "//",
        "/",
        "\n",
        "é",
        "\u{0}",
        " a :",
        " = {",
    ];

    fn read(text: &str) {
        match models("any", text) {
            Ok(_) => {
                assert_round_trip("any", text);
            }
            Err(mistakes) => {
                assert!(!mistakes.is_empty());
                assert!(mistakes.render("any", text).starts_with("error: "));
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            read(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn words_do_not_panic(words in proptest::collection::vec(0..WORDS.len(), 0..200)) {
            let words: Vec<&str> = words.into_iter().map(|at| WORDS[at]).collect();
            read(&words.join(" "));
        }

        /// A schema with one word changed, dropped or put in.
        #[test]
        fn changed_schemas_do_not_panic(
            schema in 0..pleach_catalog::SCHEMAS.len(), at in any::<u16>(), word in 0..WORDS.len(), drop in 0usize..4,
        ) {
            let text = pleach_catalog::SCHEMAS[schema].text;
            let mut words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
            let at = usize::from(at) % words.len();
            let end = (at + drop).min(words.len());
            words.splice(at..end, [WORDS[word], " "]);
            read(&words.concat());
        }
    }
}
