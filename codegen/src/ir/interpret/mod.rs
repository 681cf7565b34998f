//! The second backend: runs a kernel without a compiler.
//!
//! ```text
//!   Kernel ── check ──► closures over typed slots ──► Program::run(arguments)
//! ```
//!
//! Each expression and statement becomes one closure, chosen by its types when the program is made; variables are slots in
//! arrays, so that running it looks up no names. Every access is checked: a kernel that indexes out of bounds, writes what
//! another iteration owns, overflows a position or does not end within its budget gives a [`RunError`], never a panic.
//! Parallel loops run one iteration after the other.

mod error;
mod expr;
mod frame;
mod prim;
mod stmt;
mod value;

use std::collections::HashMap;
use std::sync::Arc;

pub use error::RunError;
pub(crate) use prim::{constant, constant_cast, constant_unary};
pub use value::{Array, Store, Value};

use self::expr::Compiler;
use self::frame::{Code, Frame};
use super::kernel::{Kernel, Var};
use super::types::{ArrayType, Element, Literal, Type};

/// A user's function. What it returns is converted to the type that the kernel declares.
pub type Function = Arc<dyn Fn(&[Literal]) -> Literal + Send + Sync>;

/// What a run may use.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Iterations of loops, and elements that are filled, sorted, summed or copied at once. Default 10^10, some minutes.
    pub steps: u64,
    /// Array elements that are allocated, over the whole run. Default 5·10^8, at most 4 GiB.
    pub elements: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 10_000_000_000, elements: 500_000_000 }
    }
}

impl Limits {
    /// The most iterations of loops, and elements that are filled, sorted, summed or copied.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Limits {
        Limits { steps, ..self }
    }

    /// The most array elements that are allocated.
    #[must_use]
    pub fn with_elements(self, elements: u64) -> Limits {
        Limits { elements, ..self }
    }
}

/// A kernel ready to be run.
pub struct Program {
    params: Vec<(Var, Type)>,
    results: Vec<(Var, Type)>,
    checks: Vec<Check>,
    body: Code<()>,
    /// Names of the variables, for errors.
    names: Vec<String>,
}

struct Check {
    left: Code<usize>,
    left_name: String,
    right: Code<usize>,
    right_name: String,
}

/// How a [`Program`] is made.
#[derive(Default)]
pub struct Compile {
    functions: HashMap<String, Function>,
    iterations_per_task: Option<usize>,
}

impl Compile {
    /// No functions; one task for each parallel loop.
    pub fn new() -> Compile {
        Compile::default()
    }

    /// Makes a user's function known.
    #[must_use]
    pub fn function(mut self, name: impl Into<String>, function: Function) -> Compile {
        self.functions.insert(name.into(), function);
        self
    }

    /// Starts a new task, with fresh scratch, after every `n` iterations of a parallel loop: what compiled code does, at places
    /// that differ from run to run.
    #[must_use]
    pub fn iterations_per_task(mut self, n: usize) -> Compile {
        self.iterations_per_task = Some(n);
        self
    }

    /// Checks a kernel and makes it ready to be run.
    ///
    /// # Errors
    ///
    /// [`RunError::Invalid`] if the kernel is not valid, [`RunError::UnknownFunction`] if it calls what is not known.
    pub fn compile(&self, kernel: &Kernel) -> Result<Program, RunError> {
        kernel.check()?;
        let mut compiler = Compiler {
            kernel,
            functions: &self.functions,
            owned: vec![false; kernel.vars.len()],
            slices: HashMap::new(),
            iterations_per_task: self.iterations_per_task,
        };
        let checks = kernel
            .checks
            .iter()
            .map(|c| {
                Ok(Check {
                    left: compiler.usize(&c.left)?,
                    left_name: c.left_name.clone(),
                    right: compiler.usize(&c.right)?,
                    right_name: c.right_name.clone(),
                })
            })
            .collect::<Result<_, RunError>>()?;
        let typed = |v: Var| (v, kernel.vars[v].ty.clone());
        Ok(Program {
            params: kernel.param_fields().map(|(_, f)| typed(f.var)).collect(),
            results: kernel.result_fields().map(|f| typed(f.var)).collect(),
            checks,
            body: compiler.block(&kernel.body)?,
            names: kernel.vars.iter().map(|(_, info)| info.name.clone()).collect(),
        })
    }
}

impl Program {
    /// Runs the kernel. `arguments` holds one value for each field of each parameter, in order; arrays that the kernel writes are
    /// changed in place. Returns one value for each field of each result.
    ///
    /// # Errors
    ///
    /// If arguments do not fit or extents do not agree, before anything is written; if a budget is used up or an access is
    /// illegal, at that point.
    pub fn run(&self, arguments: &mut [Value], limits: Limits) -> Result<Vec<Value>, RunError> {
        self.counted(arguments, limits).map(|(results, _)| results)
    }

    /// The same; says how many steps were taken as well. A lookup in a store takes as many as the store's own search does.
    ///
    /// # Errors
    ///
    /// As [`Program::run`].
    pub fn counted(&self, arguments: &mut [Value], limits: Limits) -> Result<(Vec<Value>, u64), RunError> {
        if arguments.len() != self.params.len() {
            return Err(RunError::ArgumentCount { expected: self.params.len(), found: arguments.len() });
        }
        for ((var, ty), argument) in self.params.iter().zip(&*arguments) {
            if !fits(argument, ty) {
                return Err(RunError::ArgumentType { name: self.name(*var), expected: ty.to_string() });
            }
        }
        let n = self.names.len();
        let mut frame = Frame {
            // Two more, for the operands of a fold into an array.
            scalars: vec![0; n + 2],
            arrays: vec![Array::Bool(Vec::new()); n],
            stores: vec![None; n],
            cursors: vec![None; n],
            owned: vec![(0, 0); n],
            slices: vec![(0, 0); n],
            next: vec![0; n],
            steps: limits.steps,
            memory: limits.elements,
            fault: None,
        };
        for ((var, _), argument) in self.params.iter().zip(&mut *arguments) {
            let slot = var.0 as usize;
            match argument {
                Value::Scalar(l) => frame.scalars[slot] = l.bits(),
                Value::Array(a) => frame.arrays[slot] = std::mem::replace(a, Array::Bool(Vec::new())),
                Value::Store(s) => frame.stores[slot] = Some(s.clone()),
            }
        }
        let outcome = self.execute(&mut frame);
        for ((var, _), argument) in self.params.iter().zip(arguments) {
            if let Value::Array(a) = argument {
                *a = std::mem::replace(&mut frame.arrays[var.0 as usize], Array::Bool(Vec::new()));
            }
        }
        outcome.map(|results| (results, limits.steps - frame.steps))
    }

    fn name(&self, var: Var) -> String {
        self.names.get(var.0 as usize).cloned().unwrap_or_default()
    }

    fn execute(&self, frame: &mut Frame) -> Result<Vec<Value>, RunError> {
        for check in &self.checks {
            let left_extent = self.finish(frame, &check.left)?;
            let right_extent = self.finish(frame, &check.right)?;
            if left_extent != right_extent {
                return Err(RunError::Shape {
                    left: check.left_name.clone(),
                    left_extent,
                    right: check.right_name.clone(),
                    right_extent,
                });
            }
        }
        self.finish(frame, &self.body)?;
        Ok(self
            .results
            .iter()
            .map(|(var, ty)| {
                let slot = var.0 as usize;
                match ty {
                    Type::Scalar(s) => Value::Scalar(Literal::from_bits(*s, frame.scalars[slot])),
                    Type::Array(_) => Value::Array(std::mem::replace(&mut frame.arrays[slot], Array::Bool(Vec::new()))),
                    Type::Store(_) | Type::Cursor(_) => {
                        let empty = || Arc::new(Store { coords: Vec::new(), values: None, ordered: true });
                        Value::Store(frame.stores[slot].take().unwrap_or_else(empty))
                    }
                }
            })
            .collect())
    }

    fn finish<T>(&self, frame: &mut Frame, code: &Code<T>) -> Result<T, RunError> {
        code(frame).map_err(|_| match frame.fault.take() {
            Some(fault) => fault.into_error(|v| self.name(v)),
            None => RunError::Overflow,
        })
    }
}

/// Whether a value is of a type.
fn fits(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Scalar(l), Type::Scalar(s)) => l.scalar() == *s,
        (Value::Array(a), Type::Array(ArrayType { element, .. })) => array_fits(a, element),
        (Value::Store(s), Type::Store(t)) => store_fits(s, &t.element),
        _ => false,
    }
}

fn array_fits(array: &Array, element: &Element) -> bool {
    match (array, element) {
        (Array::Stores(stores), Element::Store(t)) => stores.iter().all(|s| store_fits(s, &t.element)),
        (array, Element::Scalar(s)) => array.scalar() == Some(*s),
        _ => false,
    }
}

fn store_fits(store: &Store, element: &Element) -> bool {
    let lengths = store.values.as_ref().is_none_or(|v| v.len() == store.coords.len());
    let order = !store.ordered || store.coords.is_sorted();
    let values = match (&store.values, element) {
        (None, Element::Pattern) => true,
        (Some(array), element) => array_fits(array, element),
        (None, _) => false,
    };
    lengths && order && values
}
