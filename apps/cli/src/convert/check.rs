//! Whether the arrays of a file are those of the format that it names: conversions rely on it.

use pleach_codegen::format::Coordinate;
use pleach_codegen::ir::interpret::{Array, Value};
use pleach_codegen::level::{FieldKind, GAP};

use super::files::Held;

/// Checks a tensor level by level.
///
/// # Errors
///
/// Which array does not fit.
pub fn check(held: &Held) -> Result<(), String> {
    let mut fields = held.fields.iter();
    let number = |fields: &mut std::slice::Iter<'_, Value>| match fields.next() {
        Some(Value::Scalar(literal)) => Ok(literal.bits() as usize),
        _ => Err("expected a number".to_owned()),
    };
    let mut shape = Vec::new();
    for _ in 0..held.format.rank() {
        let n = number(&mut fields)?;
        if n > u32::MAX as usize {
            return Err(format!("an extent is {n}, and coordinates have 32 bits"));
        }
        shape.push(n);
    }
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let bounds = held.format.bounds(&signed);
    let mut parents = 1usize;
    for (k, level) in held.format.levels.iter().enumerate() {
        let wrong = |what: &str| format!("level {} (`{}`): {what}", k + 1, level.kind.name());
        let extent = match &level.coordinate {
            Coordinate::Index(m) => shape[*m],
            Coordinate::Counter(_) => usize::MAX,
            _ => {
                let own = number(&mut fields)?;
                let most = bounds[k].map_or(usize::MAX, |(lo, hi)| (hi - lo + 1).max(0) as usize);
                let most = most.max(level.coordinate.block());
                if own > most.max(1) {
                    return Err(wrong(&format!("its extent is {own}, and at most {most}")));
                }
                own
            }
        };
        let (mut size, mut positions, mut coordinates) = (None, None, None);
        for (_, kind) in level.kind.fields(&level.switches) {
            match (kind, fields.clone().next()) {
                (FieldKind::Size, _) => size = Some(number(&mut fields)?),
                (FieldKind::Positions, Some(Value::Array(Array::Usize(array)))) => {
                    positions = Some(array);
                    fields.next();
                }
                (FieldKind::Coordinates, Some(Value::Array(Array::U32(array)))) => {
                    coordinates = Some(array);
                    fields.next();
                }
                _ => return Err(wrong("expected an array")),
            }
        }
        if let Some(positions) = positions
            && (positions.len() != parents + 1 || positions[0] != 0 || !positions.is_sorted())
        {
            return Err(wrong(&format!("expected {} positions that ascend from 0", parents + 1)));
        }
        // Where some positions keep no entry, a mark stands in place of a coordinate.
        let may_be_empty = !level.properties.compact;
        if let Some(coordinates) = coordinates
            && let Some(c) = coordinates.iter().find(|&&c| c as usize >= extent && !(may_be_empty && c == GAP))
        {
            return Err(wrong(&format!("the coordinate {c} is not below {extent}")));
        }
        let product = |n: usize| parents.checked_mul(n).ok_or_else(|| wrong("it is too large"));
        parents = match (size, positions, coordinates) {
            (None, Some(positions), Some(crd)) if crd.len() == positions[parents] => crd.len(),
            // Intervals say where they begin.
            (None, Some(positions), Some(first))
                if first.len() == parents && level.kind.capabilities().value_iteration =>
            {
                for (p, ends) in positions.windows(2).enumerate() {
                    let length = ends[1] - ends[0];
                    if length > 0 && (first[p] as usize).checked_add(length).is_none_or(|end| end > extent) {
                        return Err(wrong("an interval ends outside of the tensor"));
                    }
                }
                positions[parents]
            }
            (None, Some(_), Some(_)) => return Err(wrong("there are not as many coordinates as positions")),
            (Some(width), None, Some(crd)) if product(width)? == crd.len() => crd.len(),
            (None, None, Some(crd)) if level.properties.branchless && crd.len() == parents => parents,
            (None, None, Some(crd)) if !level.properties.branchless => {
                if !crd.is_sorted_by(|a, b| a < b) {
                    return Err(wrong("its coordinates do not ascend"));
                }
                product(crd.len())?
            }
            (Some(slices), None, None) => product(slices)?,
            (None, None, None) if level.properties.branchless => parents,
            (None, None, None) => product(extent)?,
            _ => return Err(wrong("its arrays are not as long as they have to be")),
        };
        if let (Some(positions), Some(crd)) = (positions, coordinates)
            && level.properties.ordered
            && crd.len() == positions[positions.len() - 1]
            && !level.kind.capabilities().value_iteration
        {
            let strict = level.properties.unique;
            let fits = |own: &[u32]| if strict { own.is_sorted_by(|a, b| a < b) } else { own.is_sorted() };
            if !positions.windows(2).all(|ends| fits(&crd[ends[0]..ends[1]])) {
                return Err(wrong("coordinates of a parent do not ascend"));
            }
        }
    }
    match (fields.next(), fields.next()) {
        (Some(Value::Array(Array::F64(vals))), None) if vals.len() == parents => Ok(()),
        _ => Err(format!("expected {parents} values")),
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

    #[test]
    fn only_levels_that_leave_positions_empty_may_mark_them_so() {
        assert_eq!(rows([0, 2, 1]), Ok(()));
        assert!(rows([0, 3, 1]).unwrap_err().contains("the coordinate 3 is not below 3"));
        assert!(rows([0, GAP, 1]).unwrap_err().contains("the coordinate 4294967295 is not below 3"));
        assert!(rows([2, 0, 1]).unwrap_err().contains("do not ascend"));
    }
}
