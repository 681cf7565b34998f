//! A compile session: the files of one build, or one `pleach!` block with what it names, and the Rust that is generated from them.
//!
//! ```text
//!   file ── parse ──┬─ store …    ──► check ──► model ──► Rust module
//!                   ├─ format …   ──┐
//!                   ├─ function … ──┼─► declarations ──► kernels are resolved against them
//!                   ├─ semiring … ──┘        └─► Rust functions, a module for each file that has any
//!                   └─ use "…"    ──► more files
//! ```
//!
//! What is bundled is put in scope first; a later declaration of the same name hides an earlier one.

mod modules;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

pub use modules::{Content, Module};

use crate::compile;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile, Span};
use crate::kernel::Compiled;
use crate::level::StoreLevel;
use crate::notation::ast::{self, Item, Source};
use crate::notation::{Declarations, parse_source};
use crate::schema;
use crate::schema::model::Model;

/// Files that one session compiles at most: a chain of `use` that makes up new names forever ends here.
const MOST_FILES: usize = 256;

/// The mistakes of a session, file by file.
#[derive(Clone, Debug, Default)]
pub struct SessionError(pub Vec<(SourceFile, Diagnostics)>);

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (file, mistakes)) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&mistakes.render(&file.name, &file.text))?;
        }
        Ok(())
    }
}

impl std::error::Error for SessionError {}

/// What is in scope, and what is to be generated.
pub struct Session {
    scope: Declarations,
    stores: Vec<Own>,
    kernels: Vec<(SourceFile, Vec<Compiled>)>,
    seen: BTreeSet<PathBuf>,
    /// Whether a file has been left out because there were [`MOST_FILES`] already.
    is_full: bool,
    mistakes: SessionError,
    warnings: SessionWarnings,
    /// The path of the engine, if kernels take and return its matrices.
    engine: Option<String>,
}

/// A checked store.
struct Own {
    file: SourceFile,
    model: Model,
    /// The span of its name in the file; of bare `def`s, from the first name to the last.
    span: Span,
    /// The part of the file that describes it.
    text: String,
}

/// What is no mistake, but may not be meant or costs more than it seems: file by file.
pub type SessionWarnings = Vec<(SourceFile, Diagnostics)>;

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// Nothing but the levels and semirings that are always there.
    pub fn new() -> Session {
        Session {
            scope: Declarations::new(),
            stores: Vec::new(),
            kernels: Vec::new(),
            seen: BTreeSet::new(),
            is_full: false,
            mistakes: SessionError::default(),
            warnings: Vec::new(),
            engine: None,
        }
    }

    /// With everything that is bundled in scope: the stores and formats of the catalogue.
    pub fn bundled() -> Session {
        let mut session = Session::new();
        for schema in pleach_catalog::SCHEMAS {
            session.store_elsewhere(schema.name, schema.text);
        }
        for level in pleach_catalog::LEVELS {
            session.level_elsewhere(level, pleach_catalog::TABLES.contains(level));
        }
        session.declare(SourceFile::new("formats.pleach", pleach_catalog::FORMATS));
        session
    }

    /// Has the kernels that are added from now on take and return the matrices of the engine, which they see at `path`
    /// (`::pleach`), and its runtime at `path::runtime`.
    #[must_use]
    pub fn embedded(mut self, path: &str) -> Session {
        self.engine = Some(path.to_owned());
        self
    }

    /// What kernels of the session can name.
    pub fn scope(&self) -> &Declarations {
        &self.scope
    }

    /// Puts in scope a store whose Rust is generated elsewhere: a bundled one.
    pub fn store_elsewhere(&mut self, name: &str, schema: &str) {
        let file = SourceFile::new(format!("{name}.schema"), schema);
        for store in self.models(&file, None) {
            self.scope.kinds.add(Arc::new(StoreLevel::of(&store.model)));
        }
    }

    /// Puts in scope a level that no schema describes and whose Rust is written by hand; it is read and assembled as an ordered
    /// store is. If `table` is set, it is an outer level, whose entries are stores.
    pub fn level_elsewhere(&mut self, name: &str, table: bool) {
        self.scope.kinds.add(Arc::new(StoreLevel::by_hand(name, table)));
    }

    /// Puts formats, functions and semirings in scope; stores and kernels of the text are not generated.
    pub fn declare(&mut self, file: SourceFile) {
        let (source, mut mistakes) = parse_source(&file.text);
        mistakes.extend(self.scope.add(&source));
        self.report(&file, mistakes);
    }

    /// Compiles a file. A text of bare `def`s is one store that is named after the file. `load` finds what `use "…"` names: it
    /// is given the path as written and the name of the file that it stands in.
    pub fn add(&mut self, file: SourceFile, load: &mut dyn FnMut(&str, &str) -> std::io::Result<SourceFile>) {
        let name = plain(&file.name);
        if self.seen.contains(&name) {
            return;
        }
        if self.seen.len() >= MOST_FILES {
            // One message is enough for all files that follow.
            if !std::mem::replace(&mut self.is_full, true) {
                let message =
                    format!("`{}` is one file too many: at most {MOST_FILES} are compiled together", file.name);
                let mistake = Diagnostic::new(0..0, message).help("declare in fewer files what `use` names");
                self.report(&file, mistake.into());
            }
            return;
        }
        self.seen.insert(name);
        if is_schema(&file) {
            let stores = self.models(&file, None);
            self.keep(stores);
            return;
        }
        let (source, mistakes) = parse_source(&file.text);
        let broken = !mistakes.is_empty();
        self.report(&file, mistakes);
        for item in &source.items {
            if let Item::Use(named) = item {
                match load(&named.path, &file.name) {
                    // What is used is compiled before what uses it.
                    Ok(used) => self.add(used, load),
                    Err(error) => self.report(
                        &file,
                        Diagnostic::new(named.span, format!("`{}` cannot be read: {error}", named.path)).into(),
                    ),
                }
            }
        }
        if !broken {
            self.compile(&file, &source);
        }
    }

    /// Compiles a kernel that was made as a tree; what is wrong with it is shown in `file`, where its parts stand.
    pub fn add_kernel(&mut self, file: &SourceFile, kernel: ast::Kernel) {
        self.compile(file, &Source { items: vec![Item::Kernel(kernel)] });
    }

    fn compile(&mut self, file: &SourceFile, source: &Source) {
        for item in &source.items {
            if let Item::Store(text) = item {
                let stores = self.models(file, Some(text.span));
                self.keep(stores);
            }
        }
        let mut mistakes = self.scope.add(source);
        let mut kernels: Vec<Compiled> = Vec::new();
        let mut warnings = Diagnostics::new();
        for item in &source.items {
            if let Item::Kernel(kernel) = item {
                match compile::compile_for(kernel, &file.text, &self.scope, self.engine.is_some()) {
                    Ok(compiled) => {
                        for one in compiled {
                            // What may not be meant for one choice of formats may not be for all.
                            for warning in &one.warnings {
                                if !warnings.iter().any(|known| known.span == warning.span) {
                                    warnings.push(warning.clone());
                                }
                            }
                            if kernels.iter().any(|other| other.kernel.name == one.kernel.name) {
                                let message = format!("there are two kernels called `{}`", one.kernel.name);
                                mistakes
                                    .push(Diagnostic::new(one.span, message).help("call one of them something else"));
                            } else {
                                kernels.push(one);
                            }
                        }
                    }
                    Err(wrong) => mistakes.extend(wrong),
                }
            }
        }
        self.report(file, mistakes);
        if !warnings.is_empty() {
            self.warnings.push((file.clone(), warnings));
        }
        if !kernels.is_empty() {
            self.kernels.push((file.clone(), kernels));
        }
    }

    /// The kernels of everything added, file by file.
    pub fn kernels(&self) -> impl Iterator<Item = &Compiled> {
        self.kernels.iter().flat_map(|(_, kernels)| kernels)
    }

    /// What may not be meant in everything added so far, or costs more than it seems.
    pub fn warnings(&self) -> &[(SourceFile, Diagnostics)] {
        &self.warnings
    }

    /// The format that `text` names or spells out: `csr`, `bcsr<2, 2>`, `(dense, ctree)`.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn format(&self, text: &str) -> Result<crate::format::Format, Diagnostics> {
        self.scope.formats.resolve(&crate::notation::parse_format(text)?, &self.scope.kinds)
    }

    /// The names of all formats in scope.
    pub fn format_names(&self) -> impl Iterator<Item = &str> {
        self.scope.formats.iter().map(|decl| decl.name.text.as_str())
    }

    /// What is wrong with everything added so far.
    ///
    /// # Errors
    ///
    /// All mistakes in all files.
    pub fn check(&self) -> Result<(), SessionError> {
        if self.mistakes.0.is_empty() { Ok(()) } else { Err(self.mistakes.clone()) }
    }

    /// The checked stores of a text, or of a part of it.
    fn models(&mut self, file: &SourceFile, part: Option<Span>) -> Vec<Own> {
        let parsed = match part {
            Some(part) => schema::parse_part(&file.text, part),
            None => schema::parse(&file.text),
        };
        let stores = match parsed {
            Ok(stores) => stores,
            Err(mistakes) => {
                self.report(file, mistakes);
                return Vec::new();
            }
        };
        let mut models = Vec::new();
        let name_if_bare = stem(&file.name).replace('-', "_");
        for store in &stores {
            match schema::check(store, &name_if_bare) {
                Ok(model) => {
                    let text = part.map_or(&file.text[..], |p| &file.text[p.start..p.end]).to_owned();
                    let span = store.name.as_ref().map_or(store.at.0, |name| name.span());
                    models.push(Own { file: file.clone(), model, span, text });
                }
                Err(mistakes) => self.report(file, mistakes),
            }
        }
        models
    }

    fn keep(&mut self, stores: Vec<Own>) {
        for store in stores {
            let name = &store.model.name;
            if let Some(other) = self.stores.iter().find(|other| other.model.name == *name) {
                let message = format!("there are two stores called `{name}` in this session");
                let mut twice = Diagnostic::new(store.span, message).help("call one of them something else");
                if other.file == store.file {
                    twice = twice.related(other.span, "the first one");
                }
                self.report(&store.file, twice.into());
                continue;
            }
            self.scope.kinds.add(Arc::new(StoreLevel::of(&store.model)));
            if syn::parse_str::<syn::Ident>(name).is_err() {
                let message = format!("the store `{name}` becomes the module `{name}`, which is no name in Rust");
                let help = "give the store another name; a store of bare `def`s is named after its file";
                self.report(&store.file, Diagnostic::new(store.span, message).help(help).into());
                continue;
            }
            self.stores.push(store);
        }
    }

    fn report(&mut self, file: &SourceFile, mistakes: Diagnostics) {
        if !mistakes.is_empty() {
            self.mistakes.0.push((file.clone(), mistakes));
        }
    }
}

/// Whether a file holds node schemas and nothing else.
fn is_schema(file: &SourceFile) -> bool {
    file.name.ends_with(".schema")
}

/// A file's name without `.` and `folder/..`: a file that is used under two spellings is compiled once.
fn plain(name: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A file's name without folder and ending.
fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
