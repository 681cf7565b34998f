//! Checks of a tensor's arrays, level by level.

use std::collections::BTreeSet;
use std::fmt;

use pleach_codegen::format::{Coordinate, Format};
use pleach_codegen::ir::interpret::{Array, Value};
use pleach_codegen::ir::{Field, Scalar};

/// Panics where the arrays of a tensor are not those of `format`: as many positions as there are parents, ends that ascend, coordinates
/// within their extents, in order and once each where the level says so, blocks once each, as many values as positions.
pub fn audit(format: &Format, fields: &[Field], values: &[Value], context: fmt::Arguments<'_>) {
    let find = |level: Option<usize>, name: &str| {
        let at = fields.iter().position(|field| field.level == level && field.name == name)?;
        Some(&values[at])
    };
    let number = |value: &Value| match value {
        Value::Scalar(literal) => literal.bits() as usize,
        other => panic!("{context}: {other:?} is no number"),
    };
    let array = |value: &Value| match value {
        Value::Array(Array::Usize(a)) => a.clone(),
        Value::Array(Array::U32(a)) => a.iter().map(|&c| c as usize).collect(),
        other => panic!("{context}: {other:?} is no array"),
    };
    let shape: Vec<i64> = values[..format.rank()].iter().map(|v| number(v) as i64).collect();
    let bounds = format.bounds(&shape);
    let mut parents = 1;
    for (k, level) in format.levels.iter().enumerate() {
        let at = |name: &str| find(Some(k), name);
        let extent = match (at("extent"), &level.coordinate, bounds[k]) {
            (Some(extent), _, _) => number(extent),
            (None, Coordinate::Index(m), _) => shape[*m] as usize,
            (None, _, Some((_, hi))) => hi as usize + 1,
            _ => usize::MAX,
        };
        let gap = u32::MAX as usize;
        let within = |crd: &[usize]| {
            assert!(crd.iter().all(|&c| c < extent || c == gap), "{context}: {crd:?} in level {} of {extent}", k + 1);
        };
        if level.is_store() {
            return;
        }
        match (at("pos"), at("crd"), at("first"), at("width"), at("slices")) {
            (Some(pos), Some(crd), None, None, None) => {
                let (pos, crd) = (array(pos), array(crd));
                assert_eq!(pos.len(), parents + 1, "{context}: parents of level {}", k + 1);
                assert_eq!(pos[0], 0, "{context}");
                assert!(pos.is_sorted(), "{context}: {pos:?}");
                assert_eq!(pos[parents], crd.len(), "{context}");
                within(&crd);
                assert!(!crd.contains(&gap), "{context}: an entry was left out of level {}", k + 1);
                for ends in pos.windows(2) {
                    let own = &crd[ends[0]..ends[1]];
                    match (level.properties.ordered, level.properties.unique) {
                        (true, true) => assert!(own.is_sorted_by(|a, b| a < b), "{context}: {own:?}"),
                        (true, false) => assert!(own.is_sorted(), "{context}: {own:?}"),
                        (false, true) => {
                            let mut own = own.to_vec();
                            own.sort_unstable();
                            assert!(own.is_sorted_by(|a, b| a < b), "{context}: {own:?}");
                        }
                        (false, false) => {}
                    }
                }
                let singles = format.levels[k + 1..].iter().take_while(|below| below.properties.branchless).count();
                let ends_unique = singles > 0 && format.levels[k + singles].properties.unique;
                let listed = (k..=k + singles).map(|m| find(Some(m), "crd").map(array)).collect::<Option<Vec<_>>>();
                if let Some(listed) = listed.filter(|_| ends_unique && !level.properties.unique) {
                    let mut seen = BTreeSet::new();
                    for (parent, ends) in pos.windows(2).enumerate() {
                        for at in ends[0]..ends[1] {
                            let own: Vec<usize> = listed.iter().map(|crd| crd[at]).collect();
                            assert!(seen.insert((parent, own)), "{context}: level {} has a block twice", k + 1);
                        }
                    }
                }
                parents = crd.len();
            }
            (Some(pos), None, Some(first), None, None) => {
                let (pos, first) = (array(pos), array(first));
                assert_eq!((pos.len(), first.len()), (parents + 1, parents), "{context}");
                assert!(pos.is_sorted() && pos[0] == 0, "{context}: {pos:?}");
                for (p, ends) in pos.windows(2).enumerate() {
                    assert!(ends[1] == ends[0] || first[p] + (ends[1] - ends[0]) <= extent, "{context}");
                }
                parents = pos[parents];
            }
            (None, Some(crd), None, Some(width), None) => {
                let (crd, width) = (array(crd), number(width));
                assert_eq!(crd.len(), parents * width, "{context}");
                within(&crd);
                parents = crd.len();
            }
            (None, Some(crd), None, None, None) if level.properties.branchless => {
                let crd = array(crd);
                assert_eq!(crd.len(), parents, "{context}: level {}", k + 1);
                within(&crd);
            }
            (None, Some(crd), None, None, None) => {
                let crd = array(crd);
                within(&crd);
                assert!(crd.is_sorted_by(|a, b| a < b), "{context}: {crd:?}");
                parents *= crd.len();
            }
            (None, None, None, None, Some(slices)) => parents *= number(slices),
            (None, None, None, None, None) if !level.properties.branchless => parents *= extent,
            (None, None, None, None, None) => {}
            _ => panic!("{context}: level {} is of a kind that no audit knows", k + 1),
        }
    }
    if let Some(Value::Array(vals)) = find(None, "vals") {
        assert_eq!(vals.len(), parents, "{context}: values");
        assert_eq!(vals.scalar(), Some(Scalar::F64), "{context}");
    }
}
