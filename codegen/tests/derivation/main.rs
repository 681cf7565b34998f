//! Every stage of a derivation visits what the schema says, run by run: on random stores of every bundled schema, and of
//! random schemas.
//!
//! The expected runs are found by a recursion over the model's sequences ([`visit`]), independently of the derivation; stages are run by
//! interpreters ([`interpret`]) over an abstract heap ([`heap`]).

mod heap;
mod interpret;
mod schemas;
mod scope;
mod visit;

use heap::Heap;
use pleach_codegen::derive::{Order, Stages, stages};
use pleach_codegen::schema::model::Model;
use pleach_codegen::schema::{check, parse};
use pleach_runtime::SplitMix64;
use proptest::prelude::*;

fn assert_stages_agree(model: &Model, stages: &Stages<'_>, order: Order, heap: &Heap, schema: &str) {
    let wanted = visit::runs(model, heap, order);
    for (stage, program) in [("coroutine", &stages.coroutine), ("tail", &stages.tail), ("inlined", &stages.inlined)] {
        assert_eq!(interpret::program(program, heap), wanted, "{stage}, {order:?}\n{schema}\n{program}");
    }
    for (stage, machine) in [("loop", &stages.loops), ("step", &stages.step)] {
        assert_eq!(interpret::machine(machine, heap), wanted, "{stage}, {order:?}\n{schema}\n{machine}");
    }
}

fn assert_derivation(model: &Model, schema: &str, random: &mut SplitMix64, heaps: usize, most_nodes: usize) {
    let derived = [Order::Coordinate, Order::Storage].map(|order| (order, stages(model, order)));
    for (_, stages) in &derived {
        for machine in [&stages.loops, &stages.step] {
            scope::assert_scoped(machine);
        }
        assert!(stages.loops.resumed().is_empty());
    }
    for size in 0..heaps {
        let heap = Heap::random(model, random, size * most_nodes / heaps.max(1));
        for (order, stages) in &derived {
            assert_stages_agree(model, stages, *order, &heap, schema);
        }
    }
}

#[test]
fn bundled_schemas() {
    for schema in pleach_catalog::SCHEMAS {
        let model = check(&parse(schema.text).unwrap()[0], schema.name).unwrap();
        assert_derivation(&model, schema.text, &mut SplitMix64(7), 40, 120);
    }
}

#[test]
fn schemas_that_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schema/pass");
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for store in parse(&text).unwrap() {
            let model = check(&store, "store").unwrap();
            assert_derivation(&model, &text, &mut SplitMix64(11), 40, 120);
        }
    }
}

#[test]
fn a_tail_call_is_no_recursion() {
    for schema in ["list", "blist", "blist_prefix", "blist_gaps", "blist_unsorted", "vblist"] {
        let schema = pleach_catalog::schema(schema).unwrap();
        let model = check(&parse(schema.text).unwrap()[0], schema.name).unwrap();
        for order in [Order::Coordinate, Order::Storage] {
            let stages = stages(&model, order);
            assert_eq!(stages.inlined.procs.len(), 1, "{}", stages.inlined);
            assert!(stages.loops.pushed().is_empty() && stages.step.pushed().is_empty());
        }
    }
    for schema in ["bst", "rbtree", "ttree", "ctree", "ctree_delta", "btree"] {
        let schema = pleach_catalog::schema(schema).unwrap();
        let model = check(&parse(schema.text).unwrap()[0], schema.name).unwrap();
        for order in [Order::Coordinate, Order::Storage] {
            let stages = stages(&model, order);
            assert_eq!(stages.inlined.procs.len(), 2, "{}", stages.inlined);
            assert_eq!(stages.loops.pushed().len(), 1, "one kind of frame: {}", stages.loops);
            assert_eq!(stages.step.pushed().len(), 1, "one kind of frame: {}", stages.step);
        }
    }
}

/// Schemas that are legal and nasty: derivation stays small and quick.
#[test]
fn large_schemas_derive() {
    let doubling: String = (0..100)
        .map(|i| format!("def n{i} {{ a : n{0}  e : elem[4]  b : n{0}  seq = a, {{e}}, b }}\n", i + 1))
        .collect();
    let doubling = format!("{doubling}def n100 {{ e : elem }}");
    let chain: String = (0..255).map(|i| format!("def n{i} {{ e : elem  n : n{}  seq = e, n }}\n", i + 1)).collect();
    let chain = format!("{chain}def n255 {{ e : elem  n : n255  seq = e, n }}");
    let wide: String = (0..250).map(|i| format!("c{i} : n  f{i} : elem[2]\n")).take(125).collect();
    let wide = format!("def n {{ {wide} }} def top {{ n : n }}");
    let everybody: String = (0..40)
        .map(|i| {
            let fields: String = (0..40).map(|j| format!("c{j} : n{j}  e{j} : elem ")).collect();
            format!("def n{i} {{ {fields} }}\n")
        })
        .collect();
    let everybody = format!("{everybody}def top {{ n : n0 }}");
    for text in [doubling, chain, wide, everybody] {
        let model = check(&parse(&text).unwrap()[0], "large").unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_derivation(&model, "", &mut SplitMix64(3), 3, 60);
        let stages = stages(&model, Order::Coordinate);
        let statements: usize =
            stages.step.blocks.iter().map(|block| pleach_codegen::derive::ir::size(&block.body)).sum();
        assert!(statements < 100_000, "{statements}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_schemas(seed: u64) {
        let mut random = SplitMix64(seed);
        let text = schemas::random(&mut random);
        let store = parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("random", &text)));
        // Some random schemas can never end; they are told so.
        let Ok(model) = check(&store[0], "random") else { return Ok(()) };
        assert_derivation(&model, &text, &mut random, 8, 60);
    }
}

/// Most random schemas are legal, so that the test above tests something.
#[test]
fn random_schemas_are_mostly_legal() {
    let legal = (0..400)
        .filter(|&seed| check(&parse(&schemas::random(&mut SplitMix64(seed))).unwrap()[0], "random").is_ok())
        .count();
    assert!(legal > 300, "{legal} of 400");
}
