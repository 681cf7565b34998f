//! Random statements as kernels: any operands in any formats, targets that are read, masks, semirings, many operands, four levels,
//! slices of operands.
//!
//! A statement follows from a seed and a number, so that a find can be run again. What the compiler refuses is no find; a panic or a
//! wrong value is one.

use crate::formats::{CUBES, MATRICES, VECTORS};

/// The runtime's generator, as a module because a build script uses this file and the runtime is not compiled for it.
#[allow(dead_code)]
#[path = "../../runtime/src/random.rs"]
mod random;

/// Pseudo-random choices.
pub struct Random(random::SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(random::SplitMix64(seed))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// One kernel.
pub struct Statement {
    pub text: String,
    /// Whether tensors are read across, which makes all extents the same.
    pub square: bool,
}

const INDICES: [&str; 4] = ["i", "j", "k", "l"];
const OUTER: &[&str] = &["dense", "dense", "compressed", "bst", "list", "hashed", "btree", "blist"];
const LEVELS: &[&str] = &[
    "dense",
    "compressed",
    "bst",
    "ctree",
    "list",
    "blist",
    "btree",
    "rbtree",
    "ttree",
    "vblist",
    "hashed",
    "blist_unsorted",
];
const LAST: &[&str] = &["packed", "packed_delta", "ctree_delta", "blist_gaps", "blist_prefix"];
const SEMIRINGS: &[&str] =
    &["min_plus", "min_plus", "max_plus", "max_times", "min_first", "plus_second", "plus_pair", "or_and"];

/// The statement number `number` of a seed.
pub fn statement(seed: u64, number: u64) -> Statement {
    let random = Random::new(seed.wrapping_mul(0x1000_0000_01b3) ^ number);
    // Slices are drawn by themselves: the statements of a seed are the same with and without them.
    let mut slices = Random::new(!seed.wrapping_mul(0x1000_0000_01b3) ^ number);
    let length = slices.one_in(3).then(|| 1 + slices.below(3));
    let (params, held) = (Vec::new(), Vec::new());
    let mut w = Writer { random, slices, length, params, names: 0, square: false, over: "", own: None, held };
    w.random.below(2);
    let kind = w.random.below(10);
    w.square = kind < 3 || w.random.one_in(2);
    if w.random.one_in(4) {
        w.over = w.random.pick(SEMIRINGS);
    }
    let op = if w.over.is_empty() {
        w.random.pick(&["=", "=", "=", "+=", "min=", "max=", "*="])
    } else {
        w.random.pick(&["=", "=", "+="])
    };
    // 0 to 2 read their target, 3 and 4 have many operands, 5 has four levels.
    let (rank, used) = match kind {
        0..3 => (1 + w.random.below(2) as usize, 3),
        3 | 4 => (1 + w.random.below(2) as usize, 2),
        5 => (1 + w.random.below(4) as usize, 4),
        _ => (w.random.below(4) as usize, 1 + w.random.below(3) as usize),
    };
    let rank = rank.min(used);
    let target: Vec<&str> = INDICES[..rank].to_vec();
    let used: Vec<&str> = INDICES[..used.max(rank).max(1)].to_vec();
    let held = rank > 0 && (kind < 3 || w.random.one_in(3));
    let ty = w.type_of_values();
    let (declaration, left) = w.target(rank, &target, held, kind < 3, ty);
    let value = match kind {
        0..3 => {
            let own = w.own_access(&target, &used);
            let other = w.expression(2, &used);
            let symbol = if w.random.one_in(3) { "+" } else { "*" };
            format!("{other} {symbol} {own}")
        }
        3 | 4 => {
            let n = 5 + w.random.below(4);
            let mut terms = Vec::new();
            for _ in 0..n {
                let indices = if w.random.one_in(4) { &used[..] } else { &target[..] };
                terms.push(w.tensor(indices));
            }
            terms.join(if w.random.one_in(4) { " * " } else { " + " })
        }
        5 => {
            let (a, b) = (w.tensor(&used), w.expression(1, &used));
            let symbol = if w.random.one_in(2) { "+" } else { "*" };
            format!("{a} {symbol} {b}")
        }
        _ => w.expression(3, &used),
    };
    let mask = match w.random.below(5) {
        0 if rank > 0 => {
            let negated = if w.random.one_in(2) { "!" } else { "" };
            let name = if held && w.random.one_in(4) { "R".to_owned() } else { w.declared(rank, false) };
            format!("<{negated}{name}>")
        }
        _ => String::new(),
    };
    let over = if w.over.is_empty() { String::new() } else { format!(" over {}", w.over) };
    let mut body = format!("{left}{mask} {op} {value}{over}");
    if rank > 0 && w.random.one_in(8) && w.over.is_empty() {
        let again = w.expression(1, &target);
        let op = w.random.pick(&["=", "+=", "min="]);
        body += &format!("; {left} {op} {again}");
    }
    let results = if held { String::new() } else { format!(" -> {declaration}") };
    if held {
        w.params.push(declaration);
    }
    let params = w.params.join(", ");
    Statement { text: format!("kernel hunt_{seed}_{number}({params}){results} {{ {body} }}\n"), square: w.square }
}

struct Writer {
    random: Random,
    slices: Random,
    /// How many coordinates the slices have that end before the tensor does, if there are any.
    length: Option<u64>,
    params: Vec<String>,
    names: usize,
    square: bool,
    over: &'static str,
    /// The target's rank, if it can be read.
    own: Option<usize>,
    /// Tensors that may be read once more, and their ranks.
    held: Vec<(String, usize)>,
}

impl Writer {
    fn type_of_values(&mut self) -> &'static str {
        match self.over {
            "or_and" => "bool",
            _ if self.random.one_in(6) => self.random.pick(&["i32", "i64", "f32", "u64"]),
            _ => "f64",
        }
    }

    fn format(&mut self, rank: usize) -> String {
        let bundled: &[&str] = match rank {
            1 => VECTORS,
            2 => MATRICES,
            3 => CUBES,
            _ => &["(dense, dense, dense, dense)", "(compressed, compressed, compressed, compressed)"],
        };
        if rank == 1 || rank < 4 && self.random.one_in(2) || self.random.one_in(8) {
            // The runtime's table of rows holds rows, and no values.
            return match self.random.pick(bundled) {
                "paged" => "packed".to_owned(),
                format => format.to_owned(),
            };
        }
        let mut levels: Vec<&str> = vec![self.random.pick(OUTER)];
        levels.extend((2..rank).map(|_| self.random.pick(LEVELS)));
        levels.push(if self.random.one_in(4) { self.random.pick(LAST) } else { self.random.pick(LEVELS) });
        format!("({})", levels.join(", "))
    }

    /// A declared fill, or nothing. Over a semiring what is absent is its zero, and no other fill is allowed.
    fn fill(&mut self, format: &str) -> &'static str {
        // These formats declare a fill themselves, or hold a value everywhere.
        let plain = self.over.is_empty() && !["dense", "matrix", "column_major", "cube"].contains(&format);
        if plain && self.random.one_in(10) { self.random.pick(&[" fill inf", " fill -inf", " fill 1"]) } else { "" }
    }

    /// The declaration of the target, and how it is written.
    fn target(&mut self, rank: usize, indices: &[&str], held: bool, full: bool, ty: &str) -> (String, String) {
        if rank == 0 {
            return (format!("R: {ty}"), "R".into());
        }
        let format = match (held && (full || self.random.one_in(2)), rank) {
            (true, 1) => "dense".to_owned(),
            (true, 2) => self.random.pick(&["matrix", "column_major"]).to_owned(),
            (true, 3) => "cube".to_owned(),
            (true, _) => "(dense, dense, dense, dense)".to_owned(),
            (false, rank) => self.format(rank),
        };
        self.own = held.then_some(rank);
        let fill = self.fill(&format);
        (format!("R: {format} of {ty}{fill}"), format!("R({})", indices.join(",")))
    }

    /// The target as an operand: at other indices than its own.
    fn own_access(&mut self, target: &[&str], used: &[&str]) -> String {
        let mut indices: Vec<&str> = target.to_vec();
        match indices.len() {
            1 => indices[0] = self.random.pick(used),
            _ => {
                indices.reverse();
                if self.random.one_in(2) {
                    indices[0] = self.random.pick(used);
                }
            }
        }
        indices.dedup();
        if indices.len() < target.len() {
            indices = target.to_vec();
        }
        format!("R({})", indices.join(","))
    }

    /// Declares a tensor.
    fn declared(&mut self, rank: usize, sparse: bool) -> String {
        let name = format!("t{}", self.names);
        self.names += 1;
        let format = match (sparse, rank) {
            (true, 1) => self.random.pick(&["sparse", "bst", "hash", "list"]).to_owned(),
            (true, 2) => self.random.pick(&["csr", "coo", "dcsc", "aspen", "lil"]).to_owned(),
            (true, 3) => "csf".to_owned(),
            _ => self.format(rank),
        };
        let ty = self.type_of_values();
        let fill = self.fill(&format);
        self.params.push(format!("{name}: {format} of {ty}{fill}"));
        name
    }

    /// A tensor at these indices, in some order if all extents are the same.
    fn tensor(&mut self, indices: &[&str]) -> String {
        let mut indices = indices.to_vec();
        if self.square && self.random.one_in(4) {
            indices.reverse();
        }
        let again = self.held.iter().find(|(_, rank)| *rank == indices.len()).map(|(name, _)| name.clone());
        let name = match again.filter(|_| self.square && self.random.one_in(4)) {
            Some(name) => name,
            None => {
                let name = self.declared(indices.len(), false);
                if self.slices.one_in(6) {
                    // It has extents of its own, and is not read again.
                    return format!("{name}({})", self.sliced(&indices).join(","));
                }
                name
            }
        };
        self.held.push((name.clone(), indices.len()));
        format!("{name}({})", indices.join(","))
    }

    /// Coordinates of which some are slices: as far as the tensor reaches, or of a length that all of them have.
    fn sliced(&mut self, indices: &[&str]) -> Vec<String> {
        let mut coordinates: Vec<String> = indices.iter().map(|index| (*index).to_owned()).collect();
        let at = self.slices.below(indices.len() as u64) as usize;
        for (m, coordinate) in coordinates.iter_mut().enumerate() {
            if m != at && !self.slices.one_in(3) {
                continue;
            }
            let (lo, step) = (self.slices.below(3), self.slices.pick(&["", "", ":1", ":2", ":3"]));
            let by: u64 = step.get(1..).and_then(|step| step.parse().ok()).unwrap_or(1);
            let hi = match self.length {
                Some(length) if self.slices.one_in(2) => (lo + by * (length - 1) + 1).to_string(),
                _ => String::new(),
            };
            // Without a name, it is a sum.
            let name = if self.slices.one_in(8) { String::new() } else { format!("{coordinate} in ") };
            *coordinate = format!("{name}{lo}:{hi}{step}");
        }
        coordinates
    }

    fn leaf(&mut self, used: &[&str]) -> String {
        let rank = (1 + self.random.below(3) as usize).min(used.len());
        let first = self.random.below((used.len() - rank + 1) as u64) as usize;
        let indices: Vec<&str> = used[first..first + rank].to_vec();
        self.tensor(&indices)
    }

    fn expression(&mut self, depth: u64, used: &[&str]) -> String {
        if depth == 0 || self.random.one_in(5) {
            return self.leaf(used);
        }
        let plain = self.over.is_empty();
        let a = self.expression(depth - 1, used);
        match self.random.below(16) {
            0..6 => format!("({a} * {})", self.expression(depth - 1, used)),
            6..10 => format!("({a} + {})", self.expression(depth - 1, used)),
            10 if plain => format!("({a} - {})", self.expression(depth - 1, used)),
            11 => {
                let function = self.random.pick(&["min", "max", "near", "sum"]);
                format!("{function}({a}, {})", self.expression(depth - 1, used))
            }
            12 if plain => format!("select({a}, {} > 1)", self.leaf(used)),
            13 => {
                let rank = (1 + self.random.below(2) as usize).min(used.len());
                let name = self.declared(rank, true);
                format!("({a} without {name}({}))", used[..rank].join(","))
            }
            14 if plain => format!("({a} {})", self.random.pick(&["* 2", "+ 1", "- 1", "/ 2"])),
            15 if plain => format!("{}({a})", self.random.pick(&["abs", "clamp"])),
            _ => a,
        }
    }
}
