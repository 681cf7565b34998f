// A macro warns by the use of a deprecated constant.
#![deny(deprecated)]

use pleach_refused::pleach;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    // `x(k)` was typed for `x(j)`.
    kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(k) }
}

fn main() {}
