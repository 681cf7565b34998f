//! Algorithms on snapshots that go on from what they found on the version before.

use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};

use super::super::Failure;
use super::cc::CcArgs;
use super::common::{PackedRows, Vertices};
use super::snapshot::{Finding, checked, checked_packed};
use pleach_algorithms::cc::Components;
use pleach_algorithms::incremental::{MovingComponents, MovingRanks, changed_sources};

/// What made one version of another.
#[derive(Default)]
pub struct Between {
    /// The edges that updates named.
    pub edges: Vec<(u32, u32)>,
}

/// The rows of a version.
pub type Version<'a, 'm> = Adjacency<'a, DynRows<'m, ()>>;

/// An algorithm that keeps what it found.
pub trait Following<'t>: Send {
    /// Continues to the version `after`; `before` is the version of its last result, if there is one.
    fn follow(
        &mut self,
        before: Option<Version<'_, '_>>,
        after: Version<'_, '_>,
        between: &Between,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure>;

    /// The same on rows of the default store.
    fn follow_packed(
        &mut self,
        before: Option<PackedRows<'_, ()>>,
        after: PackedRows<'_, ()>,
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

    fn go_on<A: Rows>(
        &mut self,
        before: Option<Adjacency<'_, A>>,
        after: Adjacency<'_, A>,
        between: &Between,
    ) -> Result<Components, Failure> {
        match before {
            Some(before) => self.kept.follow(before, after, &between.edges).map_err(Failure::input)?,
            None => self.kept = MovingComponents::new(after),
        }
        Ok(self.kept.components())
    }
}

impl<'t> Following<'t> for FollowingComponents<'t> {
    fn follow(
        &mut self,
        before: Option<Version<'_, '_>>,
        after: Version<'_, '_>,
        between: &Between,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        let found = self.go_on(before, after, between)?;
        checked(self.args, after, vertices, found)
    }

    fn follow_packed(
        &mut self,
        before: Option<PackedRows<'_, ()>>,
        after: PackedRows<'_, ()>,
        between: &Between,
        vertices: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        let found = self.go_on(before, after, between)?;
        checked_packed(self.args, after, vertices, found)
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

impl<'t, F: Fn(&MovingRanks) -> Finding<'t> + Send> FollowingRanks<F> {
    fn go_on<A: Rows>(
        &mut self,
        before: Option<Adjacency<'_, A>>,
        after: Adjacency<'_, A>,
        between: &Between,
    ) -> Result<Finding<'t>, Failure> {
        match (before, &mut self.kept) {
            (Some(before), Some(kept)) => {
                kept.follow(before, after, &changed_sources(before, &between.edges)).map_err(Failure::input)?;
            }
            (_, kept) => {
                *kept =
                    Some(MovingRanks::within(after, self.damping, self.tolerance, self.most).map_err(Failure::usage)?);
            }
        }
        let kept = self.kept.as_ref().expect("ranks were just computed");
        Ok((self.found)(kept))
    }
}

impl<'t, F: Fn(&MovingRanks) -> Finding<'t> + Send> Following<'t> for FollowingRanks<F> {
    fn follow(
        &mut self,
        before: Option<Version<'_, '_>>,
        after: Version<'_, '_>,
        between: &Between,
        _: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        self.go_on(before, after, between)
    }

    fn follow_packed(
        &mut self,
        before: Option<PackedRows<'_, ()>>,
        after: PackedRows<'_, ()>,
        between: &Between,
        _: &Vertices<'_>,
    ) -> Result<Finding<'t>, Failure> {
        self.go_on(before, after, between)
    }
}
