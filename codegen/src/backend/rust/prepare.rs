//! A kernel before it is emitted: slices are called what their tensors are, and say how long they are.

use crate::ir::convention::Form;
use crate::ir::kernel::Kernel;
use crate::ir::passes::lengths;

/// The kernel with the extents of slices taken from the slices, which are called what their tensors are.
pub(super) fn prepare(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    // A kernel that was not simplified is printed, too, and a slice is passed without its extent.
    lengths::run(&mut kernel);
    let forms: Vec<Form> = kernel.params.iter().chain(&kernel.results).map(|tensor| kernel.form(tensor)).collect();
    let passed = kernel.params.len();
    for (at, (tensor, form)) in kernel.params.iter_mut().chain(&mut kernel.results).zip(forms).enumerate() {
        match form {
            Form::Slice(vals) => {
                kernel.vars.rename(vals, tensor.name.to_lowercase());
                tensor.fields.retain(|field| field.var == vals);
            }
            Form::Rows(stores) if at < passed => kernel.vars.rename(stores, tensor.name.to_lowercase()),
            Form::Rows(_) | Form::Fields | Form::Whole => {}
        }
    }
    kernel
}
