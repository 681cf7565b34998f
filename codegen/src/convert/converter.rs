//! Which method makes a target, and what comes in between.

use super::fold::Fold;
use super::list::{build_stores, by_name};
use super::made::{Lowered, Method, Stage};
use super::make::Maker;
use super::refuse::{ConvertError, refused};
use super::{append, copy, make, order};
use crate::format::{Format, FormatLevel};
use crate::ir::{Block, Expr, Var, Vars};
use crate::level::FieldKind;
use crate::notation::ast::ValueType;
use crate::tensor::{Levels, OwnFields, scalar};

/// The fields of levels, with those that keep extents.
pub(super) fn with_extents(levels: Made) -> Vec<OwnFields> {
    let own = |(extent, fields): (Option<Var>, OwnFields)| {
        extent.map(|var| ("extent", var)).into_iter().chain(fields).collect()
    };
    levels.into_iter().map(own).collect()
}

/// For each level that was made, the variable that keeps its extent, and its fields.
pub(super) type Made = Vec<(Option<Var>, OwnFields)>;

/// Makes a target of a source: directly where that can be, and through other tensors elsewhere.
pub(super) struct Converter<'a> {
    pub vars: &'a mut Vars,
    pub block: &'a mut Block,
    /// What the levels asked.
    pub stages: Vec<Stage>,
    /// What was decided, line by line.
    pub plan: Vec<String>,
    /// How each tensor is made.
    pub methods: Vec<Method>,
    /// Whether buckets may be made for a dimension of which the target has no array: another array of the kernel is as long.
    pub wide: bool,
    /// The type of the values of the result.
    pub value: ValueType,
    /// What names of the result's variables begin with.
    pub name: String,
    /// And those of tensors in between.
    pub between: String,
    /// Whether there is room for an array as long as each dimension, whatever the formats say.
    pub room: bool,
    /// How entries at the same place become one.
    pub fold: Fold,
}

impl<'a> Converter<'a> {
    pub fn new(
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
    pub fn all(&mut self, source: &Levels, target: &Format) -> Result<(Levels, Made, Option<Var>), ConvertError> {
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
    pub fn with_stores(&mut self, mut made: Lowered, target: &Format, shape: &[Expr]) -> (Levels, Made, Option<Var>) {
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
    pub fn direct(&self, source: &Format, target: &Format) -> Option<Method> {
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
            Method::Copy => copy::copy(self.vars, self.block, source, target, name),
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
    pub fn narrowed(&mut self, made: Lowered, from: ValueType, to: ValueType, name: &str) -> Lowered {
        match made.vals {
            Some(vals) if scalar(from) != scalar(to) => {
                Lowered { vals: Some(copy::cast(self.vars, self.block, vals, scalar(to), name)), ..made }
            }
            _ => made,
        }
    }

    /// The maker of a target: it calls the assembly functions of the levels.
    pub fn maker<'m>(&'m mut self, source: &'m Levels, target: &'m Format, name: &str) -> Maker<'m> {
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
