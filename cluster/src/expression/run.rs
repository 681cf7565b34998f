//! Computes an expression on the part of each worker.

use std::collections::BTreeMap;

use pleach_codegen::ir::Literal;
use pleach_codegen::ir::interpret::{Array, Limits, Value};

use super::{Expression, Fold, Input, Param, Place, Statement};
use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::{Refused, Wire};

/// A value under a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// The same number at every worker.
    Scalar(f64),
    /// A number for each vertex of this worker, in their order.
    Vector(Vec<f64>),
}

/// Why an expression was not computed; the same at every worker.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A worker could not compute its part.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// The rows of a worker as the interpreter takes them: rows by their order among its own vertices, columns by local numbers.
struct Matrix {
    rows: usize,
    columns: usize,
    /// Offsets, columns, weights.
    arrays: [Value; 3],
}

impl Matrix {
    fn of(part: &Part<'_>) -> Self {
        let (mut offsets, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        for &vertex in &part.own {
            row.clear();
            part.rows.arcs(false, vertex, &mut |column, weight| row.push((column, weight)));
            row.sort_unstable_by_key(|arc| arc.0);
            columns.extend(row.iter().map(|arc| arc.0));
            weights.extend(row.iter().map(|arc| arc.1));
            offsets.push(columns.len());
        }
        let arrays = [offsets.into(), columns.into(), weights.into()];
        Matrix { rows: part.own.len(), columns: part.locals(), arrays }
    }
}

impl Expression {
    /// Computes all statements, `times` one after the other, on values that are there under the names of the inputs. All workers call it
    /// alike. What is written is among the values afterwards.
    ///
    /// Besides the part, a worker holds a copy of the arcs of its rows, 12 bytes each.
    ///
    /// # Errors
    ///
    /// [`EvaluateError`].
    pub fn evaluate(
        &self,
        part: &Part<'_>,
        wire: &mut Wire<'_>,
        values: &mut BTreeMap<String, Tensor>,
        times: usize,
    ) -> Result<(), EvaluateError> {
        let wrong = self.inputs().find(|input| match values.get(input.name) {
            None => input.is_read,
            Some(Tensor::Scalar(_)) => input.rank != 0,
            Some(Tensor::Vector(values)) => input.rank != 1 || values.len() != part.own.len(),
        });
        let given = wrong.map_or(Ok(()), |Input { name, rank, .. }| {
            let what = if rank == 0 { "a number" } else { "a number for each vertex" };
            Err(format!("`{name}` has no value: it is {what}"))
        });
        wire.agree(given)??;
        let mut matrix = self.statements.iter().any(|statement| statement.matrix.is_some()).then(|| Matrix::of(part));
        for _ in 0..times {
            for statement in &self.statements {
                statement.run(part, wire, values, matrix.as_mut())?;
            }
        }
        Ok(())
    }

    /// Whether the last statement gives each vertex a value.
    pub fn makes_vector(&self) -> bool {
        self.statements.last().is_some_and(|statement| statement.target.place != Place::Scalar)
    }

    /// The name of what the last statement writes.
    pub fn result(&self) -> &str {
        self.statements.last().map_or("", |statement| &statement.target.name)
    }
}

impl Statement {
    fn run(
        &self,
        part: &Part<'_>,
        wire: &mut Wire<'_>,
        values: &mut BTreeMap<String, Tensor>,
        mut matrix: Option<&mut Matrix>,
    ) -> Result<(), EvaluateError> {
        let mut arguments = Vec::new();
        let mut lent = None;
        for param in &self.params {
            match param {
                Param::Matrix => {
                    let Some(matrix) = matrix.as_deref_mut() else { continue };
                    lent = Some(arguments.len() + 2);
                    arguments.extend([matrix.rows, matrix.columns].map(Value::usize));
                    let empty = || Value::Array(Array::F64(Vec::new()));
                    arguments.extend(matrix.arrays.iter_mut().map(|array| std::mem::replace(array, empty())));
                }
                Param::Scalar(name) => {
                    let number = match values.get(name) {
                        Some(Tensor::Scalar(number)) => *number,
                        _ => 0.0,
                    };
                    arguments.push(Value::Scalar(Literal::F64(number)));
                }
                Param::Vector(name, place) => {
                    let own = match values.get(name) {
                        Some(Tensor::Vector(own)) => &own[..],
                        _ => &[],
                    };
                    let vector = match place {
                        Place::Columns => gathered(part, wire, own)?,
                        _ => own.to_vec(),
                    };
                    arguments.extend([Value::usize(vector.len()), vector.into()]);
                }
            }
        }
        let limits = Limits::default().with_steps(u64::MAX).with_elements(u64::MAX);
        let computed = self.program.run(&mut arguments, limits);
        if let Some((at, matrix)) = lent.zip(matrix) {
            for (array, argument) in matrix.arrays.iter_mut().zip(&mut arguments[at..]) {
                std::mem::swap(array, argument);
            }
        }
        let computed = computed.map_err(|error| format!("`{}`: {error}", self.text));
        let made = wire.agree(computed)??;
        let made = self.whole(part, wire, made)?;
        let updated = match (self.update, values.get(&self.target.name)) {
            (Some(fold), Some(old)) => folded(fold, old, made),
            _ => made,
        };
        values.insert(self.target.name.clone(), updated);
        Ok(())
    }

    /// What all workers have made together.
    fn whole(&self, part: &Part<'_>, wire: &mut Wire<'_>, made: Vec<Value>) -> Result<Tensor, Lost> {
        let made = made.into_iter().next_back();
        let fold = self.target.fold;
        Ok(match made {
            Some(Value::Array(Array::F64(made))) => match (self.target.place, fold) {
                (Place::Columns, Some(fold)) => {
                    let mut made = made;
                    // No entry was made where there are no rows.
                    made.resize(part.locals(), fold.neutral);
                    part.reduce(wire, &mut made, &|a, b| fold.of(a, b))?;
                    Tensor::Vector(part.own.iter().map(|&vertex| made[vertex as usize]).collect())
                }
                _ => Tensor::Vector(made),
            },
            Some(Value::Scalar(Literal::F64(made))) => Tensor::Scalar(match fold {
                None => made,
                Some(fold) => wire.all(made)?.into_iter().fold(fold.neutral, |a, b| fold.of(a, b)),
            }),
            _ => Tensor::Scalar(0.0),
        })
    }
}

/// The values of all local vertices.
fn gathered(part: &Part<'_>, wire: &mut Wire<'_>, own: &[f64]) -> Result<Vec<f64>, Lost> {
    let mut all = vec![0.0; part.locals()];
    part.own.iter().zip(own).for_each(|(&vertex, &value)| all[vertex as usize] = value);
    part.refresh(wire, &mut all, ())?;
    Ok(all)
}

fn folded(fold: Fold, old: &Tensor, made: Tensor) -> Tensor {
    match (old, made) {
        (Tensor::Scalar(old), Tensor::Scalar(made)) => Tensor::Scalar(fold.of(*old, made)),
        (Tensor::Vector(old), Tensor::Vector(made)) => {
            Tensor::Vector(old.iter().zip(made).map(|(&old, made)| fold.of(old, made)).collect())
        }
        (_, made) => made,
    }
}
