//! Declarations and uses to checked [`Format`]s.

mod coordinate;
mod level;

use coordinate::Resolver;
pub(crate) use coordinate::coordinate;
use level::{level_kind, switches};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};
use crate::format::ast::*;
use crate::format::inverse::{Inverse, invert};
use crate::format::model::{Coordinate, Format, FormatLevel};
use crate::level::{Kinds, Level, Place};
use crate::notation::ast::{Expr, ExprKind, Literal, Name};

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
                    return Err(mistake.help(format!("did you mean `{near}`?")).into());
                }
                if !self.declared.is_empty() {
                    let names: Vec<&str> = self.declared.keys().map(String::as_str).collect();
                    mistake = mistake.help(format!("in scope are {}", names.join(", ")));
                }
                Err(mistake.help("a format may be written out, too, as in `(dense, compressed)`").into())
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
        levels.push(FormatLevel::new(coordinates[at].clone(), kind.clone(), level.kind.args.clone(), switches));
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
    let lowest =
        |extent: i64| format.bounds(&vec![extent; format.rank()]).into_iter().map(|bounds| bounds.map(|(lo, _)| lo));
    let extents = [1, 2, 7, 1000];
    extents.iter().find_map(|&extent| {
        format.levels.iter().zip(lowest(extent)).enumerate().find_map(|(k, (level, bound))| {
            let value = bound.filter(|value| *value != 0 && !is_difference(&level.coordinate))?;
            let always = extents.iter().all(|&other| lowest(other).nth(k) == Some(bound));
            let message = format!(
                "the smallest coordinate of a level must be 0, and the smallest value of `{}` {} {value}",
                format.coordinate_text(&level.coordinate),
                if always { "is" } else { "may be" }
            );
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
