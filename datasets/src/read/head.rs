//! What the comments above a list of edges say: SNAP's and KONECT's headers, and lines of column names.
//!
//! ```text
//!   # Undirected graph: x.txt            SNAP      % asym posweighted        KONECT: asym, sym or bip, then the kind of weights
//!   # Nodes: 7115 Edges: 103689                    % 103689 7115 7115        edges, vertices on the left and on the right
//!   # FromNodeId    ToNodeId    Sign
//!   # Vertices have names                our own, where some names could be read as ids
//! ```

use crate::columns::{Column, Columns};
use crate::input::Direction;

/// What the head of a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Head {
    /// Whether edges have a direction.
    pub(crate) direction: Option<Direction>,
    /// KONECT's kind of weights, such as `unweighted`.
    pub(crate) konect: Option<String>,
    /// Whether sources and targets are two sets of vertices, each numbered from 1.
    pub(crate) bipartite: bool,
    /// How many vertices the left set has, where there are two.
    pub(crate) left: Option<u64>,
    /// Whether vertices are called by names, whatever these look like.
    pub(crate) named: bool,
    /// How many edges there are.
    pub(crate) edges: Option<u64>,
    /// How many vertices there are.
    pub(crate) vertices: Option<u64>,
    /// The words of the last comment, which may name the columns.
    names: Vec<String>,
}

impl Head {
    /// Reads the comments at the beginning of a text.
    pub(crate) fn of(text: &[u8]) -> Head {
        let mut head = Head::default();
        for line in text.split(|&b| b == b'\n').take_while(|line| matches!(line.first(), Some(b'#' | b'%'))) {
            head.line(line);
        }
        head
    }

    /// Reads one comment.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let comment = String::from_utf8_lossy(line.get(1..).unwrap_or_default());
        self.add(line.first().copied().unwrap_or_default(), &comment.split_whitespace().collect::<Vec<_>>());
    }

    fn add(&mut self, mark: u8, words: &[&str]) {
        let graph = words.get(1).and_then(|word| word.get(..5)).is_some_and(|word| word.eq_ignore_ascii_case("graph"));
        match words {
            ["sym" | "asym" | "bip", rest @ ..] if mark == b'%' && self.konect.is_none() => {
                let directed = words[0] == "asym";
                self.direction = Some(if directed { Direction::Directed } else { Direction::Undirected });
                self.bipartite = words[0] == "bip";
                self.konect = Some(rest.first().copied().unwrap_or_default().to_owned());
            }
            [edges, sizes @ ..] if self.konect.is_some() && self.edges.is_none() && edges.parse::<u64>().is_ok() => {
                self.edges = edges.parse().ok();
                let sizes: Vec<u64> = sizes.iter().map_while(|size| size.parse().ok()).collect();
                self.left = sizes.first().copied();
                self.vertices = match (self.bipartite, &sizes[..]) {
                    (true, [left, right, ..]) => left.checked_add(*right),
                    (true, _) => None,
                    (false, sizes) => sizes.iter().copied().max(),
                };
            }
            [first, ..] if graph && first.eq_ignore_ascii_case("undirected") && self.direction.is_none() => {
                self.direction = Some(Direction::Undirected);
            }
            [first, ..] if graph && first.eq_ignore_ascii_case("directed") && self.direction.is_none() => {
                self.direction = Some(Direction::Directed);
            }
            ["Vertices", "have", "names"] => self.named = true,
            ["Nodes:", vertices, "Edges:", edges] => {
                (self.vertices, self.edges) = (vertices.parse().ok(), edges.parse().ok());
            }
            _ => {}
        }
        self.names = words.iter().map(|&word| word.to_owned()).collect();
    }

    /// The columns of lines with `count` columns, if the head names them.
    pub(crate) fn columns(&self, count: usize) -> Option<Columns> {
        if self.konect.is_some() {
            let columns = Columns::of_count(false, count)?;
            return Some(match self.konect.as_deref() {
                // Nothing stands there but ones, where a time follows.
                Some("unweighted") => columns.replaced(Column::Weight, Column::Other),
                Some("dynamic") => columns.replaced(Column::Weight, Column::Operation),
                _ => columns,
            });
        }
        let names = self.names.iter().map(|name| name.trim_matches([',', ';'])).filter(|name| !name.is_empty());
        (names.clone().count() == count).then(|| Columns::of_headings(names))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_snap_and_konect_are_understood() {
        let head = Head::of(
            b"# Undirected graph: ../x.txt\n# a note\n# Nodes: 5 Edges: 7\n# FromNodeId\tToNodeId\tSign\n1\t2\t-1\n",
        );
        assert_eq!((head.direction, head.edges, head.bipartite), (Some(Direction::Undirected), Some(7), false));
        assert_eq!(head.columns(3), Some("src,dst,weight".parse().unwrap()));
        assert_eq!(head.columns(2), None);
        let head = Head::of(b"% bip posweighted\n% 9 4 3\n1 1 2 5\n");
        assert_eq!((head.bipartite, head.left, head.edges), (true, Some(4), Some(9)));
        assert_eq!(head.columns(4), Some("src,dst,weight,time".parse().unwrap()));
        let head = Head::of(b"% asym unweighted\n1 2 1 1000\n");
        assert_eq!(head.columns(4), Some("src,dst,_,time".parse().unwrap()));
        assert_eq!(Head::of(b"% sym dynamic\n1 2 1 1000\n").columns(4), Some("src,dst,op,time".parse().unwrap()));
        assert_eq!(Head::of(b"% sym\n1 2\n").direction, Some(Direction::Undirected));
        assert_eq!(Head::of(b"1 2\n# Undirected graph\n"), Head::default());
        assert_eq!(Head::of(b"# u v\n").columns(2), Some("src,dst".parse().unwrap()));
    }
}
