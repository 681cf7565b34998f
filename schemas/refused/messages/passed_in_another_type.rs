use pleach_refused::pleach;

pleach! {
    #![runtime = ::pleach_refused::pleach_runtime]
    kernel sum(x: dense) -> t: f64 { t = x(i) }
}

fn main() {
    let _ = sum(&[1.0f32, 2.0]);
}
