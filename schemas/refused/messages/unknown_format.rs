use pleach_refused::pleach;

pleach! {
    kernel spmv(y: dense, A: cbr, x: dense) { y(i) = A(i,j) * x(j) }
}

fn main() {}
