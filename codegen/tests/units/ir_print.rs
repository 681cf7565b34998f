//! The text form of kernels, kept as snapshots.

#[test]
fn the_text_form_is_stable() {
    for kernel in crate::kernels::all() {
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
    let of = |reserved| {
        let names = names::Names::of(&kernel, reserved);
        [outer, inner, next, keyword].map(|var| names[var].to_owned())
    };
    assert_eq!(of(&[]), ["j", "j2", "j", "where"]);
    assert_eq!(of(&["where"]), ["j", "j2", "j", "where_"]);
    // The backend for Rust reserves the keywords of Rust.
    assert!(kernel.to_string().contains("let where: usize = j"));
    let rust = pleach_codegen::backend::rust::source(&[kernel], &Default::default()).unwrap();
    assert!(rust.contains("let _where_ = j"), "{rust}");
}
