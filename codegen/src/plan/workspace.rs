//! Workspaces: what the right side of a `where` fills and the left side reads.
//!
//! ```text
//! scalar    one value, and whether anything was written to it
//! array     a value for every coordinate
//! listed    the same, with a list of the coordinates that were written
//! sorted    a list of what was written, sorted and added up before it is read
//! ```
//!
//! A listed workspace takes memory by its extent. Where no level of the statement keeps something for every coordinate of its index, there
//! may be far more coordinates than entries: the extent and the number of entries then decide at run time between a listed and a sorted
//! workspace.

use super::choice::{Wide, Workspace};
use super::draft::Draft;
use super::kept::{From, Kept, Reading};
use super::known::Known;
use crate::notation::ast::ValueType;
use crate::notation::concrete::{Access, Index, Reduction, Role, Stmt, TensorId};
use crate::notation::presence::annihilates;

impl Draft<'_> {
    /// The workspaces that a producer fills.
    pub fn workspaces(&self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Vec<Workspace> {
        let mut found = Vec::new();
        for id in producer.written() {
            let tensor = self.kernel.tensor(id);
            if tensor.role != Role::Workspace {
                continue;
            }
            let mut indices = None;
            producer.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    indices = Some(assign.target.indices.clone());
                }
            });
            let remembers = match tensor.rank {
                0 => consumer.written().iter().any(|written| self.is_sparse(*written)) || annihilates(consumer, id),
                rank => rank == 1 && self.is_listed(consumer, id, known),
            };
            found.push(Workspace { id, remembers, indices: indices.unwrap_or_default() });
        }
        found
    }

    /// Notes how a workspace is kept while it is filled. It cannot be read yet, so its readings become unmade again: another case of the
    /// outer loops may have set them.
    pub fn keep(&mut self, workspace: &Workspace) {
        let (id, remembers) = (workspace.id, workspace.remembers);
        self.plan.readings.iter_mut().filter(|one| one.access.tensor == id).for_each(|one| one.from = From::Unmade);
        self.plan.kept[id.0] = Some(match self.kernel.tensor(id).rank {
            0 => Kept::Scalar { remembers },
            _ => Kept::Array { listed: remembers },
        });
    }

    /// Has a consumer read a workspace from the list of what was written to it.
    pub fn read_written(&mut self, consumer: &Stmt, id: TensorId, known: &Known) {
        let mut found = Vec::new();
        consumer.reads_in(&known.path, &mut |access, path| {
            if access.tensor == id {
                found.push((access.clone(), Self::order_of(access, path)));
            }
        });
        for (access, order) in found {
            let from = From::Written;
            match self.plan.readings.iter_mut().find(|one| one.access == access && one.order == order) {
                Some(one) => one.from = from,
                None => self.plan.readings.push(Reading { access, order, from, drives: false, sorted: false }),
            }
        }
    }

    /// Whether a consumer reads only what was written to a workspace, so that a list of it is kept.
    pub fn is_listed(&self, consumer: &Stmt, id: TensorId, known: &Known) -> bool {
        self.nothing_to_do(consumer, known, &[id]) && consumer.written().iter().any(|written| self.is_sparse(*written))
    }

    /// The workspace that a producer fills, if there may be far more coordinates in it than entries: it has one index, the consumer
    /// reads what was written to it only, and no level of the two keeps something for every coordinate of that index.
    pub fn wide(&self, consumer: &Stmt, producer: &Stmt, known: &Known) -> Option<Wide> {
        let written = producer.written();
        let [id] = written[..] else { return None };
        let tensor = self.kernel.tensor(id);
        let plain = tensor.role == Role::Workspace && tensor.rank == 1 && tensor.value != ValueType::Pattern;
        if !plain || !self.is_listed(consumer, id, known) {
            return None;
        }
        let mut ways: Vec<(Index, Option<Reduction>)> = Vec::new();
        let mut own = false;
        for part in [producer, consumer] {
            part.assigns(&mut |assign| {
                if assign.target.tensor == id {
                    ways.push((assign.target.indices[0], assign.reduce));
                    assign.reads(&mut |access| own |= access.tensor == id);
                }
            });
        }
        let accesses = [producer.accesses(), consumer.accesses()].concat();
        let (index, Some(reduce)) = *ways.first()? else { return None };
        let indices: Vec<Index> = accesses.iter().filter(|one| one.tensor == id).map(|one| one.indices[0]).collect();
        let by_extent = |access: &&Access| {
            let format = self.kernel.tensor(access.tensor).format.as_ref();
            let kept = |m: usize| access.indices.get(m).is_some_and(|index| indices.contains(index));
            format.is_some_and(|format| format.spans(kept))
        };
        if own || ways.iter().any(|way| *way != ways[0]) || accesses.iter().any(by_extent) {
            return None;
        }
        let mut tensors: Vec<TensorId> = Vec::new();
        for access in accesses.iter().filter(|access| self.kernel.tensor(access.tensor).role != Role::Workspace) {
            if !tensors.contains(&access.tensor) {
                tensors.push(access.tensor);
            }
        }
        Some(Wide { id, index, reduce, tensors })
    }
}
