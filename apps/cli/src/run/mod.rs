//! `pleach run`: an algorithm on a graph held in a store. [`common`] holds what all algorithms share. A file for each algorithm
//! holds its options and how its result is printed; [`several`] runs several on a graph that is read once.

mod bc;
mod bfs;
mod cc;
mod cdlp;
mod coloring;
mod common;
mod degree;
mod diameter;
mod following;
mod kcore;
mod khop;
mod ktruss;
mod lcc;
mod mis;
mod msf;
mod nibble;
mod pagerank;
mod report;
mod scc;
mod several;
mod snapshot;
mod source;
mod sssp;
mod tc;

use clap::Subcommand;

pub use common::{Order, PackedRows, Vertices, check_threads, with_threads};
pub use following::{Between, Following};
pub use several::{each, several};
pub use snapshot::{Finding, SnapshotApp};

/// The algorithms.
#[derive(Subcommand)]
pub enum App {
    /// Betweenness centrality: how often each vertex lies on shortest paths between others
    ///
    /// Example: pleach run bc karate --samples 34
    Bc(bc::BcArgs),
    /// Breadth-first search: number of steps from a source to each vertex
    ///
    /// Example: pleach run bfs karate --source 1 --out depths
    Bfs(bfs::BfsArgs),
    /// Weakly connected components: components when the direction of arcs is ignored
    ///
    /// Example: pleach run cc rmat16 --verify
    Cc(cc::CcArgs),
    /// Communities by label propagation, as LDBC Graphalytics defines them
    ///
    /// Example: pleach run cdlp karate --iterations 10
    Cdlp(cdlp::CdlpArgs),
    /// Graph coloring: a colour for each vertex, different at the two ends of every edge
    ///
    /// Example: pleach run coloring rmat16 --verify
    Coloring(coloring::ColoringArgs),
    /// Degrees: minimum, mean, median, maximum, and their skew
    ///
    /// Example: pleach run degree rmat16
    Degree(degree::DegreeArgs),
    /// Diameter: the length of the longest shortest path, or bounds of it
    ///
    /// Example: pleach run diameter karate
    Diameter(diameter::DiameterArgs),
    /// Core number of each vertex: the largest k such that it is in the k-core
    ///
    /// Example: pleach run kcore karate --out coreness
    Kcore(kcore::KcoreArgs),
    /// Vertices within k steps of some vertices
    ///
    /// Example: pleach run khop karate --sources 1,34 --hops 1
    Khop(khop::KhopArgs),
    /// Truss number of each vertex: the largest k such that one of its edges is in the k-truss
    ///
    /// Example: pleach run ktruss karate --out trussness
    Ktruss(ktruss::KtrussArgs),
    /// Local clustering coefficient of each vertex: the share of pairs of its neighbours that are joined
    ///
    /// Example: pleach run lcc karate --out coefficients
    Lcc(lcc::LccArgs),
    /// A maximal independent set
    ///
    /// Example: pleach run mis rmat16 --verify
    Mis(mis::MisArgs),
    /// Minimum spanning forest, by weights (1 if the input has none)
    ///
    /// Example: pleach run msf south_seattle_car.gr --out parents
    Msf(msf::MsfArgs),
    /// Local cluster around a vertex, by personalised PageRank (Nibble); the cost does not grow with the graph
    ///
    /// Example: pleach run nibble karate --source 1 --out members
    Nibble(nibble::NibbleArgs),
    /// PageRank of each vertex
    ///
    /// Example: pleach run pagerank rmat16 --store bst,ctree --top 5
    #[command(name = "pagerank")]
    PageRank(pagerank::PageRankArgs),
    /// Strongly connected components
    ///
    /// Example: pleach run scc rmat16 --verify
    Scc(scc::SccArgs),
    /// Length of the shortest path from a source to each vertex, by weights (1 if the input has none)
    ///
    /// Example: pleach run sssp south_seattle_car.gr --source 1 --out distances
    Sssp(sssp::SsspArgs),
    /// Triangle count
    ///
    /// Example: pleach run tc karate
    Tc(tc::TcArgs),
}

impl App {
    /// The algorithm with its options, whichever it is.
    pub fn algorithm(self) -> Box<dyn SnapshotApp> {
        match self {
            App::Bc(args) => Box::new(args),
            App::Bfs(args) => Box::new(args),
            App::Cc(args) => Box::new(args),
            App::Cdlp(args) => Box::new(args),
            App::Coloring(args) => Box::new(args),
            App::Degree(args) => Box::new(args),
            App::Diameter(args) => Box::new(args),
            App::Kcore(args) => Box::new(args),
            App::Khop(args) => Box::new(args),
            App::Ktruss(args) => Box::new(args),
            App::Lcc(args) => Box::new(args),
            App::Mis(args) => Box::new(args),
            App::Msf(args) => Box::new(args),
            App::Nibble(args) => Box::new(args),
            App::PageRank(args) => Box::new(args),
            App::Scc(args) => Box::new(args),
            App::Sssp(args) => Box::new(args),
            App::Tc(args) => Box::new(args),
        }
    }
}
