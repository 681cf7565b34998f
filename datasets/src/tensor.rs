//! Sparse tensors of any order, as files hold them: a list of coordinates.

use pleach::EdgeList;

use crate::input::{Edges, Input};

/// The nonzeros of a tensor in coordinates: nonzero `k` lies at `coords[0][k], coords[1][k], …` and is `values[k]`.
///
/// All arrays are equally long, one of coordinates for each mode. The order of the nonzeros is the file's; a coordinate may occur
/// more than once; the code that packs the tensor decides what that means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coo {
    /// The size of each mode: coordinates are below it.
    pub dims: Vec<usize>,
    /// The coordinates of all nonzeros, mode by mode.
    pub coords: Vec<Vec<u32>>,
    /// Their values.
    pub values: Vec<f64>,
}

impl Coo {
    /// The most modes that a file may have.
    pub const MAX_ORDER: usize = 32;

    /// A tensor of these dimensions without nonzeros.
    pub fn new(dims: Vec<usize>) -> Coo {
        let coords = vec![Vec::new(); dims.len()];
        Coo { dims, coords, values: Vec::new() }
    }

    /// The number of modes.
    pub fn order(&self) -> usize {
        self.dims.len()
    }

    /// The number of nonzeros, duplicates included.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// Appends a nonzero.
    ///
    /// # Panics
    ///
    /// If there are not as many coordinates as modes.
    pub fn push(&mut self, coords: &[u32], value: f64) {
        assert_eq!(coords.len(), self.order(), "a coordinate for each mode");
        self.coords.iter_mut().zip(coords).for_each(|(mode, &coord)| mode.push(coord));
        self.values.push(value);
    }

    /// The adjacency matrix of a graph: arcs that stand for two are written out, and those without weights are 1.
    pub fn of_graph(input: &Input) -> Coo {
        let edges = &input.edges;
        if !input.mirrored {
            return Coo::of_arcs(edges.clone());
        }
        let (rows, cols) = (edges.num_rows(), edges.num_cols());
        let weight = |k: usize| edges.weight().map_or(1.0, |weight| weight[k]);
        let count = (2 * edges.len()).saturating_sub(input.self_loops as usize);
        let mut tensor = Coo {
            dims: vec![rows.max(cols); 2],
            coords: vec![Vec::with_capacity(count), Vec::with_capacity(count)],
            values: Vec::with_capacity(count),
        };
        for (k, (&src, &dst)) in edges.src().iter().zip(edges.dst()).enumerate() {
            tensor.push(&[src, dst], weight(k));
            // Beside it, so that the first and the last of several are the same in both directions.
            if src != dst {
                tensor.push(&[dst, src], weight(k));
            }
        }
        tensor
    }

    /// The same of a graph that is not used any more. Its arrays become those of the matrix, unless arcs stand for two.
    pub(crate) fn from_graph(input: Input) -> Coo {
        if input.mirrored { Coo::of_graph(&input) } else { Coo::of_arcs(input.edges) }
    }

    /// The matrix with an entry for each arc.
    fn of_arcs(edges: Edges) -> Coo {
        let EdgeList { num_rows, num_cols, src, dst, weight } = edges.into_weighted();
        Coo { dims: vec![num_rows, num_cols], coords: vec![src, dst], values: weight }
    }
}
