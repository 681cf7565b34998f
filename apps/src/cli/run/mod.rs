//! `pleach run`: an algorithm on a graph held in a store. What all algorithms share is in [`common`]; a file each says what is its
//! own: options, and how its result is told.

mod bc;
mod bfs;
mod cc;
mod cdlp;
mod common;
mod degree;
mod kcore;
mod lcc;
mod mis;
mod pagerank;
mod report;
mod scc;
mod sssp;
mod tc;

use clap::Subcommand;

use super::Failure;
use common::run;

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
    /// Degrees: least, mean, median, most, and how skewed they are
    ///
    /// Example: pleach run degree rmat16
    Degree(degree::DegreeArgs),
    /// Coreness of each vertex: the densest core that it lies in
    ///
    /// Example: pleach run kcore karate --out coreness
    Kcore(kcore::KcoreArgs),
    /// Clustering coefficient of each vertex: which share of the pairs of its neighbours is joined
    ///
    /// Example: pleach run lcc karate --out coefficients
    Lcc(lcc::LccArgs),
    /// A maximal independent set
    ///
    /// Example: pleach run mis rmat16 --verify
    Mis(mis::MisArgs),
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
            App::Degree(args) => run(args),
            App::Kcore(args) => run(args),
            App::Lcc(args) => run(args),
            App::Mis(args) => run(args),
            App::PageRank(args) => args.run(),
            App::Scc(args) => run(args),
            App::Sssp(args) => run(args),
            App::Tc(args) => run(args),
        }
    }
}
