use pleach_refused::pleach;

pleach! {
    kernel product(A: csr, B: csr) -> C: csr {
        forall(k, forall(i, forall(j, C(i,j) += A(k,i) * B(k,j))))
    }
}

fn main() {}
