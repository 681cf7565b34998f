//! What can be fetched.

use super::{Listing, Published, Remote};

/// Where the SuiteSparse Matrix Collection keeps its matrices.
const SUITE_SPARSE: &str = "https://suitesparse-collection-website.herokuapp.com/MM";
/// Where the Stanford Large Network Dataset Collection keeps its graphs.
const SNAP: &str = "https://snap.stanford.edu/data";

/// A matrix of the SuiteSparse collection: group, name, rows (as many as columns) and nonzeros as printed.
type Matrix = (&'static str, &'static str, Published, Published);

const fn k(digits: u64, unit: u64) -> Published {
    Published::about(digits, unit)
}

/// Table 2 of Chou and Amarasinghe, "Dynamic Sparse Tensor Algebra Compilation".
const DYNAMIC: [Matrix; 14] = [
    ("DIMACS10", "belgium_osm", k(144, 10_000), k(310, 10_000)),
    ("SNAP", "cit-Patents", k(377, 10_000), k(165, 100_000)),
    ("DIMACS10", "coAuthorsCiteseer", k(227, 1_000), k(163, 10_000)),
    ("SNAP", "com-Orkut", k(307, 10_000), k(234, 1_000_000)),
    ("DIMACS10", "coPapersDBLP", k(540, 1_000), k(305, 100_000)),
    ("DIMACS10", "delaunay_n24", k(168, 100_000), k(101, 1_000_000)),
    ("LAW", "indochina-2004", k(741, 10_000), k(194, 1_000_000)),
    ("DIMACS10", "rgg_n_2_24_s0", k(168, 100_000), k(265, 1_000_000)),
    ("DIMACS10", "road_central", k(141, 100_000), k(339, 100_000)),
    ("DIMACS10", "road_usa", k(239, 100_000), k(577, 100_000)),
    ("SNAP", "roadNet-CA", k(197, 10_000), k(553, 10_000)),
    ("DNVS", "ship_003", k(122, 1_000), k(378, 10_000)),
    ("SNAP", "soc-LiveJournal1", k(485, 10_000), k(690, 100_000)),
    ("Williams", "webbase-1M", k(100, 10_000), k(311, 10_000)),
];

/// Table 2 of Chou, Kjolstad and Amarasinghe, "Automatic Generation of Efficient Sparse Tensor Format Conversion Routines", but for
/// `webbase-1M`, which is in the other table, too.
const CONVERSION: [Matrix; 20] = [
    ("Williams", "pdb1HYS", k(364, 100), k(434, 10_000)),
    ("GHS_psdef", "jnlbrng1", k(400, 100), k(199, 1_000)),
    ("GHS_psdef", "obstclae", k(400, 100), k(199, 1_000)),
    ("Watson", "chem_master1", k(404, 100), k(201, 1_000)),
    ("Bova", "rma10", k(468, 100), k(237, 10_000)),
    ("GHS_indef", "dixmaanl", k(600, 100), k(300, 1_000)),
    ("Williams", "cant", k(625, 100), k(401, 10_000)),
    ("Shyy", "shyy161", k(765, 100), k(330, 1_000)),
    ("Williams", "consph", k(833, 100), k(601, 10_000)),
    ("Castrillon", "denormal", k(894, 100), k(116, 10_000)),
    ("Watson", "Baumann", k(112, 1_000), k(748, 1_000)),
    ("Williams", "cop20k_A", k(121, 1_000), k(262, 10_000)),
    ("DNVS", "shipsec1", k(141, 1_000), k(357, 10_000)),
    ("QLi", "majorbasis", k(160, 1_000), k(175, 10_000)),
    ("Hamm", "scircuit", k(171, 1_000), k(959, 1_000)),
    ("Williams", "mac_econ_fwd500", k(207, 1_000), k(127, 10_000)),
    ("Boeing", "pwtk", k(218, 1_000), k(115, 100_000)),
    ("Lin", "Lin", k(256, 1_000), k(177, 10_000)),
    ("McRae", "ecology1", k(100, 10_000), k(500, 10_000)),
    ("Bourchtein", "atmosmodd", k(127, 10_000), k(881, 10_000)),
];

/// A graph of SNAP: name, path, listing, vertices and edges.
type Graph = (&'static str, &'static str, Listing, u64, u64);

/// The pages of these graphs at SNAP say how many vertices and edges they have.
const GRAPHS: [Graph; 12] = [
    ("wiki-Vote", "wiki-Vote.txt.gz", Listing::Directed, 7_115, 103_689),
    ("ego-Facebook", "facebook_combined.txt.gz", Listing::UndirectedOnce, 4_039, 88_234),
    ("ca-GrQc", "ca-GrQc.txt.gz", Listing::UndirectedTwice, 5_242, 14_496),
    ("email-Enron", "email-Enron.txt.gz", Listing::UndirectedTwice, 36_692, 183_831),
    ("p2p-Gnutella31", "p2p-Gnutella31.txt.gz", Listing::Directed, 62_586, 147_892),
    ("cit-HepPh", "cit-HepPh.txt.gz", Listing::Directed, 34_546, 421_578),
    ("soc-Epinions1", "soc-Epinions1.txt.gz", Listing::Directed, 75_879, 508_837),
    ("soc-Slashdot0902", "soc-Slashdot0902.txt.gz", Listing::Directed, 82_168, 948_464),
    ("web-Google", "web-Google.txt.gz", Listing::Directed, 875_713, 5_105_039),
    ("roadNet-PA", "roadNet-PA.txt.gz", Listing::UndirectedTwice, 1_088_092, 1_541_898),
    ("as-Skitter", "as-skitter.txt.gz", Listing::UndirectedOnce, 1_696_415, 11_095_298),
    ("com-DBLP", "bigdata/communities/com-dblp.ungraph.txt.gz", Listing::UndirectedOnce, 317_080, 1_049_866),
];

/// Everything that can be fetched by name.
pub fn catalogue() -> impl Iterator<Item = Remote> {
    let matrix = |summary| {
        move |&(group, name, vertices, entries): &Matrix| Remote {
            name: name.to_owned(),
            url: format!("{SUITE_SPARSE}/{group}/{name}.tar.gz"),
            listing: Listing::Matrix,
            vertices,
            entries,
            summary,
        }
    };
    let graph = |&(name, path, listing, vertices, edges): &Graph| Remote {
        name: name.to_owned(),
        url: format!("{SNAP}/{path}"),
        listing,
        vertices: Published::exactly(vertices),
        entries: Published::exactly(edges),
        summary: "SNAP",
    };
    (DYNAMIC.iter().map(matrix("SuiteSparse, dynamic tensors")))
        .chain(CONVERSION.iter().map(matrix("SuiteSparse, format conversion")))
        .chain(GRAPHS.iter().map(graph))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_one_each() {
        let entries: Vec<Remote> = catalogue().collect();
        assert_eq!(entries.len(), 14 + 21 - 1 + 12);
        for of in [|entry: &Remote| entry.name.to_ascii_lowercase(), |entry: &Remote| entry.url.clone()] {
            let mut all: Vec<String> = entries.iter().map(of).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), entries.len());
        }
        for entry in &entries {
            assert!(entry.url.starts_with("https://") && entry.url.ends_with("gz"), "{}", entry.url);
            assert_eq!(Remote::named(&entry.name.to_ascii_uppercase()).unwrap(), *entry);
        }
        assert!(Remote::named("wiki-Votes").unwrap_err().to_string().contains("wiki-Vote"));
    }
}
