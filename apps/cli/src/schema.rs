//! `pleach schema`: node schemas, bundled and the user's own.

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use pleach_codegen::derive::{self, Order};
use pleach_codegen::diagnostic::Diagnostics;
use pleach_codegen::schema::{self, model::Model};
use pleach_erased::{OUTER_LEVELS, ROW_STORES};
use serde_json::json;

use super::Failure;
use super::help::summary;
use super::output::{print, print_json};

/// What to do with schemas.
#[derive(Subcommand)]
pub enum Schema {
    /// List the bundled stores
    ///
    /// Example: pleach schema list --pairs
    List {
        /// List the pairs of outer level and row store instead
        #[arg(long)]
        pairs: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a schema file and print every mistake in it
    ///
    /// Example: pleach schema check mystore.schema
    Check {
        /// A file of `store` items, or of bare `def`s that make one store named after the file
        file: String,
    },
    /// Print a schema, or a stage of what is derived from it
    ///
    /// Example: pleach schema show bst --emit step
    Show {
        /// A bundled store, or a schema file
        #[arg(value_name = "STORE_OR_FILE")]
        store: String,
        /// Stage to print [default: the schema itself]
        #[arg(long, value_enum)]
        emit: Option<Emit>,
        /// Derive traversals in the order in which nodes store their elements, not in coordinate order
        #[arg(long)]
        storage_order: bool,
    },
}

/// Stages of the derivation.
#[derive(Clone, Copy, ValueEnum)]
pub enum Emit {
    /// The checked schema with everything resolved
    Model,
    /// The recursive coroutine that `seq` spells out
    Coroutine,
    /// … with tail calls turned into jumps
    Tail,
    /// … with the coroutines of other nodes inlined
    Inlined,
    /// … with recursion turned into a loop over an explicit stack
    Loop,
    /// … as a resumable step without coroutines
    Step,
    /// The Rust that is generated
    Rust,
}

impl Schema {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Schema::List { pairs, json } => list(pairs, json),
            Schema::Check { file } => {
                let text = read(&file)?;
                let models = models(&file, &text)?;
                let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
                print(format!("{file}: {} is well formed\n", names.join(", ")).as_bytes())
            }
            Schema::Show { store, emit, storage_order } => show(&store, emit, storage_order),
        }
    }
}

fn list(pairs: bool, json: bool) -> Result<(), Failure> {
    if pairs {
        let all = || OUTER_LEVELS.iter().flat_map(|outer| ROW_STORES.iter().map(move |row| (outer, row)));
        if json {
            return print_json(&all().map(|(outer, row)| format!("{outer},{row}")).collect::<Vec<_>>());
        }
        return print(all().map(|(outer, row)| format!("{outer},{row}\n")).collect::<String>().as_bytes());
    }
    if json {
        let stores: Vec<_> = pleach_catalog::SCHEMAS
            .iter()
            .map(|schema| json!({ "name": schema.name, "rust": schema.rust, "summary": summary(schema.text) }))
            .collect();
        return print_json(&json!({ "outer_levels": OUTER_LEVELS, "row_stores": ROW_STORES, "schemas": stores }));
    }
    let mut text = String::new();
    for schema in pleach_catalog::SCHEMAS {
        text += &format!("{:<16}{}\n", schema.name, summary(schema.text));
    }
    for name in ROW_STORES.iter().filter(|name| pleach_catalog::schema(name).is_none()) {
        text += &format!("{name:<16}a level of its own, not described by a schema\n");
    }
    text += &format!("\nouter levels: {}\n", OUTER_LEVELS.join(", "));
    print(text.as_bytes())
}

fn show(store: &str, emit: Option<Emit>, storage_order: bool) -> Result<(), Failure> {
    if storage_order && matches!(emit, None | Some(Emit::Model | Emit::Rust)) {
        return Err(Failure::usage(
            "--storage-order is for traversals: --emit coroutine, tail, inlined, loop or step shows them",
        ));
    }
    let (place, text) = match pleach_catalog::schema(store) {
        Some(schema) => (format!("{}.schema", schema.name), schema.text.to_owned()),
        None if Path::new(store).exists() => (store.to_owned(), read(store)?),
        None => {
            let names: Vec<&str> = pleach_catalog::SCHEMAS.iter().map(|schema| schema.name).collect();
            return Err(Failure::usage(format!(
                "there is no file and no bundled store called `{store}`; the stores are {}",
                names.join(", ")
            )));
        }
    };
    let Some(emit) = emit else { return print(text.as_bytes()) };
    let order = if storage_order { Order::Storage } else { Order::Coordinate };
    let mut shown = String::new();
    for model in models(&place, &text)? {
        shown += &match emit {
            Emit::Model => format!("{model:#?}\n"),
            Emit::Rust => pleach_codegen::store::generate(&model, pleach_codegen::store::RUNTIME, None)
                .map_err(|wrong| Failure::Input(Diagnostics::from(wrong).render(&place, &text)))?,
            _ => {
                let stages = derive::stages(&model, order);
                match emit {
                    Emit::Coroutine => stages.coroutine.to_string(),
                    Emit::Tail => stages.tail.to_string(),
                    Emit::Inlined => stages.inlined.to_string(),
                    Emit::Loop => stages.loops.to_string(),
                    _ => stages.step.to_string(),
                }
            }
        };
    }
    print(shown.as_bytes())
}

/// Parses and checks a schema file: every store in it, or everything that is wrong.
fn models(place: &str, text: &str) -> Result<Vec<Model>, Failure> {
    let name = Path::new(place).file_stem().map_or("store".into(), |stem| stem.to_string_lossy().replace('-', "_"));
    let wrong = |wrong: Diagnostics| Failure::Input(wrong.render(place, text));
    let stores = schema::parse(text).map_err(wrong)?;
    if stores.is_empty() {
        return Err(Failure::Input(format!(
            "{place}: there is no store in it; a schema holds `store NAME {{ … }}` or `def`s"
        )));
    }
    stores.iter().map(|store| schema::check(store, &name).map_err(wrong)).collect()
}

/// Reads a schema file, which is text and never large.
fn read(path: &str) -> Result<String, Failure> {
    /// A schema is a page; what is longer than this is some other file.
    const MOST: u64 = 1 << 20;
    let failed = |why: String| Failure::Input(format!("cannot read {path}: {why}"));
    let metadata = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if metadata.is_dir() {
        return Err(failed("it is a directory".into()));
    }
    if metadata.len() > MOST {
        return Err(failed(format!("it has {} bytes; a schema is a text of at most {MOST}", metadata.len())));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes)
        .map_err(|error| failed(format!("it is not text (byte {} is not UTF-8)", error.utf8_error().valid_up_to())))
}
