use pleach_macros::pleach;

pleach! {
    kernel band(A: csr) -> C: dia { C(i,j) = A(i,j) }
}

pleach! {
    kernel shares(A: csr) -> C: pam { C(i,j) = A(i,j) }
}

fn main() {}
