//! `pleach help`: the help of commands, and topics that concern several of them.

use std::fmt::Write;

use clap::{Args, Command};
#[cfg(feature = "compiler")]
use pleach_codegen::{
    notation::{ast::ValueType, concrete::Operator},
    session::Session,
};
use pleach_erased::{DEFAULT_STORE, OUTER_LEVELS, ROW_STORES};

use super::output::print;
use super::{Failure, complete};

/// What to explain.
#[derive(Args)]
pub struct Help {
    /// A command (`run bfs`), or a topic: formats, stores, expressions, json
    #[arg(value_name = "COMMAND_OR_TOPIC", value_parser = complete::explained(), hide_possible_values = true)]
    names: Vec<String>,
}

/// A topic, and what makes its text.
pub type Topic = (&'static str, fn() -> String);

/// The topics.
pub const TOPICS: &[Topic] = &[
    ("formats", formats),
    ("stores", stores),
    #[cfg(feature = "compiler")]
    ("expressions", expressions),
    ("json", || SCHEMA.to_owned()),
];

/// The JSON schema of everything that commands print with `--json`.
pub const SCHEMA: &str = include_str!("output.schema.json");

impl Help {
    /// Prints it.
    pub fn run(self, mut command: Command) -> Result<(), Failure> {
        if let [name] = &self.names[..]
            && let Some((_, text)) = TOPICS.iter().find(|(topic, _)| topic == name)
        {
            return print(text().as_bytes());
        }
        command.build();
        let mut found = &mut command;
        for name in &self.names {
            let path = found.get_bin_name().unwrap_or("pleach").to_owned();
            found = found.find_subcommand_mut(name).ok_or_else(|| {
                let topics: Vec<&str> = TOPICS.iter().map(|(topic, _)| *topic).collect();
                Failure::usage(format!(
                    "`{path}` has no command `{name}`, and there is no such topic; topics are {}",
                    topics.join(", ")
                ))
            })?;
        }
        print(found.render_long_help().to_string().as_bytes())
    }
}

/// A kind of file: its name for `--format`, its endings, what it is, and whether it is read and written.
type Kind = (&'static str, &'static str, &'static str, &'static str);

/// The kinds of file.
const FORMATS: &[Kind] = &[
    ("mtx", ".mtx", "Matrix Market: real, integer or pattern; coordinate or array", "read, written"),
    (
        "edges",
        ".txt .csv .tsv .el .wel, out.*",
        "an edge a line: two ids or names, perhaps a weight and a time",
        "read, written",
    ),
    ("names", ".names", "a vertex a line: its name and the names of those that its edges lead to", "read, written"),
    ("adjacency", "any", "a vertex a line: its id and those of its neighbours", "read"),
    ("ldbc", ".v and .e", "LDBC Graphalytics, perhaps with .properties", "read"),
    ("metis", ".graph", "METIS and the 10th DIMACS challenge", "read, written"),
    ("dimacs", ".gr", "the 9th DIMACS challenge: a u v weight", "read"),
    ("ligra", ".adj", "adjacency arrays of Ligra and Aspen", "read, written"),
    ("hb", ".rua .rsa .pua .psa .hb .rb", "Harwell-Boeing and Rutherford-Boeing, assembled", "read"),
    ("tns", ".tns", "FROSTT: coordinates of a tensor of any order", "read, written"),
    ("gap", ".sg .wsg", "the GAP Benchmark Suite", "read, written"),
    ("graphml", ".graphml", "GraphML: ids or names, directions, weights, attributes", "read, written"),
    ("gexf", ".gexf", "GEXF, Gephi's format: the same", "read, written"),
    ("pajek", ".net", "Pajek's networks: the same", "read, written"),
    ("json", ".json", "node-link, as NetworkX and D3 have it: the same", "read, written"),
    ("npz", ".npz", "SciPy's matrices: csr, csc, coo, bsr, dia; csr is written", "read, written"),
    (
        "arrow",
        ".arrow .feather .arrows",
        "tables of edges in Arrow's IPC format: ids or names, weights, attributes of edges",
        "read, written",
    ),
    ("parquet", ".parquet", "tables of edges in Parquet: the same", "read, written"),
    ("plg", ".plg", "our own binary: graphs and tensors", "read, written"),
    ("", ".dot .gv", "Graphviz", "written"),
];

fn formats() -> String {
    let mut text = String::from(
        "Files of graphs, matrices and tensors. The kind is recognised by content and ending; --format KIND overrides both.\n\
         All may be compressed: .gz, .zst, .xz and .bz2 are read, .gz and .zst written. `-` is standard input or output.\n\n",
    );
    for (kind, endings, what, done) in FORMATS {
        line(&mut text, &format!("{kind:<10} {endings:<32} {what} ({done})"));
    }
    text += "\nAttributes of vertices and of edges are kept by graphml, gexf, pajek, json and .dot; those of edges also by .csv, arrow and\n\
             parquet. `pleach data write` says what a file does not keep.\n\n\
             Columns of edges are `src dst weight time`, unless a heading or --columns says otherwise. A graph may also be named:\n\
             `pleach data list` lists bundled and generated ones. A file beats a bundled graph of the same name.\n";
    text
}

fn stores() -> String {
    let mut text = format!(
        "A store holds the rows of a graph. --store takes OUTER,ROW, any outer level with any row store, or the name of a format.\n\
         The default is {DEFAULT_STORE}.\n\nOuter levels: {}\n\nRow stores:\n",
        OUTER_LEVELS.join(", ")
    );
    for name in ROW_STORES {
        let what = pleach_catalog::schema(name).map(|schema| summary(schema.text));
        let what = what.or_else(|| pleach_catalog::level_summary(name).map(str::to_owned)).unwrap_or_default();
        line(&mut text, &format!("  {name:<14} {what}"));
    }
    line(
        &mut text,
        &format!(
            "\nFormats: {}",
            std::iter::once("csr")
                .chain(pleach_erased::FORMATS.iter().map(|format| format.0))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    );
    text += "\n`pleach schema show NAME` prints a row store's schema, `pleach bench pagerank` measures stores beside static rows.\n";
    text
}

#[cfg(feature = "compiler")]
fn expressions() -> String {
    let session = Session::bundled();
    let scope = session.scope();
    let mut text = String::from(
        "An expression in index notation computes the tensor on its left:\n\n  \
         y(i) = A(i,j) * x(j)          an index that the left side does not have is summed over\n  \
         C(i,j) = A(i,k) * B(k,j)      product of matrices\n  \
         s = A(i,j)                    a sum of all entries, into a scalar\n  \
         d(i) max= A(i,j)              another reduction: = += *= min= max= |= &=\n  \
         d(j) = A(i,j) * x(i) over min_plus   a semiring: `*` adds, and the sum is the least\n  \
         B(i,j) = A(i,j) without M(i,j)       entries of A where M has none\n  \
         x(i) = A(i,0:10)              a slice; 0:n:2 takes every second coordinate\n\n\
         Operators, loosest first: without; == != < <= > >=; + -; * / %; unary -.\n",
    );
    let functions: Vec<String> = Operator::FUNCTIONS
        .iter()
        .map(|(name, _, count)| format!("{name}({})", ["a", "b"][..*count].join(",")))
        .collect();
    line(&mut text, &format!("Functions: {}", functions.join(" ")));
    let semirings: Vec<String> = scope.semirings().map(|semiring| semiring.name.to_string()).collect();
    line(&mut text, &format!("Semirings: {}", semirings.join(" ")));
    let types: Vec<&str> = ValueType::ALL.iter().map(|ty| ty.name()).collect();
    line(&mut text, &format!("Types of values: {}", types.join(" ")));
    let formats: Vec<String> = scope
        .formats
        .iter()
        .filter_map(|format| {
            let text = format.to_string();
            text.trim_start_matches("format ").split_once(['(', '<', ' ']).map(|(name, _)| name.to_owned())
        })
        .collect();
    line(
        &mut text,
        &format!("Formats of tensors (-f A=csr), or levels as in -f 'A=(dense, compressed)': {}", formats.join(" ")),
    );
    text += "\nA tensor without -f is dense. Values come from files and numbers: A=web.mtx, x=1, alpha=2.5. Coordinates in files and in what is\n\
             printed are counted from 1, those in slices from 0.\n";
    text
}

/// The first comment of a schema, up to the end of its sentence.
pub fn summary(text: &str) -> String {
    let comment: Vec<&str> = text
        .lines()
        .take_while(|line| line.trim_start().starts_with("//"))
        .map(|line| line.trim_start().trim_start_matches('/').trim())
        .collect();
    let comment = comment.join(" ");
    comment.split_once(". ").map_or(comment.trim_end_matches('.').to_owned(), |(first, _)| first.to_owned())
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string succeeds");
}
