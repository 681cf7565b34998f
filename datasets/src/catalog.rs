//! Graphs by name: bundled ones, generated ones, and files.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::generate::Generator;
use crate::input::{Direction, Format, Input, Options};
use crate::read::{is_stem, read, read_text};

/// One graph that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name that [`open`] takes.
    pub name: &'static str,
    /// Where it comes from.
    pub kind: EntryKind,
    /// Whether its edges have a direction.
    pub direction: Direction,
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges, each counted once; of a generated graph, loops and duplicates included; of a random geometric graph, about.
    pub edges: u64,
    /// What it is, in one line.
    pub summary: &'static str,
}

/// Where a named graph comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// It is included in the library.
    Bundled,
    /// It is computed.
    Generated,
}

/// A bundled graph's entry, format and text.
struct Bundled {
    entry: Entry,
    format: Format,
    text: &'static [u8],
}

const fn bundled(
    name: &'static str,
    direction: Direction,
    (vertices, edges): (u64, u64),
    format: Format,
    text: &'static [u8],
    summary: &'static str,
) -> Bundled {
    let entry = Entry { name, kind: EntryKind::Bundled, direction, vertices, edges, summary };
    Bundled { entry, format, text }
}

use Direction::{Directed, Undirected};

/// The bundled graphs; `datasets/data/README.md` names their sources.
const BUNDLED: [Bundled; 7] = [
    bundled(
        "debian",
        Directed,
        (63_437, 247_709),
        Format::Names,
        include_bytes!("../data/debian.names.zst"),
        "packages of Debian 12 and the packages that they depend on (2026)",
    ),
    bundled(
        "karate",
        Undirected,
        (34, 78),
        Format::EdgeList,
        include_bytes!("../data/karate.txt"),
        "friendships in Zachary's karate club (1977)",
    ),
    bundled(
        "florentine",
        Undirected,
        (16, 20),
        Format::Adjacency,
        include_bytes!("../data/florentine.txt"),
        "marriages between families of Florence (Padgett and Ansell 1993)",
    ),
    bundled(
        "davis",
        Undirected,
        (32, 89),
        Format::EdgeList,
        include_bytes!("../data/davis.txt"),
        "18 women at 14 events, a bipartite graph (Davis, Gardner and Gardner 1941)",
    ),
    bundled(
        "kite",
        Undirected,
        (10, 18),
        Format::EdgeList,
        include_bytes!("../data/kite.txt"),
        "Krackhardt's kite, on which centralities disagree (1990)",
    ),
    bundled(
        "petersen",
        Undirected,
        (10, 15),
        Format::EdgeList,
        include_bytes!("../data/petersen.txt"),
        "the Petersen graph (1898)",
    ),
    bundled(
        "dijkstra",
        Directed,
        (5, 10),
        Format::EdgeList,
        include_bytes!("../data/dijkstra.txt"),
        "the textbook example of shortest paths, weighted",
    ),
];

const fn generated(name: &'static str, vertices: u64, edges: u64, summary: &'static str) -> Entry {
    Entry { name, kind: EntryKind::Generated, direction: Undirected, vertices, edges, summary }
}

/// The generated graphs that are listed; every other size has a name too.
const GENERATED: [Entry; 4] = [
    generated("rmat16", 1 << 16, 1 << 20, "Graph500 R-MAT, 16 edges a vertex: a skewed graph of a million edges"),
    generated("rmat20", 1 << 20, 1 << 24, "Graph500 R-MAT, 16 edges a vertex"),
    generated("grid2048", 1 << 22, 2 * 2048 * 2047, "a grid of 2048 by 2048 vertices"),
    generated("rgg20", 1 << 20, 6_900_000, "a random geometric graph of the DIMACS challenge"),
];

/// The graphs that can be named without a file, bundled ones first.
///
/// Generators take any size besides: `rmat:SCALE[:EDGES_PER_VERTEX]`, `grid:ROWSxCOLUMNS`, `rgg:SCALE`, `er:VERTICES:EDGES`.
pub fn list() -> impl Iterator<Item = Entry> {
    BUNDLED.iter().map(|b| b.entry).chain(GENERATED)
}

/// The source of a named graph.
pub(crate) enum Named {
    File(PathBuf, Options),
    /// The text of a bundled graph.
    Text(&'static str, &'static [u8], Options),
    Generated(Generator),
}

/// Opens the file at this path, if there is one, or else the bundled, generated or fetched graph of this name. `-` is standard input.
///
/// # Errors
///
/// [`Error::UnknownGraph`] names the graphs there are; otherwise as [`read`](crate::read) and [`Generator::generate`].
pub fn open(name: &str, options: &Options) -> Result<Input, Error> {
    match named(name, options)? {
        Named::File(path, options) => read(path, &options),
        Named::Text(name, text, options) => read_text(Path::new(name), text, &options),
        Named::Generated(generator) => generator.generate(options),
    }
}

/// Looks up a name: first as a file, then as a bundled graph, then as a generated or fetched one.
pub(crate) fn named(name: &str, options: &Options) -> Result<Named, Error> {
    let path = Path::new(name);
    let file = || Ok(Named::File(path.to_owned(), options.clone()));
    if name == "-" || path.exists() && !path.is_dir() {
        return file();
    }
    if let Some(bundled) = BUNDLED.iter().find(|b| b.entry.name == name) {
        let options = Options { format: Some(bundled.format), ..options.clone() };
        return Ok(Named::Text(bundled.entry.name, bundled.text, options));
    }
    let kind = name.split(|c: char| c == ':' || c.is_ascii_digit()).next().unwrap_or_default();
    let generator = match matches!(kind, "rmat" | "grid" | "rgg" | "er") {
        true => Some(name.parse::<Generator>()),
        false => None,
    };
    match generator {
        Some(Ok(generator)) => return Ok(Named::Generated(generator)),
        _ if path.exists() || is_stem(path) => return file(),
        Some(Err(error)) if !name.contains(['/', '.']) => return Err(error),
        // A name that looks like that of a file is taken for one.
        _ if name.contains(['/', '\\', '.']) => return file(),
        _ => {}
    }
    #[cfg(feature = "fetch")]
    if let Ok(remote) = crate::fetch::Remote::named(name) {
        return match remote.fetched() {
            Some(path) => Ok(Named::File(path, remote.options(options))),
            None => Err(Error::NotFetched { name: remote.name }),
        };
    }
    let names: Vec<_> = list().map(|entry| entry.name).collect();
    let known = format!("bundled and generated are {}, rmat:…, grid:…, rgg:…, er:…", names.join(", "));
    Err(Error::UnknownGraph { name: name.to_owned(), known })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn bundled_graphs_are_what_their_entries_say() {
        for Bundled { entry, .. } in &BUNDLED {
            let input = open(entry.name, &Options::default()).unwrap();
            assert_eq!(input.name, entry.name);
            assert_eq!(input.num_vertices() as u64, entry.vertices, "{}", entry.name);
            assert_eq!(input.edges.len() as u64, entry.edges, "{}", entry.name);
            assert_eq!(input.declared, Some(entry.direction), "{}", entry.name);
            assert_eq!((input.directed, input.mirrored), (entry.direction == Directed, entry.direction == Undirected));
            assert_eq!(input.self_loops, 0);
            let edges: BTreeSet<_> = input
                .edges
                .src()
                .iter()
                .zip(input.edges.dst())
                .map(|(s, d)| if input.directed { (s, d) } else { (s.min(d), s.max(d)) })
                .collect();
            assert_eq!(edges.len() as u64, entry.edges, "{} lists an edge twice", entry.name);
        }
    }

    #[test]
    fn generated_graphs_are_what_their_entries_say() {
        for entry in list().filter(|e| e.kind == EntryKind::Generated && e.name != "rmat20") {
            let input = open(entry.name, &Options::default()).unwrap();
            assert_eq!(input.name, entry.name);
            assert_eq!(input.num_vertices() as u64, entry.vertices, "{}", entry.name);
            let off = (input.edges.len() as f64 / entry.edges as f64 - 1.0).abs();
            assert!(off < 0.02 && (entry.name == "rgg20" || off == 0.0), "{}: {} edges", entry.name, input.edges.len());
        }
    }

    #[test]
    fn packages_of_debian_have_names() {
        let debian = open("debian", &Options::default()).unwrap();
        let names = |arcs: &mut dyn Iterator<Item = (&u32, &u32)>, of: &str| -> Vec<String> {
            let of = debian.ids.find(of).unwrap();
            arcs.filter(|(s, _)| **s == of).map(|(_, d)| debian.ids.label(*d).to_string()).collect()
        };
        let needs = |of| names(&mut debian.edges.src().iter().zip(debian.edges.dst()), of);
        // As `apt-cache depends` prints them; alternatives are all listed.
        assert_eq!(needs("bash"), ["base-files", "debianutils", "libc6", "libtinfo6"]);
        assert_eq!(needs("libc6"), ["libgcc-s1"]);
        assert_eq!(needs("fonts-dejavu-core"), [""; 0], "a package that needs no other is a vertex too");
        let needed_by_most = {
            let mut in_degrees = vec![0u32; debian.num_vertices()];
            debian.edges.dst().iter().for_each(|&v| in_degrees[v as usize] += 1);
            (0..).zip(in_degrees).max_by_key(|&(_, degree)| degree).unwrap()
        };
        assert_eq!((debian.ids.label(needed_by_most.0).to_string().as_str(), needed_by_most.1), ("libc6", 21_810));
    }

    /// How often each id occurs in the edges of a bundled graph.
    fn degrees(name: &str) -> BTreeMap<u64, u32> {
        let input = open(name, &Options::default()).unwrap();
        let mut degrees: BTreeMap<u64, u32> = input.ids.iter().map(|id| (id, 0)).collect();
        for &v in input.edges.src().iter().chain(input.edges.dst()) {
            *degrees.get_mut(&input.ids.external(v)).unwrap() += 1;
        }
        degrees
    }

    #[test]
    fn published_degrees_are_found() {
        let karate = degrees("karate");
        assert_eq!((karate[&1], karate[&34], karate[&33], karate[&12]), (16, 17, 12, 1));
        let florentine = degrees("florentine");
        assert_eq!((florentine[&9], florentine[&12], florentine[&7], florentine[&15]), (6, 0, 4, 4));
        let davis = degrees("davis");
        let attendance: Vec<u32> = (101..=114).map(|event| davis[&event]).collect();
        assert_eq!(attendance, [3, 3, 6, 4, 8, 8, 10, 14, 12, 5, 4, 6, 3, 3]);
        assert_eq!(degrees("kite").into_values().collect::<Vec<_>>(), [4, 4, 3, 6, 3, 5, 5, 3, 2, 1]);
        assert!(degrees("petersen").into_values().all(|degree| degree == 3));
    }

    #[test]
    fn an_unknown_name_is_answered_by_the_known_ones() {
        let error = open("karat", &Options::default()).unwrap_err().to_string();
        assert!(error.contains("`karat`") && error.contains("karate") && error.contains("rmat16"), "{error}");
        assert!(matches!(open("no/such/file.mtx", &Options::default()), Err(Error::Io { .. })));
        assert!(matches!(open("nothing.tsv", &Options::default()), Err(Error::Io { .. })));
        assert!(matches!(open("rmat:x", &Options::default()), Err(Error::Generator { .. })));
        assert!(matches!(open("", &Options::default()), Err(Error::UnknownGraph { .. })));
    }
}
