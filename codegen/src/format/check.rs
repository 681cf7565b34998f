//! Declarations and uses to checked [`Format`]s.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ast::*;
use super::inverse::{Inverse, invert};
use super::model::{Coordinate, Format, FormatLevel};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};
use crate::level::{Kinds, Level, Place, Switches};
use crate::notation::ast::{Expr, ExprKind, Literal, Name};
use crate::notation::cursor::{Cursor, Parsed};

/// How many indices a tensor may have, and how many levels.
pub const MOST_INDICES: usize = 16;

/// The formats that are in scope, as declared.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    declared: BTreeMap<String, FormatDecl>,
    /// Those whose declarations are wrong, which has been reported there.
    broken: BTreeSet<String>,
}

impl Formats {
    /// Adds a declaration. A later one replaces an earlier one, which is how a user's format hides a bundled one.
    pub fn add(&mut self, decl: FormatDecl) -> Option<FormatDecl> {
        self.broken.remove(&decl.name.text);
        self.declared.insert(decl.name.text.clone(), decl)
    }

    /// Adds a declaration that is wrong, and has been reported: what uses it is not compiled, and nothing more is said of it.
    pub fn add_broken(&mut self, decl: FormatDecl) {
        self.broken.insert(decl.name.text.clone());
        self.declared.insert(decl.name.text.clone(), decl);
    }

    /// The declaration called `name`.
    pub fn get(&self, name: &str) -> Option<&FormatDecl> {
        self.declared.get(name)
    }

    /// All declarations, by name.
    pub fn iter(&self) -> impl Iterator<Item = &FormatDecl> {
        self.declared.values()
    }

    /// The format that `format` means.
    ///
    /// # Errors
    ///
    /// An unknown name, a wrong number of parameters, and whatever is wrong with the declaration unless that has been reported: there
    /// may then be nothing to say.
    pub fn resolve(&self, format: &FormatRef, kinds: &Kinds) -> Result<Format, Diagnostics> {
        match format {
            FormatRef::Nameless { levels, span } => nameless(levels, *span, kinds),
            FormatRef::Named { name, args, span } => {
                if let Some(decl) = self.declared.get(&name.text) {
                    return instantiate(decl, args, *span, kinds).map_err(|wrong| {
                        let said = self.broken.contains(&name.text);
                        at_use(wrong, decl, *span, said)
                    });
                }
                // A level's name alone is a format of one level: `y: dense`, `x: bst`.
                if let Some(kind) = kinds.get(&name.text) {
                    let level = LevelKind { name: name.clone(), args: args.clone(), switches: Vec::new(), span: *span };
                    let mut format = nameless(std::slice::from_ref(&level), *span, kinds)?;
                    format.name = mangled(kind.name(), args);
                    return Ok(format);
                }
                let mut mistake = Diagnostic::new(name.span, format!("there is no format called `{name}`"));
                let candidates = self.declared.keys().map(String::as_str).chain(kinds.names());
                if let Some(near) = nearest(&name.text, candidates) {
                    mistake = mistake.help(format!("did you mean `{near}`?"));
                }
                Err(mistake.into())
            }
        }
    }
}

/// What is wrong with a declaration for these parameters, said where it is used: it may stand in another file. Only what is wrong
/// with the use itself if the rest has been `said` at the declaration.
fn at_use(wrong: Diagnostics, decl: &FormatDecl, used: Span, said: bool) -> Diagnostics {
    let mut mistakes = Diagnostics::new();
    for mut mistake in wrong.into_iter().filter(|mistake| !said || mistake.span == used) {
        if mistake.span != used {
            (mistake.span, mistake.label) = (used, String::new());
            mistake.related.clear();
            mistake.notes.push(format!("it is declared as: {decl}"));
        }
        mistakes.push(mistake);
    }
    mistakes
}

fn mangled(name: &str, args: &[i64]) -> String {
    args.iter().fold(name.to_owned(), |name, arg| format!("{name}_{}", arg.to_string().replace('-', "m")))
}

fn nameless(levels: &[LevelKind], span: Span, kinds: &Kinds) -> Result<Format, Diagnostics> {
    const LETTERS: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];
    let name = |at: usize| LETTERS.get(at).map_or_else(|| format!("i{at}"), |letter| (*letter).to_owned());
    let decl = FormatDecl {
        name: Name { text: levels.iter().map(|l| mangled(&l.name.text, &l.args)).collect::<Vec<_>>().join("_"), span },
        params: Vec::new(),
        indices: (0..levels.len()).map(|at| Name { text: name(at), span }).collect(),
        levels: levels
            .iter()
            .enumerate()
            .map(|(at, kind)| LevelDecl {
                coordinate: Remap { kind: RemapKind::Name(Name { text: name(at), span: kind.span }), span: kind.span },
                kind: kind.clone(),
                span: kind.span,
            })
            .collect(),
        fill: None,
        span,
    };
    instantiate(&decl, &[], span, kinds)
}

/// Checks a declaration by itself: with its defaults, and 1 where there is none.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn check(decl: &FormatDecl, kinds: &Kinds) -> Result<(), Diagnostics> {
    let args: Vec<i64> = decl.params.iter().map(|param| param.default.unwrap_or(1)).collect();
    instantiate(decl, &args, decl.name.span, kinds).map(|_| ())
}

/// The format that `decl` is with the parameters `args`.
fn instantiate(decl: &FormatDecl, args: &[i64], used: Span, kinds: &Kinds) -> Result<Format, Diagnostics> {
    let mut mistakes = Diagnostics::new();
    repeated_names(decl, &mut mistakes);
    if decl.indices.is_empty() || decl.indices.len() > MOST_INDICES || decl.levels.len() > 2 * MOST_INDICES {
        mistakes.push(
            Diagnostic::new(
                decl.name.span,
                format!("a format has 1 to {MOST_INDICES} indices, at most twice as many levels"),
            )
            .help("a scalar needs no format: `alpha: f64`"),
        );
        return Err(mistakes);
    }
    let Some(params) = params(decl, args, used, &mut mistakes) else { return Err(mistakes) };
    let indices: Vec<String> = decl.indices.iter().map(|index| index.text.clone()).collect();
    let mut coordinates = Vec::new();
    for level in &decl.levels {
        let mut resolver =
            Resolver { params: &params, indices: &indices, scope: Vec::new(), vars: 0, mistakes: &mut mistakes };
        coordinates.push(resolver.resolve(&level.coordinate));
    }
    let levels = levels(decl, &indices, &coordinates, kinds, &mut mistakes);
    let inverse = inverse(decl, &coordinates, &mut mistakes);
    let fill = decl.fill.as_ref().and_then(constant);
    let name = mangled(&decl.name.text, args);
    let format = Format { name, indices, levels, fill, inverse };
    if mistakes.is_empty() {
        mistakes.extend(begins_elsewhere(&format, decl));
    }
    mistakes.into_result(format)
}

/// Parameters and indices that are declared twice.
fn repeated_names(decl: &FormatDecl, mistakes: &mut Diagnostics) {
    let mut names: Vec<&Name> = Vec::new();
    for name in decl.params.iter().map(|param| &param.name).chain(&decl.indices) {
        match names.iter().find(|other| **other == name) {
            Some(first) => mistakes.push(
                Diagnostic::new(name.span, format!("`{name}` is declared twice")).related(first.span, "first here"),
            ),
            None => names.push(name),
        }
    }
}

/// The value of each parameter; `None` if more or fewer are given than there are.
fn params<'d>(
    decl: &'d FormatDecl,
    args: &[i64],
    used: Span,
    mistakes: &mut Diagnostics,
) -> Option<BTreeMap<&'d str, i64>> {
    let needed = decl.params.iter().filter(|param| param.default.is_none()).count();
    if args.len() > decl.params.len() || args.len() < needed {
        let wants = match (needed, decl.params.len()) {
            (1, 1) => "1 parameter".to_owned(),
            (few, many) if few == many => format!("{many} parameters"),
            (few, many) => format!("{few} to {many} parameters"),
        };
        // The declaration may stand in another file, so it is quoted and not pointed at.
        mistakes.push(
            Diagnostic::new(used, format!("format `{}` takes {wants}, and {} are given", decl.name, args.len()))
                .note(format!("it is declared as: {decl}")),
        );
        return None;
    }
    let mut params = BTreeMap::new();
    for (at, param) in decl.params.iter().enumerate() {
        let value = args.get(at).copied().or(param.default).unwrap_or(1);
        if value < 1 {
            let span = if at < args.len() { used } else { param.name.span };
            mistakes.push(Diagnostic::new(
                span,
                format!("parameter `{}` is {value}, but sizes are at least 1", param.name),
            ));
        }
        params.insert(param.name.text.as_str(), value.max(1));
    }
    Some(params)
}

/// The levels that are known, each of which must fit below those above it.
fn levels(
    decl: &FormatDecl,
    indices: &[String],
    coordinates: &[Coordinate],
    kinds: &Kinds,
    mistakes: &mut Diagnostics,
) -> Vec<FormatLevel> {
    let mut above: Vec<Arc<dyn Level>> = Vec::new();
    let mut levels = Vec::new();
    for (at, level) in decl.levels.iter().enumerate() {
        let Some(kind) = level_kind(&level.kind, kinds, mistakes) else { continue };
        let switches = switches(&level.kind, &**kind, mistakes);
        // Levels below an unknown one cannot be checked.
        if above.len() == at {
            let place = Place { coordinates, above: &above, at, indices };
            if let Err(why) = kind.fits(&place) {
                mistakes.push(
                    Diagnostic::new(level.span, format!("`{}` cannot stand here", kind.name()))
                        .label("this level")
                        .help(why),
                );
            }
        }
        above.push(kind.clone());
        levels.push(FormatLevel {
            coordinate: coordinates[at].clone(),
            properties: kind.properties(&switches),
            kind: kind.clone(),
            args: level.kind.args.clone(),
            switches,
        });
    }
    levels
}

/// How each index follows from the coordinates of the levels.
fn inverse(decl: &FormatDecl, coordinates: &[Coordinate], mistakes: &mut Diagnostics) -> Vec<Inverse> {
    invert(decl.indices.len(), coordinates).unwrap_or_else(|lost| {
        if mistakes.is_empty() {
            let index = &decl.indices[lost];
            mistakes.push(
                Diagnostic::new(index.span, format!("index `{index}` cannot be found again from the levels"))
                    .help(format!("add a level that keeps it: `{index}: dense`"))
                    .help(format!("or both `({index} / M): …` and `({index} % M): …`")),
            );
        }
        Vec::new()
    })
}

/// A level whose coordinates do not begin at 0. Those of a difference such as `j - i` are counted from the smallest one on.
fn begins_elsewhere(format: &Format, decl: &FormatDecl) -> Option<Diagnostic> {
    let is_difference = |coordinate: &Coordinate| match coordinate {
        Coordinate::Binary(RemapOp::Sub, left, right) => {
            matches!((&**left, &**right), (Coordinate::Index(_), Coordinate::Index(_)))
        }
        _ => false,
    };
    [1, 2, 7, 1000].iter().find_map(|&extent| {
        let bounds = format.bounds(&vec![extent; format.rank()]);
        format.levels.iter().zip(bounds).find_map(|(level, bounds)| {
            let (lowest, _) = bounds.filter(|(lowest, _)| *lowest != 0 && !is_difference(&level.coordinate))?;
            let coordinate = format.coordinate_text(&level.coordinate);
            let message = format!("the coordinates of a level begin at 0, and `{coordinate}` may be {lowest}");
            let help = "keep the index itself, a quotient and a remainder of it, or the difference of two indices";
            Some(Diagnostic::new(decl.name.span, message).help(help))
        })
    })
}

/// The value of a constant expression.
pub(crate) fn constant(expr: &Expr) -> Option<Literal> {
    match &expr.kind {
        ExprKind::Literal(literal) => Some(*literal),
        ExprKind::Neg(inner) => match constant(inner)? {
            Literal::Int(value) => Some(Literal::Int(value.wrapping_neg())),
            Literal::Float(value) => Some(Literal::Float(-value)),
            Literal::Bool(_) => None,
        },
        _ => None,
    }
}

fn level_kind<'k>(level: &LevelKind, kinds: &'k Kinds, mistakes: &mut Diagnostics) -> Option<&'k Arc<dyn Level>> {
    let Some(kind) = kinds.get(&level.name.text) else {
        let mut mistake =
            Diagnostic::new(level.name.span, format!("there is no level or store called `{}`", level.name));
        mistake = match nearest(&level.name.text, kinds.names()) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("in scope are {}", kinds.names().collect::<Vec<_>>().join(", "))),
        };
        mistakes.push(mistake);
        return None;
    };
    let most = kind.parameters();
    if level.args.len() > most {
        let takes = if most == 0 { "no parameters".to_owned() } else { format!("at most {most} parameters") };
        mistakes.push(Diagnostic::new(level.span, format!("`{}` takes {takes}", kind.name())));
    }
    for &arg in level.args.iter().filter(|&&arg| arg < 1) {
        mistakes.push(Diagnostic::new(level.span, format!("a parameter is {arg}, but sizes are at least 1")));
    }
    Some(kind)
}

fn switches(level: &LevelKind, kind: &dyn Level, mistakes: &mut Diagnostics) -> Switches {
    let mut switches = Switches::default();
    let known: Vec<&str> = kind.switches().iter().flat_map(|switch| switch.words()).copied().collect();
    for word in &level.switches {
        if !known.contains(&word.text.as_str()) {
            let mut mistake =
                Diagnostic::new(word.span, format!("`{}` has no property `{word}` that can be switched", kind.name()));
            if !known.is_empty() {
                mistake = mistake.help(format!("what can be switched: {}", known.join(", ")));
            }
            mistakes.push(mistake);
            continue;
        }
        let again = match word.text.as_str() {
            "ordered" => switches.ordered.replace(true).is_some(),
            "unordered" => switches.ordered.replace(false).is_some(),
            "unique" => switches.unique.replace(true).is_some(),
            "nonunique" => switches.unique.replace(false).is_some(),
            "interleaved" => std::mem::replace(&mut switches.interleaved, true),
            _ => std::mem::replace(&mut switches.padded, true),
        };
        if again {
            mistakes
                .push(Diagnostic::new(word.span, format!("`{word}` is said of a property that is switched already")));
        }
    }
    switches
}

/// Reads a coordinate in remapping notation over `indices`.
pub(crate) fn coordinate(cursor: &mut Cursor<'_>, indices: &[String]) -> Parsed<Coordinate> {
    let remap = super::parse::remap(cursor)?;
    let mut mistakes = Diagnostics::new();
    let params = BTreeMap::new();
    let mut resolver = Resolver { params: &params, indices, scope: Vec::new(), vars: 0, mistakes: &mut mistakes };
    let coordinate = resolver.resolve(&remap);
    match mistakes.into_iter().next() {
        Some(mistake) => Err(Box::new(mistake)),
        None => Ok(coordinate),
    }
}

struct Resolver<'a> {
    params: &'a BTreeMap<&'a str, i64>,
    indices: &'a [String],
    scope: Vec<(String, usize)>,
    vars: usize,
    mistakes: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn index(&mut self, name: &Name) -> Option<usize> {
        let found = self.indices.iter().position(|index| *index == name.text);
        if found.is_none() {
            self.unknown(name, "index");
        }
        found
    }

    fn unknown(&mut self, name: &Name, what: &str) {
        let mut mistake = Diagnostic::new(name.span, format!("there is no {what} called `{name}`"));
        let candidates = self.indices.iter().map(String::as_str).chain(self.params.keys().copied());
        mistake = match nearest(&name.text, candidates) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake.help(format!("the format's indices are {}", self.indices.join(", "))),
        };
        self.mistakes.push(mistake);
    }

    fn resolve(&mut self, remap: &Remap) -> Coordinate {
        match &remap.kind {
            RemapKind::Const(value) => Coordinate::Const(*value),
            RemapKind::Name(name) => {
                if let Some((_, var)) = self.scope.iter().rev().find(|(var, _)| *var == name.text) {
                    return Coordinate::Var(*var);
                }
                if let Some(value) = self.params.get(name.text.as_str()) {
                    return Coordinate::Const(*value);
                }
                if let Some(m) = self.indices.iter().position(|index| *index == name.text) {
                    return Coordinate::Index(m);
                }
                self.unknown(name, "index, parameter or variable");
                Coordinate::Const(0)
            }
            RemapKind::Counter(of) => {
                let of: Vec<Option<usize>> = of.iter().map(|name| self.index(name)).collect();
                Coordinate::Counter(of.into_iter().flatten().collect())
            }
            RemapKind::Neg(inner) => match self.resolve(inner) {
                Coordinate::Const(value) => Coordinate::Const(value.wrapping_neg()),
                inner => Coordinate::Neg(Box::new(inner)),
            },
            RemapKind::Binary { op, left, right } => {
                let (left, right) = (self.resolve(left), self.resolve(right));
                if matches!(op, RemapOp::Div | RemapOp::Rem) && right == Coordinate::Const(0) {
                    self.mistakes.push(Diagnostic::new(remap.span, "division by zero"));
                }
                match (&left, &right) {
                    (Coordinate::Const(a), Coordinate::Const(b)) => Coordinate::Const(super::remap::apply(*op, *a, *b)),
                    _ => Coordinate::Binary(*op, Box::new(left), Box::new(right)),
                }
            }
            RemapKind::Let { name, value, body } => {
                let value = self.resolve(value);
                let var = self.vars;
                self.vars += 1;
                self.scope.push((name.text.clone(), var));
                let body = self.resolve(body);
                self.scope.pop();
                Coordinate::Let(var, Box::new(value), Box::new(body))
            }
        }
    }
}
