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

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::compile;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::emit;
use crate::kernel::Compiled;
use crate::level::StoreLevel;
use crate::notation::ast::{Item, Source};
use crate::notation::{Declarations, parse_source};
use crate::schema::model::Model;
use crate::{schema, store};

/// Files that one session reads at most: a chain of `use` that makes up new names forever ends here.
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

/// What a generated module holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A store, beside which its assembly is written by hand.
    Store,
    /// The kernels of a file.
    Kernels,
}

/// One generated module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name: the store's, or that of the file that the kernels stand in, without folder and ending.
    pub name: String,
    /// What it holds.
    pub content: Content,
    /// Its content: formatted Rust items.
    pub rust: String,
}

/// What is in scope, and what is to be generated.
pub struct Session {
    scope: Declarations,
    stores: Vec<(Model, String)>,
    kernels: Vec<(SourceFile, Vec<Compiled>)>,
    seen: BTreeSet<String>,
    mistakes: SessionError,
    warnings: SessionWarnings,
    /// The path of the engine, if kernels take and return its matrices.
    engine: Option<String>,
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
            session.level_elsewhere(level);
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
        for (model, _) in self.models(&file, None) {
            self.scope.kinds.add(Arc::new(StoreLevel::of(&model)));
        }
    }

    /// Puts in scope a level that no schema describes and whose Rust is written by hand; it is read and assembled as an ordered
    /// store is.
    pub fn level_elsewhere(&mut self, name: &str) {
        self.scope.kinds.add(Arc::new(StoreLevel::by_hand(name)));
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
        if self.seen.len() >= MOST_FILES || !self.seen.insert(file.name.clone()) {
            return;
        }
        if is_schema(&file) {
            let models = self.models(&file, None);
            self.keep(&file, models);
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

    fn compile(&mut self, file: &SourceFile, source: &Source) {
        for item in &source.items {
            if let Item::Store(text) = item {
                let models = self.models(file, Some(text.span));
                self.keep(file, models);
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

    /// The routine that converts tensors of one format, with values of type `value`, to another.
    ///
    /// # Errors
    ///
    /// What cannot be converted.
    pub fn conversion(
        &self,
        source: &crate::format::Format,
        target: &crate::format::Format,
        value: crate::notation::ast::ValueType,
    ) -> Result<crate::convert::Conversion, crate::convert::ConvertError> {
        crate::convert::convert(source, target, value)
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
    fn models(&mut self, file: &SourceFile, part: Option<crate::diagnostic::Span>) -> Vec<(Model, String)> {
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
        for store in &stores {
            match schema::check(store, stem(&file.name)) {
                Ok(model) => {
                    let text = part.map_or(&file.text[..], |p| &file.text[p.start..p.end]);
                    models.push((model, text.to_owned()));
                }
                Err(mistakes) => self.report(file, mistakes),
            }
        }
        models
    }

    fn keep(&mut self, file: &SourceFile, models: Vec<(Model, String)>) {
        for (model, text) in models {
            if self.stores.iter().any(|(other, _)| other.name == model.name) {
                let message = format!("there are two stores called `{}` in this session", model.name);
                self.report(file, Diagnostic::new(0..0, message).help("call one of them something else").into());
                continue;
            }
            self.scope.kinds.add(Arc::new(StoreLevel::of(&model)));
            self.stores.push((model, text));
        }
    }

    fn report(&mut self, file: &SourceFile, mistakes: Diagnostics) {
        if !mistakes.is_empty() {
            self.mistakes.0.push((file.clone(), mistakes));
        }
    }

    /// The modules of everything added: stores in the order of the text, then the kernels of each file. `runtime` is the path of
    /// the runtime crate as they see it.
    ///
    /// # Errors
    ///
    /// All mistakes in all files.
    pub fn finish(mut self, runtime: &str) -> Result<Vec<Module>, SessionError> {
        let mut modules: Vec<Module> = Vec::new();
        let own: Vec<String> = self.stores.iter().map(|(model, _)| model.name.clone()).collect();
        for (model, text) in std::mem::take(&mut self.stores) {
            match store::generate(&model, runtime, Some(&text)) {
                Ok(rust) => modules.push(Module { name: model.name.clone(), content: Content::Store, rust }),
                Err(mistakes) => {
                    let file = SourceFile::new(format!("store {}", model.name), text);
                    self.report(&file, mistakes.into());
                }
            }
        }
        for (file, kernels) in std::mem::take(&mut self.kernels) {
            let name = stem(&file.name).replace('-', "_");
            // The text of a macro is no file, and needs no module.
            if syn::parse_str::<syn::Ident>(&name).is_err() && !name.ends_with('!') {
                let message = format!("the kernels of this file become the module `{name}`, which is no name in Rust");
                self.report(
                    &file,
                    Diagnostic::new(kernels[0].span, message).help("call the file something else").into(),
                );
                continue;
            }
            if let Some(other) = modules.iter().find(|other| other.name == name) {
                let what = match other.content {
                    Content::Store => "a store",
                    Content::Kernels => "another file with kernels",
                };
                let message =
                    format!("the kernels of this file become the module `{name}`, which {what} is called as well");
                self.report(
                    &file,
                    Diagnostic::new(kernels[0].span, message).help("call the file something else").into(),
                );
                continue;
            }
            let engine = self.engine.as_ref().map(|path| emit::Engine {
                path: path.clone(),
                by_hand: pleach_catalog::LEVELS.iter().map(|&level| level.to_owned()).collect(),
                stores: own.clone(),
                beside: if name.ends_with('!') { "self" } else { "super" }.to_owned(),
            });
            match compile::rust(&kernels, &emit::Options { runtime: runtime.into(), engine }) {
                Ok(rust) => modules.push(Module { name, content: Content::Kernels, rust }),
                Err(mistakes) => self.report(&file, mistakes),
            }
        }
        if self.mistakes.0.is_empty() { Ok(modules) } else { Err(self.mistakes) }
    }
}

/// Whether a file holds node schemas and nothing else.
fn is_schema(file: &SourceFile) -> bool {
    file.name.ends_with(".schema")
}

/// A file's name without folder and ending.
fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "def list { e : elem nonempty  n : list  seq = e, n }\ndef list_head { h : list  seq = h }\n";

    fn nothing(path: &str, _: &str) -> std::io::Result<SourceFile> {
        Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("no {path} here")))
    }

    #[test]
    fn stores_become_modules_wherever_they_stand() {
        let mut session = Session::new();
        session.add(SourceFile::new("src/mine.schema", LIST), &mut nothing);
        let text = format!("use \"more.pleach\"\nstore other {{ {LIST} }}\nformat rows(i, j) = i: dense, j: other\n");
        let more = "format cols(i, j) = j: dense, i: mine\n";
        session.add(SourceFile::new("all.pleach", text), &mut |path, from| {
            assert_eq!((path, from), ("more.pleach", "all.pleach"));
            Ok(SourceFile::new(path, more))
        });
        let modules = session.finish("::pleach_runtime").unwrap();
        assert_eq!(modules.iter().map(|m| &m.name[..]).collect::<Vec<_>>(), ["mine", "other"]);
        assert!(modules[0].rust.contains("pub struct Mine<"), "{}", modules[0].rust);
    }

    #[test]
    fn kernels_become_functions_of_a_module_named_after_their_file() {
        let mut session = Session::bundled();
        let text = "format mine(i, j) = i: dense, j: compressed\n\
                    kernel spmv(y: dense, A: mine | aspen, x: dense) {\n  y(i) = A(i,j)\n     * x(j)\n}\n\
                    kernel dot(x: dense, y: dense) -> t: f64 { t = x(i) * y(i) }\n";
        session.add(SourceFile::new("src/my-kernels.pleach", text), &mut nothing);
        assert_eq!(
            session.kernels().map(|k| &k.kernel.name[..]).collect::<Vec<_>>(),
            ["spmv_mine", "spmv_aspen", "dot"]
        );
        let modules = session.finish("::pleach::runtime").unwrap();
        let [Module { name, content: Content::Kernels, rust }] = &modules[..] else { panic!("{modules:?}") };
        assert_eq!(name, "my_kernels");
        for part in [
            "/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed\n",
            "pub fn spmv_mine(\n    y: &mut [f64],\n    a: MineView<'_, f64>,\n    x: &[f64],\n)",
            "    a: &impl ::pleach::runtime::Rows<Value = f64>,\n",
            "pub fn dot(",
            "-> Result<f64, ::pleach::runtime::kernel::ShapeError>",
        ] {
            assert!(rust.contains(part), "{part}: {rust}");
        }
    }

    #[test]
    fn kernels_that_cannot_be_are_mistakes_in_their_file() {
        for (name, text, message) in [
            ("a.pleach", "kernel f(y: dense, A: csr) { y(i) = A(j,i) * B(j) }", "there is no tensor"),
            ("7.pleach", "kernel f(x: dense) -> t: f64 { t = x(i) }", "which is no name in Rust"),
            (
                "list.pleach",
                "store list { def list { e : elem nonempty  n : list  seq = e, n }  def head { h : list  seq = h } }\n\
                 kernel f(x: dense) -> t: f64 { t = x(i) }",
                "which a store is called as well",
            ),
            (
                "a.pleach",
                "kernel f(A: csr | csc, x: dense) -> t: f64 { t = A(i,j) * x(j) }\n\
                 kernel f_csc(x: dense) -> t: f64 { t = x(i) }",
                "there are two kernels called `f_csc`",
            ),
        ] {
            let mut session = Session::bundled();
            session.add(SourceFile::new(name, text), &mut nothing);
            let error = session.finish("::pleach_runtime").unwrap_err().to_string();
            assert!(error.contains(message) && error.contains(name), "{error}");
        }
    }

    #[test]
    fn a_matrix_by_columns_is_not_passed_as_rows() {
        let mut session = Session::bundled();
        let text = "format fr(i, j) = j: dense, i: ctree\nformat trees(i, j) = j: bst, i: ctree\n\
                    kernel f(y: dense, A: fr | trees | (dense, ctree), x: dense) { y(i) = A(i,j) * x(j) }\n";
        session.add(SourceFile::new("f.pleach", text), &mut nothing);
        let modules = session.finish("::pleach_runtime").unwrap();
        let rust = modules[0].rust.split_whitespace().collect::<String>();
        let of =
            |name: &str| rust.split(&format!("pubfn{name}(")).nth(1).unwrap().split("{").next().unwrap().to_owned();
        assert!(of("f_dense_ctree").contains("a:&impl::pleach_runtime::Rows<Value=f64>"), "{rust}");
        for name in ["f_fr", "f_trees"] {
            let signature = of(name);
            let ty = "a:::pleach_runtime::tensor::Arranged<::pleach_runtime::tensor::Tensor<2,(";
            assert!(signature.contains(ty), "{signature}");
            assert!(signature.contains("Stores<&impl::pleach_runtime::Rows<Value=f64>"), "{signature}");
            let index = |m| format!("::pleach_runtime::tensor::coordinate::Index<{m}>");
            assert!(signature.contains(&format!("({},{},)", index(1), index(0))), "{signature}");
        }
    }

    #[test]
    fn a_bad_format_is_reported_once_and_where_it_stands() {
        let mut session = Session::bundled();
        let formats = "format good(i, j) = i: dense, j: compressed\nformat bad(i, j) = i: dense, j: nosuch\n";
        session.declare(SourceFile::new("formats.pleach", formats));
        let kernels = "kernel f(A: bad, B: bad) -> t: f64 { t = A(i,j) * B(i,j) }\n\
                       kernel g(A: good | bad) -> C: bad { C(i,j) = A(i,j) }\n";
        session.add(SourceFile::new("kernels.pleach", kernels), &mut nothing);
        let error = session.finish("::pleach_runtime").unwrap_err().to_string();
        assert_eq!(error.matches("nosuch").count(), 2, "the message, and the line that it quotes: {error}");
        assert!(error.contains("formats.pleach:2:") && !error.contains("kernels.pleach"), "{error}");
    }

    #[test]
    fn mistakes_of_all_files_are_told_together() {
        let mut session = Session::new();
        session.add(SourceFile::new("a.schema", "def a { e : elem[N] }"), &mut nothing);
        session.add(SourceFile::new("b.pleach", "use \"c.pleach\"\nformat f(i) = i: nowhere\n"), &mut nothing);
        let error = session.finish("::pleach_runtime").unwrap_err().to_string();
        for part in ["a.schema:1:", "`c.pleach` cannot be read: no c.pleach here", "nowhere"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn files_that_use_each_other_are_compiled_once() {
        let mut session = Session::new();
        session.add(SourceFile::new("a.pleach", "use \"b.pleach\"\n"), &mut |path, _| {
            let other = if path == "a.pleach" { "b.pleach" } else { "a.pleach" };
            Ok(SourceFile::new(path, format!("use \"{other}\"\n")))
        });
        assert_eq!(session.finish("::pleach_runtime").unwrap(), []);
    }
}
