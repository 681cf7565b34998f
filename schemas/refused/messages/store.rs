use pleach_refused::pleach;

pleach! {
    store mine {
        def list { e : elem nonempty  n : lists  seq = e, n }
        def list_head { h : list  seq = h }
    }
}

fn main() {}
