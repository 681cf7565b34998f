use pleach_refused::pleach;

pleach! {
    kernel spmv(y: dense, A: csr, x: dense) {
        y(i) = B(i,j) * x(j)
    }
}

fn main() {}
