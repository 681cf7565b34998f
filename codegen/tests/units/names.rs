//! Rust names for the parts of a schema.

use pleach_codegen::{schema, store};

#[test]
fn names_that_rust_would_misread_are_changed() {
    for (node, link, expected) in [
        ("option", "type", ["struct OptionNode", "type_"]),
        ("v", "next", ["struct VNode", "next"]),
        ("rb_tree", "next", ["struct RbTree", "next"]),
    ] {
        let text = format!(
            "def {node} {{ e : elem nonempty  {link} : {node}  seq = e, {link} }}  def head {{ h : {node}  seq = h }}"
        );
        let stores = schema::parse(&text).unwrap();
        let model = schema::check(&stores[0], "mine").unwrap_or_else(|why| panic!("{}", why.render("test", &text)));
        let rust = store::generate(&model, store::RUNTIME, None).unwrap();
        for part in expected {
            assert!(rust.contains(part), "{part}: {rust}");
        }
    }
}
