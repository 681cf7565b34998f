//! Whether the arrays of a file are those of the format that it names: conversions rely on it.

use pleach_codegen::format::{Coordinate, FormatLevel};
use pleach_codegen::ir::interpret::{Array, Value};
use pleach_codegen::level::{FieldKind, GAP};

use super::files::Held;
use super::order::{Chain, Keys, Parts};

/// Checks a tensor level by level.
///
/// # Errors
///
/// Which array does not fit.
pub fn check(held: &Held) -> Result<(), String> {
    let mut fields = Fields(held.fields.iter());
    let mut shape = Vec::new();
    for _ in 0..held.format.rank() {
        let n = fields.number()?;
        if n > u32::MAX as usize {
            return Err(format!("an extent is {n}, and coordinates have 32 bits"));
        }
        shape.push(n);
    }
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let bounds = held.format.bounds(&signed);
    let mut parents = 1usize;
    let mut chain: Option<Chain<'_>> = None;
    for (k, level) in held.format.levels.iter().enumerate() {
        let wrong = |what: &str| format!("level {} (`{}`): {what}", k + 1, level.kind.name());
        let extent = match &level.coordinate {
            Coordinate::Index(m) => shape[*m],
            Coordinate::Counter(_) => usize::MAX,
            _ => {
                let own = fields.number()?;
                let most = bounds[k].map_or(usize::MAX, |(lo, hi)| (hi - lo + 1).max(0) as usize);
                let most = most.max(level.coordinate.block());
                if own > most.max(1) {
                    return Err(wrong(&format!("its extent is {own}, and at most {most}")));
                }
                own
            }
        };
        let arrays = fields.arrays(level).and_then(|arrays| {
            parents = arrays.positions_below(level, parents, extent)?;
            Ok(arrays)
        });
        let arrays = arrays.map_err(|what| wrong(&what))?;
        let keys = |crd| Keys { level: k, name: level.kind.name(), properties: level.properties, crd };
        match (arrays.coordinates, &mut chain) {
            (Some(crd), Some(chain)) if level.properties.branchless => chain.keys.push(keys(crd)),
            (_, _) if level.properties.branchless => {}
            _ => {
                chain.take().map_or(Ok(()), |chain| chain.check())?;
                chain = arrays.parts(level).map(|(parts, crd)| Chain { parts, keys: vec![keys(crd)] });
            }
        }
    }
    chain.map_or(Ok(()), |chain| chain.check())?;
    match (fields.0.next(), fields.0.next()) {
        (Some(Value::Array(Array::F64(vals))), None) if vals.len() == parents => Ok(()),
        _ => Err(format!("expected {parents} values")),
    }
}

/// The fields that have not been looked at yet.
struct Fields<'a>(std::slice::Iter<'a, Value>);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Result<usize, String> {
        match self.0.next() {
            Some(Value::Scalar(literal)) => Ok(literal.bits() as usize),
            _ => Err("expected a number".to_owned()),
        }
    }

    /// What a level keeps.
    fn arrays(&mut self, level: &FormatLevel) -> Result<Arrays<'a>, String> {
        let mut arrays = Arrays { size: None, positions: None, coordinates: None };
        for (_, kind) in level.kind.fields(&level.switches) {
            match (kind, self.0.clone().next()) {
                (FieldKind::Size, _) => arrays.size = Some(self.number()?),
                (FieldKind::Positions, Some(Value::Array(Array::Usize(array)))) => {
                    arrays.positions = Some(array);
                    self.0.next();
                }
                (FieldKind::Coordinates, Some(Value::Array(Array::U32(array)))) => {
                    arrays.coordinates = Some(array);
                    self.0.next();
                }
                _ => return Err("expected an array".to_owned()),
            }
        }
        Ok(arrays)
    }
}

/// What one level keeps.
struct Arrays<'a> {
    size: Option<usize>,
    positions: Option<&'a [usize]>,
    coordinates: Option<&'a [u32]>,
}

impl<'a> Arrays<'a> {
    /// How many positions the level has below so many of the level above, if its arrays are as long as they have to be.
    fn positions_below(&self, level: &FormatLevel, parents: usize, extent: usize) -> Result<usize, String> {
        if let Some(positions) = self.positions
            && (positions.len() != parents + 1 || positions[0] != 0 || !positions.is_sorted())
        {
            return Err(format!("expected {} positions that ascend from 0", parents + 1));
        }
        // Where some positions keep no entry, a mark stands in place of a coordinate. The first coordinate of an empty interval is not used.
        let may_be_empty = !level.properties.compact;
        let intervals = level.kind.capabilities().value_iteration;
        let is_unused =
            |p: usize| intervals && self.positions.is_some_and(|positions| positions.get(p) == positions.get(p + 1));
        let outside = |p: usize, c: u32| c as usize >= extent && !(may_be_empty && c == GAP) && !is_unused(p);
        if let Some(coordinates) = self.coordinates
            && let Some((_, c)) = coordinates.iter().enumerate().find(|&(p, &c)| outside(p, c))
        {
            return Err(format!("the coordinate {c} is not below {extent}"));
        }
        let product = |n: usize| parents.checked_mul(n).ok_or_else(|| "it is too large".to_owned());
        Ok(match (self.size, self.positions, self.coordinates) {
            // Intervals say where they begin.
            (None, Some(positions), Some(first)) if intervals => {
                if first.len() != parents {
                    return Err(format!("expected {parents} first coordinates"));
                }
                for (p, ends) in positions.windows(2).enumerate() {
                    let length = ends[1] - ends[0];
                    if length > 0 && (first[p] as usize).checked_add(length).is_none_or(|end| end > extent) {
                        return Err("an interval ends outside of the tensor".to_owned());
                    }
                }
                positions[parents]
            }
            (None, Some(positions), Some(crd)) if crd.len() == positions[parents] => crd.len(),
            (None, Some(_), Some(_)) => return Err("there are not as many coordinates as positions".to_owned()),
            (Some(width), None, Some(crd)) if product(width)? == crd.len() => crd.len(),
            (None, None, Some(crd)) if level.properties.branchless && crd.len() == parents => parents,
            (None, None, Some(crd)) if !level.properties.branchless => {
                if let Some(q) = crd.windows(2).position(|pair| pair[0] >= pair[1]) {
                    let (before, here, at) = (crd[q], crd[q + 1], q + 1);
                    return Err(format!(
                        "its coordinates do not ascend: {here} at position {at} stands behind {before}"
                    ));
                }
                product(crd.len())?
            }
            (Some(slices), None, None) => product(slices)?,
            (None, None, None) if level.properties.branchless => parents,
            (None, None, None) => product(extent)?,
            _ => return Err("its arrays are not as long as they have to be".to_owned()),
        })
    }

    /// How the coordinates of a level that keeps some for each parent are divided among the parents.
    fn parts(&self, level: &FormatLevel) -> Option<(Parts<'a>, &'a [u32])> {
        match (self.size, self.positions, self.coordinates) {
            (None, Some(ends), Some(crd)) if !level.kind.capabilities().value_iteration => {
                Some((Parts::Ends(ends), crd))
            }
            (Some(width), None, Some(crd)) => Some((Parts::Tables(width), crd)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach_codegen::ir::Literal;
    use pleach_codegen::session::Session;

    use super::*;

    /// What is said of a matrix of 2 × 3 in compressed rows, with these coordinates.
    fn rows(coordinates: [u32; 3]) -> Result<(), String> {
        let format = Session::bundled().format("csr").unwrap();
        let extent = |n| Value::Scalar(Literal::Usize(n));
        let fields = vec![
            extent(2),
            extent(3),
            Value::Array(Array::Usize(vec![0, 2, 3])),
            Value::Array(Array::U32(coordinates.to_vec())),
            Value::Array(Array::F64(vec![1.0; 3])),
        ];
        check(&Held { format, fields })
    }

    /// What is said of a matrix with two rows, each an interval of columns, with these ends and these first coordinates.
    fn intervals(cols: usize, ends: [usize; 3], first: [u32; 2]) -> Result<(), String> {
        let format = Session::bundled().format("(dense, banded)").unwrap();
        let extent = |n| Value::Scalar(Literal::Usize(n));
        let fields = vec![
            extent(2),
            extent(cols),
            Value::Array(Array::Usize(ends.to_vec())),
            Value::Array(Array::U32(first.to_vec())),
            Value::Array(Array::F64(vec![1.0; ends[2]])),
        ];
        check(&Held { format, fields })
    }

    #[test]
    fn an_empty_interval_begins_nowhere() {
        assert_eq!(intervals(0, [0, 0, 0], [0, 0]), Ok(()));
        assert_eq!(intervals(3, [0, 0, 2], [7, 1]), Ok(()));
        assert!(intervals(3, [0, 1, 2], [3, 1]).unwrap_err().contains("the coordinate 3 is not below 3"));
        assert!(intervals(3, [0, 1, 3], [0, 2]).unwrap_err().contains("an interval ends outside of the tensor"));
    }

    #[test]
    fn only_levels_that_leave_positions_empty_may_mark_them_so() {
        assert_eq!(rows([0, 2, 1]), Ok(()));
        assert!(rows([0, 3, 1]).unwrap_err().contains("the coordinate 3 is not below 3"));
        assert!(rows([0, GAP, 1]).unwrap_err().contains("the coordinate 4294967295 is not below 3"));
        assert!(rows([2, 0, 1]).unwrap_err().contains("do not ascend"));
    }
}
