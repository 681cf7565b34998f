//! Compiles `.pleach` and `.schema` files from a build script.
//!
//! ```no_run
//! // in build.rs
//! pleach_codegen::Build::new().file("src/mine.schema").run();
//! ```
//!
//! Each store becomes a file of its own in `OUT_DIR`, to be included beside its assembly; the kernels of a `.pleach` file become
//! another one, called as the file is:
//!
//! ```text
//! mod mine {
//!     include!(concat!(env!("OUT_DIR"), "/mine.rs"));
//!     mod assemble;                                       impl Build for Mine
//! }
//! mod kernels {
//!     include!(concat!(env!("OUT_DIR"), "/kernels.rs"));  from kernels.pleach
//! }
//! ```
//!
//! The bundled stores and formats are in scope.

use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::SourceFile;
use crate::session::{Session, SessionError};

/// Why a build did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
    /// Cargo did not say where to write; outside of a build script, use [`Build::out_dir`].
    #[error("OUT_DIR is not set: not a build script? `out_dir` says where to write")]
    NoOutDir,
    /// The files hold mistakes.
    #[error("{0}")]
    Mistakes(#[from] SessionError),
}

/// What to compile, and where to.
#[derive(Default)]
pub struct Build {
    files: Vec<PathBuf>,
    elsewhere: Vec<(String, String)>,
    declarations: Vec<(String, String)>,
    runtime: Option<String>,
    engine: Option<String>,
    out_dir: Option<PathBuf>,
}

impl Build {
    /// Nothing yet.
    pub fn new() -> Build {
        Build::default()
    }

    /// Adds a `.pleach` file, or a `.schema` file, which is one store named after it.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Build {
        self.files.push(path.into());
        self
    }

    /// Puts a store in scope whose Rust is generated elsewhere; `schema` is its text.
    #[must_use]
    pub fn store_elsewhere(mut self, name: impl Into<String>, schema: impl Into<String>) -> Build {
        self.elsewhere.push((name.into(), schema.into()));
        self
    }

    /// Puts formats, functions and semirings in scope; `name` is what messages call the text.
    #[must_use]
    pub fn declarations(mut self, name: impl Into<String>, text: impl Into<String>) -> Build {
        self.declarations.push((name.into(), text.into()));
        self
    }

    /// The path of the runtime crate as generated code sees it; by default `::pleach_runtime`.
    #[must_use]
    pub fn runtime(mut self, path: impl Into<String>) -> Build {
        self.runtime = Some(path.into());
        self
    }

    /// Kernels take and return matrices of the crate `pleach`, which generated code sees at `path` (`::pleach`), as those of the
    /// `pleach!` macro do; its runtime is at `path::runtime`.
    #[must_use]
    pub fn engine(mut self, path: impl Into<String>) -> Build {
        let path = path.into();
        self.runtime = Some(format!("{path}::runtime"));
        self.engine = Some(path);
        self
    }

    /// Writes to this folder, which is created if it does not exist. By default the generated files go to `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Build {
        self.out_dir = Some(path.into());
        self
    }

    /// Compiles, and tells Cargo to run the build script again when a file changes. Returns the files written.
    ///
    /// # Errors
    ///
    /// [`BuildError`], with the mistakes of all files at once. Nothing is written then.
    pub fn compile(&self) -> Result<Vec<PathBuf>, BuildError> {
        let out = match &self.out_dir {
            Some(out) => out.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(BuildError::NoOutDir)?,
        };
        let mut session = Session::bundled();
        if let Some(engine) = &self.engine {
            session = session.embedded(engine);
        }
        for (name, schema) in &self.elsewhere {
            session.store_elsewhere(name, schema);
        }
        for (name, text) in &self.declarations {
            session.declare(SourceFile::new(name, text));
        }
        for path in &self.files {
            let file = read(path).map_err(|error| BuildError::File { path: path.clone(), error })?;
            session.add(file, &mut |named, from| {
                let folder = Path::new(from).parent().unwrap_or(Path::new(""));
                read(&folder.join(named))
            });
        }
        for (file, warnings) in session.warnings() {
            for warning in warnings.iter() {
                // Cargo shows one line.
                let (line, column) = file.line_column(warning.span.start);
                let help = warning.help.first().map_or(String::new(), |help| format!("; {help}"));
                println!("cargo::warning={}:{line}:{column}: {}{help}", file.name, warning.message);
            }
        }
        let modules = session.finish(self.runtime.as_deref().unwrap_or("::pleach_runtime"))?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| BuildError::File { path, error }
        };
        std::fs::create_dir_all(&out).map_err(failed(&out))?;
        let mut written = Vec::new();
        for module in modules {
            let path = out.join(format!("{}.rs", module.name));
            // An unchanged file keeps its date, so that crates that depend on it are not built again.
            if std::fs::read_to_string(&path).ok().as_ref() != Some(&module.rust) {
                std::fs::write(&path, &module.rust).map_err(failed(&path))?;
            }
            written.push(path);
        }
        Ok(written)
    }

    /// Compiles, or ends the build script with the mistakes on its standard error.
    pub fn run(&self) {
        if let Err(error) = self.compile() {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// Reads a file, and has Cargo watch it.
fn read(path: &Path) -> io::Result<SourceFile> {
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(SourceFile::new(path.display().to_string(), std::fs::read_to_string(path)?))
}
