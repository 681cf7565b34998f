//! The whole pipeline as calls: from the text of a kernel to each backend.
//!
//! ```text
//!   text ── parse, resolve ──► a kernel for each choice of formats            resolve
//!             └─ check the order of loops, make loops explicit                Stages::statements
//!                  └─ check fills, plan ──► every choice, with its reason     Stages::plan
//!                       ├─ convert ─► a routine, where it only copies         Stages::conversion
//!                       └─ lower ──► IR                                       Stages::lowered
//!                            └─ passes ────► IR, short enough, or plan again  Stages::ir
//!                                 ├─ interpret   runs it                      ir::interpret
//!                                 └─ backend     prints Rust                  rust
//! ```
//!
//! A kernel is a tree before anything is compiled: the parser makes it from a file, and [`crate::expression`] around the statements of an
//! expression alone. The session, and through it the macro, the build helper and the command line, compiles kernels with the parts of
//! [`compile`], and prints them with [`rust()`]. Tests that look at a stage in between call [`stages`], which is a part of [`compile`]:
//! no pass can be left out.

use std::collections::BTreeMap;

use crate::backend::rust::{self, EmitError};
use crate::convert::{Conversion, of_kernel};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir;
use crate::kernel::{Compiled, documentation, hold_rows, sizes_without_type};
use crate::lower::{interface, lower};
use crate::notation::concrete::{Kernel, Stmt};
use crate::notation::unused::used_once;
use crate::notation::{Declarations, ast, check_fills, check_orders, concretize, pairs, resolve};
use crate::plan::{MOST_CASES, MOST_LENGTH, Plan, plan};

/// A kernel between the notation and the backends.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Names resolved; workspaces added.
    pub kernel: Kernel,
    /// Loops and reductions explicit: concrete index notation.
    pub statements: Vec<Stmt>,
    /// Every choice that was made.
    pub plan: Plan,
    /// The conversion that the kernel is, if it is one.
    pub conversion: Option<Conversion>,
    /// The IR: the routine of the conversion if there is one, otherwise the lowered plan.
    pub lowered: ir::Kernel,
    /// The IR after the passes.
    pub ir: ir::Kernel,
}

/// Compiles a kernel that stands in `text`: one for each choice among the formats of its parameters.
///
/// # Errors
///
/// Everything that is wrong with it, in the user's words.
pub fn compile(kernel: &ast::Kernel, text: &str, scope: &Declarations) -> Result<Vec<Compiled>, Diagnostics> {
    compile_for(kernel, text, scope, false)
}

/// The same as [`compile`]. In a kernel that is `embedded` in a program of the engine, results whose rows are stores are made with static
/// rows, of which the engine builds a matrix.
pub(crate) fn compile_for(
    kernel: &ast::Kernel,
    text: &str,
    scope: &Declarations,
    embedded: bool,
) -> Result<Vec<Compiled>, Diagnostics> {
    if syn::parse_str::<syn::Ident>(&kernel.name.text).is_err() {
        let message =
            format!("`{}` is a word of Rust, and cannot name the function that a kernel becomes", kernel.name);
        return Err(Diagnostic::new(kernel.name.span, message).help("call the kernel something else").into());
    }
    let mut mistakes = Diagnostics::new();
    let mut compiled: Vec<Compiled> = Vec::new();
    for resolved in resolve(kernel, scope)? {
        if embedded {
            mistakes.extend_new(sizes_without_type(&resolved));
        }
        let mut static_rows = resolved.clone();
        let held = if embedded { hold_rows(&mut static_rows) } else { BTreeMap::new() };
        match stages(&static_rows) {
            Ok(Stages { kernel: own, statements, plan, conversion, mut ir, .. }) => {
                ir.doc = documentation(kernel, &resolved, text);
                for result in &mut ir.results {
                    if let Some(layout) = &mut result.layout {
                        layout.held = held.get(&result.name).cloned();
                    }
                }
                let mut warnings = used_once(kernel);
                warnings.extend(statements.iter().flat_map(|stmt| pairs::costs(&own, stmt)));
                let span = kernel.name.span;
                compiled.push(Compiled { kernel: own, statements, plan, conversion, ir, span, warnings });
            }
            // What is wrong for one choice of formats is often wrong for all.
            Err(wrong) => mistakes.extend_new(wrong),
        }
    }
    mistakes.into_result(compiled)
}

/// A kernel whose names are resolved, up to the IR. Where the code for each case would be too long, it is planned again with fewer cases.
///
/// # Errors
///
/// What cannot be computed, in the user's words.
pub fn stages(kernel: &Kernel) -> Result<Stages, Diagnostics> {
    check_orders(kernel)?;
    check_fills(kernel)?;
    let mut own = kernel.clone();
    let statements = concretize(&mut own)?;
    let [most, fewer @ ..] = MOST_CASES;
    let mut stages = planned(&own, &statements, most)?;
    for most in fewer {
        if stages.ir.length() <= MOST_LENGTH {
            break;
        }
        let Ok(shorter) = planned(&own, &statements, most) else { continue };
        if shorter.ir.length() < stages.ir.length() {
            stages = shorter;
        }
    }
    Ok(stages)
}

/// A kernel whose loops are explicit, with at most `most_cases` cases for each of them.
fn planned(kernel: &Kernel, statements: &[Stmt], most_cases: usize) -> Result<Stages, Diagnostics> {
    let (kernel, statements) = (kernel.clone(), statements.to_vec());
    let plan = plan(&kernel, &statements, most_cases)?;
    // A kernel that only copies a tensor and would collect its entries is a conversion, if the levels of the result can be assembled without
    // a sort.
    let conversion = if plan.collects() { of_kernel(&kernel, || interface(&kernel, &plan)) } else { None };
    let lowered = conversion.as_ref().map_or_else(|| lower(&kernel, &plan), |conversion| conversion.kernel.clone());
    let mut ir = lowered.clone();
    // The routine of a conversion has been simplified where it was made.
    if conversion.is_none() {
        ir.simplify();
    }
    Ok(Stages { kernel, statements, plan, conversion, lowered, ir })
}

/// The Rust of kernels.
///
/// # Errors
///
/// The kernel that cannot become Rust, and why.
pub fn rust(kernels: &[Compiled], options: &rust::Options) -> Result<String, Diagnostics> {
    let all: Vec<ir::Kernel> = kernels.iter().map(|one| one.ir.clone()).collect();
    rust::source(&all, options).map_err(|error| {
        let of = match &error {
            EmitError::Invalid { kernel, .. }
            | EmitError::Unsupported { kernel, .. }
            | EmitError::TooManyArrays(kernel) => kernels.iter().find(|one| one.kernel.name == *kernel),
            EmitError::Syntax(_) => None,
        };
        match of.or(kernels.first()) {
            Some(kernel) => kernel.explain(&error).into(),
            None => Diagnostic::new(0..0, error.to_string()).into(),
        }
    })
}
