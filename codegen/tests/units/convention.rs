//! What tensors are passed and returned as, as the calling convention prints it.

use std::sync::Arc;

use pleach_codegen::compile::compile;
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::level::{
    Capabilities, FieldKind, Level, Packed, Packing, Properties, Spot, StoreLevel, Switches, Walk,
};
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{Declarations, parse_source};
use pleach_codegen::session::Session;

fn convention(kernel: &str) -> String {
    let mut session = Session::bundled();
    session.add(SourceFile::new("kernel.pleach", kernel), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
    session.check().unwrap_or_else(|error| panic!("{error}"));
    let all: Vec<String> = session.kernels().map(|compiled| compiled.ir.convention().to_string()).collect();
    all.join("\n")
}

/// The lines of a text without what they are indented by and aligned with.
fn words(text: &str) -> Vec<String> {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

#[test]
fn vectors_are_slices_rows_are_rows_and_all_else_is_whole() {
    let text = convention(
        "kernel f(y: dense, A: (dense, ctree), B: csr, alpha: f64) -> C: csr, t: f64 {\n\
         y(i) = alpha * A(i,j)\nC(i,j) = A(i,j) * B(i,j)\nt = B(i,j)\n}",
    );
    let expected = "y slice written vals: [f64]
        A rows read stores: [ctree<f64>]
        B whole read extents: b_rows, b_cols
        level 0: dense
        level 1: compressed pos: [usize] crd: [u32]
        vals: [f64]
        alpha fields read value: f64
        C whole returned extents: c_rows, c_cols
        level 0: dense
        level 1: compressed pos: [usize] growable crd: [u32] growable
        vals: [f64] growable
        t fields returned value: f64";
    assert_eq!(words(&text), words(expected), "{text}");
}

#[test]
fn extents_of_computed_coordinates_and_patterns_are_said() {
    let text = convention("kernel f(y: dense, A: bcsr<2, 2>, P: csr of pattern) { y(i) = A(i,j) * P(i,j) }");
    let expected = "y slice written vals: [f64]
        A whole read extents: a_rows, a_cols
        level 0: dense extent: usize
        level 1: compressed extent: usize pos: [usize] crd: [u32]
        level 2: dense extent: usize
        level 3: dense extent: usize
        vals: [f64]
        P whole read extents: p_rows, p_cols
        level 0: dense
        level 1: compressed pos: [usize] crd: [u32]
        vals: none";
    assert_eq!(words(&text), words(expected), "{text}");
}

#[test]
fn a_matrix_by_columns_is_not_passed_as_rows() {
    let text = convention(
        "format columns(i, j) = j: dense, i: ctree\nkernel f(y: dense, A: columns) { y(i) += A(i,j) }\n\
         kernel g(A: (bst, ctree)) -> v: bst { v(i) = A(i,j) }",
    );
    let lines = words(&text);
    for line in [
        "A whole read extents: a_rows, a_cols",
        "level 1: ctree stores: [ctree<f64>]",
        "vals: in the stores",
        "A rows read stores: bst<ctree<f64>>",
        "v whole returned extents: v_len",
    ] {
        assert!(lines.iter().any(|own| own == line), "{line}: {text}");
    }
}

/// Another level under a name of its own.
#[derive(Debug)]
struct Renamed(Arc<dyn Level>);

impl Level for Renamed {
    fn name(&self) -> &str {
        "segments"
    }

    fn summary(&self) -> &str {
        self.0.summary()
    }

    fn is_structured(&self) -> bool {
        self.0.is_structured()
    }

    fn properties(&self, switches: &Switches) -> Properties {
        self.0.properties(switches)
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn fields(&self, switches: &Switches) -> Vec<(&'static str, FieldKind)> {
        self.0.fields(switches)
    }

    fn walk(&self, spot: &Spot<'_>) -> Walk {
        self.0.walk(spot)
    }

    fn pack(&self, packing: &Packing<'_>) -> Packed {
        self.0.pack(packing)
    }

    fn children(&self, packed: &Packed, packing: &Packing<'_>, parent: usize, above: &[usize]) -> Vec<(usize, usize)> {
        self.0.children(packed, packing, parent, above)
    }
}

#[test]
fn a_level_says_itself_how_it_is_passed_whatever_its_name() {
    let mut scope = Declarations::new();
    let known = scope.kinds.get("compressed").expect("a level").clone();
    scope.kinds.add(Arc::new(Renamed(known)));
    scope.kinds.add(Arc::new(StoreLevel::by_hand("page_of_rows", true)));
    scope.kinds.add(Arc::new(StoreLevel::by_hand("row", false)));
    let text =
        "kernel f(A: (dense, segments), B: (page_of_rows, row)) -> C: (dense, segments) { C(i,j) = A(i,j) * B(i,j) }";
    let Item::Kernel(kernel) = &parse_source(text).0.items[0] else { panic!("a kernel") };
    let compiled = compile(kernel, text, &scope).unwrap_or_else(|why| panic!("{}", why.render("text", text))).remove(0);
    let expected = "A whole read extents: a_rows, a_cols
        level 0: dense
        level 1: segments pos: [usize] crd: [u32]
        vals: [f64]
        B rows read stores: page_of_rows<row<f64>>
        C whole returned extents: c_rows, c_cols
        level 0: dense
        level 1: segments pos: [usize] growable crd: [u32] growable
        vals: [f64] growable";
    // A table of rows is passed as an array of them.
    let kinds =
        |n: usize| compiled.ir.params[n].layout.iter().flat_map(|layout| &layout.levels).map(|level| &level.kind[..]);
    assert!(kinds(1).eq(["dense", "row"]));
    let found = compiled.ir.convention().to_string();
    assert_eq!(words(&found), words(expected), "{found}");
}
