//! Expressions over the rows of all processes.

use std::collections::BTreeMap;
use std::io::BufRead;

use clap::{Args, ValueEnum};
use pleach_cluster::expression::{EvaluateError, Expression, Input, Tensor};
use pleach_cluster::{Found, Names, Part, Values, Wire};
use serde_json::Map;

use super::super::Failure;
use super::super::compile::declared;
use super::super::output::tell;
use super::worker::Ended;

/// Options of expressions.
#[derive(Args)]
pub struct ComputeArgs {
    /// Value of a tensor of an expression: a number for each vertex (`x=1`), a number (`alpha=0.85`), or a file with a line `VERTEX VALUE` each
    #[arg(value_name = "TENSOR=VALUE", index = 3)]
    values: Vec<String>,
    /// A `.pleach` file whose functions and semirings an expression may use (repeat it for more files)
    #[arg(long, value_name = "FILE.pleach")]
    with: Vec<String>,
    /// Print to standard error what an expression exchanges, and what each process computes
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
}

/// What of an expression can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// What is exchanged, and what each process computes
    Plan,
}

/// An expression with the values of its tensors.
pub struct Computed {
    expression: Expression,
    given: BTreeMap<String, Given>,
    times: usize,
}

enum Given {
    Scalar(f64),
    Everywhere(f64),
    File(String),
}

impl ComputeArgs {
    /// Refuses all of them: there is no expression.
    pub fn refuse(&self, app: &str) -> Result<(), Failure> {
        let option = self.values.first().cloned();
        let option = option.or_else(|| self.with.first().map(|file| format!("--with {file}")));
        match option.or_else(|| self.emit.map(|_| "--emit".to_owned())) {
            Some(option) => Err(Failure::usage(format!("`{option}` is for expressions; {app} is an algorithm"))),
            None => Ok(()),
        }
    }
}

impl Computed {
    pub fn new(text: &str, args: &ComputeArgs, times: Option<usize>) -> Result<Self, Failure> {
        let declarations = args.with.iter().map(|path| declared(path)).collect::<Result<Vec<_>, _>>()?;
        let expression = Expression::parse(text, &declarations).map_err(|error| Failure::usage(error.to_string()))?;
        let mut given = BTreeMap::new();
        for value in &args.values {
            let Some((name, what)) = value.split_once('=') else {
                return Err(Failure::usage(format!("`{value}`: expected TENSOR=VALUE, as in `x=1`")));
            };
            let Some(Input { rank, .. }) = expression.inputs().find(|input| input.name == name) else {
                let names: Vec<&str> = expression.inputs().map(|input| input.name).collect();
                let has = if names.is_empty() {
                    "it needs none".to_owned()
                } else {
                    format!("it needs {}", names.join(", "))
                };
                return Err(Failure::usage(format!("`{value}`: the expression needs no value of `{name}`; {has}")));
            };
            let held = match (what.parse::<f64>(), rank) {
                (Ok(number), 0) => Given::Scalar(number),
                (Ok(number), _) => Given::Everywhere(number),
                (Err(_), 0) => {
                    return Err(Failure::usage(format!("`{value}`: `{name}` is a number, and `{what}` is none")));
                }
                (Err(_), _) => Given::File(what.to_owned()),
            };
            if given.insert(name.to_owned(), held).is_some() {
                return Err(Failure::usage(format!("`{value}`: `{name}` is given twice")));
            }
        }
        let missing = expression.inputs().find(|input| input.is_read && !given.contains_key(input.name));
        if let Some(Input { name: missing, rank, .. }) = missing {
            let how = if rank == 0 { "a number" } else { "a number for each vertex, or a file" };
            return Err(Failure::usage(format!("`{missing}` has no value; give it {how}: `{missing}=…`")));
        }
        Ok(Computed { expression, given, times: times.unwrap_or(1) })
    }

    /// Prints the plan, if that was asked for.
    pub fn emit(&self, emit: Option<Emit>) {
        if emit == Some(Emit::Plan) {
            tell(format_args!("{}", self.expression.plan()));
        }
    }

    /// Computes it. The values of the vertices are those of the vector that the last statement writes.
    pub fn run(&self, part: &Part<'_>, wire: &mut Wire<'_>, names: Option<&Names>) -> Result<Found, Ended> {
        let mut values = BTreeMap::new();
        for (name, given) in &self.given {
            let value = match given {
                Given::Scalar(number) => Tensor::Scalar(*number),
                Given::Everywhere(number) => Tensor::Vector(vec![*number; part.own.len()]),
                Given::File(path) => Tensor::Vector(read(path, part, wire, names)?),
            };
            values.insert(name.clone(), value);
        }
        self.expression.evaluate(part, wire, &mut values, self.times).map_err(|error| match error {
            EvaluateError::Lost(lost) => Ended::Lost(lost),
            other => Ended::Failed(Failure::input(other)),
        })?;
        let mut figures = Map::new();
        for (name, value) in &values {
            if let (Tensor::Scalar(number), false) = (value, self.given.contains_key(name)) {
                figures.insert(name.clone(), (*number).into());
            }
        }
        figures.insert("times".to_owned(), self.times.into());
        let values = match values.remove(self.expression.result()) {
            Some(Tensor::Vector(values)) => Values::Real(values),
            _ => Values::None,
        };
        Ok(Found { values, figures })
    }

    /// Whether the last statement gives each vertex a value.
    pub fn has_values(&self) -> bool {
        self.expression.makes_vector()
    }
}

/// Vertices whose values one worker deals out at a time.
const LINES: usize = 1 << 18;

/// The values of this worker's vertices in a file of lines `VERTEX VALUE`, which worker 0 reads and deals out.
fn read(path: &str, part: &Part<'_>, wire: &mut Wire<'_>, names: Option<&Names>) -> Result<Vec<f64>, Ended> {
    let mut values = vec![f64::NAN; part.own.len()];
    let mut is_set = vec![false; part.own.len()];
    let opened = match wire.worker() {
        0 => std::fs::File::open(path)
            .map(|file| Some(std::io::BufReader::new(file)))
            .map_err(|error| format!("{path}: {error}")),
        _ => Ok(None),
    };
    let mut lines =
        wire.agree(opened)?.map_err(|refused| Failure::input(refused.reason))?.map(|file| file.lines().zip(1u64..));
    loop {
        let mut some: Vec<(Box<str>, f64)> = Vec::new();
        let mut take = || -> Result<(), String> {
            for (line, number) in lines.iter_mut().flatten() {
                let line = line.map_err(|error| format!("{path}: {error}"))?;
                let line = line.trim();
                if line.is_empty() || line.starts_with(['#', '%']) {
                    continue;
                }
                let parsed = line.rsplit_once(char::is_whitespace).and_then(|(vertex, value)| {
                    let value = if value == "infinity" { f64::INFINITY } else { value.parse().ok()? };
                    Some((vertex.trim_end().into(), value))
                });
                some.push(parsed.ok_or_else(|| format!("{path}:{number}: expected `VERTEX VALUE`, found `{line}`"))?);
                if some.len() == LINES {
                    break;
                }
            }
            Ok(())
        };
        let taken = take();
        wire.agree(taken)?.map_err(|refused| Failure::input(refused.reason))?;
        if wire.sum(some.len() as u64)? == 0 {
            break;
        }
        let ids: Vec<Option<u64>> = match names {
            Some(names) => {
                let called: Vec<Box<str>> = some.iter().map(|(name, _)| name.clone()).collect();
                names.find(wire, &called)?
            }
            None => some.iter().map(|(name, _)| name.parse().ok()).collect(),
        };
        let mut to: Vec<Vec<[u64; 2]>> = vec![Vec::new(); wire.workers()];
        let mut unknown = Ok(());
        for ((name, value), id) in some.iter().zip(ids) {
            match id {
                Some(id) => to[part.ownership.owner(id)].push([id, value.to_bits()]),
                None if unknown.is_ok() => unknown = Err(format!("{path}: there is no vertex {name}")),
                None => {}
            }
        }
        for [id, bits] in wire.swap_numbers(to)?.concat() {
            match part.own.binary_search_by_key(&id, |&vertex| part.ids[vertex as usize]) {
                Ok(at) => (values[at], is_set[at]) = (f64::from_bits(bits), true),
                Err(_) if unknown.is_ok() => unknown = Err(format!("{path}: there is no vertex {id}")),
                Err(_) => {}
            }
        }
        wire.agree(unknown)?.map_err(|refused| Failure::input(refused.reason))?;
    }
    let missing = is_set.iter().filter(|is_set| !**is_set).count() as u64;
    match wire.sum(missing)? {
        0 => Ok(values),
        missing => Err(Failure::input(format!("{path}: {missing} vertices have no value there")).into()),
    }
}
