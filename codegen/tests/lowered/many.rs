//! Merges of many operands, which are distinguished at run time if there would be too many cases.

use pleach_codegen::compile::stages;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::formats::{MATRICES, VECTORS};
use crate::harness::{grid, world};

const OF: &[(&str, usize)] = &[("i", 7), ("j", 5), ("k", 4)];

/// A kernel over `n` tensors called `t0`, `t1`, …, whose formats are taken from `formats` in turn.
fn kernel(name: &str, n: usize, formats: &[&str], result: &str, statement: &str) -> String {
    let params: Vec<String> = (0..n).map(|k| format!("t{k}: {}", formats[k % formats.len()])).collect();
    format!("kernel {name}({}) -> R: {result} {{ {statement} }}\n", params.join(", "))
}

/// `t0(i) + t1(i) + …`
fn all(n: usize, indices: &str, between: &str) -> String {
    (0..n).map(|k| format!("t{k}({indices})")).collect::<Vec<_>>().join(between)
}

/// `f(f(t0(i), t1(i)), t2(i)) …`
fn nested(n: usize, indices: &str, function: &str) -> String {
    (1..n).fold(format!("t0({indices})"), |inner, k| format!("{function}({inner}, t{k}({indices}))"))
}

#[test]
fn vectors() {
    for n in [7, 9, 16, 40] {
        let sum = all(n, "i", " + ");
        let pairs: Vec<String> = (0..n).step_by(2).map(|k| format!("t{k}(i) * t{}(i)", (k + 1) % n)).collect();
        let factors: Vec<String> = (0..n).step_by(2).map(|k| format!("(t{k}(i) + t{}(i))", (k + 1) % n)).collect();
        let gone: Vec<String> = (1..n).map(|k| format!(" without t{k}(i)")).collect();
        let text = [
            kernel("sums", n, &["sparse"], "sparse", &format!("R(i) = {sum}")),
            kernel("mixed", n, VECTORS, "sparse", &format!("R(i) = {sum}")),
            kernel("into_dense", n, &["sparse", "bst", "(compressed(nonunique))"], "dense", &format!("R(i) = {sum}")),
            kernel("into_tree", n, &["bst", "sparse", "ctree"], "bst", &format!("R(i) = {sum}")),
            kernel("differences", n, &["sparse", "hash"], "sparse", &format!("R(i) = {}", all(n, "i", " - "))),
            kernel("products", n, &["sparse", "btree"], "sparse", &format!("R(i) = {}", all(n, "i", " * "))),
            kernel("pairs", n, VECTORS, "sparse", &format!("R(i) = {}", pairs.join(" + "))),
            kernel("factors", n, &["sparse", "ctree", "hash"], "sparse", &format!("R(i) = {}", factors.join(" * "))),
            kernel("least", n, &["sparse", "bst"], "sparse", &format!("R(i) = {}", nested(n, "i", "min"))),
            kernel("most", n, &["sparse", "bst"], "dense", &format!("R(i) = {}", nested(n, "i", "max"))),
            kernel("nearly", n, &["sparse", "bst"], "sparse", &format!("R(i) = {}", nested(n, "i", "near"))),
            kernel("summed", n, &["sparse", "list"], "sparse", &format!("R(i) = {}", nested(n, "i", "sum"))),
            kernel("gone", n, &["sparse", "bst"], "sparse", &format!("R(i) = (t0(i) + t1(i)){}", gone[1..].concat())),
            kernel("shifted", n, &["sparse", "bst"], "sparse fill 1", &format!("R(i) = {sum} + 1")),
            kernel("everywhere", n, &["sparse", "bst"], "sparse", &format!("R(i) = {sum} + 1")),
            kernel("totals", n, &["sparse", "bst"], "f64", &format!("R = {sum}")),
            kernel("inner", n, &["sparse", "bst"], "f64", &format!("R = {}", factors.join(" * "))),
            kernel("masked", n, &["sparse", "bst"], "sparse", &format!("R(i)<t0> = {}", all(n, "i", " + "))),
            kernel("unmasked", n, &["sparse", "bst"], "sparse", &format!("R(i)<!t0> = {}", all(n, "i", " + "))),
            kernel(
                "least_paths",
                n,
                &["sparse fill inf", "bst fill inf"],
                "sparse fill inf",
                &format!("R(i) = {sum} over min_plus"),
            ),
            kernel(
                "long_paths",
                n,
                &["sparse fill inf"],
                "dense fill inf",
                &format!("R(i) = {} over min_plus", pairs.join(" + ")),
            ),
            kernel(
                "whichever",
                n,
                &["sparse of bool", "hash of bool"],
                "sparse of bool",
                &format!("R(i) = {sum} over or_and"),
            ),
            kernel("padded", n, &["(sparse_of_blocks)", "residues"], "sparse", &format!("R(i) = {sum}"))
                .replace("(sparse_of_blocks)", "blocks_of_entries"),
            kernel("selected", n, &["sparse", "bst"], "sparse", &format!("R(i) = select({sum}, t1(i) < t2(i))")),
            kernel("compared", n, &["sparse", "bst"], "sparse of bool", &format!("R(i) = {sum} != t0(i)")),
            kernel(
                "narrow",
                n,
                &["sparse of u32", "sparse of i32"],
                "sparse of i64",
                &format!("R(i) = {}", all(n, "i", " - ")),
            ),
        ]
        .concat();
        grid(&text, OF, if n < 10 { 16 } else { 4 });
    }
}

#[test]
fn nothing_and_everything() {
    for extent in [0, 1, 12] {
        let text = [
            kernel("sums", 8, &["sparse", "bst"], "sparse", &format!("R(i) = {}", all(8, "i", " + "))),
            kernel("products", 7, &["sparse"], "sparse", &format!("R(i) = {}", all(7, "i", " * "))),
        ]
        .concat();
        grid(&text, &[("i", extent)], 40);
    }
}

#[test]
fn matrices() {
    let plain = ["dcsr", "csr", "coo", "pam", "lil", "stinger", "csc", "aspen", "dok"];
    for n in [7, 9, 16] {
        let sum = all(n, "i,j", " + ");
        let rows = all(n, "i,j", " * ");
        let factors: Vec<String> = (0..n).step_by(2).map(|k| format!("(t{k}(i,j) + t{}(i,j))", (k + 1) % n)).collect();
        let times: Vec<String> = (0..n).map(|k| format!("t{k}(i,j) * x(j)")).collect();
        let product: Vec<String> = (2..n).map(|k| format!("t{k}(i,j)")).collect();
        let with_x = |kernel: String| kernel.replacen("(t0", "(x: dense, t0", 1);
        let text = [
            kernel("listed", n, &["dcsr"], "dcsr", &format!("R(i,j) = {sum}")),
            kernel("rows", n, &["csr", "stinger"], "csr", &format!("R(i,j) = {sum}")),
            kernel("mixed", n, &plain, "csr", &format!("R(i,j) = {sum}")),
            kernel("every_format", n, MATRICES, "coo", &format!("R(i,j) = {sum}")),
            kernel("trees", n, &["pam", "aspen"], "stinger", &format!("R(i,j) = {sum}")),
            kernel("blocks", n, &["(bst, dense)", "(compressed, dense)", "csr"], "csr", &format!("R(i,j) = {sum}")),
            kernel("banded_too", n, &["skyline", "banded", "csr"], "dcsr", &format!("R(i,j) = {sum}")),
            kernel("dense", n, &["dcsr", "coo"], "matrix", &format!("R(i,j) = {sum}")),
            kernel("common", n, &["dcsr", "csr", "lil"], "dcsr", &format!("R(i,j) = {rows}")),
            kernel("factored", n, &plain, "csr", &format!("R(i,j) = {}", factors.join(" * "))),
            kernel("gone", n, &["dcsr", "pam"], "dcsr", &format!("R(i,j) = {} without t0(i,j)", all(n, "i,j", " + "))),
            kernel("row_sums", n, &["dcsr", "csr"], "sparse", &format!("R(i) = {sum}")),
            kernel("column_sums", n, &["dcsr", "csr"], "sparse", &format!("R(j) = {sum}")),
            kernel("symmetric", n, &["dcsr"], "dcsr", &format!("R(i,j) = {sum} + t0(j,i)")).replace("(j,i)", "(i,j)"),
            with_x(kernel("spmv", n, &["dcsr", "csr", "coo"], "dense", &format!("R(i) = {}", times.join(" + ")))),
            with_x(kernel("sparse_spmv", n, &["dcsr", "pam"], "sparse", &format!("R(i) = {}", times.join(" + ")))),
            kernel("spgemm", n, &["csr"], "csr", &format!("R(i,j) = t0(i,k) * t1(k,j) + {}", product.join(" + "))),
            kernel(
                "spgemm_listed",
                n,
                &["dcsr"],
                "dcsr",
                &format!("R(i,j) = t0(i,k) * t1(k,j) + {}", product.join(" + ")),
            ),
            kernel(
                "at_once",
                n,
                &["csr", "stinger"],
                "csr",
                &format!("forall(i, parallel, forall(j, R(i,j) = {sum}))"),
            ),
        ]
        .concat();
        grid(&text, OF, if n < 8 { 8 } else { 3 });
    }
}

#[test]
fn cubes_and_outer_levels() {
    let text = [
        kernel("cubes", 7, &["csf", "coo3"], "csf", &format!("R(i,j,k) = {}", all(7, "i,j,k", " + "))),
        // Each of the levels comes apart into so many cases that not all of them are told apart.
        kernel("deep", 4, &["csf"], "csf", &format!("R(i,j,k) = {}", all(4, "i,j,k", " + "))),
        kernel("few", 5, &["dcsr", "coo"], "dcsr", &format!("R(i,j) = {}", all(5, "i,j", " + "))),
    ]
    .concat();
    grid(&text, OF, 10);
    // Whether anything is to be done depends on operands that have been come by before, and that do not end.
    let inner: String = (0..7).map(|k| format!(" + t{k}(i)")).collect();
    let params: String = (0..7).map(|k| format!(", t{k}: sparse")).collect();
    let outer = format!("kernel outer(A: dcsr, B: dcsr, C: dcsr, D: dcsr, E: dcsr{params}) -> R: f64 {{ R = ");
    let rows = "A(j,k) + B(j,k) + C(j,k) + D(j,k) + E(j,k)";
    grid(&format!("{outer}second({rows}, (t0(i){inner}) * ({rows})) without t1(i) }}"), OF, 10);
}

/// The plan of a kernel in words, and how long its code is.
fn compiled(text: &str) -> (String, usize) {
    let world = world();
    let (source, mistakes) = parse_source(text);
    assert!(mistakes.is_empty(), "{}", mistakes.render("text", text));
    let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
    let kernel = resolve(ast, &world.declarations).unwrap().remove(0);
    let mut stages = stages(&kernel).unwrap();
    stages.lowered.simplify();
    (stages.plan.show(&stages.kernel), stages.lowered.to_string().len())
}

/// Compiling takes no more than a moment longer with each level.
#[test]
fn what_is_nested_deeply_compiles() {
    let selects = (0..40).fold("x(i)".to_owned(), |inner, _| format!("select({inner}, c(i))"));
    let conditions = (0..40).fold("c(i)".to_owned(), |inner, _| format!("select(x(i), {inner} > 1)"));
    let indices: Vec<String> = (0..16).map(|k| format!("i{k}")).collect();
    let (indices, levels) = (indices.join(","), vec!["compressed"; 16].join(", "));
    let text = format!(
        "kernel selected(x: sparse, c: sparse) -> y: sparse {{ y(i) = {selects} }}\n\
         kernel conditional(x: sparse, c: sparse) -> y: sparse {{ y(i) = {conditions} }}\n\
         kernel product(a: ({levels}), b: ({levels}), c: ({levels})) -> s: f64 {{ s = a({indices}) * b({indices}) * c({indices}) }}\n"
    );
    let (source, mistakes) = parse_source(&text);
    assert!(mistakes.is_empty(), "{mistakes}");
    for item in &source.items {
        let Item::Kernel(ast) = item else { continue };
        for kernel in resolve(ast, &world().declarations).unwrap() {
            stages(&kernel).unwrap();
        }
    }
}

#[test]
fn a_statement_has_no_more_loops_than_can_be_nested() {
    let world = world();
    for (n, refused) in [(8, false), (9, true)] {
        let indices = |k: usize| (0..16).map(|m| format!("i{}", 16 * k + m)).collect::<Vec<_>>().join(",");
        let params: Vec<String> = (0..n).map(|k| format!("t{k}: ({})", ["dense"; 16].join(", "))).collect();
        let factors: Vec<String> = (0..n).map(|k| format!("t{k}({})", indices(k))).collect();
        let text = format!("kernel f({}) -> s: f64 {{ s = {} }}", params.join(", "), factors.join(" * "));
        let (source, mistakes) = parse_source(&text);
        assert!(mistakes.is_empty(), "{mistakes}");
        let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
        let said = resolve(ast, &world.declarations).err().map(|wrong| wrong.to_string()).unwrap_or_default();
        let message = "this statement has 144 index variables, and at most 128 loops run inside of each other";
        assert_eq!(said.contains(message), refused, "{said}");
    }
}

#[test]
fn code_is_linear_in_the_number_of_operands() {
    for (between, shape) in [(" + ", "one loop over all"), (" * ", "one loop, as long as t0(i) and t1(i)")] {
        let size = |n: usize| {
            let (plan, size) =
                compiled(&kernel("many", n, &["sparse"], "sparse", &format!("R(i) = {}", all(n, "i", between))));
            assert!(plan.contains("a flag for each of t0(i), t1(i)") && plan.contains(shape), "{plan}");
            size
        };
        let (some, many) = (size(12), size(96));
        assert!(many < 9 * some, "{some} characters for 12 operands, {many} for 96");
    }
}

/// Code for each case would be longer than a kernel may be.
#[test]
fn kernels_that_would_be_too_long_have_flags() {
    let cubes = |format: &'static str| [format; 4];
    let products = "R(i,j,k) = t0(i,j,k) * t1(i,j,k) + t2(i,j,k) * t3(i,j,k)";
    let folded = "R(i) max= t0(i,j,k) - t1(i,j,k) + t2(i,j,k) * select(t3(i,j,k), t0(i,j,k) > 1)";
    let mixed =
        ["csf", "(bst, list, btree)", "(dense, dense, compressed)", "(compressed(unordered), compressed, dense)"];
    let text = [
        kernel("padded", 4, &["skyline"], "csr", &format!("R(i,j) = {}", all(4, "i,j", " + "))),
        kernel("hashed", 4, &cubes("(hashed, hashed, hashed)"), "csf", products),
        kernel("trees", 4, &cubes("(ctree, ctree, ctree)"), "csf", products),
        kernel("listed", 4, &cubes("(compressed(nonunique), singleton(nonunique), singleton)"), "csf", products),
        kernel("folded", 4, &mixed, "dense", folded),
    ];
    for one in &text {
        let (plan, _) = compiled(one);
        assert!(plan.contains("the kernel would be too long with more than"), "{plan}");
    }
    assert_eq!(grid(&text.concat(), OF, 6), text.len());
}
