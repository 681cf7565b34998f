//! When the search for a coordinate may end early: only where nothing behind a run can be smaller.

use pleach_codegen::{schema, store};

fn generated(text: &str) -> String {
    let stores = schema::parse(text).unwrap();
    let model = schema::check(&stores[0], "mine").unwrap_or_else(|why| panic!("{}", why.render("test", text)));
    store::generate(&model, store::RUNTIME, None).unwrap()
}

#[test]
fn what_is_in_no_order_is_searched_to_its_end() {
    let every_run = "match run.search_unordered(coord) {";
    let ends_early = "Search::After =>";
    for text in [
        // Children in an array come in any order, in a sequence of their own or none.
        "def head { r : n  seq = r }  def n { e : elem nonempty  c : n[4]  seq = e, c }",
        "def head { h : n }  def n { c : leaf[4] }  def leaf { e : elem[k] nonempty  k : size  seq = {e} }",
        // An unordered array with gaps is taken in several runs.
        "def head { h : n  seq = h }  def n { l : n  e : elem[4]  r : n  seq = l, e, r }",
    ] {
        let rust = generated(text);
        assert!(rust.contains(every_run) && !rust.contains(ends_early), "{text}: {rust}");
    }
    let ordered = "def head { h : n  seq = h }  def n { l : n  e : elem  r : n  seq = l, e, r }";
    assert!(generated(ordered).contains(ends_early));
}
