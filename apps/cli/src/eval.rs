//! `pleach eval`: an expression computed on files, in any formats, without a compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pleach_codegen::convert::why_not_fit;
use pleach_codegen::expression::{Expression, Tensor};
use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::{Compile as Interpreter, Limits, RunError, Value};
use pleach_codegen::ir::{Access, ShapeCheck};
use pleach_codegen::kernel::Compiled;
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::notation::concrete::{Role, Tensor as Declared};
use pleach_codegen::reference::{Number, number, pack_within, scalar_argument, unpack_with};
use pleach_codegen::session::Session;
use pleach_datasets::{Coo, Options, Shortest, Weights};
use serde_json::{Value as Json, json};

use super::compile::{Emit, Formats, known, parse, rust, session, session_of, stage};
use super::convert::{place, stored};
use super::input::{InputArgs, Winner};
use super::output::{not_written, note, print, print_beside, tell};
use super::{Failure, duplicates};

/// What to compute.
#[derive(Args)]
pub struct Eval {
    /// An expression in index notation
    #[arg(value_name = "EXPR")]
    expression: String,
    #[command(flatten)]
    formats: Formats,
    /// Value of a tensor: a file (`A=web.mtx`), the name of a graph (`A=karate`), a number for a scalar (`alpha=2.5`), or a number for all
    /// entries of a dense tensor (`x=1`)
    #[arg(value_name = "TENSOR=FILE")]
    values: Vec<String>,
    /// Value of an entry that a file has more than once [default: sum]
    #[arg(long, value_enum, value_name = "RULE")]
    conflict: Option<Winner>,
    /// Where to write the result instead of printing it: `.tns`, `.plg`, or `.mtx` for a vector or a matrix
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Compute the expression this many times and print the median time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    time: Option<u16>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Also print a stage of the compilation to standard error
    #[arg(long, value_enum)]
    emit: Option<Emit>,
}

/// Positions that one level of an argument may have: formats that store what is no entry can need far more than the file.
const MOST_STORED: usize = 1 << 25;

/// Elements that the arrays of a computation may have in all: 2 GiB of the widest ones. How long they become is known before they are filled.
const MOST_COMPUTED: u64 = 1 << 28;

/// The same where a result grows entry by entry, each by coordinates and a value: what takes about a second.
const MOST_GROWN: u64 = 1 << 25;

/// What a tensor is given on the command line.
enum Given {
    Number(f64),
    /// A file's entries, and whether it says the extents, or they are as far as the largest coordinates reach.
    File {
        tensor: Coo,
        sized: bool,
    },
}

impl Eval {
    /// Computes it.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            pleach_datasets::check_tensor_file(path, &[]).map_err(Failure::input)?;
        }
        let begin = Instant::now();
        let declarations = self.formats.declarations()?;
        let expression = parse(&self.expression, &declarations)?;
        let formats = self.formats.of(&expression)?;
        let given = self.given(&expression, &session(declarations.clone())?)?;
        let is_given = |tensor: &Tensor| given.contains_key(&tensor.name);
        let session = session_of(declarations, &expression, &formats, is_given)?;
        // Files may have kernels of their own; the expression comes last.
        let Some(kernel) = session.kernels().last().cloned() else {
            return Err(Failure::usage("there is nothing to compute"));
        };
        self.check_results(&kernel)?;
        match self.emit {
            None => {}
            Some(Emit::Rust) => tell(format_args!("{}", rust(session, "::pleach::runtime")?)),
            Some(emit) => tell(format_args!("{}", stage(&kernel, emit))),
        }
        let extents = extents(&expression, &given);
        let mut arguments = Vec::new();
        for tensor in parameters(&kernel) {
            arguments.extend(argument(&expression, tensor, &given, &extents)?);
        }
        let load = begin.elapsed().as_secs_f64();
        let (arguments, results, run) = self.compute(&kernel, arguments)?;
        let results = results_of(&kernel, &arguments, &results)?;
        self.report(&results, load, run)
    }

    fn given(&self, expression: &Expression, session: &Session) -> Result<BTreeMap<String, Given>, Failure> {
        let mut given = BTreeMap::new();
        for value in &self.values {
            let Some((name, what)) = value.split_once('=') else {
                return Err(Failure::usage(format!(
                    "`{value}`: expected TENSOR=FILE or SCALAR=NUMBER, as in `A=web.mtx`"
                )));
            };
            let tensor = known(expression, name, value)?;
            let held = match what.parse::<f64>() {
                Ok(number) => Given::Number(number),
                Err(_) if tensor.rank() == 0 => {
                    return Err(Failure::usage(format!("`{value}`: `{name}` is a scalar, and `{what}` is no number")));
                }
                Err(_) => {
                    let (read, sized) = match stored(what, session)? {
                        Some(held) => (held.entries()?, true),
                        None => read(what)?,
                    };
                    Given::File { tensor: fitted(self.once(read, what), tensor, what)?, sized }
                }
            };
            if given.insert(name.to_owned(), held).is_some() {
                return Err(Failure::usage(format!("`{value}`: `{name}` is given twice")));
            }
        }
        if self.conflict.is_some() && !given.values().any(|given| matches!(given, Given::File { .. })) {
            return Err(Failure::usage("--conflict is for entries of files, and no value is a file"));
        }
        Ok(given)
    }

    /// The entries of a file, each once. Says how many it had more than once, and which value they have now.
    fn once(&self, read: Coo, path: &str) -> Coo {
        let winner = self.conflict.unwrap_or(Winner::Sum);
        let (once, merged) = duplicates::merged(&read, winner);
        if merged == 0 {
            return read;
        }
        note(format_args!(
            "{path}: {merged} entries have the coordinates of others, of whose values {}",
            winner.told()
        ));
        once
    }

    /// Refuses a file where the result is not one tensor, before it is computed.
    fn check_results(&self, kernel: &Compiled) -> Result<(), Failure> {
        let written = parameters(kernel).zip(&kernel.ir.params).filter(|(_, passed)| passed.access == Access::Write);
        let returned = kernel.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Result);
        let all: Vec<&Declared> =
            written.map(|(tensor, _)| tensor).chain(returned.take(kernel.ir.results.len())).collect();
        match &all[..] {
            _ if self.out.is_none() => Ok(()),
            [tensor] if tensor.format.is_some() => Ok(()),
            [tensor] => Err(Failure::usage(format!("`{}` is a scalar, which is printed; leave out -o", tensor.name))),
            _ => Err(Failure::usage("there are several results, which are printed; leave out -o")),
        }
    }

    /// Runs the kernel. Returns the arguments with what was written in place, the results, and the median of its times in seconds.
    fn compute(&self, kernel: &Compiled, arguments: Vec<Value>) -> Result<(Vec<Value>, Vec<Value>, f64), Failure> {
        let program = Interpreter::new().compile(&kernel.ir).map_err(Failure::input)?;
        let limits = Limits::default().with_steps(u64::MAX).with_elements(most(kernel));
        let mut seconds = Vec::new();
        let mut done = None;
        for _ in 0..self.time.unwrap_or(1) {
            let mut arguments = arguments.clone();
            let begin = Instant::now();
            let results = program.run(&mut arguments, limits).map_err(|error| explained(error, kernel))?;
            seconds.push(begin.elapsed().as_secs_f64());
            done = Some((arguments, results));
        }
        seconds.sort_by(f64::total_cmp);
        let median = seconds.get(seconds.len() / 2).copied().unwrap_or_default();
        if let Some(times) = self.time.filter(|_| !self.json) {
            tell(format_args!("{median:.6} s, the median of {times}, interpreted\n"));
        }
        let (arguments, results) = done.ok_or_else(|| Failure::usage("there is nothing to compute"))?;
        Ok((arguments, results, median))
    }

    /// Prints or writes the results.
    fn report(&self, results: &[Computed], load: f64, run: f64) -> Result<(), Failure> {
        if let (Some(out), [Computed { tensor: Some(tensor), .. }]) = (&self.out, results) {
            pleach_datasets::write_tensor(tensor, out)
                .map_err(|error| not_written(error, |error| error.to_string()))?;
        }
        if self.json {
            let results: Vec<_> = results.iter().map(|result| result.json(self.out.is_none())).collect();
            let object = json!({
                "expression": self.expression,
                "results": results,
                "out": self.out.as_ref().map(|out| out.display().to_string()),
                "seconds": { "load": load, "run": run },
            });
            return print_beside(self.out.as_deref(), format!("{object}\n").as_bytes());
        }
        if self.out.is_some() {
            return Ok(());
        }
        let mut text = String::new();
        for result in results {
            if results.len() > 1 {
                text += &format!("# {}\n", result.name);
            }
            match &result.tensor {
                Some(tensor) => text += &lines(tensor),
                None => text += &format!("{}\n", show(result.scalar)),
            }
        }
        print(text.as_bytes())
    }
}

/// A result under its name: a tensor, or a scalar.
struct Computed {
    name: String,
    tensor: Option<Coo>,
    /// The value, if there is no tensor.
    scalar: Number,
}

impl Computed {
    /// As an object, perhaps with all entries. Coordinates are counted from 1, as in text.
    fn json(&self, entries: bool) -> Json {
        let Some(tensor) = &self.tensor else {
            return json!({ "name": self.name, "value": number_json(self.scalar) });
        };
        let mut object = json!({ "name": self.name, "dims": tensor.dims, "nonzeros": tensor.nnz() });
        if entries {
            let entry = |k: usize| {
                let coords = tensor.coords.iter().map(|mode| json!(u64::from(mode[k]) + 1));
                Json::Array(coords.chain([number_json(Number::Float(tensor.values[k]))]).collect())
            };
            object["entries"] = (0..tensor.nnz()).map(entry).collect();
        }
        object
    }
}

/// A number in JSON, which has no infinities: these are text, as is what is no number.
fn number_json(number: Number) -> Json {
    match number {
        Number::Float(x) if x.is_finite() => json!(x),
        Number::Int(x) => json!(x),
        Number::Bool(x) => json!(x),
        Number::Float(x) => json!(x.to_string()),
    }
}

/// What a kernel has written: parameters in place, then what it returns.
fn results_of(kernel: &Compiled, arguments: &[Value], results: &[Value]) -> Result<Vec<Computed>, Failure> {
    let mut found = Vec::new();
    let mut add = |tensor: &Declared, fields: &[Value]| -> Result<(), Failure> {
        let name = tensor.name.clone();
        match (&tensor.format, fields.first()) {
            (Some(format), _) => {
                let tensor = Some(entries(format, tensor.value, fields)?);
                found.push(Computed { name, tensor, scalar: Number::Int(0) });
            }
            (None, Some(Value::Scalar(value))) => {
                found.push(Computed { name, tensor: None, scalar: number(*value) });
            }
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
    let mut rest = results;
    let returned = kernel.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Result);
    for (tensor, made) in returned.zip(&kernel.ir.results) {
        let (own, others) = rest.split_at(made.fields.len().min(rest.len()));
        add(tensor, own)?;
        rest = others;
    }
    Ok(found)
}

/// Elements that the arrays of a computation may have.
fn most(kernel: &Compiled) -> u64 {
    let grows = |tensor: &Declared| {
        tensor.role == Role::Result && tensor.format.as_ref().is_some_and(|format| !format.is_full())
    };
    if kernel.kernel.tensors.iter().any(grows) { MOST_GROWN } else { MOST_COMPUTED }
}

/// What a tensor is called in messages. The expression does not name the workspaces in which the compiler adds up parts of a result.
fn called(tensor: &Declared) -> String {
    match tensor.role {
        Role::Workspace => "a workspace of the computation".to_owned(),
        _ => format!("`{}`", tensor.name),
    }
}

/// What to do about a tensor that takes too many elements.
fn smaller(tensor: &Declared) -> String {
    if tensor.role == Role::Workspace {
        return "compute a part of it".to_owned();
    }
    let (name, full) = (&tensor.name, tensor.format.as_ref().is_none_or(Format::is_full));
    match (full, tensor.rank) {
        (true, 1) => format!("keep its entries only: `-f {name}=sparse`"),
        (true, 2) => format!("keep its entries only: `-f {name}=csr`, or `-f {name}=dcsr` where most rows are empty"),
        (true, 3) => format!("keep its entries only: `-f {name}=csf`"),
        (true, rank) => format!("keep its entries only: `-f {name}=({})`", vec!["compressed"; rank].join(", ")),
        (false, 2) if keeps_rows(tensor) => format!("where most rows are empty, `-f {name}=dcsr` keeps none for them"),
        _ => "compute a part of it".to_owned(),
    }
}

/// Whether a level of a tensor keeps something for every coordinate, also where there is no entry.
fn keeps_rows(tensor: &Declared) -> bool {
    tensor.format.iter().flat_map(|format| &format.levels).any(|level| level.properties.full)
}

/// What an error of the interpreter means for who wrote the expression.
fn explained(error: RunError, kernel: &Compiled) -> Failure {
    if let RunError::Shape { left, .. } = &error
        && left.ends_with(ShapeCheck::WITHIN_MEMORY)
        && let Some(tensor) = kernel
            .kernel
            .tensors
            .iter()
            .find(|tensor| left.starts_with(&format!("the largest `{}` along", tensor.name)))
    {
        let (name, remedy) = (called(tensor), smaller(tensor));
        let why = match left.contains(ShapeCheck::EVERYWHERE) {
            true => "would have an entry at each coordinate, and a sparse result has room for 2^28 of these",
            false => "would take more elements than there are addresses for",
        };
        return Failure::input(format!("{name} {why}; {remedy}"));
    }
    let RunError::Memory { array, elements, left } = &error else { return Failure::input(error) };
    let is = |tensor: &&Declared| {
        let rest = array.strip_prefix(&tensor.name.to_lowercase());
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('_') || rest.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let Some(tensor) = kernel.kernel.tensors.iter().find(is) else { return Failure::input(error) };
    let (name, full) = (called(tensor), tensor.format.as_ref().is_none_or(Format::is_full));
    let most = most(kernel);
    // Entries are added one at a time, or counted before there is room for their coordinates.
    if *left <= 2 && *elements <= 2 || !full && array.ends_with("_crd") {
        return Failure::input(format!(
            "{name} has more entries than fit: the {most} coordinates and values that eval keeps are used up; compute a part of it, or \
             with a program made by `pleach compile`, which has no such limit"
        ));
    }
    let elements = if *elements == usize::MAX { "more than 2^64".to_owned() } else { elements.to_string() };
    Failure::input(format!(
        "{name} would take {elements} elements, and of the {most} that eval keeps {left} are left; {}",
        smaller(tensor)
    ))
}

/// A number as it is printed.
fn show(number: Number) -> String {
    match number {
        Number::Float(x) => Shortest(x).to_string(),
        Number::Int(x) => x.to_string(),
        Number::Bool(x) => x.to_string(),
    }
}

/// One line an entry: its coordinates from 1 on, and its value.
fn lines(tensor: &Coo) -> String {
    let mut text = String::new();
    for k in 0..tensor.nnz() {
        for mode in &tensor.coords {
            text += &format!("{} ", u64::from(mode[k]) + 1);
        }
        text += &format!("{}\n", Shortest(tensor.values[k]));
    }
    text
}

fn parameters(kernel: &Compiled) -> impl Iterator<Item = &Declared> {
    kernel.kernel.tensors.iter().filter(|tensor| tensor.role == Role::Param)
}

/// The entries of a file, or of the graph of a name, and whether it says the extents.
fn read(what: &str) -> Result<(Coo, bool), Failure> {
    let error = match pleach_datasets::read_whole_tensor(what, &Options::default()) {
        Ok(read) => {
            read.notes.into_iter().for_each(|told| note(format_args!("{what}: {told}")));
            return Ok((read.tensor, read.states_extents));
        }
        Err(error) => error,
    };
    // A name that looks like that of a file is taken for one.
    if what == "-" || Path::new(what).exists() || what.contains(['/', '\\', '.']) {
        return Err(Failure::input(error));
    }
    let graph = InputArgs::named(what).load(Weights::AsRead)?.graph;
    if graph.ids.has_names() {
        note(format_args!("{what}: not kept: names of vertices; they are numbered from 1 in the order of their names"));
    }
    Ok((Coo::of_graph(&graph), true))
}

/// What a file holds, with as many modes as the tensor has indices: a matrix of one column or one row is a vector as well.
fn fitted(mut read: Coo, tensor: &Tensor, path: &str) -> Result<Coo, Failure> {
    if tensor.rank() == 1
        && read.order() == 2
        && let Some(narrow) = [1, 0].into_iter().find(|&mode| read.dims[mode] <= 1)
    {
        read.dims.remove(narrow);
        read.coords.remove(narrow);
    }
    if read.order() == tensor.rank() {
        return Ok(read);
    }
    let name = &tensor.name;
    let plural = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}es") };
    Err(Failure::input(format!(
        "{path} holds a tensor of order {}, but `{name}` has {} in the expression",
        read.order(),
        plural(tensor.rank(), "index").replace("indexes", "indices"),
    )))
}

/// How far each index runs, from the files that its tensors are in.
fn extents(expression: &Expression, given: &BTreeMap<String, Given>) -> BTreeMap<String, usize> {
    let mut extents: BTreeMap<String, usize> = BTreeMap::new();
    for tensor in &expression.tensors {
        if let Some(Given::File { tensor: held, .. }) = given.get(&tensor.name) {
            for access in &tensor.accesses {
                for (index, &n) in access.iter().zip(&held.dims).filter(|(index, _)| !index.is_empty()) {
                    let known = extents.entry(index.clone()).or_default();
                    *known = n.max(*known);
                }
            }
        }
    }
    extents
}

/// The fields of one parameter.
fn argument(
    expression: &Expression,
    declared: &Declared,
    given: &BTreeMap<String, Given>,
    extents: &BTreeMap<String, usize>,
) -> Result<Vec<Value>, Failure> {
    let name = &declared.name;
    let tensor = expression.tensor(name).ok_or_else(|| Failure::usage(format!("there is no tensor `{name}`")))?;
    let Some(format) = &declared.format else {
        return match given.get(name) {
            Some(Given::Number(x)) if tensor.bound && !(x.fract() == 0.0 && (0.0..=u32::MAX as f64).contains(x)) => {
                Err(Failure::usage(format!("`{name}` bounds a slice: a whole number of 0 or more, and not {x}")))
            }
            Some(Given::Number(x)) => Ok(vec![scalar_argument(Number::Float(*x), declared.value)]),
            _ => Err(Failure::usage(format!("`{name}` has no value; give it one, as in `{name}=2.5`"))),
        };
    };
    let mut shape = Vec::new();
    for m in 0..tensor.rank() {
        let indices = tensor.accesses.iter().filter_map(|access| access.get(m));
        shape.push(indices.filter_map(|index| extents.get(index)).max().copied());
    }
    let (shape, entries) = match given.get(name) {
        None => return Err(Failure::usage(format!("`{name}` has no values; name a file: `{name}=FILE`"))),
        Some(Given::File { tensor: held, sized }) => {
            let shape: Vec<usize> = held
                .dims
                .iter()
                .zip(&shape)
                .map(|(&own, known)| if *sized { own } else { known.unwrap_or(own) })
                .collect();
            let entries = (0..held.nnz())
                .map(|k| {
                    let coords = held.coords.iter().map(|mode| mode[k] as usize).collect();
                    (coords, Number::Float(held.values[k]))
                })
                .collect();
            (shape, entries)
        }
        Some(Given::Number(x)) => {
            let shape: Option<Vec<usize>> = shape.into_iter().collect();
            let shape = shape.ok_or_else(|| {
                Failure::usage(format!("no file says how large `{name}` is; give it a file: `{name}=FILE`"))
            })?;
            (shape.clone(), everywhere(name, &shape, *x)?)
        }
    };
    if let Some(why) = why_not_fit(format, &shape, &entries, |coords| place(coords.iter().copied())) {
        return Err(Failure::input(format!("`{name}` does not fit its format: {why}")));
    }
    let fill = declared.fill;
    pack_within(format, &shape, declared.value, Number::from(fill), &entries, MOST_STORED).map_err(|stored| {
        Failure::input(format!(
            "`{name}` as {format} would keep {stored} values for {} entries, and eval keeps at most {MOST_STORED}; another format may do",
            entries.len()
        ))
    })
}

/// One number at every coordinate.
fn everywhere(name: &str, shape: &[usize], x: f64) -> Result<Vec<(Vec<usize>, Number)>, Failure> {
    let count = shape.iter().try_fold(1usize, |count, &n| count.checked_mul(n)).filter(|&count| count <= MOST_STORED);
    let count = count.ok_or_else(|| {
        Failure::input(format!("`{name}={x}` would be more than {MOST_STORED} numbers, the most that eval stores"))
    })?;
    let coords = |mut at: usize| {
        let mut coords = vec![0; shape.len()];
        for (c, &n) in coords.iter_mut().zip(shape).rev() {
            (*c, at) = (at % n, at / n);
        }
        coords
    };
    Ok((0..count).map(|at| (coords(at), Number::Float(x))).collect())
}

/// The entries of a tensor that a kernel has made.
fn entries(format: &Format, value: ValueType, fields: &[Value]) -> Result<Coo, Failure> {
    let rank = format.rank();
    let mut shape = Vec::new();
    for field in fields.iter().take(rank) {
        let Value::Scalar(extent) = field else { return Err(Failure::input("a result without extents")) };
        shape.push(number(*extent).float() as usize);
    }
    let mut tensor = Coo::new(shape.clone());
    unpack_with(format, &shape, value, fields, &mut |coords, value| {
        let coords: Vec<u32> = coords.into_iter().map(|c| c as u32).collect();
        tensor.push(&coords, value.float());
    })
    .map_err(Failure::input)?;
    Ok(tensor)
}
