use pleach_refused::pleach;
use pleach_refused::pleach_runtime::tensor::{Compressed, Dense, Tensor};

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    kernel by_columns(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }
}

fn main() {
    let rows = Tensor { shape: [1, 1], levels: (Dense, Compressed { pos: &[0, 1][..], crd: &[0][..] }), vals: &[1.0][..] };
    let _ = by_columns(&mut [0.0], rows, &[1.0]);
}
