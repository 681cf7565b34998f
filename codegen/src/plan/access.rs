//! How an operand can be read in the order of the loops, by its format alone.

use super::choice::Reach;
use super::draft::Draft;
use crate::format::Format;
use crate::notation::concrete::{Access, Index};

impl Draft<'_> {
    /// How `access` is read inside of the loops `path`, outermost first, or why it is sorted.
    pub fn reach(&self, format: &Format, access: &Access, path: &[Index]) -> Result<Reach, String> {
        if format.is_dense() {
            return Ok(Reach::Located);
        }
        if !format.is_plain() {
            return Err("its levels keep computed coordinates".into());
        }
        if !access.is_distinct() {
            return Err("one index stands twice".into());
        }
        let kept = format.indices_of(access);
        let chained = format.chained();
        let place = |at: usize| path.iter().position(|known| *known == kept[at]);
        for (at, level) in format.levels.iter().enumerate().filter(|(_, level)| !level.is_searched()) {
            if !level.properties.unique && chained.is_none_or(|from| from > at) {
                return Err("a level keeps a coordinate more than once, and not in a row".into());
            }
            if let Some(above) = (0..at).find(|&above| place(above) >= place(at)) {
                let name = |at: usize| &self.kernel.indices[kept[at].0];
                let (above, below) = (name(above), name(at));
                return Err(format!(
                    "its levels keep {above} above {below}, and the loop over {below} is the outer one"
                ));
            }
        }
        Ok(if chained.is_some() { Reach::Chained } else { Reach::Direct })
    }
}
