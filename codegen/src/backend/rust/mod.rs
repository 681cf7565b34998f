//! Kernel IR to Rust.
//!
//! ```text
//!   Kernel ──► tokens (kernel · stmt · expr · walk · parallel) ──► syn ──► prettyplease ──► comments ──► source
//! ```
//!
//! Everything is built from tokens and parsed before it is printed, so what comes out is Rust by construction. Loops along arrays become
//! iterators over slices (`walk`), and parallel loops calls of the runtime with the output dealt out to tasks, so that emitted kernels need
//! no `unsafe`. What makes a kernel faster is decided before, by the passes over the IR: here it gets its words.

mod aliases;
mod comments;
mod embed;
mod entries;
mod expr;
mod gather;
mod item;
mod literal;
mod parallel;
mod prepare;
mod reserved;
mod shared;
mod signature;
mod stmt;
mod stores;
mod tensor_type;
mod walk;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::quote;

use self::aliases::Aliases;
pub use self::comments::text_of;
pub use self::embed::quiet;
use self::reserved::RESERVED;
use crate::ir::check::CheckError;
use crate::ir::expr::{Expr, UnaryOp};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::names::Names;
use crate::ir::stmt::Stmt;

/// Why a kernel could not become Rust.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The kernel is not valid.
    #[error("invalid kernel `{kernel}`: {error}")]
    Invalid {
        /// The kernel.
        kernel: String,
        /// What is wrong with it.
        error: CheckError,
    },
    /// Tokens that are no Rust: a name or path that came from outside, or a mistake in the compiler.
    #[error("the emitted tokens are not Rust: {0}")]
    Syntax(String),
    /// Something that the IR can say and the runtime cannot do.
    #[error("kernel `{kernel}` needs {what}, which there is no Rust for")]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// What it needs.
        what: String,
    },
    /// More arrays are owned by one parallel loop than the runtime can deal out.
    #[error("a parallel loop of `{0}` writes more than 8 arrays")]
    TooManyArrays(String),
}

/// The path of the runtime crate in a program that depends on it.
pub const RUNTIME: &str = "::pleach_runtime";

/// Options of the emitted code.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Path of the runtime crate as the emitted code sees it: [`RUNTIME`], the default, or a re-export.
    pub runtime: String,
    /// Kernels take and return the matrices of the engine, and not only the runtime's tensors. By default they do not.
    pub engine: Option<Engine>,
}

impl Default for Options {
    fn default() -> Options {
        Options { runtime: RUNTIME.into(), engine: None }
    }
}

impl Options {
    /// The path of the runtime crate.
    #[must_use]
    pub fn with_runtime(mut self, runtime: impl Into<String>) -> Self {
        self.runtime = runtime.into();
        self
    }
}

/// The engine, for kernels that take and return its matrices.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Path of the engine's crate as the emitted code sees it: `::pleach`.
    pub path: String,
    /// The levels that the runtime keeps by hand: `packed`.
    pub by_hand: Vec<String>,
    /// The stores that are generated beside the kernels, each in a module of its own name. All others are bundled.
    pub stores: Vec<String>,
    /// Whether the kernels are in a module of their own, beside these modules.
    pub in_module: bool,
}

/// The functions for a list of kernels as tokens, without comments.
///
/// # Errors
///
/// [`EmitError`] if a kernel is not valid or a path is none.
pub fn tokens(kernels: &[Kernel], options: &Options) -> Result<TokenStream, EmitError> {
    items(kernels, options, false)
}

/// The functions for a list of kernels as formatted source.
///
/// # Errors
///
/// [`EmitError`] if a kernel is not valid or a path is none.
pub fn source(kernels: &[Kernel], options: &Options) -> Result<String, EmitError> {
    format(items(kernels, options, true)?)
}

/// Formats items; comment markers become comments.
///
/// # Errors
///
/// [`EmitError::Syntax`] if the tokens are not a list of items.
pub fn format(tokens: TokenStream) -> Result<String, EmitError> {
    let file: syn::File = syn::parse2(tokens).map_err(|e| EmitError::Syntax(e.to_string()))?;
    Ok(comments::restore(&prettyplease::unparse(&file)))
}

fn items(kernels: &[Kernel], options: &Options, comments: bool) -> Result<TokenStream, EmitError> {
    let runtime: syn::Path = syn::parse_str(&options.runtime).map_err(|e| EmitError::Syntax(e.to_string()))?;
    let aliases = RefCell::new(Aliases::default());
    let mut functions = TokenStream::new();
    for kernel in kernels {
        kernel.check().map_err(|error| EmitError::Invalid { kernel: kernel.name.clone(), error })?;
        let kernel = prepare::prepare(kernel);
        let emitter = Emitter::new(&kernel, quote!(#runtime), comments, &aliases);
        functions.extend(match &options.engine {
            Some(engine) => emitter.embedded(engine)?,
            None => emitter.function()?,
        });
    }
    let aliases = aliases.take().items.into_values();
    Ok(quote!(#(#aliases)* #functions))
}

/// What is known while one kernel is emitted.
struct Emitter<'a> {
    kernel: &'a Kernel,
    runtime: TokenStream,
    names: Names,
    /// For each variable, whether it is changed after its declaration.
    changed: Vec<bool>,
    /// For each variable, whether it is read or changed at all.
    used: Vec<bool>,
    comments: bool,
    /// Variables and arrays on whose values methods are called.
    receivers: HashSet<Var>,
    /// Whether literals say their type.
    suffixes: Cell<bool>,
    /// A variable and what stands for it just now.
    stand_in: RefCell<Option<(Var, TokenStream)>>,
    /// Elements that are written under their names, which are places then.
    places: HashSet<Var>,
    /// Parts of arrays that have names, and whether they are written.
    named_parts: HashMap<Var, bool>,
    /// Arrays that the task that is being emitted has as slices.
    slices: RefCell<HashSet<Var>>,
    /// Arrays that the next parallel loop makes, and their lengths.
    uncleared: RefCell<HashMap<Var, Expr>>,
    /// Arrays that are shared as atomics.
    shared: RefCell<HashSet<Var>>,
    /// What the function uses of the runtime's `kernel` module.
    imports: RefCell<BTreeSet<&'static str>>,
    /// Aliases of tensors' types that the module needs.
    aliases: &'a RefCell<Aliases>,
}

impl<'a> Emitter<'a> {
    fn new(kernel: &'a Kernel, runtime: TokenStream, comments: bool, aliases: &'a RefCell<Aliases>) -> Emitter<'a> {
        let mut changed = vec![false; kernel.vars.len()];
        let mut used = vec![false; kernel.vars.len()];
        let (mut places, mut named_parts) = (HashSet::new(), HashMap::new());
        kernel.body.visit(&mut |stmt| {
            match stmt {
                Stmt::Along { walked, .. } => places.extend(walked.iter().filter(|w| w.written).map(|w| w.element)),
                Stmt::Slice { slice, written, .. } => {
                    named_parts.insert(*slice, *written);
                }
                _ => {}
            }
            for v in stmt.writes() {
                changed[v.0 as usize] = true;
                used[v.0 as usize] = true;
            }
            for v in stmt.own_reads() {
                used[v.0 as usize] = true;
            }
        });
        let mut read = |e: &Expr| {
            e.visit(&mut |e| {
                for v in e.own_vars() {
                    used[v.0 as usize] = true;
                }
            });
        };
        kernel.body.visit(&mut |stmt| stmt.exprs().into_iter().for_each(&mut read));
        for check in &kernel.checks {
            read(&check.left);
            read(&check.right);
        }
        for field in kernel.result_fields() {
            used[field.var.0 as usize] = true;
        }
        Emitter {
            kernel,
            runtime,
            names: Names::of(kernel, RESERVED),
            changed,
            used,
            comments,
            receivers: receivers(kernel),
            suffixes: Cell::new(false),
            stand_in: RefCell::default(),
            places,
            named_parts,
            slices: RefCell::default(),
            uncleared: RefCell::default(),
            shared: RefCell::default(),
            imports: RefCell::default(),
            aliases,
        }
    }

    fn ident(&self, var: Var) -> Ident {
        Ident::new(&self.names[var], Span::call_site())
    }

    /// The identifier where the variable is bound: with an underscore in front if nobody looks at it.
    fn binding(&self, var: Var) -> Ident {
        if self.used[var.0 as usize] {
            self.ident(var)
        } else {
            Ident::new(&format!("_{}", &self.names[var]), Span::call_site())
        }
    }

    /// The name of something in the runtime's `kernel` module, which the function then imports.
    fn import(&self, name: &'static str) -> Ident {
        debug_assert!(
            RESERVED.contains(&name) || name.starts_with(|first: char| first.is_ascii_uppercase()),
            "a variable may be called `{name}`, too"
        );
        self.imports.borrow_mut().insert(name);
        Ident::new(name, Span::call_site())
    }

    fn changes(&self, var: Var) -> bool {
        self.changed[var.0 as usize]
    }

    fn block(&self, stmts: &[Stmt]) -> Result<TokenStream, EmitError> {
        let mut all = TokenStream::new();
        let mut rest = stmts;
        while let [stmt, further @ ..] = rest {
            rest = further;
            if let [next, behind @ ..] = further
                && let Some(tokens) = self.folded_row(stmt, next)?
            {
                all.extend(tokens);
                rest = behind;
            } else {
                all.extend(self.stmt(stmt)?);
            }
        }
        Ok(all)
    }

    fn unsupported<T>(&self, what: &str) -> Result<T, EmitError> {
        Err(EmitError::Unsupported { kernel: self.kernel.name.clone(), what: what.into() })
    }
}

/// Tokens in braces. What stands in a group is shared where it is interpolated, and what stands outside of one is copied token by token.
fn braced(tokens: TokenStream) -> Group {
    Group::new(Delimiter::Brace, tokens)
}

/// Tokens in square brackets.
fn bracketed(tokens: TokenStream) -> Group {
    Group::new(Delimiter::Bracket, tokens)
}

/// Tokens one after the other, moved and not copied.
fn joined(parts: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| all.extend(part));
    all
}

/// The variables and arrays whose values `abs` and `sqrt` are called on, which are methods of floats in Rust.
fn receivers(kernel: &Kernel) -> HashSet<Var> {
    let mut found = HashSet::new();
    let source = |e: &Expr| match e {
        Expr::Var(v) | Expr::Load(v, _) => Some(*v),
        _ => None,
    };
    kernel.body.visit_exprs(&mut |e| {
        if let Expr::Unary(UnaryOp::Abs | UnaryOp::Sqrt, x) = e {
            found.extend(source(x));
        }
    });
    // What is copied has the type of what it is copied from, and what is part of an array that of the array.
    let mut before = usize::MAX;
    while before != found.len() {
        before = found.len();
        kernel.body.visit(&mut |stmt| match stmt {
            Stmt::Let(v, x) if found.contains(v) => found.extend(source(x)),
            Stmt::Slice { slice, array, .. } if found.contains(slice) => {
                found.insert(*array);
            }
            Stmt::Along { walked, .. } => {
                let named: Vec<Var> = walked.iter().filter(|w| found.contains(&w.element)).map(|w| w.array).collect();
                found.extend(named);
            }
            _ => {}
        });
    }
    found
}
