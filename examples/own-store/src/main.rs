//! A store of our own, described by a schema outside of Pleach: PageRank runs on a graph that is kept in it, below two outer levels.

// What is generated offers more than this program uses.
#[allow(dead_code)]
mod ladder;

use ladder::Ladder;
use pleach::runtime::{Dense, Elements, Fiber, Nested, Store};
use pleach::stores::Bst;
use pleach::{Batch, Csr, Matrix, Rows};
use pleach_apps::pagerank::{PageRank, pagerank, top};
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
    let degrees = csr.view().row_degrees();
    let expected = pagerank(&csr.view(), &degrees, &options, |_, _| ())?.ranks;
    for (name, ranks) in [
        (dense.store_name(), pagerank(&dense, &degrees, &options, |_, _| ())?.ranks),
        (nested.store_name(), pagerank(&nested, &degrees, &options, |_, _| ())?.ranks),
    ] {
        assert!(ranks.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-12 * b), "{name} equals static rows");
        let (vertex, rank) = top(&ranks, 1)[0];
        println!("{name}: vertex {} has the highest rank, {rank:.6}", ids.external(vertex));
    }

    // It changes like every other store.
    let batch = Batch::pattern([(0, 33), (33, 0)]);
    assert_eq!(nested.insert(&batch).new, 2);
    assert_eq!(nested.delete(&batch).removed, 2);
    nested.audit()?;
    Ok(())
}
