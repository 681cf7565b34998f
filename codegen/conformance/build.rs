//! Compiles the kernels of the grid to Rust, and writes beside each one a caller that takes its arguments as the interpreter does.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use pleach_codegen::backend::rust::{self, EmitError, Options};
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::ir::convention::{Form, Mode, Values};
use pleach_codegen::ir::{Access, ArrayType, Element, Field, Kernel, LevelLayout, StoreType, Tensor, Type, Var};
use pleach_codegen::session::Session;

#[path = "../tests/lowered/examples.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod examples;
#[path = "../tests/lowered/formats.rs"]
#[allow(dead_code, reason = "the tests of lowering use the rest")]
mod formats;
#[path = "../tests/lowered/statements.rs"]
mod statements;
#[path = "src/table.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod table;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/table.rs");
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rerun-if-changed=../tests/lowered/formats.rs");
    println!("cargo::rerun-if-changed=../tests/lowered/statements.rs");
    println!("cargo::rerun-if-changed=../runtime/src/random.rs");
    println!("cargo::rerun-if-changed=../../docs/src/absence.md");
    println!("cargo::rerun-if-env-changed=PLEACH_HUNT");
    println!("cargo::rerun-if-env-changed=PLEACH_GRID");
    let full = env::var("PLEACH_GRID").is_ok_and(|grid| grid == "full");
    println!("cargo::rustc-env=PLEACH_GRID_IS={}", if full { "full" } else { "sampled" });
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for group in table::GROUPS {
        let parts = table::parts(group, full).into_iter().filter(|part| part.compiled).map(|part| part.text);
        write(&out, group, &compiled(group, parts));
    }
    let page = fs::read_to_string(examples::page()).expect("the page on absence");
    let told = examples::examples(&page).into_iter().filter(|example| example.refused.is_none());
    write(&out, "absence", &compiled("absence", told.map(|example| example.kernel)));
    write(&out, "random", &random());
}

fn write(out: &OsStr, group: &str, rust: &str) {
    let path = Path::new(out).join(format!("{group}.rs"));
    // What stays the same is not compiled again.
    if fs::read_to_string(&path).ok().as_deref() != Some(rust) {
        fs::write(path, rust).expect("OUT_DIR can be written to");
    }
}

/// As many random statements as are asked for, without those that the compiler refuses; `PLEACH_HUNT=SEED:COUNT` asks for others.
fn random() -> String {
    let wanted = env::var("PLEACH_HUNT").unwrap_or_else(|_| "1:100".into());
    let (seed, count) = wanted.split_once(':').expect("PLEACH_HUNT is SEED:COUNT");
    let (seed, count): (u64, u64) = (seed.parse().expect("a seed"), count.parse().expect("a count"));
    let (mut accepted, mut texts) = (Vec::new(), String::new());
    for statement in (0..count).map(|number| statements::statement(seed, number)) {
        if session("random", statement.text.clone()).check().is_ok() {
            writeln!(texts, "    ({:?}, {}),", statement.text, statement.square).unwrap();
            accepted.push(statement.text);
        }
    }
    let compiled = compiled_within("random", accepted.into_iter(), LONGEST);
    format!(
        "{compiled}\n/// The kernels as text, and whether all extents are the same.\n\
         pub const TEXTS: &[(&str, bool)] = &[\n{texts}];\n/// What they follow from.\npub const SEED: u64 = {seed};\n"
    )
}

fn session(group: &str, text: String) -> Session {
    let mut session = Session::bundled();
    session.declare(SourceFile::new("declared", [formats::PRELUDE, formats::DECLARED].concat()));
    session.add(SourceFile::new(format!("{group}.pleach"), text), &mut |path, _| {
        Err(std::io::Error::other(format!("{path}: kernels of the grid stand alone")))
    });
    session
}

/// Whether a tensor is a table of rows, which the runtime keeps and no schema describes.
fn is_table(kernel: &Kernel, tensor: &Tensor) -> bool {
    tensor.fields.iter().any(|field| kernel.is_stores(field.var) && nested(&kernel.vars[field.var].ty)[0] == "paged")
}

/// Characters of Rust beyond which a random kernel is left to the interpreter: rustc would spend its time on a few of them.
const LONGEST: usize = 30_000;

/// The kernels of a group with their callers, and tables of them.
fn compiled(group: &str, parts: impl Iterator<Item = String>) -> String {
    compiled_within(group, parts, usize::MAX)
}

/// The same, without kernels that are longer than `longest`.
fn compiled_within(group: &str, parts: impl Iterator<Item = String>, longest: usize) -> String {
    let (mut modules, mut table, mut missing) = (String::new(), String::new(), String::new());
    for text in parts {
        let session = session(group, text);
        if let Err(error) = session.check() {
            eprintln!("{error}");
            std::process::exit(1);
        }
        for compiled in session.kernels() {
            let name = &compiled.ir.name;
            if compiled.ir.results.iter().any(|result| is_table(&compiled.ir, result)) {
                writeln!(missing, "    ({name:?}, \"the runtime's table of rows is no store to return\"),").unwrap();
                continue;
            }
            match rust::source(std::slice::from_ref(&compiled.ir), &Options::default()) {
                Ok(rust) if rust.len() > longest => {
                    writeln!(missing, "    ({name:?}, \"{} characters are too many\"),", rust.len()).unwrap();
                }
                Ok(rust) => {
                    let caller = caller(&compiled.ir);
                    write!(modules, "pub mod {name} {{\n{rust}\n{caller}}}\n").unwrap();
                    writeln!(table, "    ({name:?}, {name}::call),").unwrap();
                }
                Err(EmitError::Unsupported { what, .. }) => writeln!(missing, "    ({name:?}, {what:?}),").unwrap(),
                Err(error) => panic!("{name}: {error}\n{}", compiled.ir),
            }
        }
    }
    format!(
        "{modules}\n/// The kernels by name.\npub const KERNELS: &[(&str, pleach_conformance::call::Caller)] = &[\n{table}];\n\n\
         /// What there is no Rust for yet, and why.\npub const MISSING: &[(&str, &str)] = &[\n{missing}];\n"
    )
}

/// `fn call(args: &mut [Value])`: takes the fields of all parameters, puts tensors together from them, calls the kernel, and takes
/// its results apart again.
fn caller(kernel: &Kernel) -> String {
    let (mut takes, mut passed, mut back) = (String::new(), Vec::new(), String::new());
    let mut at = 0;
    for tensor in &kernel.params {
        let fields: Vec<(String, &Field)> =
            tensor.fields.iter().enumerate().map(|(k, field)| (format!("a{}", at + k), field)).collect();
        for (k, (name, field)) in fields.iter().enumerate() {
            let at = at + k;
            match &kernel.vars[field.var].ty {
                Type::Scalar(_) | Type::Array(ArrayType { element: Element::Scalar(_), .. }) => {
                    writeln!(takes, "let mut {name}: {} = take(args, {at});", plain_type(kernel, field)).unwrap();
                    if tensor.access == Access::Write {
                        writeln!(back, "give(args, {at}, {name});").unwrap();
                    }
                }
                Type::Store(StoreType { element: Element::Store(_), .. })
                | Type::Array(ArrayType { element: Element::Store(_), .. }) => {
                    let levels = &tensor.layout.as_ref().expect("stores belong to a format").levels;
                    let mut stores = nested(&kernel.vars[field.var].ty);
                    // The level above stores is one, or its positions are.
                    let first = field.level.expect("stores are a level");
                    let outer = match kernel.vars[field.var].ty {
                        Type::Store(_) => stores.remove(0),
                        _ => "dense",
                    };
                    let (_, value) = innermost(&kernel.vars[field.var].ty);
                    let row = stores.iter().rev().fold(value.to_owned(), |held, store| store_type(store, &held));
                    let outer = match outer {
                        "dense" => format!("Dense<{row}>"),
                        "paged" => format!("Paged<{row}>"),
                        store => format!("Nested<{}>", store_type(store, &row)),
                    };
                    let extent = |at: Option<usize>| {
                        let m = at.and_then(|at| levels.get(at)).and_then(LevelLayout::index);
                        m.map_or("0", |m| &fields[m].0)
                    };
                    let (rows, cols) = match kernel.vars[field.var].ty {
                        Type::Store(_) => (extent(Some(first)), extent(Some(first + 1))),
                        _ if first == 1 => (extent(Some(0)), extent(Some(1))),
                        _ => ("0", "0"),
                    };
                    writeln!(takes, "let {name} = rows::<{outer}, {row}>(args, {at}, {rows}, {cols});").unwrap();
                }
                Type::Store(store) => {
                    let (_, value) = innermost(&kernel.vars[field.var].ty);
                    let ty = store_type(&store.name, value);
                    writeln!(takes, "let {name}: {ty} = store(args, {at});").unwrap();
                }
                other => panic!("{}: a parameter {other:?}", kernel.name),
            }
        }
        passed.extend(pass(kernel, tensor, &fields));
        at += fields.len();
    }
    let mut given = String::new();
    let several = kernel.results.len() > 1;
    let mut types = Vec::new();
    for (k, tensor) in kernel.results.iter().enumerate() {
        let result = if several { format!("result.{k}") } else { "result".to_owned() };
        types.push(result_type(kernel, tensor));
        for value in unpack(kernel, tensor, &result) {
            writeln!(given, "results.push({value});").unwrap();
        }
    }
    let ty = if types.len() == 1 { types.remove(0) } else { format!("({})", types.join(", ")) };
    format!(
        "#[allow(warnings)]\npub fn call(args: &mut [Value]) -> Result<Vec<Value>, ShapeError> {{\n{takes}\
         let result: {ty} = {}({})?;\n{back}let mut results = Vec::new();\n{given}Ok(results)\n}}\n\
         #[allow(unused_imports)]\nuse pleach_conformance::call::*;\n",
        kernel.name,
        passed.join(", "),
    )
}

/// The arguments that a tensor becomes; the names are those of its fields.
fn pass(kernel: &Kernel, tensor: &Tensor, fields: &[(String, &Field)]) -> Vec<String> {
    let passed = kernel.passed(tensor);
    let name = |var: Var| fields.iter().find(|(_, field)| field.var == var).map_or("", |(name, _)| name);
    let borrowed = |var: Var| match passed.mode {
        Mode::Read => format!("&{}", name(var)),
        Mode::Write | Mode::Return => format!("&mut {}", name(var)),
    };
    match passed.form {
        Form::Fields => fields.iter().map(|(name, _)| name.clone()).collect(),
        Form::Slice(vals) => vec![borrowed(vals)],
        Form::Rows(stores) => vec![format!("&{}", name(stores))],
        Form::Whole => {
            let shape: Vec<&str> = passed.extents.iter().map(|extent| name(*extent)).collect();
            let mut levels = String::new();
            for level in &passed.levels {
                let value = match level.stores {
                    Some(stores) => {
                        let ty = &kernel.vars[stores].ty;
                        let is_fiber = matches!(ty, Type::Store(_)) && nested(ty).len() == 1;
                        let name = name(stores);
                        if is_fiber { format!("Stores({name}.fiber())") } else { format!("Stores(&{name})") }
                    }
                    None => {
                        let arrays = level.fields.iter().map(|field| {
                            let array = matches!(kernel.vars[field.var].ty, Type::Array(_));
                            format!("{}: {}{}", field.name, if array { "&" } else { "" }, name(field.var))
                        });
                        let (kind, arrays) = (camel(&level.layout.kind), arrays.collect::<Vec<_>>().join(", "));
                        if arrays.is_empty() {
                            format!("tensor::{kind}")
                        } else {
                            format!("tensor::{kind} {{ {arrays} }}")
                        }
                    }
                };
                levels += &match level.extent {
                    Some(extent) => format!("tensor::Remapped {{ extent: {}, level: {value} }}, ", name(extent)),
                    None => format!("{value}, "),
                };
            }
            let vals = match passed.values {
                Values::Array(vals) => borrowed(vals),
                Values::Stores => "()".into(),
                Values::None => "&[]".into(),
            };
            let whole = format!("Tensor {{ shape: [{}], levels: ({levels}), vals: {vals} }}", shape.join(", "));
            vec![if passed.is_plain() { whole } else { format!("tensor::Arranged::new({whole})") }]
        }
    }
}

/// The type of a result, as far as it cannot be inferred: stores are chosen by the caller.
fn result_type(kernel: &Kernel, tensor: &Tensor) -> String {
    let passed = kernel.returned(tensor);
    if !passed.has_stores() {
        return "_".into();
    }
    let levels = passed.levels.iter().map(|level| {
        let Some(stores) = level.stores else { return "_, ".to_owned() };
        let ty = &kernel.vars[stores].ty;
        let (_, value) = innermost(ty);
        let mut held = nested(ty).iter().rev().fold(value.to_owned(), |below, store| store_type(store, &below));
        if matches!(ty, Type::Array(_)) {
            held = format!("Vec<{held}>");
        }
        match level.extent {
            Some(_) => format!("tensor::Remapped<Stores<{held}>>, "),
            None => format!("Stores<{held}>, "),
        }
    });
    let whole = format!("Tensor<{}, ({}), _>", passed.extents.len(), levels.collect::<String>());
    if passed.is_plain() { whole } else { format!("tensor::Arranged<{whole}, _>") }
}

/// The values that the interpreter would return, in the order of the fields.
fn unpack(kernel: &Kernel, tensor: &Tensor, result: &str) -> Vec<String> {
    let passed = kernel.returned(tensor);
    // Arrays are moved out of a tensor.
    let whole = if passed.is_plain() { result.to_owned() } else { format!("{result}.tensor") };
    let place = |field: &Field| {
        let var = field.var;
        match passed.form {
            Form::Fields => return result.to_owned(),
            Form::Slice(vals) if var == vals => return result.to_owned(),
            Form::Slice(_) => return format!("{result}.len()"),
            Form::Rows(_) | Form::Whole => {}
        }
        if let Some(m) = passed.extents.iter().position(|extent| *extent == var) {
            return format!("{whole}.shape[{m}]");
        }
        let Some(at) = passed.levels.iter().position(|level| field.level == Some(level.at)) else {
            return format!("{whole}.vals");
        };
        let level = &passed.levels[at];
        let own =
            if level.extent.is_some() { format!("{whole}.levels.{at}.level") } else { format!("{whole}.levels.{at}") };
        match () {
            () if level.extent == Some(var) => format!("{whole}.levels.{at}.extent"),
            () if level.stores == Some(var) => format!("{own}.0"),
            () => format!("{own}.{}", field.name),
        }
    };
    let value = |field: &Field| {
        let place = place(field);
        match &kernel.vars[field.var].ty {
            Type::Store(_) => format!("one_store({place})"),
            Type::Array(ArrayType { element: Element::Store(_), .. }) => format!("a_store_each({place})"),
            _ => format!("{place}.value()"),
        }
    };
    tensor.fields.iter().map(value).collect()
}

/// The stores that a field holds, each below the one before.
fn nested(ty: &Type) -> Vec<&str> {
    let mut all = Vec::new();
    let mut element = match ty {
        Type::Array(ArrayType { element, .. }) => element,
        Type::Store(store) => {
            all.push(&store.name[..]);
            &store.element
        }
        other => panic!("{other:?} is no store"),
    };
    while let Element::Store(store) = element {
        all.push(&store.name);
        element = &store.element;
    }
    all
}

/// The store that holds values or positions, and the Rust type of these.
fn innermost(ty: &Type) -> (&StoreType, &'static str) {
    fn of(store: &StoreType) -> (&StoreType, &'static str) {
        match &store.element {
            Element::Scalar(scalar) => (store, scalar.name()),
            Element::Pattern => (store, "()"),
            Element::Store(inner) => of(inner),
        }
    }
    match ty {
        Type::Store(store) => of(store),
        Type::Array(ArrayType { element: Element::Store(store), .. }) => of(store),
        other => panic!("{other:?} is no store"),
    }
}

fn plain_type(kernel: &Kernel, field: &Field) -> String {
    match &kernel.vars[field.var].ty {
        Type::Scalar(scalar) => scalar.name().to_owned(),
        other => format!("Vec<{}>", other.array_scalar().expect("an array of numbers").name()),
    }
}

fn store_type(store: &str, value: &str) -> String {
    match store {
        "packed" => format!("Packed<u32, {value}>"),
        "packed_delta" => format!("PackedDelta<u32, {value}>"),
        store => format!("{}<{value}>", camel(store)),
    }
}

fn camel(name: &str) -> String {
    name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}
