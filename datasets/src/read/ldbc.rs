//! LDBC Graphalytics: the vertices in one file (`.v`), the edges in another (`.e`), and perhaps a `.properties` file that says
//! whether the graph is directed.

use std::path::{Path, PathBuf};

use super::arcs::AnyPart;
use super::share::Shared;
use super::share_lines::{Form, Lines};
use super::{Raw, arcs, edge_list, pairs, split_ending};
use crate::compress::Compression;
use crate::error::{Error, Fault};
use crate::input::{Direction, Format, Input, Options};
use crate::progress::Meter;
use crate::scan;
use crate::source::{At, Source, Text};

/// The files of one graph.
pub(super) struct Files {
    stem: PathBuf,
    vertices: Option<PathBuf>,
    edges: PathBuf,
    properties: Option<PathBuf>,
}

impl Files {
    /// The files that `path` stands for: one of them, or what precedes their endings. `None` if it is no LDBC graph.
    pub(super) fn find(path: &Path, format: Option<Format>) -> Option<Result<Files, Error>> {
        if format.is_some_and(|f| f != Format::Ldbc) {
            return None;
        }
        let name = path.file_name()?.to_string_lossy();
        let (stem, ending) = split_ending(&name);
        let stem = match ending.as_str() {
            "v" | "e" | "properties" => path.with_file_name(stem),
            _ if !path.exists() && (beside(path, "e").is_some() || format == Some(Format::Ldbc)) => path.to_owned(),
            _ => return None,
        };
        let properties = beside(&stem, "properties");
        let named = properties.as_deref().map(Properties::read).transpose();
        Some(named.map(|properties_read| {
            let named = |key: fn(&Properties) -> &Option<String>| {
                let name = properties_read.as_ref().and_then(|p| key(p).as_ref())?;
                existing(&stem.with_file_name(name))
            };
            let edges = named(|p| &p.edge_file).or_else(|| beside(&stem, "e")).unwrap_or_else(|| with(&stem, "e"));
            let vertices = named(|p| &p.vertex_file).or_else(|| beside(&stem, "v"));
            Files { stem: stem.clone(), vertices, edges, properties }
        }))
    }
}

/// `stem.ending`.
fn with(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// `stem.ending` or its compressed form, whichever exists.
fn beside(stem: &Path, ending: &str) -> Option<PathBuf> {
    existing(&with(stem, ending))
}

fn existing(path: &Path) -> Option<PathBuf> {
    let compressed = Compression::ALL.into_iter().map(|c| with(path, c.ending()));
    std::iter::once(path.to_owned()).chain(compressed).find(|p| p.is_file())
}

/// The fields of a `.properties` file that are used here.
#[derive(Default)]
struct Properties {
    directed: Option<Direction>,
    vertex_file: Option<String>,
    edge_file: Option<String>,
}

impl Properties {
    fn read(path: &Path) -> Result<Properties, Error> {
        let text = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        let mut properties = Properties::default();
        for (at, line) in String::from_utf8_lossy(&text).lines().enumerate() {
            let line = line.trim();
            if line.starts_with(['#', '!']) {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim());
            if key.ends_with(".directed") {
                properties.directed = Some(match value {
                    "true" => Direction::Directed,
                    "false" => Direction::Undirected,
                    _ => {
                        let (expected, found) = ("`true` or `false`".to_owned(), scan::quote(value.as_bytes()));
                        return Err(Error::at(path, at as u64 + 1, 1, Fault::Header { expected, found }));
                    }
                });
            } else if key.ends_with(".vertex-file") {
                properties.vertex_file = Some(value.to_owned());
            } else if key.ends_with(".edge-file") {
                properties.edge_file = Some(value.to_owned());
            }
        }
        Ok(properties)
    }
}

pub(super) fn read(files: &Files, options: &Options) -> Result<Input, Error> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
    let total = size(&files.edges) + files.vertices.as_deref().map_or(0, size);
    let meter = Meter::new(&options.progress, total);
    let declared = match &files.properties {
        Some(path) => Properties::read(path)?.directed,
        None => None,
    };
    let vertices = match &files.vertices {
        Some(path) => {
            let mut source = Source::open(path, &meter)?;
            source.check_text()?;
            Some(source.parse(parse_vertices)?.concat())
        }
        None => None,
    };
    let mut source = Source::open(&files.edges, &meter)?;
    source.check_text()?;
    let layout = edge_list::sniff(&mut source, options)?;
    let (weighted, parts) = match layout.map(|layout| layout.rules) {
        Some(rules) => (rules.weighted, source.parse(|text| pairs::parse(text, &rules))?),
        None => (false, Vec::new()),
    };
    let rounded = parts.iter().any(AnyPart::is_rounded);
    let numbered = match vertices {
        Some(listed) => match arcs::number_by(&files.edges, parts, listed)? {
            Some(numbered) => numbered,
            None => return Err(unknown_vertex(files, options)),
        },
        None => arcs::number(&files.edges, parts)?,
    };
    let (arcs, ids) = numbered;
    if ids.is_empty() {
        return Err(Error::Empty { path: files.edges.clone(), expected: "at least one edge or vertex" });
    }
    let raw = Raw { declared, rounded, ..Raw::graph(&with(&files.stem, "e"), arcs, ids, weighted) };
    Ok(raw.finish(Format::Ldbc, options))
}

/// The vertices and edges as lines that do not depend on each other.
pub(super) fn share(files: &Files, options: &Options) -> Result<Option<Shared>, Error> {
    let meter = Meter::new(&Default::default(), 0);
    let declared = match &files.properties {
        Some(path) => Properties::read(path)?.directed,
        None => None,
    };
    let vertices = match &files.vertices {
        Some(path) => {
            let mut source = Source::open(path, &meter)?;
            source.check_text()?;
            Some(Lines::behind(&source, Form::Vertices))
        }
        None => None,
    };
    let mut source = Source::open(&files.edges, &meter)?;
    source.check_text()?;
    let edges = match edge_list::sniff(&mut source, options)?.map(|layout| layout.kind()) {
        Some(None | Some(edge_list::Kind { named: true, .. })) => return Ok(None),
        Some(Some(kind)) => Some(Lines::behind(&source, Form::Pairs(kind.rules))),
        None if vertices.is_none() => {
            return Err(Error::Empty { path: files.edges.clone(), expected: "at least one edge or vertex" });
        }
        None => None,
    };
    Ok(Some(Shared::of_ldbc(vertices, edges, declared, options)))
}

/// Reads the id at the beginning of each line; the rest of the line (a vertex's properties) is ignored.
pub(super) fn parse_vertices(text: Text<'_>) -> Result<Vec<u64>, At> {
    let bytes = text.padded();
    let mut ids = Vec::with_capacity(text.len() / 6);
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let start = at;
        at = scan::blanks(bytes, at);
        if bytes[at].is_ascii_digit() || !pairs::line_is_bare(bytes, &mut at) {
            let id = pairs::id(bytes, &mut at).map_err(|fault| At { line, column: at - start + 1, fault })?;
            if !matches!(bytes[at], b' ' | b'\t' | b',' | b';') && !scan::line_ends(bytes, at) {
                let fault = pairs::trailing_fault(bytes, &mut at);
                return Err(At { line, column: at - start + 1, fault });
            }
            ids.push(id);
            at = scan::find_line_end(bytes, at) + 1;
        }
        line += 1;
    }
    Ok(ids)
}

/// Reads the edges again to name the first that ends at a vertex which is not listed.
fn unknown_vertex(files: &Files, options: &Options) -> Error {
    let search = || -> Result<Option<Error>, Error> {
        let Some(vertices) = &files.vertices else { return Ok(None) };
        let again = |path: &Path| -> Result<Source, Error> {
            let mut source = Source::again(path, None)?;
            source.skip_mark();
            Ok(source)
        };
        let mut listed = again(vertices)?.parse(parse_vertices)?.concat();
        listed.sort_unstable();
        let mut source = again(&files.edges)?;
        edge_list::sniff(&mut source, options)?;
        while let Some(line) = source.line()? {
            let mut at = 0;
            for field in line.split(|b| matches!(b, b' ' | b'\t' | b',' | b';')) {
                let column = at + 1;
                at += field.len() + 1;
                let Some(id) = std::str::from_utf8(field).ok().and_then(|f| f.parse::<u64>().ok()) else { continue };
                if listed.binary_search(&id).is_err() {
                    let vertices = vertices.display().to_string();
                    return Ok(Some(source.fault(column, Fault::UnknownVertex { id, vertices })));
                }
                if line[..column - 1].iter().any(|b| b.is_ascii_digit()) {
                    break;
                }
            }
        }
        Ok(None)
    };
    match search() {
        Ok(Some(error)) | Err(error) => error,
        Ok(None) => Error::io(&files.edges, std::io::Error::other("changed while it was read")),
    }
}
