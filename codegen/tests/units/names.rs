//! Rust names for the parts of a schema.

use pleach_codegen::{schema, store};

/// The Rust of the one store in a text, or what is wrong with it.
fn generated(name: &str, text: &str) -> Result<String, String> {
    let stores = schema::parse(text).unwrap_or_else(|why| panic!("{}", why.render("test", text)));
    let model = schema::check(&stores[0], name).unwrap_or_else(|why| panic!("{}", why.render("test", text)));
    store::generate(&model, store::RUNTIME, None).map_err(|wrong| wrong[0].message.clone())
}

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
        let rust = generated("mine", &text).unwrap();
        for part in expected {
            assert!(rust.contains(part), "{part}: {rust}");
        }
    }
}

/// The names that the items of a module define twice, which Rust refuses.
fn defined_twice(items: &[syn::Item]) -> Vec<String> {
    let (mut names, mut twice) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            syn::Item::Struct(one) => {
                names.push(format!("type {}", one.ident));
                let fields = one.fields.iter().filter_map(|field| field.ident.as_ref());
                names.extend(fields.map(|field| format!("{}.{field}", one.ident)));
            }
            syn::Item::Enum(one) => {
                names.push(format!("type {}", one.ident));
                names.extend(one.variants.iter().map(|variant| format!("{}::{}", one.ident, variant.ident)));
            }
            syn::Item::Fn(one) => names.push(format!("fn {}", one.sig.ident)),
            syn::Item::Const(one) if one.ident != "_" => names.push(format!("const {}", one.ident)),
            syn::Item::Impl(one) if one.trait_.is_none() => {
                let syn::Type::Path(ty) = &*one.self_ty else { continue };
                let functions = one.items.iter().filter_map(|item| match item {
                    syn::ImplItem::Fn(function) => Some(&function.sig.ident),
                    _ => None,
                });
                names.extend(functions.map(|function| format!("{}::{function}()", ty.path.segments[0].ident)));
            }
            syn::Item::Mod(one) => twice.extend(one.content.iter().flat_map(|(_, items)| defined_twice(items))),
            _ => {}
        }
    }
    names.sort();
    twice.extend(names.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0].clone()));
    twice
}

#[test]
fn nothing_is_defined_twice() {
    let list = "def list { e : elem nonempty  n : list  seq = e, n }  def list_head { h : list  seq = h }";
    let tree = |fields: &str, seq: &str| {
        format!("def tree {{ l : tree  {fields}  r : tree  seq = {seq} }}  def tree_root {{ h : tree  seq = h }}")
    };
    for (name, text) in [
        // States of traversals are named after fields.
        ("mine", tree("a_b : tree  a__b : tree  aB : tree  e : elem nonempty", "l, a_b, a__b, e, aB, r")),
        ("mine", tree("e : elem nonempty  E : elem nonempty  e_2 : elem nonempty", "l, e, E, e_2, r")),
        ("mine", tree("e : elem nonempty  E : elem nonempty  e2 : elem nonempty", "l, e, E, e2, r")),
        // Parts of fields are named after fields.
        ("mine", tree("e : elem nonempty  l_link : bool  R_link : tree", "l, e, R_link, r")),
        ("mine", tree("E : elem nonempty  e_coord : uint32  e_value : uint8", "l, E, r")),
        ("mine", tree("N : size in [0, 4]  e : elem nonempty  t : elem[4]  t_slots : bool", "l, e, {t}, r")),
        ("mine", tree("N : size  e : elem nonempty  t : elem[N] nonempty  e_t : bool", "l, e, {t}, r")),
        ("mine", tree("N : size  e : elem nonempty  t : elem[N] nonempty delta  node_t_bytes : bool", "l, e, {t}, r")),
        ("mine", tree("e : elem nonempty  p : parent  set_parent : bool", "l, e, r")),
        ("mine", tree("e : elem nonempty  node_count : uint8  node_tail : bool  node_tag : bool", "l, e, r")),
        // The type of the store and the states of its traversals are in one module.
        ("step", list.to_owned()),
        ("place", list.to_owned()),
        ("copying", tree("e : elem nonempty", "l, e, r")),
        ("fold_step", tree("e : elem nonempty", "l, e, r")),
        ("storage_step", tree("e : elem nonempty", "l, e, r")),
    ] {
        let rust = generated(name, &text).unwrap();
        let file = syn::parse_file(&rust).unwrap();
        assert_eq!(defined_twice(&file.items), Vec::<String>::new(), "{name}: {text}");
    }
}

/// What makes a node takes elements and sizes under the names of their fields, and computes where arrays begin and end.
#[test]
fn no_variable_hides_what_makes_a_node() {
    let text = "store mine<B = 4> {
        def supertype tree
        def inner : tree {
            e : elem[x_at] nonempty  x : tree[x_at] nonempty  last : tree nonempty  x_at : size in [1, B]
            seq = {x, e}, last
        }
        def leaf : tree { e : elem[end] nonempty  end : size in [1, B]  seq = {e} }
        def root { r : tree }
    }";
    let rust = generated("mine", text).unwrap();
    for size in ["x_at_", "end_"] {
        assert!(rust.contains(&format!("fn offsets({size}: usize)")), "{size}: {rust}");
    }
    // A link is no argument.
    let list = "def list { e : elem nonempty  end : list  seq = e, end }  def list_head { h : list  seq = h }";
    let rust = generated("mine", list).unwrap();
    assert!(rust.contains("pub fn end_link<"), "{rust}");
}

#[test]
fn types_that_rust_would_call_the_same_are_refused_in_any_order() {
    let list = |name: &str| format!("def {name} {{ e : elem nonempty  n : {name}  seq = e, n }}  ");
    let handle = |name: &str, of: &str| format!("def {name} {{ h : {of}  seq = h }}  ");
    let supertype = "def supertype tree  def leaf : tree { e : elem nonempty }  ";
    for (text, ty) in [
        (list("list") + &handle("list_mut", "list"), "ListMut"),
        (handle("list_mut", "list") + &list("list"), "ListMut"),
        (format!("{supertype}{}", handle("tree_kind", "tree")), "TreeKind"),
        (format!("{}{supertype}", handle("tree_kind", "tree")), "TreeKind"),
        (format!("{supertype}{}", handle("tree_kind_mut", "tree")), "TreeKindMut"),
    ] {
        let wrong = generated("mine", &text).unwrap_err();
        assert!(wrong.starts_with("Rust would call both `") && wrong.ends_with(&format!("`{ty}`")), "{text}: {wrong}");
    }
    let tree = "def tree { l : tree  e : elem nonempty  r : tree  seq = l, e, r }  ";
    let wrong = generated("fold_tree", &format!("{tree}{}", handle("head", "tree"))).unwrap_err();
    assert_eq!(wrong, "the store `fold_tree` and the folds over `tree` would have the same name in Rust");
    let wrong = generated("a b", &(list("list") + &handle("head", "list"))).unwrap_err();
    assert_eq!(wrong, "the store is named `a b` after its file, which is no name in Rust");
}
