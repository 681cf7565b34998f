//! Generates the bundled stores from their schemas in the catalogue.

use std::path::Path;
use std::{env, fs, process};

use pleach_codegen::diagnostic::Diagnostics;
use pleach_codegen::schema::{check_with, parse};
use pleach_codegen::store::{Options, generate};

/// Schemas with blocks as small as the paper draws them, for tests: what they are called and their parameters.
const SMALL: &[(&str, &[(&str, u64)])] = &[
    ("blist", &[("B", 3)]),
    ("blist_prefix", &[("B", 3)]),
    ("blist_gaps", &[("B", 4)]),
    ("blist_unsorted", &[("B", 3)]),
    ("ttree", &[("B", 4)]),
    ("btree", &[("B", 3), ("L", 3)]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for schema in pleach_catalog::SCHEMAS {
        if Path::new(schema.name).is_dir() {
            write(Path::new(&out), schema.name, schema.name, schema.text, &[]);
        }
    }
    for &(name, arguments) in SMALL {
        if Path::new(name).is_dir() {
            let schema = pleach_catalog::schema(name).expect("a bundled schema");
            write(Path::new(&out), &format!("small_{name}"), name, schema.text, arguments);
        }
    }
}

fn write(out: &Path, file: &str, name: &str, text: &str, arguments: &[(&str, u64)]) {
    let fail = |diagnostics: &Diagnostics| -> ! {
        eprintln!("{}", diagnostics.render(&format!("{name}.schema"), text));
        process::exit(1);
    };
    let stores = parse(text).unwrap_or_else(|diagnostics| fail(&diagnostics));
    let [store] = &stores[..] else { panic!("{name}.schema is one store") };
    let model = check_with(store, name, arguments).unwrap_or_else(|diagnostics| fail(&diagnostics));
    let options = Options { source: Some(text.to_owned()), ..Options::default() };
    let rust = generate(&model, &options).unwrap_or_else(|diagnostics| fail(&Diagnostics::from(diagnostics)));
    fs::write(out.join(format!("{file}.rs")), rust).expect("OUT_DIR can be written to");
}
