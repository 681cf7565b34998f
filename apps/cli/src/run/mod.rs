//! `pleach run`: an algorithm on a graph held in a store. [`common`] holds what all algorithms share. A file for each algorithm
//! holds its options and how its result is printed; [`several`] runs several on a graph that is read once.

mod bc;
mod bfs;
mod cc;
mod cdlp;
mod closeness;
mod coloring;
mod common;
mod cuts;
mod degree;
mod diameter;
mod following;
mod kcore;
mod khop;
mod ktruss;
mod lcc;
mod louvain;
mod mis;
mod msf;
mod nibble;
mod pagerank;
mod reach;
mod report;
mod scc;
mod several;
mod similarity;
mod snapshot;
mod source;
mod spectral;
mod sssp;
mod tc;
mod topological;
mod verifying;
mod walks;

use clap::Subcommand;

#[cfg(feature = "bench")]
pub use common::with_threads;
pub use common::{Order, Vertices, check_threads, start_threads};
pub use following::{Between, Following};
pub use several::{each, several};
pub use snapshot::{Finding, SnapshotApp};

/// The algorithms.
#[derive(Subcommand)]
pub enum App {
    /// Ancestors: the vertices from which a vertex is reached, with the number of steps
    ///
    /// Example: pleach run ancestors web-Google --source 1 --out steps
    Ancestors(reach::AncestorsArgs),
    /// Articulation points: vertices without which a component falls apart
    ///
    /// Example: pleach run articulation karate --out points
    Articulation(cuts::ArticulationArgs),
    /// Betweenness centrality: how often each vertex lies on shortest paths between others
    ///
    /// Example: pleach run bc karate --samples 34
    Bc(bc::BcArgs),
    /// Breadth-first search: number of steps from a source to each vertex
    ///
    /// Example: pleach run bfs karate --source 1 --out depths
    Bfs(bfs::BfsArgs),
    /// Bridges: edges without which a component falls apart
    ///
    /// Example: pleach run bridges karate
    Bridges(cuts::BridgesArgs),
    /// Weakly connected components: components when the direction of arcs is ignored
    ///
    /// Example: pleach run cc rmat16 --verify
    Cc(cc::CcArgs),
    /// Communities by label propagation, as LDBC Graphalytics defines them
    ///
    /// Example: pleach run cdlp karate --iterations 10
    Cdlp(cdlp::CdlpArgs),
    /// Closeness centrality: the inverse of the mean distance from the vertices that reach a vertex
    ///
    /// Example: pleach run closeness karate --top 3
    Closeness(closeness::ClosenessArgs),
    /// Graph coloring: a colour for each vertex, different at the two ends of every edge
    ///
    /// Example: pleach run coloring rmat16 --verify
    Coloring(coloring::ColoringArgs),
    /// Degrees: minimum, mean, median, maximum, and their skew
    ///
    /// Example: pleach run degree rmat16
    Degree(degree::DegreeArgs),
    /// Descendants: the vertices that a vertex reaches, with the number of steps
    ///
    /// Example: pleach run descendants web-Google --source 1 --out steps
    Descendants(reach::DescendantsArgs),
    /// Diameter: the length of the longest shortest path, or bounds of it
    ///
    /// Example: pleach run diameter karate
    Diameter(diameter::DiameterArgs),
    /// Eigenvector centrality: the score of a vertex is in proportion to the sum of those that point to it
    ///
    /// Example: pleach run eigenvector karate --top 3
    Eigenvector(spectral::EigenvectorArgs),
    /// Harmonic centrality: the sum of the inverse distances from all vertices
    ///
    /// Example: pleach run harmonic karate --top 3
    Harmonic(closeness::HarmonicArgs),
    /// Hubs and authorities (HITS): good hubs point to good authorities
    ///
    /// Example: pleach run hits rmat16 --top 3
    Hits(spectral::HitsArgs),
    /// Katz centrality: the number of walks that end at a vertex, longer ones counting less
    ///
    /// Example: pleach run katz karate --alpha 0.05 --top 3
    Katz(spectral::KatzArgs),
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
    /// Communities by modularity, each of them connected (Leiden)
    ///
    /// Example: pleach run leiden karate --out communities
    Leiden(louvain::LeidenArgs),
    /// Communities by modularity (Louvain)
    ///
    /// Example: pleach run louvain karate --out communities
    Louvain(louvain::LouvainArgs),
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
    /// Similarity of pairs of vertices: their common neighbours, Jaccard index and overlap coefficient
    ///
    /// Example: pleach run similarity karate --pairs 1:34,1:2
    Similarity(similarity::SimilarityArgs),
    /// Length of the shortest path from a source to each vertex, by weights (1 if the input has none)
    ///
    /// Example: pleach run sssp south_seattle_car.gr --source 1 --out distances
    Sssp(sssp::SsspArgs),
    /// Triangle count
    ///
    /// Example: pleach run tc karate
    Tc(tc::TcArgs),
    /// Topological order of a directed graph without cycles, and the generation of each vertex
    ///
    /// Example: pleach run topological dag.txt --out generations
    Topological(topological::TopologicalArgs),
    /// Random walks, with node2vec's bias
    ///
    /// Example: pleach run walks karate --sources 1,34 --walks 2 --length 5
    Walks(walks::WalksArgs),
}

impl App {
    /// The algorithm with its options, whichever it is.
    pub fn algorithm(self) -> Box<dyn SnapshotApp> {
        match self {
            App::Ancestors(args) => Box::new(args),
            App::Articulation(args) => Box::new(args),
            App::Bc(args) => Box::new(args),
            App::Bfs(args) => Box::new(args),
            App::Bridges(args) => Box::new(args),
            App::Cc(args) => Box::new(args),
            App::Cdlp(args) => Box::new(args),
            App::Closeness(args) => Box::new(args),
            App::Coloring(args) => Box::new(args),
            App::Degree(args) => Box::new(args),
            App::Descendants(args) => Box::new(args),
            App::Diameter(args) => Box::new(args),
            App::Eigenvector(args) => Box::new(args),
            App::Harmonic(args) => Box::new(args),
            App::Hits(args) => Box::new(args),
            App::Katz(args) => Box::new(args),
            App::Kcore(args) => Box::new(args),
            App::Khop(args) => Box::new(args),
            App::Ktruss(args) => Box::new(args),
            App::Lcc(args) => Box::new(args),
            App::Leiden(args) => Box::new(args),
            App::Louvain(args) => Box::new(args),
            App::Mis(args) => Box::new(args),
            App::Msf(args) => Box::new(args),
            App::Nibble(args) => Box::new(args),
            App::PageRank(args) => Box::new(args),
            App::Scc(args) => Box::new(args),
            App::Similarity(args) => Box::new(args),
            App::Sssp(args) => Box::new(args),
            App::Tc(args) => Box::new(args),
            App::Topological(args) => Box::new(args),
            App::Walks(args) => Box::new(args),
        }
    }
}
