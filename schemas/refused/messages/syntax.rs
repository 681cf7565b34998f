use pleach_refused::pleach;

pleach! {
    kernel spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * * x(j) }
}

pleach! {
    kernel spmv(y: dense, A: csr, x: dense)
}

pleach! {
    kernal spmv(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }
}

fn main() {}
