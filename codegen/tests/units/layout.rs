//! The layout of nodes as numbers. That they are those of the generated Rust is asserted where that is compiled; here they are compared
//! with what a reader of the schema expects.

use pleach_codegen::schema::model::Model;
use pleach_codegen::schema::{check, parse};
use pleach_codegen::store::layout::{Content, Size, Slots, layout};

const U32: Size = Size::of_number(4);
const F64: Size = Size::of_number(8);

fn model(name: &str) -> Model {
    check(&parse(pleach_catalog::schema(name).unwrap().text).unwrap()[0], name).unwrap()
}

#[test]
fn a_search_tree_node_lies_as_one_would_write_it() {
    let layout = layout(&model("bst"), U32, F64);
    let [node, root] = &layout.nodes[..] else { panic!("{layout}") };
    // The count of references and the coordinate share a word; then two links and the value.
    let fields: Vec<(usize, usize)> = node.fields.iter().map(|field| (field.offset, field.size.bytes)).collect();
    assert_eq!(fields, [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8)], "{layout}");
    assert_eq!(node.fields.iter().map(|field| field.content == Content::Coord).position(|is| is), Some(1));
    assert_eq!((node.size, node.flat), (Size { bytes: 32, align: 8 }, false));
    // The handle is a link that lies in the page.
    assert_eq!((root.size.bytes, root.flat, root.fields.len()), (8, true, 1));
}

#[test]
fn arrays_begin_behind_the_struct_each_aligned() {
    let layout = layout(&model("ctree"), U32, F64);
    let chunk = &layout.nodes[0];
    let arrays: Vec<(&str, Content)> = chunk.arrays.iter().map(|array| (&array.name[..], array.content)).collect();
    assert_eq!(arrays, [("t", Content::Coord), ("t", Content::Value)]);
    // The head lies before the first slot.
    assert!(chunk.arrays.iter().all(|array| array.slots == Slots::Field { name: "n".into(), more: 1 }), "{layout}");
    // Behind 24 bytes: 3 coordinates up to 36, values from 40 on.
    assert_eq!(chunk.array_offsets(|_| 2), [24, 40, 64]);
    assert_eq!(chunk.array_offsets(|_| 0), [24, 32, 40]);
}

#[test]
fn a_pattern_has_no_bytes_for_values() {
    for schema in pleach_catalog::SCHEMAS {
        let layout = layout(&model(schema.name), U32, Size::of_number(0));
        for node in &layout.nodes {
            let values =
                node.fields.iter().filter(|field| matches!(field.content, Content::Value | Content::MaybeValue));
            assert_eq!(values.map(|field| field.size.bytes).sum::<usize>(), 0, "{layout}");
            assert!(node.fields.windows(2).all(|two| two[0].offset + two[0].size.bytes <= two[1].offset), "{layout}");
            assert!(node.size.bytes.is_multiple_of(node.size.align), "{layout}");
        }
    }
}

#[test]
fn layouts_of_bundled_stores() {
    let mut text = String::new();
    for schema in pleach_catalog::SCHEMAS {
        text += &layout(&model(schema.name), U32, F64).to_string();
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("layout_of_stores", text);
    });
}
