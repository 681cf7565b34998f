//! How the loop over the entries of a driver is dealt out to tasks.

use super::Refusal;
use super::facts::Facts;
use super::kept::{From, Kept, Way};
use crate::format::{Format, Inverse};
use crate::notation::ast::ValueType;
use crate::notation::concrete::Assign;

/// How the loop over the entries of a driver is dealt out to tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DealtLevel {
    /// The level of the driver whose loop is dealt out.
    pub level: usize,
    /// How many rows of the target each iteration writes; `None` if what is computed is folded into a scalar.
    pub rows: Option<usize>,
}

impl Facts<'_> {
    /// The level of driver `at` whose loop is dealt out: its iterations write rows of the target of their own, or all that is done is to
    /// fold into a scalar.
    pub fn deal_driver(&self, at: usize, assign: &Assign) -> Result<DealtLevel, Refusal> {
        let (driver, target) = (&self.operands[at].access, &assign.target);
        let From::Levels(form, _) = &self.operands[at].from else { unreachable!("a driver has levels") };
        if !form.steps.is_empty() {
            return Err(Refusal::PartOf(driver.tensor));
        }
        let way = |level: usize| form.format.levels[level].way();
        let keeps_values =
            |format: &Format| self.kernel.tensor(target.tensor).value != ValueType::Pattern && !format.ends_in_store();
        let indices = match &self.kept[target.tensor.0] {
            Some(Kept::Scalar { remembers: false }) if matches!(way(0), Way::Interval | Way::Positions { .. }) => {
                return Ok(DealtLevel { level: 0, rows: None });
            }
            Some(Kept::Scalar { remembers: false }) => return Err(Refusal::OneByOne(vec![driver.tensor])),
            Some(Kept::Scalar { remembers: true }) => return Err(Refusal::Remembers(target.clone())),
            Some(Kept::Levels(form)) if keeps_values(&form.format) => form.indices(target),
            Some(Kept::Array { listed: false }) => target.indices.clone(),
            Some(Kept::View) => return Err(Refusal::ComputedPlace(target.clone())),
            _ => return Err(Refusal::Collected(target.clone())),
        };
        let of_rows = || {
            let first = indices.first()?;
            let place = driver.indices.iter().position(|index| index == first)?;
            let (level, rows) = match &form.format.inverse[place] {
                Inverse::Level(level) => (*level, 1),
                inverse => inverse.blocked().map(|(level, size, _)| (level, size))?,
            };
            // Several positions may have the same coordinate.
            (way(level) == Way::Interval).then_some(DealtLevel { level, rows: Some(rows) })
        };
        of_rows().ok_or_else(|| Refusal::SameElement(target.clone(), None))
    }
}
