//! Generators: seeded, parallel, and the same graph whatever the number of threads, because every edge or point draws its random
//! numbers from the seed and its own number.

mod erdos_renyi;
mod geometric;
mod grid;
pub(crate) mod random;
mod rmat;
mod stretch;

use std::fmt;
use std::str::FromStr;

use pleach::EdgeList;

pub(crate) use stretch::Stretch;

use crate::error::Error;
use crate::ids::IdMap;
use crate::input::{Direction, Edges, Format, Input, Options, Weights};
use crate::progress::Meter;

/// The most arcs that are generated: a larger number is probably a typing error.
const MAX_ARCS: u64 = 1 << 32;

/// A graph that is computed, not read. As text: `rmat:16`, `rmat:16:8`, `rmat16`, `grid:300x200`, `grid2048`, `rgg:15`, `rgg15`, `er:1000:5000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// Graph500's R-MAT with 2^`scale` vertices, `edge_factor` edges a vertex and permuted labels.
    Rmat {
        /// Logarithm to base 2 of the number of vertices.
        scale: u32,
        /// Edges per vertex, duplicates and loops included.
        edge_factor: u64,
    },
    /// A two-dimensional grid in which every vertex knows its neighbours left, right, above and below.
    Grid {
        /// Number of rows.
        rows: u64,
        /// Number of columns.
        cols: u64,
    },
    /// The random geometric graph of the DIMACS challenge with 2^`scale` vertices.
    Geometric {
        /// Logarithm to base 2 of the number of vertices.
        scale: u32,
    },
    /// Erdős and Rényi's G(n, m): exactly `edges` different edges, every choice of them as likely as any other; no loops.
    ErdosRenyi {
        /// Number of vertices.
        vertices: u64,
        /// Number of edges.
        edges: u64,
    },
}

impl Generator {
    /// Computes the graph: undirected unless [`Options::direction`] says otherwise, without weights unless [`Options::weights`] requests them.
    ///
    /// # Errors
    ///
    /// [`Error::Generator`] if the graph would be too large, or cannot be.
    pub fn generate(&self, options: &Options) -> Result<Input, Error> {
        self.check()?;
        let directed = options.direction == Some(Direction::Directed);
        let meter = &Meter::new(&options.progress, LISTED * self.num_edges());
        let edges = match *self {
            Generator::Rmat { scale, edge_factor } => rmat::generate(scale, edge_factor, options.seed, meter),
            Generator::Grid { rows, cols } => grid::generate(rows, cols, labels(options, rows * cols), meter),
            Generator::Geometric { scale } => {
                geometric::generate(scale, options.seed, labels(options, 1 << scale), meter)
            }
            Generator::ErdosRenyi { vertices, edges } => {
                erdos_renyi::generate(vertices, edges, directed, options.seed, meter)
            }
        };
        let edges = Edges::Pattern(edges);
        let edges = if options.weights == Weights::OrOne { Edges::Weighted(edges.into_weighted()) } else { edges };
        Ok(Input {
            name: self.to_string(),
            format: Format::Generated,
            ids: IdMap::identity(edges.num_rows()),
            self_loops: edges.count_self_loops(),
            attributes: Default::default(),
            edges,
            directed,
            declared: Some(Direction::Undirected),
            mirrored: !directed,
            notes: Vec::new(),
        })
    }

    /// About how many edges the graph has, duplicates included.
    pub fn num_edges(&self) -> u64 {
        match *self {
            Generator::Rmat { scale, edge_factor } => edge_factor.saturating_mul(1 << scale.min(63)),
            // 0.55² π / 2 · ln n edges a vertex, on average.
            Generator::Geometric { scale } => (0.33 * f64::from(scale) * 2f64.powi(scale.min(63) as i32)) as u64,
            Generator::Grid { rows, cols } => rows.saturating_mul(cols).saturating_mul(2),
            Generator::ErdosRenyi { edges, .. } => edges,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let fail = |reason: String| Err(Error::Generator { spec: self.to_string(), reason });
        match *self {
            Generator::Rmat { scale: scale @ 32.., .. } | Generator::Geometric { scale: scale @ 32.. } => {
                return fail(format!("expected a scale of at most 31, found {scale}"));
            }
            Generator::Rmat { .. } | Generator::Geometric { .. } => {}
            Generator::Grid { rows, cols } if rows == 0 || cols == 0 => {
                return fail("expected at least one row and one column".to_owned());
            }
            Generator::Grid { rows, cols } => match rows.checked_mul(cols) {
                Some(vertices) if vertices <= u64::from(u32::MAX) => {}
                _ => return fail(format!("expected at most {} vertices", u32::MAX)),
            },
            Generator::ErdosRenyi { vertices, .. } if vertices > u64::from(u32::MAX) => {
                return fail(format!("expected at most {} vertices", u32::MAX));
            }
            Generator::ErdosRenyi { vertices, edges } => {
                let most = vertices * vertices.saturating_sub(1) / 2;
                if edges > most {
                    return fail(format!("expected at most {most} edges between {vertices} vertices, found {edges}"));
                }
            }
        }
        let arcs = self.num_edges();
        match arcs <= MAX_ARCS {
            true => Ok(()),
            false => fail(format!("expected at most {MAX_ARCS} edges, found {arcs}")),
        }
    }
}

/// Bytes of an edge in a list.
pub(crate) const LISTED: u64 = 8;

/// The random labels of [`Options::permute`].
fn labels(options: &Options, vertices: u64) -> Option<random::Permutation> {
    options.permute.then(|| random::Permutation::new(options.seed, vertices))
}

/// An edge list between `vertices` vertices whose arrays are about to be filled.
fn blank(vertices: u64, edges: u64) -> EdgeList<()> {
    let (n, m) = (vertices as usize, edges as usize);
    EdgeList { num_rows: n, num_cols: n, src: vec![0; m], dst: vec![0; m], weight: vec![(); m] }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Rmat { scale, edge_factor: 16 } => write!(f, "rmat{scale}"),
            Generator::Rmat { scale, edge_factor } => write!(f, "rmat:{scale}:{edge_factor}"),
            Generator::Grid { rows, cols } if rows == cols => write!(f, "grid{rows}"),
            Generator::Grid { rows, cols } => write!(f, "grid:{rows}x{cols}"),
            Generator::Geometric { scale } => write!(f, "rgg{scale}"),
            Generator::ErdosRenyi { vertices, edges } => write!(f, "er:{vertices}:{edges}"),
        }
    }
}

impl FromStr for Generator {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Generator, Error> {
        let fail = |reason: &str| Error::Generator { spec: spec.to_owned(), reason: reason.to_owned() };
        let (kind, arguments) = match spec.split_once(':') {
            Some((kind, arguments)) => (kind, arguments),
            None => spec.split_at(spec.find(|c: char| c.is_ascii_digit()).unwrap_or(spec.len())),
        };
        let numbers = |usage: &str, between: char| -> Result<Vec<u64>, Error> {
            let numbers: Result<_, _> = arguments.split(between).map(str::parse).collect();
            numbers.map_err(|_| fail(&format!("expected {usage}, all of them whole numbers")))
        };
        let scale = |scale: u64| u32::try_from(scale).map_err(|_| fail("expected a scale of at most 31"));
        match kind {
            "rmat" => match *numbers("rmat:SCALE or rmat:SCALE:EDGES_PER_VERTEX", ':')? {
                [s] => Ok(Generator::Rmat { scale: scale(s)?, edge_factor: 16 }),
                [s, edge_factor] => Ok(Generator::Rmat { scale: scale(s)?, edge_factor }),
                _ => Err(fail("expected rmat:SCALE or rmat:SCALE:EDGES_PER_VERTEX")),
            },
            "grid" => match *numbers("grid:ROWSxCOLUMNS or grid:SIDE", 'x')? {
                [side] => Ok(Generator::Grid { rows: side, cols: side }),
                [rows, cols] => Ok(Generator::Grid { rows, cols }),
                _ => Err(fail("expected grid:ROWSxCOLUMNS or grid:SIDE")),
            },
            "rgg" => match *numbers("rgg:SCALE", ':')? {
                [s] => Ok(Generator::Geometric { scale: scale(s)? }),
                _ => Err(fail("expected rgg:SCALE")),
            },
            "er" => match *numbers("er:VERTICES:EDGES", ':')? {
                [vertices, edges] => Ok(Generator::ErdosRenyi { vertices, edges }),
                _ => Err(fail("expected er:VERTICES:EDGES")),
            },
            _ => Err(fail(
                "there is no such generator; there are rmat:SCALE, grid:ROWSxCOLUMNS, rgg:SCALE and er:VERTICES:EDGES",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn on_threads(threads: usize, generator: Generator, options: &Options) -> Input {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| generator.generate(options)).unwrap()
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for spec in ["rmat10", "rmat:7:3", "grid:30x17", "rgg11", "er:500:3000"] {
            let generator: Generator = spec.parse().unwrap();
            for permute in [false, true] {
                let options = Options { seed: 5, permute, ..Options::default() };
                let one = on_threads(1, generator, &options);
                let four = on_threads(4, generator, &options);
                assert_eq!(one.edges, four.edges, "{spec}");
                assert!(!one.edges.is_empty());
            }
        }
    }

    #[test]
    fn the_seed_changes_the_graph() {
        for spec in ["rmat8", "rgg8", "er:100:300"] {
            let generator: Generator = spec.parse().unwrap();
            let of = |seed| generator.generate(&Options { seed, ..Options::default() }).unwrap().edges;
            assert_ne!(of(1), of(2), "{spec}");
            assert_eq!(of(3), of(3), "{spec}");
        }
    }

    #[test]
    fn permuting_only_renames() {
        for spec in ["grid:20x30", "rgg9"] {
            let generator: Generator = spec.parse().unwrap();
            let degrees = |permute| {
                let input = generator.generate(&Options { permute, ..Options::default() }).unwrap();
                let mut degrees = vec![0; input.num_vertices()];
                input.edges.src().iter().chain(input.edges.dst()).for_each(|&v| degrees[v as usize] += 1);
                (input.edges, degrees)
            };
            let ((plain, mut a), (permuted, mut b)) = (degrees(false), degrees(true));
            assert_ne!(plain, permuted);
            assert_ne!(a, b);
            a.sort_unstable();
            b.sort_unstable();
            assert_eq!(a, b, "{spec}");
        }
    }

    #[test]
    fn names_go_both_ways() {
        for (spec, name) in [
            ("rmat:16", "rmat16"),
            ("rmat:16:16", "rmat16"),
            ("rmat:4:2", "rmat:4:2"),
            ("grid:7", "grid7"),
            ("grid:7x8", "grid:7x8"),
            ("grid2048", "grid2048"),
            ("rgg20", "rgg20"),
            ("er:10:20", "er:10:20"),
        ] {
            let generator: Generator = spec.parse().unwrap();
            assert_eq!(generator.to_string(), name);
            assert_eq!(name.parse::<Generator>().unwrap(), generator);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for spec in [
            "",
            "x",
            "rmat",
            "rmat:",
            "rmat:x",
            "rmat:1:2:3",
            "grid:3x",
            "grid:3x4x5",
            "rgg",
            "er:5",
            "er:-1:2",
            "rmat:99999999999",
        ] {
            assert!(matches!(spec.parse::<Generator>(), Err(Error::Generator { .. })), "{spec}");
        }
        for spec in [
            "rmat:32",
            "rmat:31:1000",
            "rmat:20:18446744073709551615",
            "grid:0x4",
            "grid:65536x65536",
            "rgg:40",
            "rgg:31",
            "er:4:7",
            "er:4294967296:1",
        ] {
            let generator: Generator = spec.parse().unwrap();
            assert!(matches!(generator.generate(&Options::default()), Err(Error::Generator { .. })), "{spec}");
        }
    }

    #[test]
    fn the_smallest_graphs_exist() {
        for (spec, vertices, edges) in [
            ("rmat:0", 1, 16),
            ("rmat:3:0", 8, 0),
            ("grid:1x1", 1, 0),
            ("grid:1x5", 5, 4),
            ("grid:5x1", 5, 4),
            ("rgg:0", 1, 0),
            ("rgg:1", 2, 0),
            ("er:0:0", 0, 0),
            ("er:2:1", 2, 1),
            ("er:5:10", 5, 10),
        ] {
            let input = spec.parse::<Generator>().unwrap().generate(&Options::default()).unwrap();
            assert_eq!(input.num_vertices(), vertices, "{spec}");
            assert!(spec == "rgg:1" || input.edges.len() == edges, "{spec}: {} edges", input.edges.len());
        }
    }

    #[test]
    fn a_grid_is_a_grid() {
        let input = Generator::Grid { rows: 3, cols: 4 }.generate(&Options::default()).unwrap();
        let edges: BTreeSet<(u32, u32)> =
            input.edges.src().iter().copied().zip(input.edges.dst().iter().copied()).collect();
        assert_eq!(edges.len(), input.edges.len());
        let mut expected = BTreeSet::new();
        for row in 0..3 {
            for col in 0..4 {
                let v = row * 4 + col;
                if col < 3 {
                    expected.insert((v, v + 1));
                }
                if row < 2 {
                    expected.insert((v, v + 4));
                }
            }
        }
        assert_eq!(edges, expected);
        assert!(input.mirrored && !input.directed);
    }

    #[test]
    fn erdos_renyi_has_as_many_different_edges_as_asked_for() {
        for direction in [None, Some(Direction::Directed)] {
            let options = Options { direction, ..Options::default() };
            let input = Generator::ErdosRenyi { vertices: 40, edges: 780 }.generate(&options).unwrap();
            let edges: BTreeSet<(u32, u32)> =
                input.edges.src().iter().copied().zip(input.edges.dst().iter().copied()).collect();
            assert_eq!(edges.len(), 780);
            assert_eq!(input.self_loops, 0);
            let unordered: BTreeSet<_> = edges.iter().map(|&(s, d)| (s.min(d), s.max(d))).collect();
            assert_eq!(unordered.len() == 780, direction.is_none());
        }
    }

    #[test]
    fn rmat_is_as_skewed_as_its_parameters_say() {
        let input = Generator::Rmat { scale: 12, edge_factor: 16 }.generate(&Options::default()).unwrap();
        let n = input.num_vertices();
        let mut out = vec![0u32; n];
        input.edges.src().iter().for_each(|&v| out[v as usize] += 1);
        out.sort_unstable_by(|a, b| b.cmp(a));
        // The expected out-degree of the vertex whose bits are all 0 is m (a + b)^scale.
        let expected = 0.76f64.powi(12) * input.edges.len() as f64;
        assert!((f64::from(out[0]) / expected - 1.0).abs() < 0.15, "{} for {expected}", out[0]);
        let idle = out.iter().filter(|&&d| d == 0).count();
        assert!(idle > n / 20 && idle < n / 2, "{idle} vertices have no edge");
    }
}
