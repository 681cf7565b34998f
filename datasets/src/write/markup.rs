//! Formats of other programs that name vertices and edges one by one: GraphML, GEXF, Pajek, DOT and JSON as NetworkX writes it (node-link).

use std::io::Write;
use std::ops::Range;

use super::{Lines, push_weight};
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

/// A graph in one of the formats: a line a vertex, then a line an edge.
pub(super) struct Markup<'a> {
    pub(super) input: &'a Input,
    pub(super) kind: Kind,
}

impl Markup<'_> {
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

    fn vertex(&self, vertex: u32, text: &mut Vec<u8>) {
        let label = self.input.ids.label(vertex);
        let comma = if vertex > 0 { "," } else { "" };
        // Writing to memory succeeds.
        let _ = match self.kind {
            Kind::GraphMl => writeln!(text, "<node id=\"{}\"/>", Xml(label)),
            Kind::Gexf => writeln!(text, "<node id=\"{0}\" label=\"{0}\"/>", Xml(label)),
            Kind::Pajek => writeln!(text, "{} {}", vertex + 1, Quoted(label)),
            Kind::Dot => writeln!(text, "  {};", Quoted(label)),
            Kind::NodeLink => writeln!(text, "{comma}{{\"id\": {}}}", Json(label)),
        };
    }

    fn edge(&self, edge: usize, text: &mut Vec<u8>) {
        let edges = &self.input.edges;
        let (src, dst) = (edges.src()[edge], edges.dst()[edge]);
        let (from, to) = (self.input.ids.label(src), self.input.ids.label(dst));
        let weight = edges.weight().map(|weight| weight[edge]);
        let comma = if edge > 0 { "," } else { "" };
        let _ = match self.kind {
            Kind::GraphMl => write!(text, "<edge source=\"{}\" target=\"{}\"", Xml(from), Xml(to)),
            Kind::Gexf => write!(text, "<edge id=\"{edge}\" source=\"{}\" target=\"{}\"", Xml(from), Xml(to)),
            Kind::Pajek => write!(text, "{} {}", src + 1, dst + 1),
            Kind::Dot => {
                let arrow = if self.input.directed { "->" } else { "--" };
                write!(text, "  {} {arrow} {}", Quoted(from), Quoted(to))
            }
            Kind::NodeLink => write!(text, "{comma}{{\"source\": {}, \"target\": {}", Json(from), Json(to)),
        };
        let around = match self.kind {
            Kind::GraphMl => ("><data key=\"weight\">", "</data></edge>\n", "/>\n"),
            Kind::Gexf => (" weight=\"", "\"/>\n", "/>\n"),
            Kind::Pajek => (" ", "\n", "\n"),
            Kind::Dot => (" [weight=", "];\n", ";\n"),
            Kind::NodeLink => (", \"weight\": ", "}\n", "}\n"),
        };
        match weight {
            Some(weight) => {
                text.extend_from_slice(around.0.as_bytes());
                push_weight(text, weight);
                text.extend_from_slice(around.1.as_bytes());
            }
            None => text.extend_from_slice(around.2.as_bytes()),
        }
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
                    if self.input.edges.is_weighted() { weight } else { "" }
                )
            }
            Kind::Gexf => format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n<graph \
                 defaultedgetype=\"{word}\" mode=\"static\">\n<nodes>\n"
            ),
            Kind::Pajek => format!("*Vertices {}\n", self.input.num_vertices()),
            Kind::Dot => format!("{} {{\n", if directed { "digraph" } else { "graph" }),
            Kind::NodeLink => {
                format!("{{\"directed\": {directed}, \"multigraph\": false, \"graph\": {{}},\n\"nodes\": [\n")
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

/// A label with what XML gives a meaning escaped.
struct Xml<'a>(Label<'a>);

impl std::fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Label::Name(name) = self.0 else { return self.0.fmt(f) };
        for c in name.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' => f.write_str("&#9;")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

/// A label in quotes, as DOT and Pajek have it.
struct Quoted<'a>(Label<'a>);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Label::Id(id) => write!(f, "\"{id}\""),
            Label::Name(name) => write!(f, "\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}

/// A label as JSON: a number or a string.
struct Json<'a>(Label<'a>);

impl std::fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Label::Id(id) => id.fmt(f),
            Label::Name(name) => serde_json::Value::from(name).fmt(f),
        }
    }
}
