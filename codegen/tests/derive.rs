//! The derivation of every bundled schema's traversal, stage by stage, as it prints.

use pleach_codegen::derive::{Order, stages};
use pleach_codegen::schema::{check, parse};

#[test]
fn stages_of_bundled_schemas() {
    for schema in pleach_catalog::SCHEMAS {
        let store = &parse(schema.text).unwrap()[0];
        let model = check(store, schema.name).unwrap();
        let mut text = String::new();
        for (order, name) in [(Order::Coordinate, "coordinate"), (Order::Storage, "storage")] {
            let stages = stages(&model, order);
            for (stage, printed) in [
                ("coroutine", stages.coroutine.to_string()),
                ("tail", stages.tail.to_string()),
                ("inlined", stages.inlined.to_string()),
                ("loop", stages.loops.to_string()),
                ("step", stages.step.to_string()),
            ] {
                text += &format!("=== {name} order: {stage}\n\n{printed}\n");
            }
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("derive_{}", schema.name), text);
        });
    }
}
