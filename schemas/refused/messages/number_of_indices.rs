use pleach_refused::pleach;

pleach! {
    kernel spmv(y: dense, A: csr, x: dense) {
        y(i) = A(i,j) * x(i,j)
    }
}

pleach! {
    kernel scale(A: csr, x: dense) -> C: csr { C(i,j) = x(i) * A(i) }
}

fn main() {}
