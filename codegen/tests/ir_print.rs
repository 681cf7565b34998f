//! The text form of kernels, kept as snapshots.

mod kernels;

#[test]
fn the_text_form_is_stable() {
    for kernel in kernels::all() {
        insta::assert_snapshot!(kernel.name.clone(), kernel.to_string());
    }
}

#[test]
fn names_are_unique_among_the_visible_and_shared_among_the_rest() {
    use pleach_codegen::ir::*;
    let mut vars = Vars::new();
    let (outer, inner, next) =
        (vars.fresh("j", Scalar::Usize), vars.fresh("j", Scalar::Usize), vars.fresh("J", Scalar::Usize));
    let keyword = vars.fresh("where", Scalar::Usize);
    let kernel = Kernel {
        functions: vec![],
        name: "k".into(),
        doc: vec![],
        params: vec![],
        checks: vec![],
        body: vec![
            Stmt::count(outer, usize(0), usize(2), Stmt::count(inner, usize(0), outer, Block::new())),
            Stmt::count(next, usize(0), usize(2), Stmt::Let(keyword, var(next))),
        ]
        .into(),
        results: vec![],
        vars,
    };
    let names = names::Names::of(&kernel);
    assert_eq!([&names[outer], &names[inner], &names[next], &names[keyword]], ["j", "j2", "j", "where_"]);
}
