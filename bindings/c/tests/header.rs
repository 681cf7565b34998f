//! `pleach.h` declares exactly the functions, the types and the numbers that the library has.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Expr, FnArg, GenericArgument, Item, Pat, PathArguments, PointerMutability, ReturnType, Type};

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The header without comments and lines of the preprocessor, each statement in one line with single spaces.
fn statements() -> Vec<String> {
    let mut text = String::new();
    let header = source("include/pleach.h");
    let mut rest = header.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        rest = comment.split_once("*/").expect("comments end").1;
    }
    text.push_str(rest);
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ").replace("extern \"C\" {", "");
    let one_line = |statement: &str| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    code.split(';').map(one_line).filter(|statement| statement.len() > 1).collect()
}

/// The C type of a Rust type, with the star of a pointer last.
fn c_type(ty: &Type) -> String {
    match ty {
        Type::Ptr(pointer) => {
            let constant = if matches!(pointer.mutability, PointerMutability::Mut(_)) { "" } else { "const " };
            format!("{constant}{} *", c_type(&pointer.elem))
        }
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            let name = last.ident.to_string();
            let fixed = match name.as_str() {
                "bool" => "bool",
                "u64" => "uint64_t",
                "i64" => "int64_t",
                "f64" => "double",
                "usize" => "size_t",
                "c_char" => "char",
                "Status" => "pleach_status",
                "PleachGraph" => "pleach_graph",
                "PleachSnapshot" => "pleach_snapshot",
                "Optional" => {
                    let PathArguments::AngleBracketed(arguments) = &last.arguments else { panic!("{name}") };
                    let ty = arguments.args.iter().find_map(|argument| match argument {
                        GenericArgument::Type(ty) => Some(c_type(ty)),
                        _ => None,
                    });
                    return format!("{} *", ty.unwrap());
                }
                other => panic!("{other} is no type that C knows"),
            };
            fixed.to_owned()
        }
        _ => panic!("the type of an argument is a path or a pointer"),
    }
}

/// A declaration as C writes it, such as `int *name`.
fn declared(ty: &str, name: &str) -> String {
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}

#[test]
fn functions_are_those_of_the_library() {
    let file = syn::parse_file(&source("src/border.rs")).unwrap();
    let mut expected = Vec::new();
    for item in &file.items {
        let Item::Fn(function) = item else { continue };
        let signature = &function.sig;
        if signature.abi.is_none() {
            continue;
        }
        let argument = |argument: &FnArg| {
            let FnArg::Typed(typed) = argument else { panic!("no methods") };
            let Pat::Ident(name) = &*typed.pat else { panic!("arguments have names") };
            declared(&c_type(&typed.ty), &name.ident.to_string())
        };
        let mut arguments: Vec<String> = signature.inputs.iter().map(argument).collect();
        if arguments.is_empty() {
            arguments.push("void".to_owned());
        }
        let ReturnType::Type(_, result) = &signature.output else { panic!("functions return a status or a text") };
        expected.push(declared(&c_type(result), &format!("{}({})", signature.ident, arguments.join(", "))));
    }
    assert!(expected.len() > 30, "the functions were found");
    let found: Vec<String> = statements().into_iter().filter(|statement| statement.contains('(')).collect();
    assert_eq!(found, expected);
}

#[test]
fn numbers_and_types_are_those_of_the_library() {
    let file = syn::parse_file(&source("src/failure.rs")).unwrap();
    let status = file.items.iter().find_map(|item| match item {
        Item::Enum(status) if status.ident == "Status" => Some(status),
        _ => None,
    });
    let snake = |name: &str| {
        let mut text = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() {
                text.push('_');
            }
            text.push(letter.to_ascii_uppercase());
        }
        format!("PLEACH{text}")
    };
    let number = |expr: &Expr| match expr {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(int) => int.base10_parse::<i32>().unwrap(),
            _ => panic!("a number"),
        },
        _ => panic!("a number"),
    };
    let variants = &status.unwrap().variants;
    let expected: BTreeMap<String, i32> = variants
        .iter()
        .map(|variant| (snake(&variant.ident.to_string()), number(&variant.discriminant.as_ref().unwrap().1)))
        .collect();
    let statements = statements();
    let found = statements.iter().find(|statement| statement.starts_with("typedef enum pleach_status")).unwrap();
    let inner = found.split_once('{').unwrap().1.split_once('}').unwrap().0;
    let found: BTreeMap<String, i32> = inner
        .split(',')
        .map(|entry| entry.split_once('=').unwrap())
        .map(|(name, number)| (name.trim().to_owned(), number.trim().parse().unwrap()))
        .collect();
    assert_eq!(found, expected);
    for handle in ["pleach_graph", "pleach_snapshot"] {
        let text = format!("typedef struct {handle} {{ uint64_t id");
        assert!(statements.contains(&text), "{handle}");
    }
    assert_eq!(size_of::<pleach_capi::PleachGraph>(), 8);
    assert_eq!(size_of::<pleach_capi::PleachSnapshot>(), 8);
    assert_eq!(size_of::<pleach_capi::Status>(), 4);
}
