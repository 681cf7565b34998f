//! `pleach convert`: a tensor from one format to another.

mod check;
mod compiled;
mod files;
mod order;

use std::borrow::Cow;
use std::iter::successors;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use pleach_codegen::backend::rust;
use pleach_codegen::convert::size::is_within;
use pleach_codegen::convert::{Conversion, Size, convert, may_not_fit};
use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::{Compile as Interpreter, Limits};
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::session::Session;
use serde_json::json;

use self::files::Held;
pub use self::files::stored;
use super::Failure;
use super::compile::{declared, session};
use super::complete;
use super::output::{check_out, note, print, print_beside};

/// What to convert.
#[derive(Args)]
pub struct Convert {
    /// A matrix or a tensor: a file of any format that is read
    #[arg(value_name = "IN")]
    input: String,
    /// Where to write it: `.plg` keeps the arrays of the format, `.npz` is for SciPy, `.mtx` and `.tns` hold its entries. Without it nothing
    /// is written
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// The format to convert to, bundled or written out: `csr`, `bcsr<2, 2>`, `(dense, ctree)`
    #[arg(long, value_name = "FORMAT", value_parser = complete::tensor_formats(), hide_possible_values = true)]
    to: String,
    /// The format to convert from: what is read is brought into it first
    #[arg(long, value_name = "FORMAT", value_parser = complete::tensor_formats(), hide_possible_values = true)]
    from: Option<String>,
    /// A `.pleach` file whose formats and stores may be named (repeat it for more files)
    #[arg(short, long, value_name = "FILE.pleach")]
    with: Vec<String>,
    /// Convert the transpose of a matrix
    #[arg(long)]
    transpose: bool,
    /// Convert even if the format takes far more memory than the entries, or has another fill
    #[arg(long)]
    force: bool,
    /// Print sizes, how each step was made and how long it took
    #[arg(long)]
    stats: bool,
    /// Print the same as JSON
    #[arg(long)]
    json: bool,
    /// Print a stage of the last conversion instead of converting
    #[arg(long, value_enum, conflicts_with_all = ["output", "stats", "json"])]
    emit: Option<Emit>,
}

/// Stages of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// What the levels of the format ask, before and after each transformation
    Queries,
    /// What was decided
    Plan,
    /// Rust
    Rust,
}

/// More values than so many for each entry, and than [`SMALL`], are refused.
const MOST_FOR_EACH: u128 = 32;

/// So many values are never too many.
const SMALL: u128 = 1 << 22;

/// One step of a conversion.
struct Step {
    from: String,
    to: String,
    how: &'static str,
    methods: String,
    seconds: f64,
}

/// Whether a format would take far more memory than its entries.
pub fn explodes(size: &Size, entries: usize) -> bool {
    size.positions.iter().chain([&size.workspace]).any(|&elements| elements > most(entries))
}

/// So many values are not too many for so many entries.
fn most(entries: usize) -> u128 {
    (entries as u128 * MOST_FOR_EACH).max(SMALL)
}

impl Convert {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            check_output(path)?;
        }
        let files = self.with.iter().map(|path| declared(path)).collect::<Result<Vec<_>, _>>()?;
        let session = session(files)?;
        let format = |text: &str| {
            let text = &*pair(text);
            session.format(text).map_err(|wrong| no_format(text, wrong.render("format", text)))
        };
        let target = format(&self.to)?;
        let from = self.from.as_deref().map(format).transpose()?;
        let mut held = files::read(&self.input, &session)?;
        if self.transpose {
            held = transposed(held, &session)?;
        }
        if let Some(from) = &from {
            convert(&held.format, from, ValueType::F64).map_err(Failure::input)?;
        }
        let source = from.clone().unwrap_or_else(|| held.format.clone());
        let last = convert(&source, &target, ValueType::F64).map_err(Failure::input)?;
        if let Some(emit) = self.emit {
            let last = match between(&source, &target, held.shape().len(), held.is_narrow()) {
                Some(hub) => convert(&bundled(hub)?, &target, ValueType::F64).map_err(Failure::input)?,
                None => last,
            };
            return print(shown(&last, emit)?.as_bytes());
        }
        let (mut steps, mut size) = (Vec::new(), None);
        for format in from.iter().chain([&target]) {
            if !self.force {
                held.check_fill(files::fill(format), &format!("`{}`", format.name))?;
            }
            size = self.check_size(format, &held)?;
            held = self.converted(held, format, &mut steps)?;
        }
        let report = self.report(&held, size, &steps)?;
        if let Some(path) = &self.output {
            files::write(held, (&pair(&self.to), &last.kernel), path, self.force)?;
        }
        if !self.json {
            for step in &steps {
                note(format!("{} to {}: {}, {}, {:.6} s", step.from, step.to, step.how, step.methods, step.seconds));
            }
        }
        report.map_or(Ok(()), |report| print_beside(self.output.as_deref(), report.as_bytes()))
    }

    /// Refuses a format that cannot keep the entries, one that takes far more memory than they do, and one that has more coordinates than
    /// 32 bits can number. Returns the size of the tensor in the format if that was counted, as it always is where a report needs it.
    fn check_size(&self, format: &Format, held: &Held) -> Result<Option<Size>, Failure> {
        let shape = held.shape();
        let small = self.force || held.count().is_some_and(|count| never_explodes(format, &shape, count));
        // Where the target pads, its stored zeros look like padding. So entries are counted in the source.
        let reported = (self.stats || self.json) && !format.keeps_entries_only();
        if small && !reported && may_not_fit(format).is_none() {
            return check_width(format, &shape).map(|()| None);
        }
        let places = held.places_once()?;
        let size = places.size_in(format, &shape);
        if let Some(why) = size.refusal(format, |entry| place(places.coordinates(entry))) {
            return Err(Failure::input(why));
        }
        let count = places.count();
        if self.force || !explodes(&size, count) {
            return check_width(format, &shape).map(|()| Some(size));
        }
        let largest = size.positions.iter().max().copied().unwrap_or(0);
        let name = &format.name;
        Err(Failure::input(match size.workspace > largest {
            true => format!(
                "`{name}` takes an array of {} numbers to make, for {count} entries; --force converts all the same",
                size.workspace
            ),
            false => format!(
                "`{name}` would keep {largest} places for {count} entries, {} bytes in all; --force converts all the same",
                size.bytes
            ),
        }))
    }

    /// Converts to `target`: by a compiled routine, by two of them through compressed rows or a list of the third order, or else by the
    /// interpreter.
    fn converted(&self, held: Held, target: &Format, steps: &mut Vec<Step>) -> Result<Held, Failure> {
        let narrow = held.is_narrow();
        let mut held = held;
        if let Some(hub) = between(&held.format, target, held.shape().len(), narrow) {
            held = step(held, &bundled(hub)?, steps)?;
        }
        let conversion = convert(&held.format, target, ValueType::F64).map_err(Failure::input)?;
        if conversion.wide && !narrow && !self.force {
            return Err(Failure::input(format!(
                "`{}` from `{}` takes an array as long as the largest dimension, {} for {} values; --force converts all the same",
                target.name,
                held.format.name,
                held.shape().into_iter().max().unwrap_or(0),
                held.stored()
            )));
        }
        step(held, target, steps)
    }

    /// The text or the JSON about the tensor and its conversion; `None` if nothing is to be printed. `size` is the size of the tensor if it was counted.
    fn report(&self, held: &Held, size: Option<Size>, steps: &[Step]) -> Result<Option<String>, Failure> {
        if !self.json && !self.stats {
            return Ok(None);
        }
        let (places, shape) = (held.places()?, held.shape());
        let entries = places.count();
        let size = size.filter(|_| !held.format.keeps_entries_only());
        let size = size.unwrap_or_else(|| places.size_in(&held.format, &shape));
        if self.json {
            let steps: Vec<_> = steps
                .iter()
                .map(|s| json!({"from": s.from, "to": s.to, "routine": s.how, "made": s.methods, "seconds": s.seconds}))
                .collect();
            let object = json!({
                "shape": shape,
                "entries": entries,
                "format": held.format.to_string(),
                "positions": size.positions.iter().map(|&n| n as u64).collect::<Vec<_>>(),
                "values": size.values() as u64,
                "bytes": size.bytes as u64,
                "steps": steps,
            });
            return Ok(Some(format!("{object}\n")));
        }
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        // The levels follow, a line each.
        let format = &held.format;
        let name = format!("{}({})", format.name, format.indices.join(", "));
        let mut text = format!("{}, {entries} entries\n{name}\n", shape.join(" × "));
        for (level, positions) in held.format.levels.iter().zip(&size.positions) {
            text += &format!("  {}: {positions} positions\n", format.level_text(level));
        }
        let share = if size.values() == 0 { 100.0 } else { 100.0 * entries as f64 / size.values() as f64 };
        text += &format!("{} values, {share:.1} % of them entries; {} bytes\n", size.values(), size.bytes);
        Ok(Some(text))
    }
}

/// Refuses an output file that cannot be written, before the conversion begins.
fn check_output(path: &Path) -> Result<(), Failure> {
    match pleach_datasets::check_tensor_file(path, &["npz"]) {
        Ok(()) => Ok(()),
        Err(unknown @ pleach_datasets::Error::UnknownEnding { .. }) => Err(Failure::input(unknown)),
        Err(_) => check_out(Some(path)),
    }
}

/// Whether a format never takes far more memory than the entries, wherever they lie: at most `count` of them, or exactly so many.
fn never_explodes(format: &Format, shape: &[usize], (count, exact): (usize, bool)) -> bool {
    let fits = |count: usize, fewest: usize| is_within(format, shape, count, most(fewest));
    if exact {
        return fits(count, count);
    }
    // There are fewer entries if several are at one place, or hold the fill. Suppose there are between `count / 2` and `count`: they need at most
    // the memory of `count` entries, and are allowed at least that of `count / 2 + 1`. The same is checked for each half below.
    successors(Some(count), |&count| (count > 0).then_some(count / 2)).all(|count| fits(count, count / 2 + 1))
}

/// Refuses a format some level of which has more coordinates than 32 bits can number.
fn check_width(format: &Format, shape: &[usize]) -> Result<(), Failure> {
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    for (level, bounds) in format.levels.iter().zip(format.bounds(&signed)) {
        let values = bounds.map_or(0, |(lo, hi)| i128::from(hi) - i128::from(lo) + 1);
        if level.keeps_coordinates() && values > i128::from(u32::MAX) {
            return Err(Failure::input(format!(
                "`{}` of `{}` has {values} coordinates, and 32 bits for each",
                format.level_text(level),
                format.name
            )));
        }
    }
    Ok(())
}

/// A store may be named as the algorithms' `--store` names it: `bst,ctree` is `(bst, ctree)`, and `dense,blist<4>` is `(dense, blist<4>)`.
fn pair(text: &str) -> Cow<'_, str> {
    let mut within = 0;
    let comma = text.char_indices().find(|(_, c)| {
        within += i32::from(*c == '<') - i32::from(*c == '>');
        *c == ',' && within == 0
    });
    let Some((at, _)) = comma else { return Cow::Borrowed(text) };
    let (outer, row) = (&text[..at], &text[at + 1..]);
    if is_level(outer) && is_level(row) { Cow::Owned(format!("({outer}, {row})")) } else { Cow::Borrowed(text) }
}

/// Whether a text is a name, or one with parameters.
fn is_level(text: &str) -> bool {
    let text = text.trim();
    let (name, parameters) = match text.split_once('<') {
        Some((name, rest)) => (name, rest.strip_suffix('>')),
        None => (text, Some("")),
    };
    let is_number = |c: char| c.is_ascii_digit() || c == ',' || c == ' ';
    name.chars().all(is_word) && parameters.is_some_and(|parameters| parameters.chars().all(is_number))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The failure of a text that is no format of tensors. It may be the ending of a file that was meant.
fn no_format(text: &str, wrong: String) -> Failure {
    let ending = text.strip_suffix(".gz").or(text.strip_suffix(".zst")).unwrap_or(text);
    let is_ending = ["plg", "mtx", "tns", "npz", "csv", "tsv", "txt", "graphml", "json", "parquet"].contains(&ending);
    match is_ending {
        false => Failure::Usage(wrong),
        true => Failure::usage(format!(
            "`{text}` is the ending of a file, and --to names a format such as `csr`: the name of OUT says how it is written, as in `OUT.plg.zst` \
             (`pleach data write` has --to {text})"
        )),
    }
}

/// Where an entry lies, as files of coordinates say it.
pub fn place(coords: impl Iterator<Item = usize>) -> String {
    let coords: Vec<String> = coords.map(|c| (c + 1).to_string()).collect();
    format!("({}), counted from 1,", coords.join(", "))
}

fn shown(conversion: &Conversion, emit: Emit) -> Result<String, Failure> {
    match emit {
        Emit::Queries => Ok(conversion.queries()),
        Emit::Plan => Ok(conversion.plan()),
        Emit::Rust => {
            let options = rust::Options::default().with_runtime("::pleach::runtime");
            rust::source(std::slice::from_ref(&conversion.kernel), &options).map_err(|why| {
                Failure::input(format!(
                    "{why}; the rows of a store are built of those of `csr`, which there is Rust for"
                ))
            })
        }
    }
}

/// The transpose of a matrix: the same entries with their coordinates exchanged, and the same fill.
fn transposed(held: Held, session: &Session) -> Result<Held, Failure> {
    let fill = held.format.fill.filter(|_| files::fill(&held.format) != 0.0);
    let mut entries = held.into_entries()?;
    if entries.order() != 2 {
        return Err(Failure::usage(format!(
            "--transpose is for matrices, and this is a tensor of order {}",
            entries.order()
        )));
    }
    entries.coords.swap(0, 1);
    entries.dims.swap(0, 1);
    if fill.is_none() {
        return files::listed(entries, session);
    }
    // Each place is listed once, in order: a conversion could not add up equal entries where the fill is not 0.
    let list = files::listed(files::once(entries), session)?;
    Ok(Held { format: Format { fill, ..list.format }, fields: list.fields })
}

/// The bundled format through which a conversion goes that is not compiled: rows, if that is compiled to there, and they are no more than
/// entries; or a list of the third order, however long dimensions are, if all of the way is compiled. What is interpreted takes no longer
/// from fibers than from a list.
fn between(from: &Format, to: &Format, rank: usize, narrow: bool) -> Option<&'static str> {
    let (from, to) = (bundled_name(from), bundled_name(to));
    let is_compiled = |from: &str, to: &str| compiled::routine(from, to).is_some();
    let hub = if rank == 3 { "coo3" } else { "csr" };
    let fits = if hub == "coo3" { is_compiled(hub, &to) } else { narrow };
    (!is_compiled(&from, &to) && is_compiled(&from, hub) && to != from && fits).then_some(hub)
}

fn bundled(name: &str) -> Result<Format, Failure> {
    Session::bundled().format(name).map_err(|wrong| Failure::input(wrong.to_string()))
}

/// The name of a format that is bundled; empty for one of the user's, also if it has the same name.
fn bundled_name(format: &Format) -> String {
    let bundled = Session::bundled().format(&format.name).is_ok_and(|named| named == *format);
    if bundled { format.name.clone() } else { String::new() }
}

fn step(held: Held, target: &Format, steps: &mut Vec<Step>) -> Result<Held, Failure> {
    let conversion = convert(&held.format, target, ValueType::F64).map_err(Failure::input)?;
    let methods = conversion.methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(", then ");
    let routine = compiled::routine(&bundled_name(&held.format), &bundled_name(target));
    let begin = Instant::now();
    let Held { format, mut fields } = held;
    let compiled = routine.and_then(|routine| routine(&fields));
    let (how, made) = match compiled {
        Some(made) => ("compiled", made),
        None => {
            let program = Interpreter::new().compile(&conversion.kernel).map_err(Failure::input)?;
            let limits = Limits::default().with_steps(u64::MAX).with_elements(u64::MAX);
            ("interpreted", program.run(&mut fields, limits).map_err(Failure::input)?)
        }
    };
    steps.push(Step {
        from: format.name,
        to: target.name.clone(),
        how,
        methods,
        seconds: begin.elapsed().as_secs_f64(),
    });
    Ok(Held { format: target.clone(), fields: made })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a list may repeat places, it may have far fewer entries than elements.
    #[test]
    fn what_never_explodes_is_known_from_the_number_of_entries() {
        let never = |name: &str, rows: usize, count: (usize, bool)| {
            never_explodes(&bundled(name).unwrap(), &[rows, 1000], count)
        };
        for exact in [false, true] {
            assert!(never("csr", 4_000_000, (4_000_000, exact)));
            assert!(never("coo", usize::MAX >> 33, (1, exact)));
            assert!(never("bcsr", 1_000_000, (20_000_000, exact)));
            assert!(!never("ell", 1_000_000, (4_000_000, exact)));
            assert!(!never("csr", 5_000_000, (100_000, exact)));
        }
        assert!(never("csr", 5_000_000, (200_000, true)));
        assert!(!never("csr", 5_000_000, (200_000, false)));
    }
}
