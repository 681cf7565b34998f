//! [`ast`](super::ast) to text, one field a line. What is printed parses to the same tree.

use super::ast::{Amount, Annotations, Def, Entry, Field, NodeDef, Store, Type};
use std::fmt::Write as _;

/// Prints stores as schema text.
pub fn print(stores: &[Store]) -> String {
    // Writing to a string cannot fail, so the results of `write!` are let go.
    let mut out = String::new();
    for (at, store) in stores.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match &store.name {
            Some(name) => {
                doc(&mut out, "", &store.doc);
                let _ = write!(out, "store {}", name.text);
                if !store.params.is_empty() {
                    let params: Vec<String> = store
                        .params
                        .iter()
                        .map(|param| format!("{} = {}", param.name.text, param.default.value))
                        .collect();
                    let _ = write!(out, "<{}>", params.join(", "));
                }
                out.push_str(" {\n");
                defs(&mut out, "  ", &store.defs);
                out.push_str("}\n");
            }
            None => defs(&mut out, "", &store.defs),
        }
    }
    out
}

fn defs(out: &mut String, indent: &str, defs: &[Def]) {
    for (at, def) in defs.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match def {
            Def::Supertype(supertype) => {
                doc(out, indent, &supertype.doc);
                let _ = writeln!(out, "{indent}def supertype {}", supertype.name.text);
            }
            Def::Node(node) => self::node(out, indent, node),
        }
    }
}

fn node(out: &mut String, indent: &str, node: &NodeDef) {
    doc(out, indent, &node.doc);
    let _ = write!(out, "{indent}def {}", node.name.text);
    if let Some(supertype) = &node.supertype {
        let _ = write!(out, " : {}", supertype.text);
    }
    out.push_str(" {\n");
    for field in &node.fields {
        doc(out, &format!("{indent}  "), &field.doc);
        let _ = writeln!(out, "{indent}  {} : {}", field.name.text, ty(field));
    }
    if let Some(seq) = &node.seq {
        let entries: Vec<String> = seq
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Bare(name) => name.text.clone(),
                Entry::Group(names, _) => {
                    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
                    format!("{{{}}}", names.join(", "))
                }
            })
            .collect();
        let _ = writeln!(out, "{indent}  seq = {}", entries.join(", "));
    }
    let _ = writeln!(out, "{indent}}}");
}

fn ty(field: &Field) -> String {
    match &field.ty {
        Type::Elem { array, annotations } => slots("elem", array, annotations),
        Type::Child { node, array, annotations } => slots(&node.text, array, annotations),
        Type::Size { range: None } => "size".to_owned(),
        Type::Size { range: Some(range) } => {
            let hi = range.hi.as_ref().map_or("*".to_owned(), amount);
            format!("size in [{}, {hi}]", amount(&range.lo))
        }
        Type::Count { deep: false } => "count".to_owned(),
        Type::Count { deep: true } => "count deep".to_owned(),
        Type::Parent => "parent".to_owned(),
        Type::Metadata(metadata) => metadata.name().to_owned(),
    }
}

fn slots(of: &str, array: &Option<Amount>, annotations: &Annotations) -> String {
    let mut out = of.to_owned();
    if let Some(size) = array {
        let _ = write!(out, "[{}]", amount(size));
    }
    for (word, said) in
        [("nonempty", annotations.nonempty), ("delta", annotations.delta), ("inline", annotations.inline)]
    {
        if said.is_some() {
            let _ = write!(out, " {word}");
        }
    }
    if let Some(width) = &annotations.coord {
        let _ = write!(out, " coord {}", width.text);
    }
    out
}

fn amount(amount: &Amount) -> String {
    match amount {
        Amount::Const(number) => number.value.to_string(),
        Amount::Named(name) => name.text.clone(),
    }
}

fn doc(out: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "{}", format!("{indent}// {line}").trim_end());
    }
}
