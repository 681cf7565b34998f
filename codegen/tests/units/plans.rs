//! Plans in words.

use pleach_codegen::compile::stages;
use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};
use pleach_codegen::session::Session;

fn session(text: &str) -> Session {
    let mut session = Session::bundled();
    session.add(SourceFile::new("kernels.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
    session.check().unwrap_or_else(|error| panic!("{error}"));
    session
}

fn plan(text: &str) -> String {
    session(text).kernels().map(|kernel| kernel.plan()).collect()
}

#[test]
fn known_sizes_decide_the_order_of_loops() {
    let product = |a: &str| plan(&format!("kernel f(A: csr, B: csr) -> C: csr {{ C(i,j) = A({a}, k) * B(j,k) }}"));
    // Of many rows of A, each is merged with all of B; of three, that is less than to sort B.
    assert!(product("i").contains("order  i k j, not i j k"));
    assert!(product("i in 7:1000000").contains("order  i k j, not i j k"));
    assert!(!product("i in 7:10").contains("order  "), "{}", product("i in 7:10"));
}

#[test]
fn a_copy_is_a_conversion_before_anything_is_lowered() {
    let (session, text) = (Session::bundled(), "kernel f(A: csr) -> B: csc { B(i,j) = A(i,j) }");
    let Item::Kernel(kernel) = &parse_source(text).0.items[0] else { panic!("a kernel") };
    let stages = stages(&resolve(kernel, session.scope()).unwrap()[0]).unwrap();
    assert_eq!(Some(stages.lowered), stages.conversion.map(|conversion| conversion.kernel));
}

#[test]
fn plans_give_reasons() {
    for (text, lines) in [
        (
            "kernel f(A: (dense, bst), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &[
                "access A(i,j)  direct",
                "result C(i,j)  count and fill  its rows do not depend on each other",
                "loop j    lead          A(i,j), by its map; B(i,j) follows",
                "why    all of A(i,j) is visited, which a map does fastest",
                "A(i,j) and B(i,j)  C(i,j) = A(i,j) + B(i,j)",
            ][..],
        ),
        (
            "kernel f(A: csr, B: csc) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &["access B(i,j)  sorted first    its levels keep j above i, and the loop over i is the outer one"],
        ),
        (
            "kernel f(A: csr) -> C: csr { C(i,j) = A(i in 2:8, j in 0:8:2) }",
            &[
                "sorted first    a slice with a step is read, and a level that keeps coordinates is walked without steps",
            ],
        ),
        (
            "kernel f(A: dcsr, B: dcsr) -> C: dcsr { C(i,j) = A(i,j) + B(i,j) }",
            &[
                "tasks  none: tasks fill a result row by row only if `i` is its dense level, with one compressed level below: \
                 `C(i,j)` has other levels",
            ],
        ),
        (
            "kernel f(A: (dense, blist_unsorted), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &["sorted first    it is merged with others, and `blist_unsorted` cannot be stepped through in order"],
        ),
        (
            "kernel f(A: (dense, blist_unsorted)) -> C: csr { C(i,j) = 2 * A(i,j) }",
            &["sorted first    the result takes entries in order, and `blist_unsorted` keeps them in none"],
        ),
        (
            // Where B has no row, A is walked alone, and has to come in order; where it has one, A could be looked up.
            "kernel f(A: (dense, hashed), B: (bst, dense)) -> C: (compressed, btree) { C(i,j) = A(i,j) + B(i,j) }",
            &["access A(i,j)  sorted first    the result takes entries in order, and `hashed` keeps them in none"],
        ),
        (
            // Rows of A come in no order, and there may be far fewer of them than i has values.
            "kernel f(A: dok, B: (bst, dense)) -> C: (compressed, btree) { C(i,j) = A(i,j) + B(i,j) }",
            &[
                "access A(i,j)  sorted first    it is merged with others, and `hashed` cannot be stepped through in order",
            ],
        ),
        (
            // No row is left out: A is looked up everywhere, and not sorted.
            "kernel f(A: (dense, hashed), B: matrix) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &["access A(i,j)  direct", "loop j    count         every coordinate"],
        ),
        (
            // Each row of C would cost as much as it has columns.
            "kernel f(A: (dense, hashed), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &[
                "access A(i,j)  sorted first    it is merged with others, and `hashed` cannot be stepped through in order",
                "merge cases   A(i,j) and B(i,j)",
            ],
        ),
        (
            // D has a place for every coordinate.
            "kernel f(A: (dense, hashed), B: csr) -> D: matrix { D(i,j) = A(i,j) + B(i,j) }",
            &["access A(i,j)  direct", "why    A(i,j) cannot be stepped through in order, but looked up"],
        ),
        (
            "kernel f(y: dense, A: coo(unordered), x: dense) { y(i) += A(i,j) * x(j) }",
            &[
                "access A(i,j)  driver",
                "loop over A(i,j) as it is stored",
                "access x(j)    located",
                "result y(i)    in place",
            ],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i + 1, j) }",
            &["access B(i + 1, j)  direct", "loop j    merge cases   A(i,j) and B(i + 1, j)\n"],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(2 * i, j) }",
            &[
                "access A(i,j)       direct",
                "access B(2 * i, j)  searched",
                "a coordinate is computed: each value is a search of its own",
                "result C(i,j)       count and fill",
            ],
        ),
        (
            "kernel f(x: (compressed(unordered)), z: sparse) -> y: sparse { y(i) = z(i) * x(2 * i) }",
            &["access x(2 * i)  sorted first    a coordinate is computed, and `compressed` cannot be searched for it"],
        ),
        (
            "kernel f(A: csr, B: (dense, bst)) -> C: csr { C(i,j) = A(i,j) * B(i,j) }",
            &[
                "loop j    walk          A(i,j)\n",
                "why    nothing is computed where A(i,j) has no entry",
                "look   B(i,j) is looked up, which is logarithmic in its row",
            ],
        ),
        (
            "kernel f(A: (dense, bst), B: dok) -> s: f64 { s = A(i,j) * B(i,j) }",
            &[
                "loop j    walk          A(i,j)\n",
                "look   B(i,j) is looked up, which is constant in its row",
                "why    a lookup in A(i,j) costs no less: it is logarithmic in its row",
            ],
        ),
        (
            "kernel f(A: (dense, list), B: (dense, list)) -> s: f64 { s = A(i,j) * B(i,j) }",
            &[
                "loop j    merge cases   A(i,j) and B(i,j)\n",
                "why    nothing is computed where one of them has no entry",
                "why    a lookup in A(i,j) is linear in its row",
                "why    a lookup in B(i,j) is linear in its row",
            ],
        ),
        (
            "kernel f(A: csr, s: f64) -> C: csr { C(i,j) = A(i,j) * s }",
            &["result C(i,j)  copied levels   it has an entry where A(i,j) has one"],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(j,k) }",
            &[
                "order  i k j, not i j k: about 10^9 steps, not 10^13, if each index has 10^6 values, or those of its slice, and each row 8 entries",
                "access B(j,k)  sorted first",
            ],
        ),
        (
            "kernel f(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }",
            &[
                "loop i    count         every coordinate\n",
                "why    no operand lists its coordinates along i",
                "tasks  dealt out by coordinates",
                "why    each iteration writes its own part of y",
                "loop j    walk          A(i,j)\n",
            ],
        ),
        (
            "kernel f(A: csr) -> s: f64 { s = A(i,j) }",
            &[
                "tasks  dealt out by coordinates",
                "why    each task folds into s for itself, and all tasks into one at the end",
            ],
        ),
        (
            "kernel f(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }",
            &[
                "tasks  none: it does little more than copy, which memory bounds",
                "tasks  none: several iterations may write the same element of `y(i)`",
            ],
        ),
        (
            "kernel f(y: dense, A: bcsr<4, 4>, x: dense) { y(i) += A(i,j) * x(j) }",
            &[
                "loop over A(i,j) as it is stored; the others are looked up",
                "tasks  dealt out by level 1, (i / 4): dense",
                "why    each iteration writes its own part of y",
            ],
        ),
        (
            "kernel f(y: dense, A: coo, x: dense) { y(i) += A(i,j) * x(j) }",
            &["tasks  none: several iterations may write the same element of `y(i)`"],
        ),
        (
            "kernel f(A: coo) -> s: f64 { s = A(i,j) }",
            &[
                "loop over A(i,j) as it is stored\n",
                "tasks  dealt out by level 1, i: compressed(nonunique)",
                "why    each task folds into s for itself",
            ],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }",
            &["skip   A(i,j) or B(i,j) jumps ahead in its coordinates if it is much longer"],
        ),
        (
            "kernel f(A: (dense, bst), B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
            &["lead          A(i,j), by its map; B(i,j) follows", "why    an entry of one of them may be enough"],
        ),
        (
            "kernel f(A: dcsr) -> s: f64 { s min= A(i,j) }",
            &["loop i    walk          A(i,j)\n", "the same is folded at all coordinates without an entry"],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csc { C(i,j) = A(i,j) + B(i,j) }",
            &["\n    csc(i, j) = j: dense, i: compressed", ": inserted\n"],
        ),
        (
            "kernel f(A: dcsr, B: dcsr) -> C: dcsr { C(i,j) = A(i,j) + B(i,j) }",
            &["result C(i,j)  appended        its entries come in the order of its levels"],
        ),
        (
            "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }",
            &[
                "workspace w: an array with a list of what was written",
                "why    w is read only where something was written to it",
            ],
        ),
    ] {
        let text = text.replace("coo(unordered)", "(compressed(nonunique, unordered), singleton)");
        let plan = plan(&text);
        for line in lines {
            assert!(plan.contains(line), "{line}\nis not in\n{plan}");
        }
    }
}

#[test]
fn an_order_stays_where_no_other_is_much_cheaper() {
    for text in [
        "kernel f(A: csr, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }",
        "kernel f(A: csc, B: csc) -> C: csc { C(i,j) = A(i,k) * B(k,j) }",
        "kernel f(A: csr, B: csr, M: csr) -> C: csr { C(i,j)<M> = A(i,k) * B(j,k) }",
        "kernel f(A: csr, B: csc) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
        "kernel f(B: csf, C: matrix, D: matrix) -> A: matrix { A(i,l) = B(i,j,k) * C(j,l) * D(k,l) }",
        "kernel f(A: csr, x: dense) -> y: dense { y(i) = A(j,i) * x(j) }",
    ] {
        let plan = plan(text);
        assert!(!plan.contains(" steps, not "), "{plan}");
    }
}

#[test]
fn rows_of_sorted_copies_are_dealt_out() {
    for text in [
        "kernel f(A: dok, B: dok) -> C: csr { C(i,j) = A(i,j) + B(i,j) }",
        "kernel f(A: csc, B: csr) -> C: csr { C(i,j) = A(i,j) * B(i,j) }",
        "kernel f(A: csr) -> C: csr { C(i,j) = 2 * A(i in 2:8, j in 0:8:2) }",
    ] {
        let plan = plan(text);
        for line in ["sorted first", "count and fill", "tasks  dealt out"] {
            assert!(plan.contains(line), "{line}\nis not in\n{plan}");
        }
    }
    // A result that keeps rows with entries only is made of such rows.
    let listed = plan("kernel f(A: dok, B: dok) -> C: dcsr { C(i,j) = A(i,j) + B(i,j) }");
    assert!(!listed.contains("every coordinate"), "{listed}");
}

/// The outer product would collect all products, and sort them.
#[test]
fn products_of_columns_and_rows_are_made_row_by_row() {
    for text in [
        "kernel f(A: csc, B: csr) -> C: csr { C(i,j) = A(i,k) * B(k,j) }",
        "kernel f(A: csr) -> C: csr { C(i,j) = A(k,i) * A(k,j) }",
    ] {
        let plan = plan(text);
        assert!(plan.contains("order  i k j, not k i j: about 10^8 steps, not 10^9"), "{plan}");
        assert!(plan.contains("count and fill"), "{plan}");
    }
    let dense = plan("kernel f(A: csc, B: csr) -> C: matrix { C(i,j) = A(i,k) * B(k,j) }");
    assert!(dense.contains("forall(k, forall(i, forall(j,"), "{dense}");
}

#[test]
fn an_order_that_is_not_the_written_one_has_a_reason() {
    for (text, order) in [
        (
            "kernel f(A: csc, B: csc) -> C: csr { C(i,j) = A(i,k) * B(k,j) }",
            "order  j k i, not i j k: the levels of `A` keep k above i",
        ),
        (
            "kernel f(A: csc, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }",
            "order  j i, not i j: the levels of `A` keep j above i",
        ),
        (
            "kernel f(x: dense) -> C: column_major { C(i,j) = x(i) * x(j) }",
            "order  j i, not i j: the levels of `C` keep j above i",
        ),
    ] {
        let plan = plan(text);
        assert!(plan.contains(order), "{plan}");
    }
    let as_written = plan("kernel f(A: csr, x: dense) -> y: dense { y(i) = A(i,j) * x(j) }");
    assert!(!as_written.contains("  order  "), "{as_written}");
}

/// The guide shows it.
const SUM: &str = "\
compute    A, B, C: i: dense, j: compressed\n\
forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))\n\
\x20 access A(i,j)  direct          its levels come in the order of the loops\n\
\x20 access B(i,j)  direct          its levels come in the order of the loops\n\
\x20 result C(i,j)  count and fill  its rows do not depend on each other\n\
\x20 loop i    count         every coordinate\n\
\x20   why    no operand lists its coordinates along i\n\
\x20   tasks  dealt out by coordinates\n\
\x20   why    each iteration counts, and then fills, its own part of C\n\
\x20   loop j    merge cases   A(i,j) and B(i,j)\n\
\x20     why    an entry of one of them may be enough\n\
\x20     why    3 cases are few enough to have code each\n\
\x20     A(i,j) and B(i,j)  C(i,j) = A(i,j) + B(i,j)\n\
\x20     B(i,j)             C(i,j) = B(i,j)\n\
\x20     A(i,j)             C(i,j) = A(i,j)\n";

#[test]
fn a_plan_shows_every_case() {
    assert_eq!(plan("kernel compute(A: csr, B: csr) -> C: csr { C(i,j) = A(i,j) + B(i,j) }"), SUM);
}

/// What the plan prints of tasks and of operands that skip is what the code does.
#[test]
fn plans_say_what_the_code_does() {
    for text in [
        "kernel f(y: dense, A: csr, x: dense) { y(i) = A(i,j) * x(j) }",
        "kernel f(y: dense, A: csc, x: dense) { y(i) = A(i,j) * x(j) }",
        "kernel f(y: dense, A: coo, x: dense) { y(i) += A(i,j) * x(j) }",
        "kernel f(y: dense, A: dia, x: dense) { y(i) += A(i,j) * x(j) }",
        "kernel f(y: dense, A: ell, x: dense) { y(i) += A(i,j) * x(j) }",
        "kernel f(y: dense, A: bcsr<4, 4>, x: dense) { y(i) += A(i,j) * x(j) }",
        "kernel f(y: dense, A: csb<4, 4>, x: dense) { y(i) += A(i,j) * x(j) }",
        "kernel f(A: coo) -> s: f64 { s = A(i,j) }",
        "kernel f(A: dia) -> s: f64 { s = A(i,j) }",
        "kernel f(A: bcsr<4, 4>) -> s: f64 { s = A(i,j) }",
        "kernel f(A: dok) -> s: f64 { s = A(i,j) }",
        "kernel f(A: csr, B: csr) -> s: f64 { s = A(i,j) * B(i,j) }",
        "kernel f(A: dcsr, B: dcsr) -> s: f64 { s = A(i,j) * B(i,j) }",
        "kernel f(A: csr, B: (dense, blist)) -> s: f64 { s = A(i,j) * B(i,j) }",
        "kernel f(A: csr, B: csr) -> s: f64 { s = A(i,j) + B(i,j) }",
        "kernel f(A: csr, B: csr, C: csr) -> s: f64 { s = A(i,j) * B(i,j) * C(i,j) }",
        "kernel f(a: sparse, b: sparse) -> s: f64 { s = a(i) * b(i) }",
    ] {
        let session = session(text);
        let kernel = session.kernels().next().expect("one kernel");
        let (plan, ir) = (kernel.plan(), kernel.ir.to_string());
        for (said, done) in [("tasks  dealt out", "parallel for"), ("skip   ", "seek(")] {
            assert_eq!(plan.contains(said), ir.contains(done), "{text}: {said}\n{plan}\n{ir}");
        }
    }
}

/// A level with one coordinate for each position of the level above would lose entries of a row.
#[test]
fn results_have_room_for_every_entry() {
    let made = |format: &str| {
        let mut session = Session::bundled();
        let text = format!("kernel f(A: csr, B: csr) -> C: {format} {{ C(i,j) = A(i,j) + B(i,j) }}");
        session.add(SourceFile::new("kernels.pleach", text), &mut |_, _| Err(std::io::ErrorKind::NotFound.into()));
        session.check().map_err(|error| error.to_string())
    };
    for (format, level) in [
        ("(dense, singleton)", "singleton"),
        ("(dense, singleton(padded))", "singleton(padded)"),
        ("(compressed, singleton)", "singleton"),
        ("(bst, singleton)", "singleton"),
    ] {
        let said = made(format).expect_err(format);
        let why = format!("`C` cannot be made: `j: {level}` keeps one coordinate for each position of the level above");
        assert!(said.contains(&why) && said.contains("such as `-> C: csr`"), "{said}");
    }
    for format in ["coo", "ell", "csb<2, 2>", "dia"] {
        made(format).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn entries_in_another_order_are_counted_where_there_is_room() {
    let counted = "assembled       its entries come in another order, and are counted and inserted at the end";
    let rows = "assembled       its entries are counted and filled row by row, and made into levels at the end";
    let appended = "appended        its entries come in the order of its levels";
    let sorted = "collected       its entries come in another order, and are sorted and added up at the end";
    for (text, how) in [
        ("kernel f(A: csr, B: csr) -> C: csc { C(i,j) = A(i,j) + B(i,j) }", rows),
        ("kernel f(A: csr, B: csr) -> C: csr { C(j,i) = A(i,j) + B(i,j) }", rows),
        ("kernel f(A: csc, B: csc) -> C: csr { C(i,k) = A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csr, x: dense) -> C: dia { C(i,j) = A(i,j) * x(i) }", rows),
        ("kernel f(A: csr, x: dense) -> C: ell { C(i,j) = A(i,j) * x(i) }", rows),
        ("kernel f(A: csr, B: csr) -> C: coo { C(i,j) = A(i,j) + B(i,j) }", rows),
        ("kernel f(A: csr, B: csr) -> C: dok { C(i,k) = A(i,j) * B(j,k) }", rows),
        ("kernel f(A: csr, x: dense) -> C: bcsr { C(i,j) = A(i,j) * x(j) }", rows),
        // Rows without an entry would be visited.
        ("kernel f(A: dcsr, B: csr) -> C: coo { C(i,j) = A(i,j) + B(i,j) }", appended),
        // Nothing is as long as a row of `C`: time is to grow with entries.
        ("kernel f(A: dcsr, B: dcsr) -> C: dcsr { C(j,i) = A(i,j) + B(i,j) }", sorted),
        // Entries at the same place are folded as the statement says.
        ("kernel f(A: csc, B: csc) -> C: csr { C(i,k) max= A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc, B: csc) -> C: csr { C(i,k) *= A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc, B: csc) -> C: (dense, ctree) { C(i,k) = A(i,j) * B(j,k) over min_plus }", counted),
        ("kernel f(A: csc of i64, B: csc of i64) -> C: csr of i64 { C(i,k) min= A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc of bool, B: csc of bool) -> C: csr of bool { C(i,k) |= A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc, B: csc, x: dense) -> C: bcsr { C(i,k) max= A(i,j) * B(j,k) * x(i) }", counted),
        ("kernel f(A: csc, B: csc) -> C: bcsr { C(i,k) max= A(i,j) * B(j,k) }", sorted),
        // Entries that come once each may be of any type.
        ("kernel f(A: csr, x: dense) -> C: csc of f32 { C(i,j) = A(i,j) * x(i) }", rows),
        // Entries at the same place are folded in the type in which the statement computes.
        ("kernel f(A: csc, B: csc) -> C: csr of f32 { C(i,k) = A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc, B: csc) -> C: (dense, ctree) of i32 { C(i,k) += A(i,j) * B(j,k) }", counted),
        ("kernel f(A: csc, B: csc, x: dense) -> C: bcsr of f32 { C(i,k) max= A(i,j) * B(j,k) * x(i) }", counted),
        ("kernel f(A: dcsc, B: dcsc) -> C: dcsr of f32 { C(i,k) = A(i,j) * B(j,k) }", sorted),
        // A workspace is read in order, and what it holds at one place is the whole sum.
        ("kernel f(A: csc, x: dense) -> y: sparse { y(i) += A(i,j) * x(j) }", appended),
        ("kernel f(A: csc, x: dense) -> y: sparse { y(i) max= A(i,j) * x(j) }", appended),
        ("kernel f(A: csc) -> y: bst { y(i) += A(i,j) }", appended),
    ] {
        let plan = plan(text);
        assert!(plan.lines().any(|line| line.starts_with("  result") && line.ends_with(how)), "{text}\n{plan}");
    }
}

/// Where the fill is not the neutral element of the fold, entries are first folded into compressed rows or columns.
#[test]
fn folded_entries_are_counted_whatever_the_fill_is() {
    let semiring = "semiring most { plus: max, zero: 0, times: *, one: 1 }";
    for (format, how) in [
        ("bcsr", "assembled"),
        ("ell", "assembled"),
        ("dia", "assembled"),
        ("dok", "assembled"),
        ("csb<4, 4> of f32", "assembled"),
        ("hicoo", "collected"),
    ] {
        let kernel = format!(
            "kernel f(A: csc, B: csc, x: dense) -> C: {format} {{ C(i,k) = A(i,j) * B(j,k) * x(i) over most }}"
        );
        let plan = plan(&format!("{semiring} {kernel}"));
        assert!(plan.contains(&format!("  result C(i,k)  {how}")), "{kernel}\n{plan}");
    }
}
