//! The Rust modules that a session generates.

use super::{Own, Session, SessionError, stem};
use crate::backend::rust;
use crate::diagnostic::Diagnostic;
use crate::{compile, store};

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

impl Session {
    /// The modules of everything added: stores in the order of the text, then the kernels of each file. `runtime` is the path of
    /// the runtime crate as they see it.
    ///
    /// # Errors
    ///
    /// All mistakes in all files.
    pub fn finish(mut self, runtime: &str) -> Result<Vec<Module>, SessionError> {
        let mut modules: Vec<Module> = Vec::new();
        let own: Vec<String> = self.stores.iter().map(|store| store.model.name.clone()).collect();
        for Own { file, model, text, .. } in std::mem::take(&mut self.stores) {
            match store::generate(&model, runtime, Some(&text)) {
                Ok(rust) => modules.push(Module { name: model.name.clone(), content: Content::Store, rust }),
                Err(mistakes) => self.report(&file, mistakes.into()),
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
            let engine = self.engine.as_ref().map(|path| rust::Engine {
                path: path.clone(),
                by_hand: pleach_catalog::LEVELS.iter().map(|&level| level.to_owned()).collect(),
                stores: own.clone(),
                in_module: !name.ends_with('!'),
            });
            match compile::rust(&kernels, &rust::Options { runtime: runtime.into(), engine }) {
                Ok(rust) => modules.push(Module { name, content: Content::Kernels, rust }),
                Err(mistakes) => self.report(&file, mistakes),
            }
        }
        if self.mistakes.0.is_empty() { Ok(modules) } else { Err(self.mistakes) }
    }
}
