//! The state of a kernel while it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::number::Number;
use super::tensor::Tensor;
use crate::notation::ast::{Assign, FunctionDecl, Item, SemiringDecl, Source, ValueType};

/// What a kernel can name besides its tensors.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub(super) functions: BTreeMap<String, FunctionDecl>,
    pub(super) semirings: BTreeMap<String, SemiringDecl>,
}

impl Scope {
    /// The semirings that are always there.
    pub fn bundled() -> Scope {
        let mut scope = Scope::default();
        scope.add(&crate::notation::parse_source(crate::notation::SEMIRINGS).0);
        scope
    }

    /// The functions and semirings that `source` declares.
    pub fn add(&mut self, source: &Source) {
        for item in &source.items {
            match item {
                Item::Function(decl) => drop(self.functions.insert(decl.name.text.clone(), decl.clone())),
                Item::Semiring(decl) => drop(self.semirings.insert(decl.name.text.clone(), decl.clone())),
                _ => {}
            }
        }
    }
}

/// The coordinates of index variables.
pub(super) type Env = BTreeMap<String, usize>;

/// A kernel while it runs.
pub(super) struct Run<'a> {
    pub scope: &'a Scope,
    pub params: BTreeSet<String>,
    pub types: BTreeMap<String, ValueType>,
    /// What is declared of the tensors that are made here, without cells.
    pub declared: BTreeMap<String, Tensor>,
    pub tensors: BTreeMap<String, Tensor>,
    /// Tensors made here whose cells no reduction has touched yet, by the value they then have.
    pub fresh: BTreeMap<String, (Vec<bool>, Number)>,
    /// Whether it is asked what an expression is where all its operands are absent.
    pub all_absent: bool,
}

/// What a statement computes with.
pub(super) struct Statement<'s> {
    pub over: Option<&'s SemiringDecl>,
    pub ty: ValueType,
    pub ranges: BTreeMap<String, usize>,
}

impl Statement<'_> {
    /// The extents of the target's indices.
    pub fn extents(&self, assign: &Assign) -> Result<Vec<usize>, String> {
        let extent =
            |name: &str| self.ranges.get(name).copied().ok_or_else(|| format!("nothing says how far {name} runs"));
        assign.target.indices.iter().map(|index| extent(&index.text)).collect()
    }
}

impl Run<'_> {
    /// Gives cells that no reduction touched the value of an empty reduction.
    pub(super) fn fill_untouched(&mut self) {
        for (name, (fresh, nothing)) in std::mem::take(&mut self.fresh) {
            let tensor = self.tensors.get_mut(&name).expect("it was made");
            for (cell, fresh) in tensor.cells.iter_mut().zip(fresh) {
                if fresh {
                    *cell = None;
                    if nothing != tensor.fill.unwrap_or(Number::Int(0)).cast(tensor.value) {
                        *cell = Some(nothing);
                    }
                }
            }
        }
    }
}
