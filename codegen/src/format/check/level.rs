//! The kinds of levels, and their switches.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::format::ast::*;
use crate::level::{Kinds, Level, Switches};

pub(super) fn level_kind<'k>(
    level: &LevelKind,
    kinds: &'k Kinds,
    mistakes: &mut Diagnostics,
) -> Option<&'k Arc<dyn Level>> {
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
    let most = kind.parameters().len();
    if level.args.len() > most {
        let takes = if most == 0 { "no parameters".to_owned() } else { format!("at most {most} parameters") };
        mistakes.push(Diagnostic::new(level.span, format!("`{}` takes {takes}", kind.name())));
    }
    for &arg in level.args.iter().filter(|&&arg| arg < 1) {
        mistakes.push(Diagnostic::new(level.span, format!("a parameter is {arg}, but sizes are at least 1")));
    }
    Some(kind)
}

pub(super) fn switches(level: &LevelKind, kind: &dyn Level, mistakes: &mut Diagnostics) -> Switches {
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
