//! Operands of an intersection that skip coordinates which the other operands do not have.

use super::choice::Skips;
use super::draft::Draft;
use super::known::Known;
use super::tree::How;
use crate::format::Way;
use crate::lattice::{members, set_of};
use crate::notation::concrete::Stmt;

impl Draft<'_> {
    /// Which operands of the loop over `body` skip. Outer levels do, and so do arrays beside the cursor of a store. Of two innermost
    /// arrays, only one that is much longer than the other does, since a step to the next position is cheaper than a search.
    pub fn skips(&self, how: &How, body: &Stmt, known: &Known) -> Skips {
        let Some(lattice) = how.lattice() else { return Skips::default() };
        let (merged, together) = (&how.merged, lattice.together());
        let all_needed = lattice.points.iter().all(|point| point & together == together);
        if lattice.whole || !all_needed || together.count_ones() < 2 {
            return Skips::default();
        }
        let iterated: Vec<usize> = members(together).collect();
        let stores = iterated.iter().any(|&n| self.way(merged[n], known) == Way::Entries);
        let outer = body.has_loops();
        let if_longer = !outer && !stores && together.count_ones() == 2;
        if !outer && !stores && !if_longer {
            return Skips::default();
        }
        let in_array = |n: &usize| self.has_array(merged[*n], known) && !self.is_chained(merged[*n], known);
        let operands = set_of(iterated.into_iter().filter(in_array));
        Skips { operands, if_longer: if_longer && operands != 0 }
    }
}
