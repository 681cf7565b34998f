//! Random schemas, of which most are legal.

use std::fmt::Write as _;

use pleach_runtime::SplitMix64;

use crate::heap::percent;

/// The text of a random store: some types of nodes, some of them subtypes, that refer to each other at will, below a
/// handle that refers to all of them.
pub fn random(random: &mut SplitMix64) -> String {
    let supertypes = random.index(3);
    let nodes = 1 + random.index(5);
    let mut text = String::from("store random<P = 3> {\n");
    let mut targets: Vec<String> = Vec::new();
    for at in 0..supertypes {
        let _ = writeln!(text, "  def supertype s{at}");
        targets.push(format!("s{at}"));
        // Each supertype has a subtype that leads nowhere.
        let _ = writeln!(text, "  def leaf{at} : s{at} {{ e : elem[n]  n : size in [0, 3]  seq = {{e}} }}");
    }
    targets.extend((0..nodes).map(|at| format!("n{at}")));
    for at in 0..nodes {
        let supertype = match supertypes {
            0 => String::new(),
            _ if percent(random, 50) => String::new(),
            _ => format!(" : s{}", random.index(supertypes)),
        };
        let _ = writeln!(text, "  def n{at}{supertype} {{");
        node(random, &targets, &mut text, 60);
        text += "  }\n";
    }
    text += "  def handle {\n    use_p : elem[P]\n";
    for (at, target) in targets.iter().enumerate() {
        let _ = writeln!(text, "    h{at} : {target}");
    }
    text += "  }\n}\n";
    text
}

fn node(random: &mut SplitMix64, targets: &[String], text: &mut String, seq: usize) {
    let mut data: Vec<(String, bool)> = Vec::new();
    for at in 0..random.index(6) {
        let name = format!("f{at}");
        let of = match percent(random, 50) {
            true => "elem".to_owned(),
            false => targets[random.index(targets.len())].clone(),
        };
        let is_elem = of == "elem";
        let nonempty = if percent(random, if is_elem { 50 } else { 12 }) { " nonempty" } else { "" };
        match random.index(8) {
            0 => {
                let _ = writeln!(text, "    {name} : {of}[{}]{nonempty}", 1 + random.index(4));
            }
            1 => {
                let _ = writeln!(text, "    {name} : {of}[P]{nonempty}");
            }
            2 => {
                let _ = writeln!(text, "    {name} : {of}[m{at}]{nonempty}\n    m{at} : size");
            }
            3 => {
                let lo = if is_elem { random.index(2) } else { 0 };
                let _ = writeln!(text, "    {name} : {of}[m{at}]{nonempty}\n    m{at} : size in [{lo}, 3]");
            }
            4 => {
                // A second array of the same size, or used up to a size of its own.
                let _ = match percent(random, 50) {
                    true => writeln!(
                        text,
                        "    {name} : {of}[m{at}]{nonempty}\n    {name}b : elem[m{at}]\n    m{at} : size in [0, *]"
                    ),
                    false => {
                        let slots = 10 + at;
                        writeln!(
                            text,
                            "    {name} : {of}[{slots}]\n    {name}b : elem[2]\n    m{at} : size in [0, {slots}]"
                        )
                    }
                };
                data.push((format!("{name}b"), true));
            }
            _ => {
                let _ = writeln!(text, "    {name} : {of}{nonempty}");
                data.push((name, false));
                continue;
            }
        }
        data.push((name, true));
    }
    if percent(random, 20) {
        *text += "    w : count\n    red : bool\n";
    }
    if data.is_empty() {
        *text += "    mark : uint8\n";
        return;
    }
    if !percent(random, seq) {
        return;
    }
    for at in (1..data.len()).rev() {
        data.swap(at, random.index(at + 1));
    }
    let mut entries: Vec<String> = Vec::new();
    let mut left = &data[..];
    while let [(name, is_array), rest @ ..] = left {
        left = rest;
        if !is_array || percent(random, 25) {
            entries.push(name.clone());
            continue;
        }
        let mut group = vec![name.clone()];
        while let [(name, true), rest @ ..] = left
            && percent(random, 50)
        {
            group.push(name.clone());
            left = rest;
        }
        entries.push(format!("{{{}}}", group.join(", ")));
    }
    let _ = writeln!(text, "    seq = {}", entries.join(", "));
}
