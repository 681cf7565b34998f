//! Expressions in index notation, compiled once and run on the entries of tensors.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyReadonlyArray1};
use pleach_codegen::convert::why_not_fit;
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::expression::{Expression as Parsed, Tensor};
use pleach_codegen::format::Format;
use pleach_codegen::ir::Access;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::kernel::Compiled;
use pleach_codegen::notation::ast::{Kernel, ValueType};
use pleach_codegen::notation::concrete::{Role, Tensor as Declared};
use pleach_codegen::reference::{Number, number, pack_within, scalar_argument, unpack_with};
use pleach_codegen::session::Session;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{array, copied};
use crate::canonical::{Canonical, Operand, kernel};
use crate::failure::Failure;
use crate::jobs::run;

/// Positions that one level of an argument may have.
const MOST_STORED: usize = 1 << 27;

/// Elements that the arrays of a computation may have in all.
const MOST_COMPUTED: u64 = 1 << 28;

/// A compiled expression.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct Expression {
    parsed: Parsed,
    kernel: Compiled,
    rust: String,
    form: Option<Canonical>,
}

/// Extents, a column of coordinates for each mode, and values.
type Entries = (Vec<usize>, Vec<Vec<u32>>, Vec<f64>);

/// The same in NumPy's arrays.
type Found<'py> = (Vec<usize>, Vec<Bound<'py, PyArray1<u32>>>, Bound<'py, PyArray1<f64>>);

/// What a tensor is given: entries, or a number.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Number(f64),
    Entries(Vec<usize>, Vec<PyReadonlyArray1<'py, u32>>, PyReadonlyArray1<'py, f64>),
}

/// What stands for a letter of a kernel of the library.
#[derive(IntoPyObject)]
pub(crate) enum Named {
    Tensor(String),
    Number(f64),
}

fn parameters(kernel: &Compiled) -> impl Iterator<Item = &Declared> {
    kernel.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param)
}

fn session(file: &SourceFile, kernel: Kernel) -> PyResult<Session> {
    let mut session = Session::bundled();
    session.add_kernel(file, kernel);
    session.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(session)
}

#[pymethods]
impl Expression {
    /// Compiles an expression; tensors without a format are dense. Tensors in ``in_place`` are given values that are written over.
    #[new]
    fn new(text: &str, formats: BTreeMap<String, String>, in_place: Vec<String>) -> PyResult<Self> {
        let parsed = Parsed::parse(text, &[]);
        let parsed = parsed.map_err(|wrong| PyValueError::new_err(wrong.render("expression", text)))?;
        for name in formats.keys() {
            if parsed.tensor(name).is_none() {
                let names: Vec<&str> = parsed.tensors.iter().map(|tensor| &tensor.name[..]).collect();
                return Err(PyValueError::new_err(format!(
                    "formats: the expression has no tensor `{name}`; it has {}",
                    names.join(", ")
                )));
            }
        }
        let made = parsed.kernel(&formats, |tensor| in_place.contains(&tensor.name));
        let made = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let compiled = session(&parsed.file(), made)?;
        let kernel = compiled.kernels().last().cloned();
        let kernel = kernel.ok_or_else(|| PyValueError::new_err("there is nothing to compute"))?;
        let modules = compiled.finish("::pleach::runtime").map_err(|error| PyValueError::new_err(error.to_string()))?;
        let rust = modules.iter().map(|module| &module.rust[..]).collect::<Vec<_>>().join("\n");
        let form = in_place.is_empty().then(|| Canonical::of(text, &formats)).flatten();
        Ok(Expression { parsed, kernel, rust, form })
    }

    /// Names of tensors, with what indexes them, and whether they are written and read.
    fn tensors(&self) -> Vec<(String, Vec<Vec<String>>, bool, bool)> {
        let told = |tensor: &Tensor| (tensor.name.clone(), tensor.accesses.clone(), tensor.written, tensor.read);
        self.parsed.tensors.iter().map(told).collect()
    }

    /// The canonical form, if the expression has one.
    fn form(&self) -> Option<&str> {
        self.form.as_ref().map(|form| &form.text[..])
    }

    /// The kernel of the library that has the form, and what stands for each of its letters: a name, or a number.
    fn in_library(&self) -> Option<(&'static str, BTreeMap<String, Named>)> {
        let (name, operands) = kernel(self.form.as_ref()?)?;
        let named = |operand| match operand {
            Operand::Tensor(name) => Named::Tensor(name),
            Operand::Number(number) => Named::Number(number),
        };
        Some((name, operands.into_iter().map(|(letter, operand)| (letter, named(operand))).collect()))
    }

    /// Every choice that was made, with its reason.
    fn plan(&self) -> String {
        self.kernel.plan()
    }

    /// The kernel in Rust.
    fn rust(&self) -> &str {
        &self.rust
    }

    /// Computes the expression. Returns the entries of each tensor that is written, or the number.
    fn run<'py>(
        &self,
        py: Python<'py>,
        given: BTreeMap<String, Given<'py>>,
    ) -> PyResult<Vec<(String, Option<Found<'py>>, f64)>> {
        let mut held = BTreeMap::new();
        for (name, value) in given {
            let value = match value {
                Given::Number(x) => Held::Number(x),
                Given::Entries(shape, coords, values) => {
                    let coords = coords.iter().map(|coords| copied(&name, coords)).collect::<PyResult<_>>()?;
                    Held::Entries((shape, coords, copied(&name, &values)?))
                }
            };
            held.insert(name, value);
        }
        let (parsed, kernel) = (self.parsed.clone(), self.kernel.clone());
        let found = run(py, None, move || compute(&parsed, &kernel, &held))?;
        let show = |(name, entries, value): (String, Option<Entries>, f64)| {
            let entries = entries.map(|(shape, coords, values)| {
                (shape, coords.into_iter().map(|coords| array(py, coords)).collect(), array(py, values))
            });
            (name, entries, value)
        };
        Ok(found.into_iter().map(show).collect())
    }
}

enum Held {
    Number(f64),
    Entries(Entries),
}

fn compute(
    parsed: &Parsed,
    kernel: &Compiled,
    given: &BTreeMap<String, Held>,
) -> Result<Vec<(String, Option<Entries>, f64)>, Failure> {
    let mut arguments = Vec::new();
    for tensor in parameters(kernel) {
        arguments.extend(argument(parsed, tensor, given)?);
    }
    let program = Compile::new().compile(&kernel.ir).map_err(Failure::value)?;
    let limits = Limits::default().with_steps(u64::MAX).with_elements(MOST_COMPUTED);
    let results = program.run(&mut arguments, limits).map_err(Failure::value)?;
    let mut told = Vec::new();
    let mut add = |tensor: &Declared, fields: &[Value]| -> Result<(), Failure> {
        match (&tensor.format, fields.first()) {
            (Some(format), _) => told.push((tensor.name.clone(), Some(entries(format, tensor.value, fields)?), 0.0)),
            (None, Some(Value::Scalar(value))) => told.push((tensor.name.clone(), None, number(*value).float())),
            (None, _) => {}
        }
        Ok(())
    };
    let mut at = 0;
    for (tensor, passed) in parameters(kernel).zip(&kernel.ir.params) {
        if passed.access == Access::Write {
            add(tensor, &arguments[at..at + passed.fields.len()])?;
        }
        at += passed.fields.len();
    }
    let mut rest = &results[..];
    let returned = kernel.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Result);
    for (tensor, made) in returned.zip(&kernel.ir.results) {
        let (own, others) = rest.split_at(made.fields.len().min(rest.len()));
        add(tensor, own)?;
        rest = others;
    }
    Ok(told)
}

/// The fields of one parameter.
fn argument(parsed: &Parsed, declared: &Declared, given: &BTreeMap<String, Held>) -> Result<Vec<Value>, Failure> {
    let name = &declared.name;
    let tensor = parsed.tensor(name).ok_or_else(|| Failure::Value(format!("there is no tensor `{name}`")))?;
    match (&declared.format, given.get(name)) {
        (_, None) => Err(Failure::Value(format!("`{name}` has no value: pass it as {name}=…"))),
        (None, Some(Held::Number(x))) if tensor.bound && !(x.fract() == 0.0 && (0.0..=4294967295.0).contains(x)) => {
            Err(Failure::Value(format!("`{name}` bounds a slice: a whole number of 0 or more, and not {x}")))
        }
        (None, Some(Held::Number(x))) => Ok(vec![scalar_argument(Number::Float(*x), declared.value)]),
        (None, Some(Held::Entries(_))) => Err(Failure::Value(format!("`{name}` is a scalar: pass a number"))),
        (Some(_), Some(Held::Number(_))) => Err(Failure::Value(format!("`{name}` is no scalar: pass an array"))),
        (Some(format), Some(Held::Entries((shape, coords, values)))) => {
            if shape.len() != tensor.rank() || coords.len() != shape.len() {
                let (modes, rank) = (shape.len(), tensor.rank());
                return Err(Failure::Value(format!("`{name}` has {modes} dimensions, and {rank} in the expression")));
            }
            let entry = |k: usize| (coords.iter().map(|mode| mode[k] as usize).collect(), Number::Float(values[k]));
            let entries: Vec<(Vec<usize>, Number)> = (0..values.len()).map(entry).collect();
            if let Some(why) = why_not_fit(format, shape, &entries, |coords| format!("{coords:?}")) {
                return Err(Failure::Value(format!("`{name}` does not fit its format: {why}")));
            }
            let fill = Number::from(declared.fill);
            pack_within(format, shape, declared.value, fill, &entries, MOST_STORED).map_err(|stored| {
                Failure::Memory(format!(
                    "`{name}` as {format} would keep {stored} values for {} entries",
                    entries.len()
                ))
            })
        }
    }
}

/// The entries of a tensor that a kernel has made.
fn entries(format: &Format, value: ValueType, fields: &[Value]) -> Result<Entries, Failure> {
    let mut shape = Vec::new();
    for field in fields.iter().take(format.rank()) {
        let Value::Scalar(extent) = field else { return Err(Failure::value("a result without extents")) };
        shape.push(number(*extent).float() as usize);
    }
    let (mut columns, mut values) = (vec![Vec::new(); shape.len()], Vec::new());
    unpack_with(format, &shape, value, fields, &mut |coords, value| {
        for (column, coord) in columns.iter_mut().zip(coords) {
            column.push(coord as u32);
        }
        values.push(value.float());
    })
    .map_err(Failure::value)?;
    Ok((shape, columns, values))
}
