//! `pleach compile`: kernels from index notation, stage by stage.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Args, ValueEnum};
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::expression::{Expression, Tensor};
use pleach_codegen::kernel::Compiled;
use pleach_codegen::session::{Content, Session};

use super::Failure;
use super::output::{print, tell};

/// What to compile.
#[derive(Args)]
pub struct Compile {
    /// An expression in index notation, or a `.pleach` file of stores, formats and kernels
    #[arg(value_name = "EXPR_OR_FILE")]
    source: String,
    #[command(flatten)]
    formats: Formats,
    /// The stage to print
    #[arg(long, value_enum, default_value_t = Emit::Rust)]
    emit: Emit,
    /// Path of the runtime crate in the printed Rust [default: ::pleach::runtime]
    #[arg(long, value_name = "PATH")]
    runtime: Option<String>,
}

/// Path of the runtime crate in a crate that depends on `pleach`.
const RUNTIME: &str = "::pleach::runtime";

/// The formats of an expression's tensors, and what else is in scope.
#[derive(Args)]
pub struct Formats {
    /// A `.pleach` file whose functions, semirings, formats and stores the expression may use (repeat it for more files)
    #[arg(short, long, value_name = "FILE.pleach")]
    with: Vec<String>,
    /// Format of a tensor, bundled or written out: `A=csr`, `A=csr of f32`, `A=(dense, ctree)` (repeat it for more tensors; a tensor without one is dense)
    #[arg(short = 'f', long = "format", value_name = "TENSOR=FORMAT")]
    formats: Vec<String>,
}

/// Stages of compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// Loops and workspaces: concrete index notation
    Concrete,
    /// Every choice that was made, with its reason: how operands are read, how results are made, how loops run
    Plan,
    /// The kernel IR, simplified
    Ir,
    /// Rust
    Rust,
}

impl Formats {
    /// The files whose declarations an expression may use.
    pub fn declarations(&self) -> Result<Vec<SourceFile>, Failure> {
        self.with.iter().map(|path| source(path)).collect()
    }

    /// By tensor, for the tensors of an expression.
    pub fn of(&self, expression: &Expression) -> Result<BTreeMap<String, String>, Failure> {
        let mut formats = BTreeMap::new();
        for given in &self.formats {
            let Some((tensor, format)) = given.split_once('=') else {
                return Err(Failure::usage(format!("`-f {given}`: expected TENSOR=FORMAT, as in `-f A=csr`")));
            };
            let (tensor, format) = (tensor.trim(), format.trim());
            known(expression, tensor, &format!("-f {given}"))?;
            if formats.insert(tensor.to_owned(), format.to_owned()).is_some() {
                return Err(Failure::usage(format!("`-f {given}`: `{tensor}` is given a format twice")));
            }
        }
        Ok(formats)
    }
}

/// The tensor called `name`, or what an option says that names none.
pub fn known<'e>(expression: &'e Expression, name: &str, option: &str) -> Result<&'e Tensor, Failure> {
    expression.tensor(name).ok_or_else(|| {
        let names: Vec<&str> = expression.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        Failure::usage(format!("`{option}`: the expression has no tensor `{name}`; it has {}", names.join(", ")))
    })
}

/// Reads an expression from the command line.
pub fn parse(text: &str, declarations: &[SourceFile]) -> Result<Expression, Failure> {
    Expression::parse(text, declarations).map_err(|wrong| Failure::Usage(wrong.render("expression", text)))
}

/// A file whose declarations are in scope.
pub fn declared(path: &str) -> Result<SourceFile, Failure> {
    source(path)
}

fn source(path: &str) -> Result<SourceFile, Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Failure::input(format!("cannot read {path}: {error}")))?;
    Ok(SourceFile::new(path, text))
}

/// Compiles texts, each with what those before it declare and everything that is bundled in scope.
pub fn session(files: impl IntoIterator<Item = SourceFile>) -> Result<Session, Failure> {
    let mut session = Session::bundled();
    for file in files {
        session.add(file, &mut |named, from| {
            let path = Path::new(from).parent().unwrap_or(Path::new("")).join(named);
            Ok(SourceFile::new(path.display().to_string(), std::fs::read_to_string(&path)?))
        });
    }
    session.check().map_err(Failure::input)?;
    Ok(session)
}

/// The same with an expression behind the files: its tensors have these formats, and those that `in_place` names belong to the caller.
pub fn session_of(
    declarations: Vec<SourceFile>,
    expression: &Expression,
    formats: &BTreeMap<String, String>,
    in_place: impl Fn(&Tensor) -> bool,
) -> Result<Session, Failure> {
    let kernel = expression.kernel(formats, in_place).map_err(Failure::input)?;
    let mut session = session(declarations)?;
    session.add_kernel(&expression.file(), kernel);
    session.check().map_err(Failure::input)?;
    Ok(session)
}

/// A kernel at some stage before Rust.
pub fn stage(kernel: &Compiled, emit: Emit) -> String {
    match emit {
        Emit::Concrete => kernel.concrete(),
        Emit::Plan => kernel.plan(),
        Emit::Ir | Emit::Rust => kernel.ir.to_string(),
    }
}

/// The Rust of everything in a session.
pub fn rust(session: Session, runtime: &str) -> Result<String, Failure> {
    let modules = session.finish(runtime).map_err(Failure::input)?;
    if let [module] = &modules[..]
        && module.content == Content::Kernels
    {
        return Ok(module.rust.clone());
    }
    Ok(modules.iter().map(|module| format!("// The module `{}`.\n\n{}\n", module.name, module.rust)).collect())
}

impl Compile {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        if self.runtime.is_some() && self.emit != Emit::Rust {
            return Err(Failure::usage("--runtime is for Rust, and --emit prints another stage"));
        }
        let declarations = self.formats.declarations()?;
        let session = if self.source.ends_with(".pleach") {
            let of_expressions = self.formats.formats.iter().map(|format| ("-f", format));
            if let Some((option, first)) =
                of_expressions.chain(self.formats.with.iter().map(|file| ("--with", file))).next()
            {
                return Err(Failure::usage(format!(
                    "`{option} {first}` is for an expression; a file says its formats itself, and what it takes from others by `use`"
                )));
            }
            session(declarations.into_iter().chain([source(&self.source)?]))?
        } else {
            let expression = parse(&self.source, &declarations)?;
            let formats = self.formats.of(&expression)?;
            // What is dense belongs to the caller, as everywhere in index notation.
            let dense = |tensor: &Tensor| tensor.rank() > 0 && !formats.contains_key(&tensor.name) && !tensor.read;
            session_of(declarations, &expression, &formats, dense)?
        };
        for (file, warnings) in session.warnings() {
            for warning in warnings.iter() {
                tell(format_args!("{}", warning.render_warning(&file.name, &file.text)));
            }
        }
        let shown = match self.emit {
            Emit::Rust => rust(session, self.runtime.as_deref().unwrap_or(RUNTIME))?,
            emit => session.kernels().map(|kernel| stage(kernel, emit)).collect::<Vec<_>>().join("\n"),
        };
        print(shown.as_bytes())
    }
}
