//! Pajek's networks (`.net`): `*Vertices N`, perhaps lines of a number and a label, then `*Arcs` or `*Edges` of two numbers and perhaps a
//! weight, or `*Arcslist` or `*Edgeslist` of a number and those that it leads to.
//!
//! Behind the label of a vertex may stand its place and its shape, then, as behind the weight of an edge, pairs of a name and a value, which are
//! attributes. NetworkX writes `0.0 0.0 ellipse` for each vertex that has none of these, which is left out.

use super::Raw;
use super::listed::Listed;
use crate::attributes::{Attribute, Fields, Value};
use crate::error::{Error, Fault};
use crate::scan;
use crate::source::Source;

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Vertices,
    Pairs { directed: bool },
    Lists { directed: bool },
}

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let text = source.text()?;
    let mut section = Section::None;
    let mut labels: Vec<Option<String>> = Vec::new();
    // Ends from 0, weight, and whether there is a direction.
    let mut edges: Vec<(usize, usize, Option<f64>, bool)> = Vec::new();
    let mut lost = Listed::default();
    // Vertices in the order of their lines, and what these lines and those of edges say.
    let (mut described, mut of_vertices, mut of_edges) = (Vec::new(), Fields::default(), Fields::default());
    for (number, line) in (1..).zip(text.lines()) {
        let fault = |fault| Error::at(&path, number, 1, fault);
        let header = |expected: &str, found: &str| {
            fault(Fault::Header { expected: expected.to_owned(), found: scan::quote(found.as_bytes()) })
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let words = words(line);
        let vertex = |word: &str| match word.parse::<usize>() {
            Ok(vertex) if (1..=labels.len()).contains(&vertex) => Ok(vertex - 1),
            Ok(found) => Err(fault(Fault::OutOfRange {
                what: "vertex",
                first: 1,
                last: labels.len() as u64,
                found: found as u64,
            })),
            Err(_) => Err(fault(Fault::Id { found: scan::quote(word.as_bytes()) })),
        };
        if line.starts_with('*') {
            section = match words[0].to_ascii_lowercase().as_str() {
                "*vertices" => {
                    let count: u32 =
                        words.get(1).and_then(|word| word.parse().ok()).ok_or_else(|| header("`*Vertices N`", line))?;
                    super::check_proportion(&path, crate::input::VERTICES, count.into(), text.len() as u64)?;
                    labels = vec![None; count as usize];
                    Section::Vertices
                }
                "*arcs" => Section::Pairs { directed: true },
                "*edges" => Section::Pairs { directed: false },
                "*arcslist" => Section::Lists { directed: true },
                "*edgeslist" => Section::Lists { directed: false },
                "*network" => Section::None,
                _ => return Err(header("`*Vertices`, `*Arcs`, `*Edges`, `*Arcslist` or `*Edgeslist`", line)),
            };
            continue;
        }
        match section {
            Section::None => return Err(header("`*Vertices N`", line)),
            Section::Vertices => {
                let vertex = vertex(&words[0])?;
                labels[vertex] = words.get(1).cloned();
                let pairs = place(&mut of_vertices, described.len(), words.get(2..).unwrap_or_default());
                if !set_pairs(&mut of_vertices, described.len(), pairs) {
                    lost.lose("vertices", "a word without a value");
                }
                described.push(vertex);
            }
            Section::Pairs { directed } => {
                let (Some(src), Some(dst)) = (words.first(), words.get(1)) else {
                    return Err(fault(Fault::MissingColumn { expected: "a second vertex" }));
                };
                let weight = words.get(2).map(|word| {
                    let weight = word.parse::<f64>().ok().filter(|weight| weight.is_finite());
                    weight.ok_or_else(|| fault(Fault::Number { found: scan::quote(word.as_bytes()) }))
                });
                if !set_pairs(&mut of_edges, edges.len(), words.get(3..).unwrap_or_default()) {
                    lost.lose("edges", "a word without a value");
                }
                edges.push((vertex(src)?, vertex(dst)?, weight.transpose()?, directed));
            }
            Section::Lists { directed } => {
                let src = vertex(&words[0])?;
                for word in &words[1..] {
                    edges.push((src, vertex(word)?, None, directed));
                }
            }
        }
    }
    // Labels are names only if no two vertices share one.
    let mut known: Vec<&String> = labels.iter().flatten().collect();
    known.sort_unstable();
    let named = known.len() == labels.len() && known.windows(2).all(|pair| pair[0] != pair[1]);
    let name = |vertex: usize| match &labels[vertex] {
        Some(label) if named => label.clone(),
        _ => (vertex + 1).to_string(),
    };
    let directed = edges.iter().any(|edge| edge.3);
    let mut listed =
        Listed { directed, vertices: (0..labels.len()).map(name).collect(), lost: lost.lost, ..Listed::default() };
    if !named {
        // Labels that some lack or share are an attribute.
        let labelled = labels.iter().enumerate().filter_map(|(vertex, label)| Some((vertex, label.as_deref()?)));
        let name = of_vertices.unused("label");
        labelled.for_each(|(vertex, label)| listed.of_vertices.set(vertex, &name, Value::Text(label)));
    }
    let (columns, beyond) = of_vertices.finish("vertices");
    listed.lost.extend(beyond);
    for column in without_defaults(columns).into_iter().map(Attribute::narrowed) {
        listed.of_vertices.add(&column.rearranged(|row| Some(described[row])));
    }
    let (columns, beyond) = of_edges.finish("edges");
    listed.lost.extend(beyond);
    let columns: Vec<Attribute> = columns.into_iter().map(Attribute::narrowed).collect();
    let mut add = |edge: usize, src: usize, dst: usize, weight| {
        for column in &columns {
            column
                .get(edge)
                .into_iter()
                .for_each(|value| listed.of_edges.set(listed.edges.len(), column.name(), value));
        }
        listed.edge(&name(src), &name(dst), weight);
    };
    for (edge, (src, dst, weight, arc)) in edges.into_iter().enumerate() {
        add(edge, src, dst, weight);
        // An edge among arcs leads both ways.
        if directed && !arc && src != dst {
            add(edge, dst, src, weight);
        }
    }
    listed.into_raw(&path)
}

/// Where a vertex is drawn, and how, where a line does not say it.
const DEFAULTS: [(&str, &str); 3] = [("x", "0.0"), ("y", "0.0"), ("shape", "ellipse")];

/// Sets the place of a vertex, of two or three numbers, and its shape. Returns the pairs behind them.
fn place<'w>(fields: &mut Fields, row: usize, words: &'w [String]) -> &'w [String] {
    let numbers = words.iter().take(3).take_while(|word| word.parse::<f64>().is_ok()).count();
    let (numbers, rest) = words.split_at(numbers);
    for (name, number) in ["x", "y", "z"].iter().zip(numbers) {
        fields.set(row, name, Value::Text(number));
    }
    match rest {
        [shape, pairs @ ..] if pairs.len().is_multiple_of(2) => {
            fields.set(row, "shape", Value::Text(shape));
            pairs
        }
        pairs => pairs,
    }
}

/// Sets pairs of a name and a value; false if a word is left over.
fn set_pairs(fields: &mut Fields, row: usize, words: &[String]) -> bool {
    let pairs = words.chunks_exact(2);
    let even = pairs.remainder().is_empty();
    pairs.for_each(|pair| fields.set(row, &pair[0], Value::Text(&pair[1])));
    even
}

/// The columns without places and shapes, if all vertices have the defaults.
fn without_defaults(columns: Vec<Attribute>) -> Vec<Attribute> {
    let usual = |column: &Attribute| {
        DEFAULTS.iter().any(|(name, usual)| column.name() == *name && column.distinct_texts().eq([*usual]))
    };
    let drawn = |column: &&Attribute| matches!(column.name(), "x" | "y" | "z" | "shape");
    let all_usual = columns.iter().filter(drawn).all(usual);
    columns.into_iter().filter(|column| !all_usual || !drawn(&column)).collect()
}

/// The words of a line, of which some may be in quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut word = String::new();
            let mut escaped = false;
            let mut end = quoted.len();
            for (at, c) in quoted.char_indices() {
                match c {
                    _ if escaped => {
                        word.push(c);
                        escaped = false;
                    }
                    '\\' => escaped = true,
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    c => word.push(c),
                }
            }
            words.push(word);
            rest = quoted[end..].trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    words
}
