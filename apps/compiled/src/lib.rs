//! The algorithms of [`pleach_algorithms`], compiled once for the rows of every store.
//!
//! ```text
//!   GraphView ──► static rows            ┐
//!             ──► rows of the default    ├──► an algorithm, compiled for each of the three
//!             ──► rows of any store      ┘
//! ```
//!
//! A generic function is compiled in each crate that calls it with types of its own. The command, its server and its benches would so compile
//! every algorithm anew. Here are functions without type parameters: a crate that calls them compiles nothing of them. Modules and names are those of
//! the generic functions, which say what is computed; options, results and errors are theirs. A program that knows its store calls the
//! generic functions.
//!
//! A check of a result, `verify`, runs on rows of any store only, since it is not made to be fast.
//!
//! ```
//! use pleach::{BuildOptions, EdgeList};
//! use pleach_compiled::cc::components;
//! use pleach_erased::{Ends, StoreName, StoredGraph};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut arcs = EdgeList::new(5, 5);
//! [(0, 1), (1, 2), (3, 4)].into_iter().for_each(|(from, to)| arcs.push(from, to, ()));
//! let graph = StoredGraph::build(&StoreName::Csr, arcs, &BuildOptions::default(), true, Ends::Out)?;
//! assert_eq!(graph.view(components).count, 2);
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | run an algorithm | the function in the module of its name: [`cc::components`], [`bfs::bfs`], [`pagerank::pagerank`] |
//! | check a result by a second method | `verify` in the same module: [`cc::verify`] |
//! | keep results as a graph changes | [`incremental`] |
//! | compute in numbers of 32 bits | [`narrow`] |
//! | multiply a matrix in a format by a vector | [`products::product`] |
//! | make what all of them take | `view` of `pleach_erased::StoredGraph` and of `AnySnapshot` |
#![forbid(unsafe_code)]

use pleach::traverse::{Adjacency, DynRows};
use pleach_algorithms::bc::{BcError, BcWrong, Betweenness};
use pleach_algorithms::bfs::{Bfs, BfsWrong};
use pleach_algorithms::cc::{Components, ComponentsWrong};
use pleach_algorithms::cdlp::{Cdlp, CdlpWrong, Communities};
use pleach_algorithms::closeness::{Centralities, Closeness, ClosenessWrong};
use pleach_algorithms::coloring::{ColoringWrong, Colors};
use pleach_algorithms::cuts::{Cuts, CutsWrong};
use pleach_algorithms::degree::{Degrees, DegreesWrong};
use pleach_algorithms::diameter::{Bounds, Diameter, DiameterWrong};
use pleach_algorithms::error::{NoSuchVertex, UnfitGraph};
use pleach_algorithms::kcore::{Cores, CoresWrong};
use pleach_algorithms::khop::{KhopWrong, Neighbourhood};
use pleach_algorithms::ktruss::{TrussError, Trusses, TrussesWrong};
use pleach_algorithms::lcc::{Clustering, LccWrong};
use pleach_algorithms::louvain::{Louvain, LouvainError, Modules, ModulesWrong};
use pleach_algorithms::mis::{IndependentSet, Mis, MisWrong};
use pleach_algorithms::msf::{Forest, MsfError, MsfWrong};
use pleach_algorithms::nibble::{Cluster, Nibble, NibbleError, NibbleWrong};
use pleach_algorithms::similarity::{Likeness, SimilarityWrong};
use pleach_algorithms::spectral::{Hits, Scores, Spectral, SpectralError, SpectralWrong};
use pleach_algorithms::sssp::{Distances, Sssp, SsspError, SsspWrong};
use pleach_algorithms::tc::{Triangles, TrianglesWrong};
use pleach_algorithms::topological::{Order, OrderError, OrderWrong};
use pleach_algorithms::walks::{Walks, WalksError, WalksWrong};
use pleach_erased::{GraphView, on_rows};

/// Modules of functions that are compiled for the three kinds of rows, and of checks that are compiled for rows of any store. No function
/// is inlined elsewhere: its caller would compile what it calls.
macro_rules! compiled {
    ($(
        $(#[$doc:meta])*
        $module:ident {
            $(fn $name:ident<$value:ty>($($argument:ident: $type:ty),*) -> $result:ty;)*
            $(check $check:ident<$checked:ty>($($given:ident: $given_type:ty),*) -> $wrong:ty;)*
        }
    )*) => {$(
        $(#[$doc])*
        pub mod $module {
            use super::*;

            $(
                #[doc = concat!("[`", stringify!($name), "`](pleach_algorithms::", stringify!($module), "::", stringify!($name), ").")]
                ///
                /// # Errors
                ///
                /// Those of the generic function, if it has any.
                #[inline(never)]
                pub fn $name(graph: GraphView<'_, $value>, $($argument: $type),*) -> $result {
                    on_rows!(graph, graph => pleach_algorithms::$module::$name(graph, $($argument),*))
                }
            )*

            $(
                #[doc = concat!("[`", stringify!($check), "`](pleach_algorithms::", stringify!($module), "::", stringify!($check), ").")]
                ///
                /// # Errors
                ///
                /// What is wrong with the result.
                #[inline(never)]
                pub fn $check(graph: Adjacency<'_, DynRows<'_, $checked>>, $($given: $given_type),*) -> Result<(), $wrong> {
                    pleach_algorithms::$module::$check(graph, $($given),*)
                }
            )*
        }
    )*};
}

compiled! {
    /// Betweenness centrality.
    bc {
        fn bc<()>(sources: &[u32]) -> Result<Betweenness, BcError>;
        check verify<()>(sources: &[u32], found: &Betweenness) -> BcWrong;
    }

    /// Breadth-first search.
    bfs {
        fn bfs<()>(source: u32) -> Result<Bfs, NoSuchVertex>;
        check verify<()>(source: u32, found: &Bfs) -> BfsWrong;
    }

    /// Weakly connected components.
    cc {
        fn components<()>() -> Components;
        check verify<()>(found: &Components) -> ComponentsWrong;
    }

    /// Communities by label propagation.
    cdlp {
        fn cdlp<()>(options: &Cdlp) -> Result<Communities, UnfitGraph>;
        check verify<()>(options: &Cdlp, found: &Communities) -> CdlpWrong;
    }

    /// Closeness and harmonic centrality.
    closeness {
        fn closeness<()>(options: &Closeness) -> Result<Centralities, UnfitGraph>;
        check verify<()>(options: &Closeness, found: &Centralities) -> ClosenessWrong;
    }

    /// Graph colouring.
    coloring {
        fn coloring<()>() -> Result<Colors, UnfitGraph>;
        check verify<()>(found: &Colors) -> ColoringWrong;
    }

    /// Bridges and articulation points.
    cuts {
        fn cuts<()>() -> Result<Cuts, UnfitGraph>;
        check verify<()>(found: &Cuts) -> CutsWrong;
    }

    /// Degrees.
    degree {
        fn degrees<()>() -> Degrees;
        check verify<()>(found: &Degrees) -> DegreesWrong;
    }

    /// The diameter.
    diameter {
        fn farthest<()>(options: &Diameter, count: usize) -> Result<(Bounds, Vec<(u32, u32)>), UnfitGraph>;
        check verify<()>(found: &Bounds) -> DiameterWrong;
    }

    /// Core numbers.
    kcore {
        fn kcore<()>() -> Result<Cores, UnfitGraph>;
        check verify<()>(found: &Cores) -> CoresWrong;
    }

    /// Vertices within some steps.
    khop {
        fn khop<()>(sources: &[u32], hops: usize) -> Result<Neighbourhood, NoSuchVertex>;
        check verify<()>(sources: &[u32], hops: usize, found: &Neighbourhood) -> KhopWrong;
    }

    /// Truss numbers.
    ktruss {
        fn ktruss<()>() -> Result<Trusses, TrussError>;
        check verify<()>(found: &Trusses) -> TrussesWrong;
    }

    /// Local clustering coefficients.
    lcc {
        fn lcc<()>() -> Result<Clustering, UnfitGraph>;
        fn triangles_of_each<()>() -> Result<Vec<u64>, UnfitGraph>;
        check verify<()>(found: &Clustering) -> LccWrong;
    }

    /// Communities by modularity.
    louvain {
        fn louvain<f64>(options: &Louvain) -> Result<Modules, LouvainError>;
        check verify<f64>(options: &Louvain, found: &Modules) -> ModulesWrong;
    }

    /// Maximal independent sets.
    mis {
        fn mis<()>(options: &Mis) -> Result<IndependentSet, UnfitGraph>;
        check verify<()>(options: &Mis, found: &IndependentSet) -> MisWrong;
    }

    /// Minimum spanning forests.
    msf {
        fn msf<f64>() -> Result<Forest, MsfError>;
        check verify<f64>(found: &Forest) -> MsfWrong;
    }

    /// Local clusters.
    nibble {
        fn nibble<()>(seed: u32, options: &Nibble) -> Result<Cluster, NibbleError>;
        check verify<()>(seed: u32, options: &Nibble, found: &Cluster) -> NibbleWrong;
    }

    /// Strongly connected components.
    scc {
        fn scc<()>() -> Result<Components, UnfitGraph>;
        check verify<()>(found: &Components) -> ComponentsWrong;
    }

    /// Likeness of vertices.
    similarity {
        fn similarity<()>(pairs: &[(u32, u32)]) -> Result<Vec<Likeness>, NoSuchVertex>;
        check verify<()>(pairs: &[(u32, u32)], found: &[Likeness]) -> SimilarityWrong;
    }

    /// Eigenvector centrality, Katz centrality, hubs and authorities.
    spectral {
        fn eigenvector<f64>(options: &Spectral) -> Result<Scores, SpectralError>;
        fn katz<f64>(options: &Spectral) -> Result<Scores, SpectralError>;
        fn hits<f64>(options: &Spectral) -> Result<Hits, SpectralError>;
        check verify_eigenvector<f64>(options: &Spectral, found: &Scores) -> SpectralWrong;
        check verify_katz<f64>(options: &Spectral, found: &Scores) -> SpectralWrong;
        check verify_hits<f64>(options: &Spectral, found: &Hits) -> SpectralWrong;
    }

    /// Shortest paths.
    sssp {
        fn sssp<f64>(source: u32, options: &Sssp) -> Result<Distances, SsspError>;
        fn predecessors<f64>(source: u32, distances: &[f64]) -> Vec<u32>;
        check verify<f64>(source: u32, found: &Distances) -> SsspWrong;
    }

    /// Triangles.
    tc {
        fn triangles<()>() -> Result<Triangles, UnfitGraph>;
        check verify<()>(found: &Triangles) -> TrianglesWrong;
    }

    /// Topological orders.
    topological {
        fn topological<()>() -> Result<Order, OrderError>;
        check verify<()>(found: &Order) -> OrderWrong;
    }

    /// Random walks.
    walks {
        fn walks<f64>(starts: &[u32], options: &Walks) -> Result<Vec<u32>, WalksError>;
        check verify<f64>(starts: &[u32], options: &Walks, found: &[u32]) -> WalksWrong;
    }
}

pub mod incremental;
#[cfg(feature = "narrow")]
pub mod narrow;
pub mod pagerank;
#[cfg(feature = "products")]
pub mod products;
