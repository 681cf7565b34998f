//! Coordinates as generated code computes them, held against the packer's.

use pleach_codegen::convert::size::is_within;
use pleach_codegen::convert::{convert, may_not_fit, size_of};
use pleach_codegen::format::Counters;
use pleach_codegen::ir::interpret::{Compile, Limits, Value};
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::notation::{Declarations, parse_source};
use pleach_codegen::reference::{Number, pack, unpack_with};

use crate::pairs::{MATRICES, Random, entries};
use crate::{format, scope};

fn declared(expression: &str) -> Declarations {
    let mut scope = scope();
    let text =
        format!("format odd(i, j) = ({expression}): compressed(nonunique), i: singleton(nonunique), j: singleton\n");
    let (source, mistakes) = parse_source(&text);
    assert!(mistakes.is_empty(), "{expression}: {mistakes}");
    let mistakes = scope.add(&source);
    assert!(mistakes.is_empty(), "{expression}: {mistakes}");
    scope
}

/// Every operator of the notation: the first coordinates that a conversion stores are those of the packer.
#[test]
fn code_and_packer_compute_the_same() {
    for expression in [
        "i + j",
        "i * 3 + j",
        "i / 3",
        "i % 3",
        "i >> 1",
        "i << 2",
        "i & 5",
        "i | j",
        "i ^ j",
        "(i * 7 + j) % 5",
        "let r = i / 2 in let s = j / 2 in (r & 1) | (s & 1) << 1",
        "i / 2 * 4 + j % 4",
        "(i ^ j) & 3 | i << 3",
        "let r = i in r + (let s = j in s * 2 + r)",
    ] {
        let scope = declared(expression);
        let target = format(&scope, "odd");
        let source = format(&scope, "csr");
        let conversion = convert(&source, &target, ValueType::F64).unwrap();
        let shape = [7, 9];
        let entries: Vec<_> =
            (0..63).filter(|n| n % 4 != 1).map(|n| (vec![n / 9, n % 9], Number::Float(1.0))).collect();
        let mut arguments = pack(&source, &shape, ValueType::F64, Number::Float(0.0), &entries).arguments;
        let made = Compile::new().compile(&conversion.kernel).unwrap().run(&mut arguments, Limits::default()).unwrap();
        let at = conversion.kernel.result_fields().position(|field| field.name == "crd").unwrap();
        let Value::Array(crd) = &made[at] else { panic!("{expression}: no coordinates") };
        let mut stored: Vec<i64> = (0..crd.len()).map(|q| crd.get(q).unwrap().bits() as i64).collect();
        let mut counters = Counters::default();
        let mut want: Vec<i64> = entries
            .iter()
            .map(|(coords, _)| target.remap(&mut counters, &coords.iter().map(|&c| c as i64).collect::<Vec<_>>())[0])
            .collect();
        want.sort_unstable();
        stored.sort_unstable();
        assert_eq!(stored, want, "{expression}");
        let mut count = 0;
        unpack_with(&target, &shape, ValueType::F64, &made, &mut |_, _| count += 1).unwrap();
        assert_eq!(count, entries.len(), "{expression}");
    }
}

/// How many coordinates a level is made for, where bits of coordinates are put together: code and packer say the same.
#[test]
fn bits_of_coordinates_have_the_extent_of_their_largest() {
    let scope = scope();
    let (source, target) = (format(&scope, "csr"), format(&scope, "hicoo"));
    let conversion = convert(&source, &target, ValueType::F64).unwrap();
    let program = Compile::new().compile(&conversion.kernel).unwrap();
    // Blocks 0 and 1 along each dimension have the numbers 0 to 3. Of blocks 0 to 2 along one, either bit may be set: 8 + 2 at most.
    for (shape, want) in [([7, 7], 4), ([4, 4], 1), ([1, 9], 11)] {
        let mut arguments = pack(&source, &shape, ValueType::F64, Number::Float(0.0), &[]).arguments;
        let made = program.run(&mut arguments, Limits::default()).unwrap();
        let at = conversion.kernel.result_fields().position(|field| field.name == "extent").unwrap();
        let Value::Scalar(extent) = &made[at] else { panic!("no extent") };
        let bounds = target.bounds(&shape.map(|n| n as i64))[0].unwrap();
        assert_eq!((extent.bits() as i64, bounds), (want, (0, want - 1)), "{shape:?}");
    }
}

/// A block that several entries lie in is counted once.
#[test]
fn chains_of_coordinates_are_counted_once() {
    let scope = scope();
    let entries = [vec![0, 0], vec![1, 2], vec![3, 3], vec![5, 0]];
    let size = |name: &str, entries: &[Vec<usize>]| {
        size_of(&format(&scope, name), &[8, 8], entries.len(), &|m, e| entries[e][m]).positions
    };
    assert_eq!(size("hicoo", &entries), [2, 2, 2, 4, 4, 4]);
    assert_eq!(size("coo", &entries), [4, 4]);
    let twice = [vec![0, 0], vec![0, 0], vec![0, 1]];
    assert_eq!((size("coo", &twice), size("coo_duplicates", &twice)), (vec![2, 2], vec![3, 3]));
}

/// What `size_of` says beforehand is what is packed, of entries in order and in any order. `is_within` needs no entries, and is never wrong.
#[test]
fn sizes_are_those_of_what_is_packed() {
    let scope = scope();
    let mut random = Random(29);
    for (shape, share) in [(vec![6, 7], 40), (vec![13, 11], 25), (vec![5, 6], 0), (vec![1, 9], 50), (vec![4, 4], 100)] {
        let mixed = entries(&shape, &mut random, share);
        let mut ordered = mixed.clone();
        ordered.sort_by(|a, b| a.0.cmp(&b.0));
        for name in MATRICES.iter().chain(&["(squeezed, compressed)", "(banded, hashed)", "jagged", "listed_blocks"]) {
            let target = format(&scope, name);
            let sizes = [&ordered, &mixed].map(|all| size_of(&target, &shape, all.len(), &|m, e| all[e].0[m]));
            let context = format!("{name} of {shape:?} with {} entries", mixed.len());
            assert_eq!(sizes[0], sizes[1], "{context}");
            let size = &sizes[0];
            let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
            // The packer stores only the part of a block that lies within the tensor. `size_of` counts whole blocks. So the two are compared
            // where no block is larger than the tensor.
            let whole = target.levels.iter().zip(target.bounds(&signed)).all(|(level, bounds)| {
                bounds.is_none_or(|(lo, hi)| level.coordinate.block() as i64 <= hi - lo + 1) && !level.is_store()
            });
            let fill = Number::Float(0.0);
            let arguments = pack(&target, &shape, ValueType::F64, fill, &mixed).arguments;
            if let Some(Value::Array(values)) = arguments.last().filter(|_| whole) {
                assert_eq!(values.len() as u128, size.values(), "{context}");
            }
            let longest = size.positions.iter().chain([&size.workspace]).max().copied().unwrap_or(0);
            for most in [0, 1, 7, 40, 200, 2000] {
                assert!(
                    longest <= most || !is_within(&target, &shape, mixed.len(), most),
                    "{context}: {most}, {size:?}"
                );
            }
        }
    }
}

/// The size of formats that grow with the entries alone follows from their number.
#[test]
fn sizes_follow_from_the_number_of_entries_where_they_can() {
    let scope = scope();
    let within = |name: &str, most: u128| is_within(&format(&scope, name), &[3000, 5000], 1 << 20, most);
    for name in ["csr", "csc", "coo", "coo_duplicates", "dcsr", "dcsc", "graph", "hicoo", "(squeezed, compressed)"] {
        assert!(within(name, 1 << 20) && !within(name, (1 << 20) - 1), "{name}");
    }
    assert!(within("bcsr", 16 << 20) && !within("bcsr", (16 << 20) - 1));
    assert!(within("matrix", 15_000_000) && !within("matrix", 14_999_999));
    for name in ["ell", "dia", "dok", "skyline"] {
        assert!(!within(name, 8 << 20), "{name}");
    }
    let never = |_: usize, _: usize| -> usize { panic!("an entry is looked at") };
    let size = |name: &str| size_of(&format(&scope, name), &[3, 5], 7, &never);
    assert_eq!((size("matrix").positions, size("coo_duplicates").positions), (vec![3, 15], vec![7, 7]));
    assert_eq!(size("matrix").bytes, 15 * 8);
}

/// `size_of` finds levels with room for one coordinate at each position above, where some position has several coordinates, or none.
#[test]
fn single_coordinates_are_counted_at_each_position() {
    let scope = scope();
    let rows: [Vec<usize>; 4] = [vec![0, 0], vec![1, 2], vec![3, 3], vec![5, 0]];
    let more: [Vec<usize>; 6] = [vec![0, 0], vec![0, 1], vec![1, 2], vec![3, 3], vec![4, 1], vec![5, 0]];
    let size = |name: &str, entries: &[Vec<usize>]| {
        let size = size_of(&format(&scope, name), &[8, 8], entries.len(), &|m, e| entries[e][m]);
        (size.overfull.map(|lost| lost.level), size.gapped)
    };
    for name in ["(dense, singleton)", "(hashed, singleton)"] {
        assert_eq!(size(name, &rows), (None, Some(1)), "{name}");
        assert_eq!(size(name, &more).0, Some(1), "{name}");
    }
    for name in ["(dense, singleton(padded))", "(compressed, singleton)", "(bst, singleton)"] {
        assert_eq!(size(name, &rows), (None, None), "{name}");
        assert_eq!(size(name, &more), (Some(1), None), "{name}");
    }
    let sure = ["coo", "coo_aos", "coo_duplicates", "ell", "ell_columns", "dia", "csb<2, 4>", "hicoo", "hicoo2"];
    for name in sure.into_iter().chain(["jagged", "counted", "listed_blocks", "rows_of_listed_blocks"]) {
        assert_eq!(size(name, &more), (None, None), "{name}");
    }
}

/// The formats of which `may_not_fit` is sure, and those for which it asks for the entries.
#[test]
fn formats_say_whether_positions_have_one_coordinate_each() {
    let mut scope = scope();
    let (source, mistakes) = parse_source(
        "format short_slots(i, j) = (#i): sliced, i: dense, j: singleton
         format other_slots(i, j) = (#i): sliced, j: dense, i: singleton(padded)
         format halves(i, j) = i: dense, (j / 2): dense, (j % 2): singleton(padded)
         format pairs(i, j) = (i / 2): dense, (j / 2): dense, (i % 2 + j % 2): compressed, (i % 2): singleton, (j % 2): singleton",
    );
    assert!(mistakes.is_empty(), "{mistakes}");
    let mistakes = scope.add(&source);
    assert!(mistakes.is_empty(), "{mistakes}");
    let level = |name: &str| may_not_fit(&format(&scope, name));
    for name in
        ["csr", "coo", "coo_aos", "coo_duplicates", "coo3", "mode_generic", "ell", "ell_columns", "dia", "csb<2, 4>"]
    {
        assert_eq!(level(name), None, "{name}");
    }
    for name in ["hicoo", "hicoo2", "hicoo3", "jagged", "counted", "listed_blocks", "rows_of_listed_blocks"] {
        assert_eq!(level(name), None, "{name}");
    }
    for name in ["(dense, singleton)", "(hashed, singleton)", "(bst, singleton)", "(compressed, singleton(padded))"] {
        assert_eq!(level(name), Some(1), "{name}");
    }
    for (name, at) in [("short_slots", 2), ("other_slots", 2), ("halves", 2), ("pairs", 3)] {
        assert_eq!(level(name), Some(at), "{name}");
    }
}
