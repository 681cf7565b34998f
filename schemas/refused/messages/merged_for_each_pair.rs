// A macro warns by the use of a deprecated constant.
#![deny(deprecated)]

use pleach_refused::pleach;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    kernel sum(A: csr, B: csr, D: csr) -> C: csr { C(i,j) = D(i,j) + A(i,k) * B(j,k) }
}

fn main() {}
