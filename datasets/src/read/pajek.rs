//! Pajek's networks (`.net`): `*Vertices N`, perhaps lines of a number and a label, then `*Arcs` or `*Edges` of two numbers and perhaps a
//! weight, or `*Arcslist` or `*Edgeslist` of a number and those that it leads to.

use super::Raw;
use super::listed::Listed;
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
                if words.len() > 2 {
                    lost.lose("vertices", "coordinates and shapes");
                }
            }
            Section::Pairs { directed } => {
                let (Some(src), Some(dst)) = (words.first(), words.get(1)) else {
                    return Err(fault(Fault::MissingColumn { expected: "a second vertex" }));
                };
                let weight = words.get(2).map(|word| {
                    let weight = word.parse::<f64>().ok().filter(|weight| weight.is_finite());
                    weight.ok_or_else(|| fault(Fault::Number { found: scan::quote(word.as_bytes()) }))
                });
                edges.push((vertex(src)?, vertex(dst)?, weight.transpose()?, directed));
                if words.len() > 3 {
                    lost.lose("edges", "attributes behind the weight");
                }
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
    if !named && !known.is_empty() {
        lost.lose("vertices", "labels that some lack or share");
    }
    let name = |vertex: usize| match &labels[vertex] {
        Some(label) if named => label.clone(),
        _ => (vertex + 1).to_string(),
    };
    let directed = edges.iter().any(|edge| edge.3);
    let mut listed =
        Listed { directed, vertices: (0..labels.len()).map(name).collect(), lost: lost.lost, ..Listed::default() };
    for (src, dst, weight, arc) in edges {
        listed.edge(&name(src), &name(dst), weight);
        // An edge among arcs leads both ways.
        if directed && !arc && src != dst {
            listed.edge(&name(dst), &name(src), weight);
        }
    }
    listed.into_raw(&path)
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
