//! The Pleach compiler: it reads four small notations and writes Rust. It does not manage memory or threads, and works on text; only
//! [`Build`] reads and writes files.
//!
//! ```text
//!   store …    schema::parse ─► check ─► derive ─► store::generate ──────────────► Rust: structs, maps, iterators
//!   format …   notation::parse_source ─► format::check ─┐
//!   kernel …   notation::parse_source ─► resolve ───────┴─► concrete index notation ─► plan ─► lower ─► ir::Kernel
//!
//!   ir::Kernel ─► passes ───┬─► ir::interpret      runs it, no compiler at hand
//!                           └─► backend::rust      Rust: functions over slices, tensors and stores
//! ```
//!
//! The module [`compile`] lists the stages of a kernel as calls. [`session::Session`] runs them over files that name each other; [`Build`]
//! does so from a build script, the `pleach!` macro in place. Every stage has a printable form. From a store's text to its Rust:
//!
//! ```
//! use pleach_codegen::{schema, store};
//!
//! let text = "def list { e : elem nonempty  n : list  seq = e, n }  def list_head { h : list  seq = h }";
//! let stores = schema::parse(text)?;
//! let model = schema::check(&stores[0], "mine")?;
//! let rust = store::generate(&model, store::RUNTIME, None).unwrap();
//! assert!(rust.contains("pub struct Mine<"));
//! # Ok::<(), pleach_codegen::diagnostic::Diagnostics>(())
//! ```
//!
//! and from a kernel in the IR to a result, and to Rust:
//!
//! ```
//! use pleach_codegen::backend::rust;
//! use pleach_codegen::ir::interpret::{Compile, Limits, Value};
//! use pleach_codegen::ir::*;
//!
//! let mut vars = Vars::new();
//! let (y, x) = (vars.fresh("y", Type::array(Scalar::F64)), vars.fresh("x", Type::array(Scalar::F64)));
//! let i = vars.fresh("i", Scalar::Usize);
//! let tensor = |name: &str, access, var| Tensor {
//!     name: name.into(),
//!     format: "i: dense".into(),
//!     layout: None,
//!     access,
//!     fields: vec![Field { name: "vals".into(), level: None, var }],
//! };
//! let mut kernel = Kernel {
//!     name: "accumulate".into(),
//!     doc: vec!["y(i) += x(i)".into()],
//!     functions: vec![],
//!     params: vec![tensor("y", Access::Write, y), tensor("x", Access::Read, x)],
//!     checks: vec![ShapeCheck {
//!         left: len(y),
//!         left_name: "`y` along `i`".into(),
//!         right: len(x),
//!         right_name: "`x` along `i`".into(),
//!     }],
//!     body: Stmt::count(i, usize(0), len(x), Stmt::StoreUpdate(y, var(i), Reduce::Add, load(x, i))).into(),
//!     results: vec![],
//!     vars,
//! };
//! kernel.simplify();
//!
//! let mut arguments = [vec![1.0, 2.0].into(), vec![10.0, 20.0].into()];
//! Compile::new().compile(&kernel)?.run(&mut arguments, Limits::default())?;
//! assert_eq!(arguments[0], vec![11.0, 22.0].into());
//!
//! let rust = rust::source(&[kernel], &rust::Options::default())?;
//! assert!(rust.contains("for (y_i, &x_i) in y.iter_mut().zip(x)"), "{rust}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | compile files from a build script | [`Build`] |
//! | compile texts and files that name each other | [`session::Session`] |
//! | parse and check a store, and write its Rust | [`schema::parse`], [`schema::check`], [`store::generate`] |
//! | compile a kernel, and see each stage | [`compile::compile`], [`compile::stages`] |
//! | write the Rust of kernels | [`compile::rust`] |
//! | run a kernel without rustc | [`ir::interpret`] |
//! | show a mistake with its place | [`diagnostic::Diagnostics`] |

#![forbid(unsafe_code)]

pub mod backend;
pub mod build;
mod checks;
pub mod compile;
pub mod convert;
pub mod derive;
pub mod diagnostic;
mod explain;
pub mod expression;
pub mod format;
pub mod ir;
pub mod kernel;
pub mod lattice;
pub mod level;
pub mod lower;
pub mod notation;
pub mod plan;
pub mod reference;
pub mod schema;
pub mod session;
pub mod store;
pub mod tensor;

pub use build::Build;
