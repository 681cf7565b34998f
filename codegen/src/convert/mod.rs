//! Conversion of a tensor from any format to any other, as one would write it by hand for that pair.
//!
//! ```text
//!   source format ─► the order of its entries ─┐
//!   target format ─► its levels' questions ────┼─► analysis, edges, coordinates   make      no sort, no list
//!                                              ├─► entries appended in order      append    where they come so
//!                                              ├─► buckets, then one of these     turn      where they do not
//!                                              └─► a list that is sorted          collect   what is left
//! ```
//!
//! After *Automatic Generation of Efficient Sparse Tensor Format Conversion Routines* (Chou, Kjolstad, Amarasinghe). What a level asks, and
//! how it is made, is said by the level ([`Insertion`](crate::level::Insertion)); nothing here knows a level by its name.
//!
//! A list that a kernel has collected is a source as well (`collected`, `list`).
//!
//! * [`query`] attribute queries and their text
//! * [`statement`] queries as concrete index notation
//! * [`rewrite`] the transformations that make them cheap
//! * [`order`] what the order of a source says of a target's coordinates

mod append;
pub(crate) mod collected;
mod copy;
mod entries;
pub(crate) mod fold;
mod kernel;
pub(crate) mod list;
mod make;
pub mod order;
pub mod query;
mod refuse;
pub mod rewrite;
pub mod size;
pub mod statement;
pub(crate) mod turn;
pub(crate) mod walk;

use std::fmt;

use self::fold::Fold;
pub(crate) use self::kernel::of_kernel;
use self::kernel::permuted;
use self::list::{build_stores, by_name};
use self::make::{Maker, level_text};
pub use self::refuse::ConvertError;
use self::refuse::{check_extents, check_formats, refused};
pub use self::size::{Overfull, Size, may_not_fit, size_of, why_not_fit};
use crate::format::{Format, FormatLevel};
use crate::ir::{Access, Block, Expr, Kernel, Var, Vars};
use crate::level::FieldKind;
use crate::notation::ast::ValueType;
use crate::notation::concrete::Reduction;
use crate::tensor::{Levels, OwnFields, described, extent_fields, level_fields, prefix, scalar};

/// How a target is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The source is what the target is: its arrays are copied, or stores built of them.
    Copy,
    /// By the assembly functions of the target's levels.
    Insert,
    /// By appending entries, which come in the target's order.
    Append,
    /// From a list of entries that is sorted.
    Sort,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Copy => "copied",
            Method::Insert => "inserted",
            Method::Append => "appended",
            Method::Sort => "collected and sorted",
        })
    }
}

/// What a level asked, from the query to what is computed.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The level.
    pub level: String,
    /// The query.
    pub query: String,
    /// Its canonical form.
    pub canonical: String,
    /// What each transformation made of it.
    pub steps: Vec<(&'static str, String)>,
}

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

/// A tensor that was made.
pub(crate) struct Lowered {
    /// The fields of each level.
    fields: Vec<OwnFields>,
    /// The extent of each level, with the variable where it is kept as a number of its own.
    extents: Vec<(Option<Var>, Expr)>,
    /// The values.
    vals: Option<Var>,
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

/// The fields of levels, with those that keep extents.
fn with_extents(levels: Made) -> Vec<OwnFields> {
    let own = |(extent, fields): (Option<Var>, OwnFields)| {
        extent.map(|var| ("extent", var)).into_iter().chain(fields).collect()
    };
    levels.into_iter().map(own).collect()
}

/// For each level that was made, the variable that keeps its extent, and its fields.
type Made = Vec<(Option<Var>, OwnFields)>;

struct Converter<'a> {
    vars: &'a mut Vars,
    block: &'a mut Block,
    /// What the levels asked.
    stages: Vec<Stage>,
    /// What was decided, line by line.
    plan: Vec<String>,
    /// How each tensor is made.
    methods: Vec<Method>,
    /// Whether buckets may be made for a dimension of which the target has no array: another array of the kernel is as long.
    wide: bool,
    /// The type of the values of the result.
    value: ValueType,
    /// What names of the result's variables begin with.
    name: String,
    /// And those of tensors in between.
    between: String,
    /// Whether there is room for an array as long as each dimension, whatever the formats say.
    room: bool,
    /// How entries at the same place become one.
    fold: Fold,
}

impl<'a> Converter<'a> {
    fn new(
        vars: &'a mut Vars,
        block: &'a mut Block,
        name: String,
        between: &str,
        value: ValueType,
        fold: Fold,
    ) -> Converter<'a> {
        let (stages, plan, methods) = (Vec::new(), Vec::new(), Vec::new());
        let between = between.to_owned();
        Converter { vars, block, stages, plan, methods, wide: false, value, name, between, room: false, fold }
    }

    /// Makes `target`, and whatever comes in between.
    fn all(&mut self, source: &Levels, target: &Format) -> Result<(Levels, Made, Option<Var>), ConvertError> {
        let mut steps = Vec::new();
        if self.direct(&source.format, target).is_none() {
            let why = self.why(&source.format, target);
            steps = self.turn(&source.format, target).unwrap_or_default();
            self.plan.push(why);
        }
        let mut from = source.clone();
        for (n, step) in steps.iter().enumerate() {
            self.wide = true;
            let why = match order::is_unique(step) && !order::is_unique(&from.format) {
                true => "equal entries are added up there",
                false => "buckets, in whatever order entries come",
            };
            self.plan.push(format!("first to {step}: {why}"));
            // Values keep the type in which they are folded until they are.
            let value = if order::is_unique(step) { self.value } else { from.value };
            let made = self.make(&from, step, &format!("{}{}", self.between, n + 1), value)?;
            from = Self::levels(step, &source.shape, &made, value);
        }
        let made = self.make(&from, target, &self.name.clone(), self.value)?;
        Ok(self.with_stores(made, target, &source.shape))
    }

    /// Builds stores from the segments of levels that were made. Returns the levels and the fields that the kernel returns.
    fn with_stores(&mut self, mut made: Lowered, target: &Format, shape: &[Expr]) -> (Levels, Made, Option<Var>) {
        let mut levels = Self::levels(target, shape, &made, self.value);
        if target.levels.iter().any(FormatLevel::is_store) && fields_are_segments(target, &made) {
            build_stores(
                self.vars,
                self.block,
                &self.name,
                target,
                self.value,
                &mut levels.fields,
                &mut made.fields,
                &mut levels.vals,
            );
        }
        let (vals, extents) = (levels.vals, made.extents.into_iter().map(|extent| extent.0));
        (levels, extents.zip(made.fields).collect(), vals)
    }

    /// How `target` is made of `source` without a list of entries.
    fn direct(&self, source: &Format, target: &Format) -> Option<Method> {
        if copy::same_arrays(source, target) {
            return Some(Method::Copy);
        }
        let inserts = make::fits(source, target, self.fold).is_ok();
        let appends = append::fits(source, target, self.fold).is_ok();
        match (inserts, appends) {
            (true, _) => Some(Method::Insert),
            (false, true) => Some(Method::Append),
            (false, false) => None,
        }
    }

    /// Why `target` is not made of `source` as it comes.
    fn why(&self, source: &Format, target: &Format) -> String {
        let insert = make::fits(source, target, self.fold).err().unwrap_or_default();
        let append = append::fits(source, target, self.fold).err().unwrap_or_default();
        if insert == append { insert } else { format!("not inserted: {insert}; not appended: {append}") }
    }

    /// Makes one tensor, with values of the type `value`.
    fn make(
        &mut self,
        source: &Levels,
        target: &Format,
        name: &str,
        value: ValueType,
    ) -> Result<Lowered, ConvertError> {
        let method = self.direct(&source.format, target).unwrap_or(Method::Sort);
        self.methods.push(method);
        self.plan.push(format!("{target}: {method}"));
        let made = match method {
            Method::Copy => self.copy(source, target, name),
            Method::Append => append::append(self.vars, self.block, source, target, name, self.fold),
            Method::Insert => {
                let Ok(fit) = make::fits(&source.format, target, self.fold) else {
                    return refused("the levels do not fit");
                };
                self.maker(source, target, name).make(&fit)
            }
            Method::Sort => self.sort(source, target, name)?,
        };
        Ok(self.narrowed(made, source.value, value, name))
    }

    /// Converts the values of a tensor that was made from the type `from` to the type `to`.
    fn narrowed(&mut self, made: Lowered, from: ValueType, to: ValueType, name: &str) -> Lowered {
        match made.vals {
            Some(vals) if scalar(from) != scalar(to) => {
                Lowered { vals: Some(self.cast(vals, scalar(to), name)), ..made }
            }
            _ => made,
        }
    }

    /// The maker of a target: it calls the assembly functions of the levels.
    fn maker<'m>(&'m mut self, source: &'m Levels, target: &'m Format, name: &str) -> Maker<'m> {
        Maker {
            vars: self.vars,
            block: self.block,
            source,
            target,
            shape: source.shape.clone(),
            prefix: name.to_owned(),
            fold: self.fold,
            stages: &mut self.stages,
            plan: &mut self.plan,
            wide: &mut self.wide,
            deals: false,
            deals_counts: false,
            dealt: None,
            counted: None,
            listed: None,
        }
    }

    /// The tensor that was made, to be read.
    fn levels(format: &Format, shape: &[Expr], made: &Lowered, value: ValueType) -> Levels {
        let fields = made.fields.iter().map(|own| by_name(own));
        Levels {
            format: format.clone(),
            shape: shape.to_vec(),
            extents: made.extents.iter().map(|extent| extent.1.clone()).collect(),
            fields: fields.collect(),
            vals: made.vals,
            value,
            windows: Vec::new(),
        }
    }
}

/// Whether stores are still to be built of segments.
fn fields_are_segments(target: &Format, made: &Lowered) -> bool {
    let stores = target.levels.iter().zip(&made.fields).filter(|(level, _)| level.is_store());
    stores.into_iter().all(|(level, own)| own.iter().any(|(name, _)| *name == level.field(FieldKind::Positions)))
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
