//! Random formats, each converted to another one, on random tensors.
//!
//! `PLEACH_HUNT=7:10000 cargo test -p pleach-codegen --test conversion hunt` runs ten thousand pairs of seed 7.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_codegen::convert::convert;
use pleach_codegen::format::Format;
use pleach_codegen::ir::interpret::Compile;
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::notation::{Declarations, parse_source};
use pleach_codegen::reference::Number;

use crate::pairs::{Entries, Random, run};
use crate::{format, scope};

/// Levels that keep the coordinates of each parent, in no need of a special place.
const KEEPERS: &[&str] = &[
    "compressed",
    "compressed(unordered)",
    "hashed",
    "banded",
    "squeezed",
    "dense",
    "bst",
    "ctree",
    "blist",
    "blist_unsorted",
];

fn one_of<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len())]
}

/// `0, 1, …` in any order.
fn shuffled(random: &mut Random, n: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for at in (1..n).rev() {
        all.swap(at, random.below(at + 1));
    }
    all
}

/// A coordinate that is computed from others, in every operator of the notation.
fn computed(random: &mut Random, indices: &[&str]) -> String {
    let i = one_of(random, indices);
    let j = one_of(random, indices);
    let n = 1 + random.below(5);
    match random.below(14) {
        0 => format!("{i} / {n}"),
        1 => format!("{i} % {n}"),
        2 => format!("{i} >> {}", n - 1),
        3 => format!("{i} << {}", n - 1),
        4 => format!("{i} & {n}"),
        5 => format!("{i} | {j}"),
        6 => format!("{i} ^ {j}"),
        7 => format!("{i} + {j}"),
        8 => format!("{i} * {n} + {j}"),
        9 => format!("let r = {i} / {n} in r * 2 + {j} % {n}"),
        10 => format!("let r = {i} in let s = {j} >> 1 in (r & 1) | (s & 1) << 1 | (r & 2) << 1"),
        11 => format!("{i} - {j}"),
        12 => format!("({i} * 7 + {j}) % {}", n + 2),
        _ => format!("({i} ^ {j}) & 3 | {i} << 2"),
    }
}

/// A list of entries: `a: compressed(nonunique), b: singleton(nonunique), c: singleton`.
fn listed(random: &mut Random, coordinates: &[String]) -> Vec<String> {
    let (ordered, repeats) = (random.below(2) == 0, random.below(3) == 0);
    let last = coordinates.len() - 1;
    let level = |(at, c): (usize, &String)| {
        let mut switches = Vec::new();
        if !ordered {
            switches.push("unordered");
        }
        if at < last || repeats {
            switches.push("nonunique");
        }
        let kind = if at == 0 { "compressed" } else { "singleton" };
        let switches = if switches.is_empty() { String::new() } else { format!("({})", switches.join(", ")) };
        format!("({c}): {kind}{switches}")
    };
    coordinates.iter().enumerate().map(level).collect()
}

/// The levels of a random format over `indices`. Some cannot be: whoever declares them is told so.
fn levels(random: &mut Random, indices: &[&str]) -> Vec<String> {
    let order = shuffled(random, indices.len());
    let named = |n: &usize| indices[*n].to_owned();
    match random.below(8) {
        // One level for each index, in any order.
        0 | 1 => order.iter().map(|n| format!("{}: {}", indices[*n], one_of(random, KEEPERS))).collect(),
        2 => {
            let coordinates: Vec<String> = order.iter().map(named).collect();
            listed(random, &coordinates)
        }
        // Blocks.
        3 | 4 => {
            let sizes: Vec<usize> = indices.iter().map(|_| 1 + random.below(4)).collect();
            let shifted = random.below(3) == 0;
            let part = |n: usize, inner: bool| match (shifted, inner) {
                (false, false) => format!("{} / {}", indices[n], sizes[n]),
                (false, true) => format!("{} % {}", indices[n], sizes[n]),
                (true, false) => format!("{} >> {}", indices[n], sizes[n] - 1),
                (true, true) => format!("{} & {}", indices[n], (1 << (sizes[n] - 1)) - 1),
            };
            let outer: Vec<String> = order.iter().map(|n| part(*n, false)).collect();
            let inner: Vec<String> = shuffled(random, order.len()).iter().map(|n| part(*n, true)).collect();
            let level = |c: &String, random: &mut Random| format!("({c}): {}", one_of(random, KEEPERS));
            let mut all = match random.below(3) {
                0 => listed(random, &outer),
                _ => outer.iter().map(|c| level(c, random)).collect(),
            };
            all.extend(match random.below(3) {
                0 => listed(random, &inner),
                _ => inner.iter().map(|c| level(c, random)).collect::<Vec<_>>(),
            });
            all
        }
        // Slots.
        5 => {
            let counted = 1 + random.below(order.len());
            let (by, rest) = order.split_at(counted.min(order.len() - 1).max(1));
            let mut all = vec![format!("(#{}): sliced", by.iter().map(named).collect::<Vec<_>>().join(" "))];
            all.extend(by.iter().map(|n| format!("{}: dense", indices[*n])));
            all.extend(rest.iter().map(|n| format!("{}: singleton(padded)", indices[*n])));
            all
        }
        // Diagonals.
        6 if indices.len() == 2 => {
            let (a, b) = (indices[order[0]], indices[order[1]]);
            let outer = one_of(random, &["squeezed", "dense", "compressed", "bst", "hashed"]);
            let middle = one_of(random, &["range", "dense", "compressed", "banded"]);
            let inner = one_of(random, &["offset", "offset", "singleton(padded)", "compressed"]);
            vec![format!("({a} - {b}): {outer}"), format!("{b}: {middle}"), format!("{a}: {inner}")]
        }
        // Something computed, and then the indices themselves.
        _ => {
            let mut coordinates = vec![computed(random, indices)];
            if random.below(3) == 0 {
                coordinates.push(computed(random, indices));
            }
            coordinates.extend(order.iter().map(named));
            if random.below(2) == 0 {
                return listed(random, &coordinates);
            }
            coordinates.iter().map(|c| format!("({c}): {}", one_of(random, KEEPERS))).collect()
        }
    }
}

/// A format called `name` that can be, and its text.
fn declared(random: &mut Random, scope: &Declarations, name: &str, rank: usize) -> (Format, String) {
    let indices = &["i", "j", "k"][..rank];
    loop {
        let levels = levels(random, indices).join(", ");
        let fill = if random.below(12) == 0 { " fill 2" } else { "" };
        let text = format!("format {name}({}) = {levels}{fill}", indices.join(", "));
        let mut scope = scope.clone();
        let (source, mistakes) = parse_source(&text);
        if mistakes.is_empty() && scope.add(&source).is_empty() {
            return (format(&scope, name), text);
        }
    }
}

/// A tensor of one of the shapes that go wrong, with zeros among its values.
fn tensor(random: &mut Random, rank: usize) -> (Vec<usize>, Entries) {
    let side = |random: &mut Random| match random.below(6) {
        0 => 1,
        1 => random.below(2),
        _ => 2 + random.below(9),
    };
    let shape: Vec<usize> = (0..rank).map(|_| side(random)).collect();
    let places: usize = shape.iter().product();
    let share = [0, 5, 20, 50, 100][random.below(5)];
    let mut entries = crate::pairs::entries(&shape, random, share);
    // One long row, column or fiber.
    if places > 0 && random.below(4) == 0 {
        let along = random.below(rank);
        let fixed: Vec<usize> = shape.iter().map(|&n| random.below(n)).collect();
        for c in 0..shape[along] {
            let mut coords = fixed.clone();
            coords[along] = c;
            if entries.iter().all(|(known, _)| *known != coords) {
                entries.push((coords, Number::Float(3.0)));
            }
        }
    }
    for (_, value) in &mut entries {
        if random.below(10) == 0 {
            *value = Number::Float(0.0);
        }
    }
    (shape, entries)
}

enum Outcome {
    Agrees,
    Refused,
}

fn one(scope: &Declarations, seed: u64, number: u64) -> Result<Outcome, String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95));
    (0..4).for_each(|_| _ = random.below(7));
    let rank = 2 + usize::from(random.below(4) == 0);
    let (source, from) = declared(&mut random, scope, "from", rank);
    let (target, to) = declared(&mut random, scope, "to", rank);
    let context = format!("{number}\n{from}\n{to}\n");
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let Ok(conversion) = convert(&source, &target, ValueType::F64) else {
            return Outcome::Refused;
        };
        let program =
            Compile::new().compile(&conversion.kernel).unwrap_or_else(|why| panic!("{why}\n{}", conversion.kernel));
        for _ in 0..3 {
            let (shape, entries) = tensor(&mut random, rank);
            run(&conversion, &program, &shape, &entries, format_args!("{shape:?} {entries:?}"));
        }
        Outcome::Agrees
    }));
    attempt.map_err(|why| {
        let why = why.downcast_ref::<String>().cloned().unwrap_or_else(|| "panicked".to_owned());
        context + &why
    })
}

#[test]
fn random_formats_convert() {
    let wanted = std::env::var("PLEACH_HUNT").unwrap_or_else(|_| "1:150".into());
    let (seed, count) = wanted.split_once(':').expect("SEED:COUNT");
    let (seed, count): (u64, u64) = (seed.parse().expect("a seed"), count.parse().expect("a count"));
    let scope = scope();
    let (mut refused, mut wrong) = (0, Vec::new());
    for number in 0..count {
        match one(&scope, seed, number) {
            Ok(Outcome::Agrees) => {}
            Ok(Outcome::Refused) => refused += 1,
            Err(why) => wrong.push(why),
        }
    }
    println!("{refused} of {count} pairs of seed {seed} were refused");
    let shown: Vec<String> = wrong.iter().take(40).map(|why| why.chars().take(6000).collect()).collect();
    assert!(wrong.is_empty(), "{} of {count} pairs of seed {seed}:\n{}", wrong.len(), shown.join("\n\n"));
    assert!(refused * 2 < count, "most pairs should convert, and {refused} were refused");
}
