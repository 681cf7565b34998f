//! Parameters that are written belong to the caller: they are written in place, and so must be dense.

use super::concrete::{Kernel, Role, Stmt, TensorId};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::Format;

/// Refuses parameters that are written and cannot be written in place.
pub(crate) fn check_written(kernel: &Kernel, statements: &[Stmt]) -> Result<(), Diagnostics> {
    let written = kernel.written(statements);
    let params = kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param);
    for (_, tensor) in params.filter(|(at, _)| written.contains(&TensorId(*at))) {
        if tensor.format.as_ref().is_some_and(Format::is_written_in_place) {
            continue;
        }
        let mistake = Diagnostic::new(tensor.span, format!("`{}` cannot be written in place", tensor.name));
        return Err(match &tensor.format {
            None => mistake.help("a scalar is returned: `-> t: f64`"),
            Some(format) => mistake
                .note(format!("its format is {format}"))
                .help("only dense tensors are written in place; return it as a result: `-> C: csr`")
                .help("or write the statement without loops: the kernel then returns the tensor with its new values"),
        }
        .into());
    }
    Ok(())
}
