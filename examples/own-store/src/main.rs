//! Stores and kernels of our own, outside of Pleach. PageRank runs on a graph that is kept in a store described by `ladder.schema`,
//! below two outer levels; `kernels.pleach` mixes it with static rows, compiled by the build script; and `chain.rs` has the macro
//! compile another store and another kernel in place.

// What is generated offers more than this program uses.
#[allow(dead_code)]
mod chain;
#[allow(dead_code)]
mod ladder;
/// What `kernels.pleach` becomes.
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use chain::chain::Chain;
use ladder::Ladder;
use pleach::runtime::{Dense, Elements, Fiber, Nested, Store};
use pleach::stores::Bst;
use pleach::traverse::Adjacency;
use pleach::{Batch, Csr, Matrix};
use pleach_algorithms::pagerank::{PageRank, pagerank, top};
use pleach_datasets::{Options, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One row alone: a vector.
    let row: Ladder<f64> = Ladder::build_row(Elements::copied(&[2, 3, 5, 7, 11, 13], &[0.5; 6]));
    row.audit()?;
    assert_eq!(row.fiber().len(), 6);
    assert_eq!(row.fiber().locate(11), Some(&0.5));
    let runs = row.fiber().fold_runs(0, |runs, _| runs + 1);
    println!("six nonzeros lie on {runs} rungs in {} bytes", row.footprint().bytes);

    // A graph, its rows ladders.
    let karate = open("karate", &Options::default())?;
    let (build, ids) = (karate.build_options(), karate.ids.clone());
    let edges = karate.edges.into_pattern();
    let (dense, _) = Matrix::<Ladder<()>>::from_edges::<Dense<_>>(&edges, &build)?;
    let (mut nested, _) = Matrix::<Ladder<()>>::from_edges::<Nested<Bst<_>>>(&edges, &build)?;
    let (csr, _) = Csr::from_edges(&edges, &build)?;
    dense.audit()?;
    nested.audit()?;

    let options = PageRank::default();
    let expected = pagerank(Adjacency::undirected(&csr.view())?, &options)?.ranks;
    for (name, ranks) in [
        (dense.store_name(), pagerank(Adjacency::undirected(&dense)?, &options)?.ranks),
        (nested.store_name(), pagerank(Adjacency::undirected(&nested)?, &options)?.ranks),
    ] {
        assert!(ranks.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-12 * b), "{name} equals static rows");
        let (vertex, rank) = top(&ranks, 1)[0];
        println!("{name}: vertex {} has the highest rank, {rank:.6}", ids.external(vertex));
    }

    // It changes like every other store.
    let batch = Batch::pattern([(0, 33), (33, 0)]);
    // A kernel of our own finds which of some arcs are new. It reads rows of ladders and static rows.
    let arcs = Csr::from_parts(34, [vec![0, 2], vec![2; 32], vec![3]].concat(), vec![1, 33, 0], vec![(); 3])?;
    let new = kernels::missing(&nested, &arcs)?;
    assert_eq!((new.view().row(0).coords, new.nnz()), (&[33][..], 2), "the arc from 0 to 1 is there already");
    assert_eq!(nested.insert(&batch)?.new, 2);
    assert_eq!(nested.delete(&batch)?.removed, 2);
    nested.audit()?;

    // The other store, and the kernel that the macro has compiled.
    let half = Csr::from_parts(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![0.5, 1.5, 2.5])?;
    let chained = Matrix::<Chain<f64>>::from_csr::<Dense<_>>(half.view());
    let sum = chain::add(&chained, &half)?;
    assert_eq!((sum.coords(), sum.values()), (half.coords(), &[1.0, 3.0, 5.0][..]));
    println!("{} nonzeros added up, from chains and static rows", sum.nnz());
    Ok(())
}
