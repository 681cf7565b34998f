//! Graphs whose vertices have names: a line a vertex, first its name, then the names of those that its edges lead to.
//!
//! ```text
//!   # Directed graph: packages and what they need
//!   bash base-files libc6 libtinfo6
//!   libc6 libgcc-s1
//!   doc-base                            a vertex without edges
//! ```
//!
//! An edge list of two names a line is a case of it. Columns are separated by tabs if there is one in the head of the file, or else by
//! commas if there is one, or else by blanks; names may have blanks in them in the first two cases. Blanks around a name do not count.
//! Names are compared byte by byte. Lines that begin with `#` or `%` are comments, as in edge lists.

use std::collections::HashMap;

use pleach::runtime::par_items;
use rayon::slice::ParallelSliceMut;

use super::arcs::Arcs;
use super::{Raw, edge_list};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::scan;
use crate::source::{At, Source, Text};

/// The arcs of one block, between positions in its own list of names.
struct Part {
    /// Each name once, in the order in which they occur.
    names: Vec<Box<str>>,
    src: Vec<u32>,
    dst: Vec<u32>,
}

pub(super) fn read(mut source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let declared = edge_list::declared_direction(source.peek());
    source.skip_comments(b"#%")?;
    let separator = [b'\t', b','].into_iter().find(|byte| source.peek().contains(byte)).unwrap_or(b' ');
    let parts = source.parse(|text| parse(text, separator))?;
    let mut names: Vec<&str> = parts.iter().flat_map(|part| part.names.iter().map(|name| &**name)).collect();
    names.par_sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(Error::Empty { path, expected: "at least one vertex" });
    }
    if names.len() > u32::MAX as usize {
        return Err(Error::TooManyVertices { path, vertices: names.len() as u64 });
    }
    let place = |name: &str| names.binary_search(&name).expect("every name is listed") as u32;
    let numbered: Vec<(Vec<u32>, Vec<u32>)> = par_items(parts.iter().collect(), |part: &Part| {
        let places: Vec<u32> = part.names.iter().map(|name| place(name)).collect();
        let all = |ends: &[u32]| ends.iter().map(|&at| places[at as usize]).collect();
        (all(&part.src), all(&part.dst))
    });
    let arcs = Arcs {
        src: numbered.iter().flat_map(|(src, _)| src).copied().collect(),
        dst: numbered.iter().flat_map(|(_, dst)| dst).copied().collect(),
        weight: Vec::new(),
    };
    let ids = IdMap::from_sorted_names(names);
    Ok(Raw { declared, ..Raw::graph(&path, arcs, ids, false) })
}

fn parse(text: Text<'_>, separator: u8) -> Result<Part, At> {
    let mut part = Part { names: Vec::new(), src: Vec::new(), dst: Vec::new() };
    let mut known: HashMap<Box<str>, u32> = HashMap::new();
    for (number, whole) in (0..).zip(text.as_bytes().split(|&b| b == b'\n')) {
        let line = whole.trim_ascii();
        if matches!(line.first(), None | Some(b'#' | b'%')) {
            continue;
        }
        let mut source = None;
        for field in line.split(|&b| b == separator || (separator == b' ' && b == b'\t')).map(<[u8]>::trim_ascii) {
            if field.is_empty() {
                continue;
            }
            let Ok(name) = std::str::from_utf8(field) else {
                let column = field.as_ptr().addr() - whole.as_ptr().addr() + 1;
                return Err(At { line: number, column, fault: Fault::Name { found: scan::quote(field) } });
            };
            let vertex = match known.get(name) {
                Some(&vertex) => vertex,
                None => {
                    let vertex = part.names.len() as u32;
                    part.names.push(name.into());
                    known.insert(name.into(), vertex);
                    vertex
                }
            };
            match source {
                None => source = Some(vertex),
                Some(source) => {
                    part.src.push(source);
                    part.dst.push(vertex);
                }
            }
        }
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use crate::{Direction, Error, Format, Input, Label, Options, read, write};

    fn read_as(text: &[u8], options: &Options) -> Result<Input, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.names");
        std::fs::write(&path, text).unwrap();
        read(&path, options)
    }

    fn arcs(input: &Input) -> Vec<(String, String)> {
        let name = |v: &u32| input.ids.label(*v).to_string();
        input.edges.src().iter().zip(input.edges.dst()).map(|(s, d)| (name(s), name(d))).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(s, d)| (s.to_string(), d.to_string())).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn lines_of_every_shape_are_read() {
        let expected = pairs(&[("b", "a"), ("b", "c d"), ("a", "b")]);
        for text in ["b\ta\tc d\na\tb\n\nz\n", "# c\r\nb, a ,c d,\r\na,b\r\n% c\r\n  z", "b,a\nb,c d\na,b\nz,"] {
            let input = read_as(text.as_bytes(), &Options::default()).unwrap();
            assert_eq!(arcs(&input), expected, "{text:?}");
            assert_eq!(input.ids.labels().collect::<Vec<_>>(), ["a", "b", "c d", "z"].map(Label::Name));
            assert!(input.directed);
        }
        let undirected = read_as(b"# Undirected graph: x\na b\n", &Options::default()).unwrap();
        assert!(undirected.mirrored && undirected.declared == Some(Direction::Undirected));
        // The same name from several blocks is one vertex.
        let many: String = (0..200_000).map(|k| format!("v{} hub\n", k % 1000)).collect();
        let input = read_as(many.as_bytes(), &Options::default()).unwrap();
        assert_eq!((input.num_vertices(), input.edges.len()), (1001, 200_000));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn bad_files_are_refused() {
        let message = |text: &[u8]| read_as(text, &Options::default()).unwrap_err().to_string();
        assert!(
            message(b"a b\n  c \xff\xfe\n")
                .ends_with("some.names:2:5: expected a name in UTF-8, found `\u{fffd}\u{fffd}`")
        );
        assert!(message(b"# nothing\n").contains("at least one vertex"));
        assert!(matches!(read_as(b"", &Options::default()), Err(Error::Empty { .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn names_survive_files() {
        let input = read_as(b"b,a,c d\na,b\nz\n", &Options::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for ending in ["names", "plg", "names.zst"] {
            let path = folder.path().join(format!("again.{ending}"));
            write(&input, &path).unwrap();
            let again = read(&path, &Options::default()).unwrap();
            assert_eq!(again.ids, input.ids, "{ending}");
            let sorted = |input| {
                let mut arcs = arcs(input);
                arcs.sort();
                arcs
            };
            assert_eq!(sorted(&again), sorted(&input), "{ending}");
        }
        let path = folder.path().join("again.tsv");
        write(&input, &path).unwrap();
        let options = Options { format: Some(Format::Names), ..Options::default() };
        assert_eq!(arcs(&read(&path, &options).unwrap()), arcs(&input));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn damaged_names_in_a_binary_are_refused() {
        use crate::plg::Archive;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.plg");
        for (names, message) in [
            (&b"b\na\n"[..], "expected names that increase, found `a`"),
            (b"a\na\n", "expected names that increase, found `a`"),
            (b"a\n", "expected 2 names, each ended by a line end, found 1"),
            (b"a\nb", "expected 2 names, each ended by a line end, found 2"),
            (b"a\n\xff\n", "expected names in UTF-8"),
        ] {
            let archive = Archive::new("graph").with("rows", 2).with("columns", 2);
            let archive = archive.with("directed", true).with("mirrored", false).with_array("names", names);
            let archive = archive.with_array("offsets", vec![0u64, 1, 1]).with_array("targets", vec![1u32]);
            archive.write(&path).unwrap();
            let error = read(&path, &Options::default()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
