//! The routine that converts a tensor from one format to another.

use super::converter::{Converter, with_extents};
use super::fold::Fold;
use super::made::{Method, Stage};
use super::refuse::{ConvertError, check_extents, check_formats};
use crate::format::Format;
use crate::ir::{Access, Block, Kernel, Vars};
use crate::notation::ast::ValueType;
use crate::notation::concrete::Reduction;
use crate::tensor::{Levels, described, extent_fields, level_fields, prefix};

/// A conversion routine.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// From which format.
    pub source: Format,
    /// To which one.
    pub target: Format,
    /// The queries of the target's levels.
    pub stages: Vec<Stage>,
    /// What was decided, line by line.
    pub plan: Vec<String>,
    /// How each tensor is made, those in between first.
    pub methods: Vec<Method>,
    /// Whether it takes an array as long as a dimension that the target has no such array for: time and memory then grow with that
    /// extent, and not with entries only.
    pub wide: bool,
    /// The routine: it takes `A` and returns `B`.
    pub kernel: Kernel,
}

/// The routine that converts a tensor `A` of format `source`, with values of type `value`, to a tensor `B` of format `target`.
///
/// # Errors
///
/// What cannot be converted: tensors of different order, a pattern to a format that keeps places for more than entries, other fills.
pub fn convert(source: &Format, target: &Format, value: ValueType) -> Result<Conversion, ConvertError> {
    let indices: Vec<usize> = (0..source.rank()).collect();
    let name = format!("{}_to_{}", source.name, target.name);
    convert_as(&name, ("A", source), ("B", target), &indices, value)
}

/// The routine called `name` that makes the tensor `to` of the tensor `from`, whose index `m` is index `indices[m]` of `to`.
///
/// # Errors
///
/// As [`convert`].
pub(crate) fn convert_as(
    name: &str,
    (from, source): (&str, &Format),
    (to, target): (&str, &Format),
    indices: &[usize],
    value: ValueType,
) -> Result<Conversion, ConvertError> {
    check_formats(source, target, value)?;
    let mut vars = Vars::new();
    let (levels, params) = Levels::passed(&mut vars, from, source, value);
    let levels = permuted(levels, target, indices);
    check_extents(target, &levels)?;
    let mut body = Block::new();
    let mut results = extent_fields(&mut vars, &mut body, &prefix(to), &levels.shape);
    let fold = Fold::of(Reduction::Add, value);
    let mut converter = Converter::new(&mut vars, &mut body, prefix(to), "t", value, fold);
    let (_, made, vals) = converter.all(&levels, target)?;
    let Converter { stages, plan, methods, wide, .. } = converter;
    results.extend(level_fields(with_extents(made), vals));
    let mut kernel = Kernel {
        name: name.to_owned(),
        doc: vec![format!("`{}` to `{}`", source.levels_text(), target.levels_text())],
        params: vec![described(from, Some(source), Access::Read, params)],
        results: vec![described(to, Some(target), Access::Write, results)],
        checks: Vec::new(),
        functions: Vec::new(),
        vars,
        body,
    };
    kernel.simplify();
    Ok(Conversion { source: source.clone(), target: target.clone(), stages, plan, methods, wide, kernel })
}

/// The tensor with its indices renamed to those of the result: index `m` becomes index `indices[m]` of the result.
fn permuted(mut levels: Levels, target: &Format, indices: &[usize]) -> Levels {
    if indices.iter().enumerate().all(|(m, n)| m == *n) {
        return levels;
    }
    let (shape, inverse) = (levels.shape.clone(), levels.format.inverse.clone());
    for (m, &n) in indices.iter().enumerate() {
        levels.shape[n] = shape[m].clone();
        levels.format.inverse[n] = inverse[m].with_indices(indices);
    }
    for level in &mut levels.format.levels {
        level.coordinate = level.coordinate.with_indices(indices);
    }
    levels.format.indices.clone_from(&target.indices);
    levels
}

impl Conversion {
    /// The queries of the target's levels, before each transformation and after it.
    pub fn queries(&self) -> String {
        let mut shown = format!("{}\n", self.kernel.name);
        if self.stages.is_empty() {
            shown += "  no level asks anything\n";
        }
        for stage in &self.stages {
            shown += &format!("  {}\n    {}\n    {}\n", stage.level, stage.query, stage.canonical);
            for (name, step) in &stage.steps {
                shown += &format!("      {name}\n    {step}\n");
            }
        }
        shown
    }

    /// What was decided.
    pub fn plan(&self) -> String {
        let mut shown = format!("{}\n  from {}\n", self.kernel.name, self.source);
        for line in &self.plan {
            shown += &format!("  {line}\n");
        }
        shown
    }
}
