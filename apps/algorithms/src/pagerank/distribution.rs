//! Probability distributions over vertices: the first ranks, the targets of teleports, and those of dangling vertices.

use pleach::Rows;
use pleach::traverse::Adjacency;

use super::PageRankError;

/// A probability of each vertex; they sum to one.
pub(super) enum Distribution {
    Uniform(f64),
    Given(Vec<f64>),
}

impl Distribution {
    /// The uniform distribution.
    pub fn uniform<A: Rows>(graph: Adjacency<'_, A>) -> Self {
        let share = 1.0 / graph.num_vertices() as f64;
        if graph.is_compact() {
            return Distribution::Uniform(share);
        }
        let mut shares = vec![share; graph.bound()];
        graph.absent().for_each(|gap| shares[gap as usize] = 0.0);
        Distribution::Given(shares)
    }

    /// The distribution in proportion to weights; `None` if no weights are given. `of` names the option in errors.
    pub fn given<A: Rows>(
        graph: Adjacency<'_, A>,
        of: &'static str,
        weights: &[(u32, f64)],
    ) -> Result<Option<Self>, PageRankError> {
        let Some(&(first, first_weight)) = weights.first() else { return Ok(None) };
        let mut shares = vec![0.0; graph.bound()];
        for &(vertex, weight) in weights {
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(PageRankError::Weight { of, vertex, weight });
            }
            if !graph.has_vertex(vertex) {
                return Err(PageRankError::Vertex { of, vertex, vertices: graph.num_vertices() });
            }
            shares[vertex as usize] += weight;
        }
        let sum: f64 = shares.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(PageRankError::Weight { of, vertex: first, weight: first_weight });
        }
        shares.iter_mut().for_each(|share| *share /= sum);
        Ok(Some(Distribution::Given(shares)))
    }

    #[inline(always)]
    pub fn at(&self, vertex: usize) -> f64 {
        match self {
            Distribution::Uniform(share) => *share,
            Distribution::Given(shares) => shares[vertex],
        }
    }
}

/// The distributions of one computation.
pub(super) struct Walks {
    pub teleport: Distribution,
    /// The first ranks, if they are not those of the teleport.
    pub start: Option<Distribution>,
    /// Where the rank of dangling vertices goes, if not as teleports go.
    pub dangling: Option<Distribution>,
}

impl Walks {
    pub fn new<A: Rows>(graph: Adjacency<'_, A>, options: &super::PageRank) -> Result<Self, PageRankError> {
        let given = |of, weights: &[_]| Distribution::given(graph, of, weights);
        Ok(Walks {
            teleport: given("personalisation", &options.personalisation)?
                .unwrap_or_else(|| Distribution::uniform(graph)),
            start: given("start", &options.start)?,
            dangling: given("dangling", &options.dangling)?,
        })
    }
}
