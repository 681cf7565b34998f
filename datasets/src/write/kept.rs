//! Which attributes a format keeps, and by which names.

use crate::attributes::{Attribute, Kind, Value, called};
use crate::columns::Column;
use crate::input::Input;
use crate::read::edge_type;
use crate::read::pairs::is_time;

/// Whether a format of this ending has attributes of vertices, and of edges.
fn keeps(ending: &str) -> (bool, bool) {
    match ending {
        "graphml" | "gexf" | "net" | "dot" | "gv" | "json" => (true, true),
        ending if is_table(ending) => (false, true),
        _ => (false, false),
    }
}

/// Whether a format of this ending is a table of edges.
fn is_table(ending: &str) -> bool {
    matches!(ending, "csv" | "parquet" | "arrow" | "feather" | "arrows")
}

/// Whether a reader would take this column of a table of edges for more than an attribute: for an end, a weight, an operation, Gephi's type, or
/// for times where it holds others.
fn is_misread(column: &Attribute, name: &str) -> bool {
    let holds_times = || column.iter().all(|(_, value)| is_time(value.to_string().as_bytes()));
    let says_direction = || column.distinct_texts().any(|text| edge_type::of_field(text.as_bytes()).is_some());
    Column::is_meant(name) && !(Column::is_time(name) && holds_times())
        || edge_type::place([name].into_iter()).is_some() && says_direction()
}

/// Names that mean something else in a format, for vertices and for edges.
fn reserved(ending: &str, input: &Input) -> (&'static [&'static str], &'static [&'static str]) {
    match ending {
        "json" => (&["id"], &["source", "target", "weight"]),
        // What says where vertices are drawn stands before the names.
        "net" => match is_drawn(&input.attributes.vertices) {
            true => (&["id"], &["weight"]),
            false => (&["id", "x", "y", "z", "shape"], &["weight"]),
        },
        "graphml" | "dot" | "gv" => (&[], &["weight"]),
        "gexf" => (&[], &["weight", "Weight"]),
        _ => (&[], &[]),
    }
}

/// Whether vertices have places, which Pajek has in front of all other attributes.
pub(super) fn is_drawn(vertices: &[Attribute]) -> bool {
    let find = |name: &str| vertices.iter().find(|column| column.name() == name);
    let is_number = |column: &Attribute| matches!(column.kind(), Kind::Integer | Kind::Float);
    let placed = ["x", "y"].iter().all(|name| find(name).is_some_and(is_number));
    placed && find("z").is_none_or(is_number)
}

/// What the columns are called in a file: by their own names, with `edge_` before those that would be misread, and `_` behind those that are taken.
fn unlike(columns: &[Attribute], taken: &[&str], ending: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let misread = is_table(ending) && is_misread(column, column.name());
        // A table has blanks instead, in its heading only.
        let keeps = |c| is_table(ending) || has_character(ending, c);
        let own = column.name().chars().map(|c| if keeps(c) { c } else { '_' });
        let mut name: String = if misread { "edge_" } else { "" }.chars().chain(own).collect();
        while taken.contains(&name.as_str()) || names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// The attributes of vertices or of edges that a file of this ending has, and what it calls them.
pub(super) struct Named<'a> {
    pub(super) columns: &'a [Attribute],
    pub(super) names: Vec<String>,
}

impl<'a> Named<'a> {
    /// The values of a row, with the names and places of their attributes.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &str, Value<'a>)> {
        let columns = self.columns.iter().zip(&self.names).enumerate();
        columns.filter_map(move |(at, (column, name))| Some((at, name.as_str(), column.get(row)?)))
    }
}

/// Those of vertices and those of edges.
pub(super) fn named<'a>(input: &'a Input, ending: &str) -> (Named<'a>, Named<'a>) {
    let (taken, keeps) = (reserved(ending, input), keeps(ending));
    let of = |columns: &'a [Attribute], taken: &[&str], keeps: bool| {
        let columns = if keeps { columns } else { &[] };
        Named { columns, names: unlike(columns, taken, ending) }
    };
    let attributes = &input.attributes;
    (of(&attributes.vertices, taken.0, keeps.0), of(&attributes.edges, taken.1, keeps.1))
}

/// Whether a format of this ending can hold a value of a type that it has.
pub(super) fn holds(ending: &str, value: Value<'_>) -> bool {
    match (ending, value) {
        ("json", Value::Float(value)) => value.is_finite(),
        ("csv" | "net" | "graphml" | "gexf", Value::Text(text)) => text.chars().all(|c| has_character(ending, c)),
        _ => true,
    }
}

/// Whether a file of this ending can have this character in a text.
pub(super) fn has_character(ending: &str, c: char) -> bool {
    match ending {
        // Files of lines have no control characters.
        "csv" | "net" => c >= ' ' || c == '\t',
        "graphml" | "gexf" => is_xml(c),
        _ => true,
    }
}

/// Whether a document of XML can have this character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// What a file of this ending does not keep of the attributes of a graph, for its user.
pub fn lost_attributes(input: &Input, ending: &str) -> Vec<String> {
    let (mut notes, mut lost) = (Vec::new(), Vec::new());
    let (vertices, edges) = named(input, ending);
    let kept = [("vertices", &input.attributes.vertices, vertices), ("edges", &input.attributes.edges, edges)];
    for (of, columns, named) in kept {
        if named.columns.is_empty() {
            lost.extend(columns.iter().map(|column| called(column.name(), of)));
        }
        for (column, name) in named.columns.iter().zip(&named.names) {
            let all = column.iter().filter(|(_, value)| !holds(ending, *value)).count();
            if all > 0 {
                let what = called(column.name(), of);
                let values = if all == 1 { "1 value".to_owned() } else { format!("{all} values") };
                notes.push(format!("not kept: {values} of {what}, which .{ending} cannot hold"));
            }
            if name != column.name() {
                notes.push(format!("{} is written as `{name}`", called(column.name(), of)));
            }
        }
        if ending == "net" && of == "edges" && !named.columns.is_empty() && !input.edges.is_weighted() {
            notes.push("edges get a weight of 1, which Pajek has in front of attributes".to_owned());
        }
    }
    if !lost.is_empty() {
        notes.insert(0, format!("not kept: {}", lost.join(", ")));
    }
    notes
}
