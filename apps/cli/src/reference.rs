//! `pleach reference`: the pages of the guide that are made from the program itself, so that they cannot fall behind it.

use std::fmt::Write;

use clap::{Command, ValueEnum};

use pleach_codegen::level::{Capabilities, Properties, Switch, Switches};
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::notation::concrete::Operator;
use pleach_codegen::session::Session;
use pleach_erased::{DEFAULT_STORE, OUTER_LEVELS, ROW_STORES};

use super::help::{SCHEMA, summary};

/// A page.
#[derive(Clone, Copy, ValueEnum)]
pub enum Page {
    /// Formats, levels, switches, value types, semirings and functions
    Catalogue,
    /// All commands with their options
    Commands,
    /// The schema of what commands print with `--json`
    Json,
}

impl Page {
    /// The page as Markdown.
    pub fn markdown(self, command: Command) -> String {
        match self {
            Page::Catalogue => catalogue(),
            Page::Commands => commands(command),
            Page::Json => json(),
        }
    }
}

/// What all pages begin with.
const MADE: &str = "<!-- Made by `pleach reference`; `PLEACH_GUIDE=write cargo test -p pleach-apps --test guide` writes it anew. -->\n";

fn catalogue() -> String {
    let session = Session::bundled();
    let scope = session.scope();
    let mut page = format!("# Formats, levels, semirings and functions\n\n{MADE}\n");
    page += "What is in scope wherever a format or a kernel is written. A declaration of your own hides the one of the same name here.\n";
    page += "\n## Formats\n\nA format names a level for each dimension, outermost first; [concepts](../concepts.md) says how to read it.\n\n";
    page += "| format | declared as |\n|---|---|\n";
    for declaration in scope.formats.iter() {
        let text = declaration.to_string();
        let (head, levels) = text.split_once(") = ").unwrap_or((&text, ""));
        let head = head.trim_start_matches("format ");
        // What is longer than a line is given in words.
        let levels = match levels.len() {
            0..=120 => format!("`{}`", levels.replace('|', "\\|")),
            _ if head.contains('k') => "blocks of 4 × 4 × 4 in Morton order, as in HiCOO".to_owned(),
            _ => "blocks of 4 × 4 in Morton order, as in HiCOO".to_owned(),
        };
        writeln!(page, "| `{head})` | {levels} |").expect("writing to a string succeeds");
    }
    page += "\n## Levels\n\nA level keeps the coordinates of one dimension for each parent, that is for each entry of the level above.\n\n";
    page += "| level | what it stores | properties | switches | can be |\n|---|---|---|---|---|\n";
    for name in scope.kinds.names() {
        let kind = scope.kinds.get(name).expect("it is listed");
        let bundled = pleach_catalog::schema(name).map(|schema| summary(schema.text));
        let what = bundled
            .or_else(|| pleach_catalog::level_summary(name).map(str::to_owned))
            .unwrap_or_else(|| kind.summary().to_owned());
        let switches: Vec<String> =
            kind.switches().iter().map(|switch| format!("`{}`", switch.words().join("`, `"))).collect();
        let arguments = if kind.parameters().is_empty() { "" } else { "<N>" };
        writeln!(
            page,
            "| `{name}{arguments}` | {} | {} | {} | {} |",
            what.trim_end_matches('.'),
            properties(kind.properties(&Switches::default())),
            switches.join("; "),
            capabilities(kind.capabilities()),
        )
        .expect("writing to a string succeeds");
    }
    page += "\nProperties: *full*: every coordinate is stored. *Ordered*: coordinates of one parent ascend. *Unique*: none occurs twice. \
             *Branchless*: each parent has exactly one child. *Compact*: no unused positions in between. *Zeroless*: no padding.\n\n\
             Capabilities: *counted*: coordinates or positions are visited by a counting loop. *Located*: a coordinate is looked up. \
             *Inserted*: coordinates are written in any order. *Appended*: they are written in order. *Built*: a store is built from \
             sorted entries and is visited run by run.\n";
    page += "\n## Switches\n\nWritten in parentheses behind a level: `compressed(nonunique)`.\n\n| switch | what it says |\n|---|---|\n";
    for switch in [Switch::Order, Switch::Uniqueness, Switch::Interleaving, Switch::Padding] {
        let meaning = match switch {
            Switch::Order => "whether the coordinates of one parent ascend",
            Switch::Uniqueness => "whether a coordinate may occur more than once below one parent",
            Switch::Interleaving => {
                "coordinates are stored beside those of the level above, entry by entry (an array of structs)"
            }
            Switch::Padding => "some positions hold no entry",
        };
        writeln!(page, "| `{}` | {meaning} |", switch.words().join("`, `")).expect("writing to a string succeeds");
    }
    page += "\n## Stores of graphs\n\n`--store OUTER,ROW` takes any outer level with any row store; ";
    writeln!(page, "the default is `{DEFAULT_STORE}`.\n").expect("writing to a string succeeds");
    writeln!(page, "* Outer levels: `{}`", OUTER_LEVELS.join("`, `")).expect("writing to a string succeeds");
    writeln!(page, "* Row stores: `{}`", ROW_STORES.join("`, `")).expect("writing to a string succeeds");
    page += "\n## Value types\n\n";
    let types: Vec<&str> = ValueType::ALL.iter().map(|ty| ty.name()).collect();
    writeln!(page, "`{}`. A tensor `of pattern` stores no values; an entry counts as 1.", types.join("`, `"))
        .expect("writing to a string succeeds");
    page += "\n## Semirings\n\n`over NAME` behind an expression gives `+`, `*` and the implied sum the meaning of a semiring. *Zero* is also the value \
             of what is not stored.\n\n| semiring | `+` | zero | `*` | one |\n|---|---|---|---|---|\n";
    for semiring in scope.semirings() {
        let one = semiring.one.map_or("none".to_owned(), |one| format!("`{one}`"));
        let plus = semiring.plus.operator();
        writeln!(
            page,
            "| `{}` | `{}` | `{}` | `{}` | {one} |",
            semiring.name,
            plus.name(),
            semiring.zero,
            semiring.times.name()
        )
        .expect("writing to a string succeeds");
    }
    page += "\n## Functions\n\n| function | value |\n|---|---|\n";
    for (name, operator, count) in Operator::FUNCTIONS {
        let arguments = ["a", "b"][..count].join(", ");
        writeln!(page, "| `{name}({arguments})` | {} |", value(&operator)).expect("writing to a string succeeds");
    }
    page += "\n## Operators\n\nLoosest first: `without`; `== != < <= > >=`; `+ -`; `* / %`; unary `-`. A comparison is `true` or `false`. \
             `A without B` is `A` where `B` has no entry; `A` may be a number, as in `2 without B`.\n\nReductions: `= += *= min= max= |= &=`.\n";
    page
}

fn json() -> String {
    format!(
        "# JSON output\n\n{MADE}\nWith `--json`, a command prints one object; `pleach stream` and `pleach run a,b,c` print \
         one a line. This is their schema, which `pleach help json` prints. Tests validate the output of every command against it.\n\n\
         ```json\n{SCHEMA}```\n"
    )
}

fn properties(p: Properties) -> String {
    named(&[
        (p.full, "full"),
        (p.ordered, "ordered"),
        (p.unique, "unique"),
        (p.branchless, "branchless"),
        (p.compact, "compact"),
        (p.zeroless, "zeroless"),
    ])
}

fn capabilities(c: Capabilities) -> String {
    named(&[
        (c.value_iteration || c.position_iteration, "counted"),
        (c.locate, "located"),
        (c.insert, "inserted"),
        (c.append, "appended"),
        (c.build, "built"),
    ])
}

fn named(words: &[(bool, &str)]) -> String {
    let words: Vec<&str> = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    words.join(", ")
}

/// What a function computes.
fn value(operator: &Operator) -> &'static str {
    match operator {
        Operator::Min => "the smaller of the two",
        Operator::Max => "the larger of the two",
        Operator::Abs => "the absolute value",
        Operator::Sqrt => "the square root",
        Operator::And => "`true` if both are, or are not 0",
        Operator::Or => "`true` if one of them is, or is not 0",
        Operator::Not => "`true` if `a` is `false` or 0",
        Operator::Select => {
            "`a` where the condition `b` holds, elsewhere no entry; a number `a` is an entry wherever `b` holds"
        }
        Operator::First => "`a` where both have an entry",
        Operator::Second => "`b` where both have an entry",
        Operator::Pair => "1 where both have an entry",
        other => unreachable!("`{}` is no function", other.name()),
    }
}

fn commands(command: Command) -> String {
    let mut page = format!(
        "# Commands\n\n{MADE}\nWhat `pleach COMMAND --help` prints. Results go to standard output, everything else to standard error.\n\n"
    );
    page += "Exit status: 0 done; 1 the input or the environment is at fault; 2 wrong usage; 3 no memory left; 130 interrupted.\n";
    let mut command = command.term_width(100);
    command.build();
    pages(&mut command, "pleach", &mut page);
    page
}

/// The help of each command below `command`, which is called `path`.
fn pages(command: &mut Command, path: &str, page: &mut String) {
    for sub in command.get_subcommands_mut() {
        if sub.is_hide_set() || sub.get_name() == "help" {
            continue;
        }
        let path = format!("{path} {}", sub.get_name());
        let help = sub.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(page, "\n## {path}\n\n```text\n{}\n```\n", lines.join("\n").trim_end())
            .expect("writing to a string succeeds");
        pages(sub, &path, page);
    }
}
