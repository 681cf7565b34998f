use pleach_refused::pleach;

pleach! {
    kernel sum(x: dense) -> t: f64 { t = x(i) }
    kernel sum(A: csr) -> t: f64 { t = A(i,j) }
}

fn main() {}
