//! Formats of other programs that name vertices and edges one by one: GraphML, GEXF, Pajek, DOT and JSON as NetworkX writes it (node-link).

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use pleach::runtime::par_sort;

use super::escape::{Json, Quoted, Schema, Xml};
use super::kept::{Named, has_character, holds, is_drawn, named};
use super::{Lines, push_weight};
use crate::Error;
use crate::attributes::{Kind as Type, Value};
use crate::ids::Label;
use crate::input::Input;

/// The format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    GraphMl,
    Gexf,
    Pajek,
    Dot,
    NodeLink,
}

impl Kind {
    /// The ending of its files.
    fn ending(self) -> &'static str {
        match self {
            Kind::GraphMl => "graphml",
            Kind::Gexf => "gexf",
            Kind::Pajek => "net",
            Kind::Dot => "dot",
            Kind::NodeLink => "json",
        }
    }
}

/// A graph in one of the formats: a line a vertex, then a line an edge.
pub(super) struct Markup<'a> {
    pub(super) input: &'a Input,
    pub(super) kind: Kind,
    of_vertices: Named<'a>,
    of_edges: Named<'a>,
    /// Whether vertices have places.
    drawn: bool,
    /// Whether the labels of vertices in GEXF are the attribute `label`. Otherwise they are the ids.
    labelled: bool,
}

impl<'a> Markup<'a> {
    pub(super) fn of(input: &'a Input, path: &Path, kind: Kind) -> Result<Self, Error> {
        check(input, path, kind.ending())?;
        let (of_vertices, of_edges) = named(input, kind.ending());
        let drawn = is_drawn(of_vertices.columns);
        let labelled = kind == Kind::Gexf && has_labels(input, &of_vertices);
        Ok(Markup { input, kind, of_vertices, of_edges, drawn, labelled })
    }

    /// What stands between the vertices and the edges.
    fn between(&self) -> &'static str {
        match self.kind {
            Kind::GraphMl | Kind::Dot => "",
            Kind::Gexf => "</nodes>\n<edges>\n",
            Kind::Pajek if self.input.directed => "*Arcs\n",
            Kind::Pajek => "*Edges\n",
            Kind::NodeLink => "],\n\"edges\": [\n",
        }
    }

    /// What a row has, as far as the format can hold it.
    fn values<'s>(&self, of: &'s Named<'a>, row: usize) -> Vec<(usize, &'s str, Value<'a>)> {
        of.row(row).filter(|(_, _, value)| holds(self.kind.ending(), *value)).collect()
    }

    // Writing to memory succeeds, here and below.
    fn vertex(&self, vertex: u32, text: &mut Vec<u8>) {
        let label = self.input.ids.label(vertex);
        let values = self.values(&self.of_vertices, vertex as usize);
        let _ = match self.kind {
            Kind::GraphMl => write!(text, "<node id=\"{}\"", Xml(label)),
            Kind::Gexf => {
                let own = values.iter().find(|value| value.1 == "label").map(|value| value.2);
                let _ = write!(text, "<node id=\"{}\"", Xml(label));
                match own.filter(|_| self.labelled) {
                    Some(own) => write!(text, " label=\"{}\"", Xml(own)),
                    None if self.labelled => Ok(()),
                    None => write!(text, " label=\"{}\"", Xml(label)),
                }
            }
            Kind::Pajek => write!(text, "{} {}", vertex + 1, Quoted(label)),
            Kind::Dot => write!(text, "  {}", Quoted(label)),
            Kind::NodeLink => write!(text, "{}{{\"id\": {}", if vertex > 0 { "," } else { "" }, json_label(label)),
        };
        match self.kind {
            Kind::GraphMl => graphml(text, "v", None, &values, "node"),
            Kind::Gexf => gexf(text, &values, "node", self.labelled),
            Kind::Pajek => self.pajek_vertex(text, &values),
            Kind::Dot => dot(text, None, &values),
            Kind::NodeLink => node_link(text, &values),
        }
    }

    fn edge(&self, edge: usize, text: &mut Vec<u8>) {
        let edges = &self.input.edges;
        let (src, dst) = (edges.src()[edge], edges.dst()[edge]);
        let (from, to) = (self.input.ids.label(src), self.input.ids.label(dst));
        let weight = edges.weight().map(|weight| weight[edge]);
        let values = self.values(&self.of_edges, edge);
        let comma = if edge > 0 { "," } else { "" };
        let _ = match self.kind {
            Kind::GraphMl => write!(text, "<edge source=\"{}\" target=\"{}\"", Xml(from), Xml(to)),
            Kind::Gexf => write!(text, "<edge id=\"{edge}\" source=\"{}\" target=\"{}\"", Xml(from), Xml(to)),
            Kind::Pajek => write!(text, "{} {}", src + 1, dst + 1),
            Kind::Dot => {
                let arrow = if self.input.directed { "->" } else { "--" };
                write!(text, "  {} {arrow} {}", Quoted(from), Quoted(to))
            }
            Kind::NodeLink => write!(text, "{comma}{{\"source\": {}, \"target\": {}", json_label(from), json_label(to)),
        };
        match (self.kind, weight) {
            (Kind::GraphMl, weight) => graphml(text, "e", weight, &values, "edge"),
            (Kind::Dot, weight) => dot(text, weight, &values),
            (Kind::Gexf, weight) => {
                weight.into_iter().for_each(|weight| push_between(text, " weight=\"", weight, "\""));
                if let Some((_, _, label)) = values.iter().find(|value| value.1 == "label") {
                    let _ = write!(text, " label=\"{}\"", Xml(label));
                }
                gexf(text, &values, "edge", true);
            }
            (Kind::Pajek, weight) => {
                match weight {
                    None if values.is_empty() => {}
                    weight => push_between(text, " ", weight.unwrap_or(1.0), ""),
                }
                pairs(text, values.iter().map(|(_, name, value)| (*name, *value)));
                text.push(b'\n');
            }
            (Kind::NodeLink, weight) => {
                weight.into_iter().for_each(|weight| push_between(text, ", \"weight\": ", weight, ""));
                node_link(text, &values);
            }
        }
    }

    /// Appends where a vertex is drawn, and the attributes behind that.
    fn pajek_vertex(&self, text: &mut Vec<u8>, values: &[(usize, &str, Value<'_>)]) {
        let find = |name: &str| values.iter().find(|value| value.1 == name).map(|value| value.2).filter(|_| self.drawn);
        if !values.is_empty() {
            for coordinate in [find("x").or(Some(Value::Float(0.0))), find("y").or(Some(Value::Float(0.0))), find("z")]
            {
                coordinate.into_iter().for_each(|coordinate| drop(write!(text, " {coordinate}")));
            }
            match find("shape") {
                Some(shape) => drop(write!(text, " {}", Quoted(shape))),
                None => text.extend_from_slice(b" ellipse"),
            }
            let front = |name: &str| self.drawn && matches!(name, "x" | "y" | "z" | "shape");
            pairs(text, values.iter().filter(|value| !front(value.1)).map(|(_, name, value)| (*name, *value)));
        }
        text.push(b'\n');
    }
}

fn push_between(text: &mut Vec<u8>, before: &str, weight: f64, behind: &str) {
    text.extend_from_slice(before.as_bytes());
    push_weight(text, weight);
    text.extend_from_slice(behind.as_bytes());
}

/// Appends elements `<data>` and closes the element that they are in.
fn graphml(text: &mut Vec<u8>, keys: &str, weight: Option<f64>, values: &[(usize, &str, Value<'_>)], tag: &str) {
    if weight.is_none() && values.is_empty() {
        return text.extend_from_slice(b"/>\n");
    }
    text.push(b'>');
    weight.into_iter().for_each(|weight| push_between(text, "<data key=\"weight\">", weight, "</data>"));
    for (at, _, value) in values {
        let _ = write!(text, "<data key=\"{keys}{at}\">{}</data>", Schema(*value));
    }
    let _ = writeln!(text, "</{tag}>");
}

/// Appends elements `<attvalue>`, without the label if the element is `labelled`, and closes the element that they are in.
fn gexf(text: &mut Vec<u8>, values: &[(usize, &str, Value<'_>)], tag: &str, labelled: bool) {
    let has = |name: &str| labelled && name == "label";
    if values.iter().all(|value| has(value.1)) {
        return text.extend_from_slice(b"/>\n");
    }
    text.extend_from_slice(b"><attvalues>");
    for (at, _, value) in values.iter().filter(|value| !has(value.1)) {
        let _ = write!(text, "<attvalue for=\"{at}\" value=\"{}\"/>", Schema(*value));
    }
    let _ = writeln!(text, "</attvalues></{tag}>");
}

/// Appends names and values as Pajek and NetworkX have them.
fn pairs<'v>(text: &mut Vec<u8>, values: impl Iterator<Item = (&'v str, Value<'v>)>) {
    for (name, value) in values {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let _ = if plain { write!(text, " {name}") } else { write!(text, " {}", Quoted(name)) };
        let _ = match value {
            Value::Text(_) => write!(text, " {}", Quoted(value)),
            value => write!(text, " {value}"),
        };
    }
}

fn dot(text: &mut Vec<u8>, weight: Option<f64>, values: &[(usize, &str, Value<'_>)]) {
    let mut before = " [";
    if let Some(weight) = weight {
        push_between(text, " [weight=", weight, "");
        before = ", ";
    }
    for (_, name, value) in values {
        let _ = match value {
            Value::Integer(value) => write!(text, "{before}{}={value}", Quoted(name)),
            value => write!(text, "{before}{}={}", Quoted(name), Quoted(value)),
        };
        before = ", ";
    }
    text.extend_from_slice(if before == ", " { b"];\n" } else { b";\n" });
}

fn node_link(text: &mut Vec<u8>, values: &[(usize, &str, Value<'_>)]) {
    for (_, name, value) in values {
        let _ = write!(text, ", {}: {}", Json(Value::Text(name)), Json(*value));
    }
    text.extend_from_slice(b"}\n");
}

/// A label as JSON: a number or a string.
fn json_label(label: Label<'_>) -> String {
    match label {
        Label::Id(id) => id.to_string(),
        Label::Name(name) => Json(Value::Text(name)).to_string(),
    }
}

/// Refuses names of vertices, and weights, that a file of this ending cannot have.
fn check(input: &Input, path: &Path, ending: &str) -> Result<(), Error> {
    let refused = |reason: String| Err(Error::CannotWrite { path: path.to_owned(), reason });
    let is_lost = |label: &Label<'_>| match label {
        Label::Name(name) => !name.chars().all(|c| has_character(ending, c)),
        Label::Id(_) => false,
    };
    let names = input.ids.has_names().then(|| input.ids.labels()).into_iter().flatten();
    if let Some(Label::Name(name)) = names.into_iter().find(is_lost) {
        return refused(format!(".{ending} cannot hold the name {name:?} of a vertex: it has a control character"));
    }
    let weights = input.edges.weight().unwrap_or_default();
    match weights.iter().find(|weight| !weight.is_finite()) {
        Some(weight) => refused(format!(".{ending} holds finite weights, and an edge has the weight {weight}")),
        None => Ok(()),
    }
}

/// Whether vertices have an attribute `label` that can be written as labels of GEXF. If all of them equal the ids it cannot, because a
/// reader would drop them.
fn has_labels(input: &Input, of_vertices: &Named<'_>) -> bool {
    let mut named = of_vertices.columns.iter().zip(&of_vertices.names);
    let other = |(row, value): (usize, Value<'_>)| {
        holds("gexf", value) && value.to_string() != input.ids.label(row as u32).to_string()
    };
    named.find(|(_, name)| *name == "label").is_some_and(|(column, _)| column.iter().any(other))
}

/// Whether an edge is listed more than once.
fn has_parallel_edges(input: &Input) -> bool {
    let ends = input.edges.src().iter().zip(input.edges.dst());
    let key = |(&src, &dst): (&u32, &u32)| match input.directed {
        true => u64::from(src) << 32 | u64::from(dst),
        false => u64::from(src.min(dst)) << 32 | u64::from(src.max(dst)),
    };
    let mut all: Vec<u64> = ends.map(key).collect();
    par_sort(&mut all);
    all.windows(2).any(|pair| pair[0] == pair[1])
}

/// What GraphML and GEXF call a type.
fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "boolean",
        Type::Integer => "long",
        Type::Float => "double",
        Type::Text => "string",
    }
}

impl Markup<'_> {
    fn graphml_keys(&self) -> String {
        let mut keys = String::new();
        for (class, letter, named) in [("node", "v", &self.of_vertices), ("edge", "e", &self.of_edges)] {
            for (at, (column, name)) in named.columns.iter().zip(&named.names).enumerate() {
                let (name, kind) = (Xml(name), type_name(column.kind()));
                keys +=
                    &format!("<key id=\"{letter}{at}\" for=\"{class}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n");
            }
        }
        keys
    }

    fn gexf_keys(&self) -> String {
        let mut keys = String::new();
        for (class, named) in [("node", &self.of_vertices), ("edge", &self.of_edges)] {
            let labelled = class == "edge" || self.labelled;
            let columns = named.columns.iter().zip(&named.names).enumerate();
            let lines: String = columns
                .filter(|(_, (_, name))| !labelled || *name != "label")
                .map(|(at, (column, name))| {
                    let (name, kind) = (Xml(name), type_name(column.kind()));
                    format!("<attribute id=\"{at}\" title=\"{name}\" type=\"{kind}\"/>\n")
                })
                .collect();
            if !lines.is_empty() {
                keys += &format!("<attributes class=\"{class}\">\n{lines}</attributes>\n");
            }
        }
        keys
    }
}

impl Lines for Markup<'_> {
    fn head(&self) -> Vec<u8> {
        let directed = self.input.directed;
        let word = if directed { "directed" } else { "undirected" };
        let text = match self.kind {
            Kind::GraphMl => {
                let weight = "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n";
                format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n{}<graph \
                     edgedefault=\"{word}\">\n",
                    if self.input.edges.is_weighted() { weight.to_owned() } else { String::new() }
                        + &self.graphml_keys()
                )
            }
            Kind::Gexf => format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n<graph \
                 defaultedgetype=\"{word}\" mode=\"static\">\n{}<nodes>\n",
                self.gexf_keys()
            ),
            Kind::Pajek => format!("*Vertices {}\n", self.input.num_vertices()),
            Kind::Dot => format!("{} {{\n", if directed { "digraph" } else { "graph" }),
            Kind::NodeLink => {
                let multiple = has_parallel_edges(self.input);
                format!("{{\"directed\": {directed}, \"multigraph\": {multiple}, \"graph\": {{}},\n\"nodes\": [\n")
            }
        };
        text.into_bytes()
    }

    fn tail(&self) -> Vec<u8> {
        let mut text = if self.input.edges.is_empty() { self.between().to_owned() } else { String::new() };
        text += match self.kind {
            Kind::GraphMl => "</graph>\n</graphml>\n",
            Kind::Gexf => "</edges>\n</graph>\n</gexf>\n",
            Kind::Pajek => "",
            Kind::Dot => "}\n",
            Kind::NodeLink => "]}\n",
        };
        text.into_bytes()
    }

    fn count(&self) -> usize {
        self.input.num_vertices() + self.input.edges.len()
    }

    fn format(&self, lines: Range<usize>, text: &mut Vec<u8>) {
        let vertices = self.input.num_vertices();
        for line in lines {
            match line.checked_sub(vertices) {
                None => self.vertex(line as u32, text),
                Some(edge) => {
                    if edge == 0 {
                        text.extend_from_slice(self.between().as_bytes());
                    }
                    self.edge(edge, text);
                }
            }
        }
    }
}
