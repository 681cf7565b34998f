//! How far the indices of a statement run, and which extents must agree.

use std::collections::BTreeMap;

use super::nest::Lower;
use super::stored::Storage;
use crate::checks::{Checks, Side};
use crate::ir::Expr as Code;
use crate::notation::concrete::{Index, TensorId};
use crate::plan::Range;

impl Lower<'_> {
    /// How far the indices of the statement run, and which extents must agree.
    pub(super) fn ranges(&mut self, checks: &mut Checks<'_>) {
        let mut said: BTreeMap<Index, (TensorId, usize)> = BTreeMap::new();
        for range in &self.plan.ranges {
            let Range { index, along, made_by } = *range;
            let extent = match made_by {
                Some(by) => self.extent(by),
                None => self.extent_along(along),
            };
            let Some(known) = self.extents.get(&index).filter(|known| **known != extent) else {
                self.extents.entry(index).or_insert(extent);
                said.entry(index).or_insert(along);
                continue;
            };
            let left = Side { along: said[&index], index, extent: known.clone() };
            let right = Side { along: made_by.map_or(along, |by| said[&by]), index: made_by.unwrap_or(index), extent };
            checks.agree(left, right, made_by.is_some());
        }
    }

    /// The extent of one dimension of a tensor.
    fn extent_along(&self, (tensor, m): (TensorId, usize)) -> Code {
        match &self.stores[tensor.0] {
            Some(Storage::Levels(levels)) => levels.seen_extent(m),
            Some(Storage::Dense { shape, .. }) => shape[m].clone(),
            Some(Storage::Viewed(viewed)) => viewed.part.ranges[m].clone(),
            _ => unreachable!("the plan names tensors that are made"),
        }
    }
}
