//! Algorithms on snapshots that go on from what they found on the version before.

use super::super::Failure;
use super::cc::CcArgs;
use super::common::Vertices;
use super::snapshot::{Finding, checked};
use pleach_algorithms::incremental::{MovingComponents, MovingRanks};
use pleach_compiled::incremental;
use pleach_erased::GraphView;

/// What made one version of another.
#[derive(Default)]
pub struct Between {
    /// The edges that updates named.
    pub edges: Vec<(u32, u32)>,
}

/// An algorithm that keeps what it found.
pub trait Following<'t>: Send {
    /// Continues to the version `after`; `before` is the version of its last result, if there is one.
    fn follow(
        &mut self,
        before: Option<GraphView<'_, ()>>,
        after: GraphView<'_, ()>,
        between: &Between,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure>;
}

/// Components, which inserted edges join and deleted edges split.
pub struct FollowingComponents<'t> {
    args: &'t CcArgs,
    kept: MovingComponents,
}

impl<'t> FollowingComponents<'t> {
    pub fn new(args: &'t CcArgs) -> Self {
        FollowingComponents { args, kept: MovingComponents::default() }
    }
}

impl<'t> Following<'t> for FollowingComponents<'t> {
    fn follow(
        &mut self,
        before: Option<GraphView<'_, ()>>,
        after: GraphView<'_, ()>,
        between: &Between,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        match before {
            Some(before) => {
                incremental::follow_components(&mut self.kept, before, after, &between.edges).map_err(Failure::input)?
            }
            None => self.kept = incremental::components(after),
        }
        checked(self.args, after, vertices, self.kept.components())
    }
}

/// Ranks, which move with the vertices whose arcs change.
pub struct FollowingRanks<F> {
    pub damping: f64,
    pub tolerance: f64,
    /// Iterations over all arcs for each version at most.
    pub most: usize,
    pub kept: Option<MovingRanks>,
    /// What is found of the ranks of a version.
    pub found: F,
}

impl<'t, F: Fn(&MovingRanks) -> Finding<'t> + Send> Following<'t> for FollowingRanks<F> {
    fn follow(
        &mut self,
        before: Option<GraphView<'_, ()>>,
        after: GraphView<'_, ()>,
        between: &Between,
        _: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        match (before, &mut self.kept) {
            (Some(before), Some(kept)) => {
                let changed = incremental::changed_sources(before, &between.edges);
                incremental::follow_ranks(kept, before, after, &changed).map_err(Failure::input)?;
            }
            (_, kept) => {
                let ranks = incremental::ranks(after, self.damping, self.tolerance, Some(self.most));
                *kept = Some(ranks.map_err(Failure::usage)?);
            }
        }
        let kept = self.kept.as_ref().expect("ranks were just computed");
        Ok((self.found)(kept))
    }
}
