//! The graph of a comparison, to be written to files that programs of others read.

use pleach::runtime::Value;
use pleach::{BuildOptions, Csr, EdgeList};
use pleach_datasets::{Edges, Format, IdMap, Input};

/// A graph to write to a file that programs read.
pub struct Subject<'a> {
    pub(super) directed: bool,
    pub(crate) vertices: usize,
    pub(crate) arcs: usize,
    pub(super) input: Box<dyn Fn() -> Result<Input, String> + Send + Sync + 'a>,
}

impl<'a> Subject<'a> {
    /// The rows with so many arcs that are built of some edges.
    pub fn of<V>(edges: &'a EdgeList<V>, build: &'a BuildOptions<V>, directed: bool, arcs: usize) -> Self
    where
        V: Value + Copy + Default + Into<Weight>,
    {
        let input = move || {
            let rows = Csr::from_edges(edges, build).map_err(|error| error.to_string())?.0;
            Ok(input(&rows, directed))
        };
        Subject { directed, vertices: edges.num_rows, arcs, input: Box::new(input) }
    }

    /// A matrix as a directed graph, without its values.
    pub fn of_matrix(pos: &'a [usize], crd: &'a [u32], cols: usize) -> Self {
        let rows = pos.len().saturating_sub(1);
        let input = move || {
            let mut list = EdgeList::new(rows, cols);
            for (row, ends) in pos.windows(2).enumerate() {
                crd[ends[0]..ends[1]].iter().for_each(|&column| list.push(row as u32, column, ()));
            }
            Ok(of_edges(Edges::Pattern(list), true))
        };
        Subject { directed: true, vertices: rows, arcs: crd.len(), input: Box::new(input) }
    }
}

/// A weight, if there is one.
pub struct Weight(Option<f64>);

impl From<()> for Weight {
    fn from((): ()) -> Self {
        Weight(None)
    }
}

impl From<f64> for Weight {
    fn from(weight: f64) -> Self {
        Weight(Some(weight))
    }
}

/// Every arc of static rows, an edge of an undirected graph both ways.
fn input<V: Value + Copy + Default + Into<Weight>>(rows: &Csr<V>, directed: bool) -> Input {
    let mut list = EdgeList::new(rows.num_rows(), rows.num_cols());
    let mut weights = Vec::new();
    for row in 0..rows.num_rows() {
        let row_of = rows.row(row);
        for (&column, &value) in row_of.coords.iter().zip(row_of.values) {
            list.push(row as u32, column, ());
            weights.extend(value.into().0);
        }
    }
    let weighted = !weights.is_empty();
    let EdgeList { num_rows, num_cols, src, dst, weight } = list;
    of_edges(
        match weighted {
            true => Edges::Weighted(EdgeList { num_rows, num_cols, src, dst, weight: weights }),
            false => Edges::Pattern(EdgeList { num_rows, num_cols, src, dst, weight }),
        },
        directed,
    )
}

fn of_edges(edges: Edges, directed: bool) -> Input {
    Input {
        name: "graph".to_owned(),
        format: Format::Gap,
        ids: IdMap::identity(edges.num_rows()),
        directed,
        declared: None,
        mirrored: false,
        self_loops: edges.src().iter().zip(edges.dst()).filter(|(from, to)| from == to).count() as u64,
        attributes: Default::default(),
        notes: Vec::new(),
        edges,
    }
}

/// The same without arcs from a vertex to itself.
pub(super) fn without_loops(mut input: Input) -> Input {
    let Edges::Pattern(list) = input.edges else { return input };
    let mut kept = EdgeList::new(list.num_rows, list.num_cols);
    let arcs = list.src.iter().zip(&list.dst).filter(|(from, to)| from != to);
    arcs.for_each(|(&from, &to)| kept.push(from, to, ()));
    input.edges = Edges::Pattern(kept);
    Input { self_loops: 0, ..input }
}
