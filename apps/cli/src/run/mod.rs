//! `pleach run`: an algorithm on a graph held in a store. What all algorithms share is in [`common`]; a file each says what is its
//! own: options, and how its result is told.

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
mod snapshot;
mod sssp;
mod tc;

use clap::Subcommand;

use super::Failure;
use common::run;
pub use common::{Vertices, with_threads};
pub use following::{Between, Following};
pub use snapshot::{Finding, SnapshotApp};

/// The algorithms.
#[derive(Subcommand)]
pub enum App {
    /// How often each vertex lies on shortest paths between others
    ///
    /// Example: pleach run bc karate --samples 34
    Bc(bc::BcArgs),
    /// Distance of each vertex from a source, and the tree of shortest paths
    ///
    /// Example: pleach run bfs karate --source 1 --out depths
    Bfs(bfs::BfsArgs),
    /// Components that are connected when arcs lose their direction, each named by its smallest vertex
    ///
    /// Example: pleach run cc rmat16 --verify
    Cc(cc::CcArgs),
    /// Communities by propagation of labels, as LDBC Graphalytics defines them
    ///
    /// Example: pleach run cdlp karate --iterations 10
    Cdlp(cdlp::CdlpArgs),
    /// Colours for vertices, different at the two ends of each edge
    ///
    /// Example: pleach run coloring rmat16 --verify
    Coloring(coloring::ColoringArgs),
    /// Degrees: least, mean, median, most, and how skewed they are
    ///
    /// Example: pleach run degree rmat16
    Degree(degree::DegreeArgs),
    /// The longest of all shortest paths, or bounds of its length
    ///
    /// Example: pleach run diameter karate
    Diameter(diameter::DiameterArgs),
    /// Coreness of each vertex: the densest core that it lies in
    ///
    /// Example: pleach run kcore karate --out coreness
    Kcore(kcore::KcoreArgs),
    /// What lies within a few steps of some vertices
    ///
    /// Example: pleach run khop karate --sources 1,34 --hops 1
    Khop(khop::KhopArgs),
    /// Trussness of each vertex: the densest truss that an edge of it lies in
    ///
    /// Example: pleach run ktruss karate --out trussness
    Ktruss(ktruss::KtrussArgs),
    /// Clustering coefficient of each vertex: which share of the pairs of its neighbours is joined
    ///
    /// Example: pleach run lcc karate --out coefficients
    Lcc(lcc::LccArgs),
    /// A maximal independent set
    ///
    /// Example: pleach run mis rmat16 --verify
    Mis(mis::MisArgs),
    /// A spanning forest of the least weight, by weights (1 where the input has none)
    ///
    /// Example: pleach run msf south_seattle_car.gr --out parents
    Msf(msf::MsfArgs),
    /// A cluster around a vertex, found without looking at the rest of the graph
    ///
    /// Example: pleach run nibble karate --source 1 --out members
    Nibble(nibble::NibbleArgs),
    /// Rank of each vertex: where a random surfer is
    ///
    /// Example: pleach run pagerank rmat16 --store bst,ctree --top 5
    #[command(name = "pagerank")]
    PageRank(pagerank::PageRankArgs),
    /// Strongly connected components, each named by its smallest vertex
    ///
    /// Example: pleach run scc rmat16 --verify
    Scc(scc::SccArgs),
    /// Length of a shortest path from a source to each vertex, by weights (1 where the input has none)
    ///
    /// Example: pleach run sssp south_seattle_car.gr --source 1 --out distances
    Sssp(sssp::SsspArgs),
    /// Number of triangles
    ///
    /// Example: pleach run tc karate
    Tc(tc::TcArgs),
}

impl App {
    /// Runs the algorithm.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            App::Bc(args) => run(args),
            App::Bfs(args) => run(args),
            App::Cc(args) => run(args),
            App::Cdlp(args) => run(args),
            App::Coloring(args) => run(args),
            App::Degree(args) => run(args),
            App::Diameter(args) => run(args),
            App::Kcore(args) => run(args),
            App::Khop(args) => run(args),
            App::Ktruss(args) => run(args),
            App::Lcc(args) => run(args),
            App::Mis(args) => run(args),
            App::Msf(args) => run(args),
            App::Nibble(args) => run(args),
            App::PageRank(args) => args.run(),
            App::Scc(args) => run(args),
            App::Sssp(args) => run(args),
            App::Tc(args) => run(args),
        }
    }

    /// The algorithm, to be run on snapshots.
    pub fn on_snapshot(self) -> Box<dyn SnapshotApp> {
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
