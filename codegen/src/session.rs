//! A compile session: the files of one build, or one `pleach!` block with what it names, and the Rust that comes of them.
//!
//! ```text
//!   file ── parse ──┬─ store …    ──► check ──► model ──► Rust module
//!                   ├─ format …   ──┐
//!                   ├─ function … ──┼─► declarations ──► kernels are resolved against them
//!                   ├─ semiring … ──┘
//!                   └─ use "…"    ──► more files
//! ```
//!
//! What is bundled is put in scope first; a later declaration of the same name hides an earlier one.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::level::StoreLevel;
use crate::notation::ast::{Item, Source};
use crate::notation::{Declarations, parse_source, resolve};
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

/// One generated module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name: the store's.
    pub name: String,
    /// Its content: formatted Rust items.
    pub rust: String,
}

/// What is in scope, and what is to be generated.
pub struct Session {
    scope: Declarations,
    stores: Vec<(Model, String)>,
    seen: BTreeSet<String>,
    mistakes: SessionError,
}

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
            seen: BTreeSet::new(),
            mistakes: SessionError::default(),
        }
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
        for item in &source.items {
            if let Item::Kernel(kernel) = item {
                match resolve(kernel, &self.scope) {
                    Ok(_) => mistakes.push(
                        Diagnostic::new(kernel.name.span, "kernels cannot be compiled to Rust yet")
                            .help("stores, formats, functions and semirings of this file can"),
                    ),
                    Err(wrong) => mistakes.extend(wrong),
                }
            }
        }
        self.report(file, mistakes);
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

    /// The modules of everything added, in the order of the text. `runtime` is the path of the runtime crate as they see it.
    ///
    /// # Errors
    ///
    /// All mistakes in all files.
    pub fn finish(mut self, runtime: &str) -> Result<Vec<Module>, SessionError> {
        let mut modules = Vec::new();
        for (model, text) in std::mem::take(&mut self.stores) {
            let options = store::Options { runtime: runtime.into(), source: Some(text.clone()) };
            match store::generate(&model, &options) {
                Ok(rust) => modules.push(Module { name: model.name.clone(), rust }),
                Err(mistakes) => {
                    let file = SourceFile::new(format!("store {}", model.name), text);
                    self.report(&file, mistakes.into());
                }
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
