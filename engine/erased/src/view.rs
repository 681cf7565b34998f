//! A graph by the kind of its rows.

use pleach::traverse::{Adjacency, DynRows};
use pleach::{CsrView, Matrix, Rows};

use crate::{Bundled, Packed};

/// A graph as algorithms take it, with rows of one of three kinds. An algorithm that is compiled for each of them runs on every store.
///
/// ```
/// use pleach::traverse::Adjacency;
/// use pleach::Csr;
/// use pleach_erased::GraphView;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rows = Csr::<()>::from_entries(3, 3, [(0, 1, ()), (1, 2, ())])?;
/// let view = rows.view();
/// let graph = GraphView::from(Adjacency::outward(&view)?);
/// assert!(matches!(graph, GraphView::Static(_)));
/// assert_eq!(graph.vertices().collect::<Vec<_>>(), [0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub enum GraphView<'a, V: Bundled> {
    /// Static rows.
    Static(Adjacency<'a, CsrView<'a, V>>),
    /// Rows of the default row store.
    Packed(Adjacency<'a, Matrix<Packed<V>>>),
    /// Rows of any store, behind one type.
    Any(Adjacency<'a, DynRows<'a, V>>),
}

/// What is called with a view of a graph.
pub(crate) type VisitGraph<'f, V> = &'f mut dyn FnMut(GraphView<'_, V>);

/// What is called with a view of a graph that has one type for all stores.
pub(crate) type VisitRows<'f, V> = &'f mut dyn FnMut(Adjacency<'_, DynRows<'_, V>>);

/// Computes an expression on the graph that a [`GraphView`] shows. It is compiled for each of the three kinds of rows.
///
/// ```
/// use pleach_erased::{GraphView, on_rows};
///
/// fn num_arcs(graph: GraphView<'_, ()>) -> usize {
///     on_rows!(graph, graph => graph.num_arcs())
/// }
/// ```
#[macro_export]
macro_rules! on_rows {
    ($view:expr, $graph:ident => $computed:expr) => {
        match $view {
            $crate::GraphView::Static($graph) => $computed,
            $crate::GraphView::Packed($graph) => $computed,
            $crate::GraphView::Any($graph) => $computed,
        }
    };
}

impl<'a, V: Bundled> GraphView<'a, V> {
    /// The vertices, ascending.
    pub fn vertices(&self) -> Box<dyn ExactSizeIterator<Item = u32> + 'a> {
        on_rows!(self, graph => Box::new(graph.vertices()))
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        on_rows!(self, graph => graph.num_vertices())
    }

    /// Number of arcs of each row of out-arcs.
    pub fn out_degrees(&self) -> Vec<u32> {
        (V::on_graphs().out_degrees)(*self)
    }

    /// Number of arcs of each row of in-arcs, counted in the rows of out-arcs.
    pub fn in_degrees(&self) -> Vec<u32> {
        (V::on_graphs().in_degrees)(*self)
    }

    /// The same graph with every arc reversed; `None` if it has no rows of in-arcs.
    pub fn reversed(&self) -> Option<Self> {
        on_rows!(self, graph => Some(graph.reversed()?.into()))
    }

    /// Calls `f` with the graph behind the one type for all stores: for code that is not worth compiling for several. Takes a pass over the
    /// outer levels of the default row store and of static rows.
    pub fn over<T>(self, f: impl FnOnce(Adjacency<'_, DynRows<'_, V>>) -> T) -> T {
        let (mut f, mut done) = (Some(f), None);
        (V::on_graphs().over)(self, &mut |graph| done = f.take().map(|f| f(graph)));
        done.expect("there is one view")
    }
}

/// As [`GraphView::over`].
pub(crate) fn over<V: Bundled>(graph: GraphView<'_, V>, f: VisitRows<'_, V>) {
    match graph {
        GraphView::Static(graph) => graph.erased(f),
        GraphView::Packed(graph) => graph.erased(f),
        GraphView::Any(graph) => f(graph),
    }
}

/// As [`GraphView::out_degrees`].
pub(crate) fn out_degrees<V: Bundled>(graph: GraphView<'_, V>) -> Vec<u32> {
    on_rows!(graph, graph => graph.out().row_degrees())
}

/// As [`GraphView::in_degrees`].
pub(crate) fn in_degrees<V: Bundled>(graph: GraphView<'_, V>) -> Vec<u32> {
    on_rows!(graph, graph => graph.out().col_degrees())
}

impl<'a, V: Bundled> From<Adjacency<'a, CsrView<'a, V>>> for GraphView<'a, V> {
    fn from(graph: Adjacency<'a, CsrView<'a, V>>) -> Self {
        GraphView::Static(graph)
    }
}

impl<'a, V: Bundled> From<Adjacency<'a, Matrix<Packed<V>>>> for GraphView<'a, V> {
    fn from(graph: Adjacency<'a, Matrix<Packed<V>>>) -> Self {
        GraphView::Packed(graph)
    }
}

impl<'a, V: Bundled> From<Adjacency<'a, DynRows<'a, V>>> for GraphView<'a, V> {
    fn from(graph: Adjacency<'a, DynRows<'a, V>>) -> Self {
        GraphView::Any(graph)
    }
}
