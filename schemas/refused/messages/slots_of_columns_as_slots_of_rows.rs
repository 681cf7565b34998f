use pleach_refused::pleach;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    format columns(i, j) = (#j): sliced, j: dense, i: singleton(padded)
    kernel of_columns(y: dense, A: columns, x: dense) { y(i) += A(i,j) * x(j) }
    kernel of_rows(y: dense, A: ell, x: dense) { y(i) += A(i,j) * x(j) }
}

fn both(a: ColumnsView<'_, f64>) {
    let _ = of_columns(&mut [0.0], a, &[1.0]);
    let _ = of_rows(&mut [0.0], a, &[1.0]);
}

fn main() {}
