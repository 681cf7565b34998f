//! Every algorithm through the command line: against published answers, its verifier, other stores, and the graphs on which algorithms stumble.

mod bc;
mod bfs;
mod cc;
mod cdlp;
mod edge_cases;
mod further;
mod graphalytics;
mod kcore;
mod lcc;
mod pagerank;
mod plot;
mod real_graphs;
mod scc;
mod sssp;
mod tc;
