// A macro warns by the use of a deprecated constant.
#![deny(deprecated)]

use pleach_macros::pleach;

pleach! {
    #![runtime = ::pleach_runtime]
    kernel common(A: csr, B: csr) -> C: matrix { C(i,j) = max(A(i,k) * B(j,k)) }
}

fn main() {}
