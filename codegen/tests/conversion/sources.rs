//! The Rust that is generated for common pairs, kept to be reviewed: analysis, assembly, no temporaries.

use pleach_codegen::backend::rust;

use crate::{between, scope};

fn rust(from: &str, to: &str) -> String {
    let conversion = between(&scope(), from, to);
    rust::source(&[conversion.kernel], &rust::Options::default()).unwrap_or_else(|why| panic!("{from} to {to}: {why}"))
}

macro_rules! kept {
    ($($name:ident $from:literal $to:literal;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), rust($from, $to));
        }
    )*};
}

kept! {
    csr_to_dia "csr" "dia";
    csr_to_ell "csr" "ell";
    coo_to_csr "coo" "csr";
    csr_to_csc "csr" "csc";
    csc_to_dia "csc" "dia";
    csc_to_ell "csc" "ell";
    coo_to_dia "coo" "dia";
    csr_to_bcsr "csr" "bcsr";
    csr_to_coo "csr" "coo";
    csr_to_dok "csr" "dok";
    csc_to_dok "csc" "dok";
    graph_to_csr "graph" "csr";
}

#[test]
fn the_analysis_of_ell_reads_only_ends_of_rows() {
    let rust = rust("csr", "ell");
    let (_, body) = rust.split_once("let a_vals = a.vals;").unwrap_or_else(|| panic!("{rust}"));
    let (analysis, assembly) = body.split_once("_crd = vec!").unwrap_or_else(|| panic!("{rust}"));
    assert!(analysis.contains("a_pos") && !analysis.contains("a_crd") && !analysis.contains("a_vals"), "{rust}");
    assert!(assembly.contains("a_crd") && assembly.contains("a_vals"), "{rust}");
}
