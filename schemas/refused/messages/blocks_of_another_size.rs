use pleach_refused::pleach;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    kernel by_twos(y: dense, A: bcsr<2, 2>, x: dense) { y(i) = A(i,j) * x(j) }
    kernel by_fours(y: dense, A: bcsr<4, 4>, x: dense) { y(i) = A(i,j) * x(j) }
}

fn both(a: Bcsr2x2View<'_, f64>) {
    let _ = by_twos(&mut [0.0], a, &[1.0]);
    let _ = by_fours(&mut [0.0], a, &[1.0]);
}

fn main() {}
