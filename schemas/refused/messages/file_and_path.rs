use pleach_refused::pleach;

pleach! {
    use "nowhere.pleach"
}

pleach! {
    #![plaech = ::graphs::pleach]
    kernel sum(x: dense) -> t: f64 { t = x(i) }
}

fn main() {}
