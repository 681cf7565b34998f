//! The model of every bundled schema and the derivation of its traversal, stage by stage, as they print.

use pleach_codegen::derive::{Order, Stages, stages};
use pleach_codegen::schema::{check, parse};

#[test]
fn stages_of_bundled_schemas() {
    for schema in pleach_catalog::SCHEMAS {
        let store = &parse(schema.text).unwrap()[0];
        let model = check(store, schema.name).unwrap();
        let mut text = format!("=== model\n\n{model}\n");
        for (order, name) in [(Order::Coordinate, "coordinate"), (Order::Storage, "storage")] {
            let stages = stages(&model, order);
            for stage in Stages::NAMES {
                let printed = stages.stage(stage).unwrap();
                text += &format!("=== {name} order: {stage}\n\n{printed}\n");
            }
            assert!(stages.stage("loops").is_none());
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("derive_{}", schema.name), text);
        });
    }
}
