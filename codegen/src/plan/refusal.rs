//! Why a loop is not dealt out to tasks.

use super::choice::Refusal;
use super::draft::Draft;
use crate::notation::concrete::{Access, TensorId};

impl Draft<'_> {
    /// The coordinates of a loop are found in `operands`, entry by entry.
    pub fn one_by_one(&self, operands: &[usize]) -> Refusal {
        let name = |at: &usize| format!("`{}`", self.kernel.tensor(self.readings[*at].access.tensor).name);
        let names: Vec<String> = operands.iter().map(name).collect();
        let why = format!("its coordinates are found in {}, entry by entry", names.join(" and "));
        Refusal::new(why, "run an index in parallel whose levels are dense, or can be searched")
    }

    /// Rows of a result are counted before they are filled, and `other` would be written both times.
    pub fn written_twice(&self, row: TensorId, other: TensorId) -> Refusal {
        let (row, other) = (&self.kernel.tensor(row).name, &self.kernel.tensor(other).name);
        let why =
            format!("rows of `{row}` are counted before they are filled, and `{other}` would be written both times");
        Refusal::new(why, format!("compute `{other}` in a statement of its own"))
    }

    /// Several iterations may write the same element of a target.
    pub fn same_element(&self, target: &Access) -> String {
        format!("several iterations may write the same element of `{}`", self.kernel.show_access(target))
    }

    /// Entries of a target are collected.
    pub fn in_computed_order(&self, target: &Access) -> Refusal {
        let target = self.kernel.show_access(target);
        Refusal::new(
            format!("entries of `{target}` are collected in the order in which they are computed"),
            "run the loops in the order of the result's levels, the outermost of them dense",
        )
    }

    /// Entries of a sparse target are folded into.
    pub fn folded_entries(&self, target: &Access) -> Refusal {
        let entries: Vec<&str> = target.indices.iter().map(|index| &self.kernel.indices[index.0][..]).collect();
        let (last, name) = (entries.last().copied().unwrap_or_default(), &self.kernel.tensor(target.tensor).name);
        let (entries, shown) = (entries.join(","), self.kernel.show_access(target));
        Refusal::new(
            format!("`{shown}` is folded into, and the entries of a sparse result are appended, each once"),
            format!(
                "fold a row in a workspace first: `forall({last}, {name}({entries}) = w({last})) where …`; or return a dense format"
            ),
        )
    }
}
