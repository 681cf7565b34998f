//! Attribute queries: what the assembly of a level has to know of a tensor before it can begin.
//!
//! ```text
//! select [i] -> count(j) as nir                   entries in each row
//! select [i] -> min(j) as lo, max(j) as hi        the first and the last column of each row
//! select [j - i] -> id() as nz                    diagonals that hold an entry
//! select [] -> max(#i) as slices                  the last slot of any row
//! ```
//!
//! The coordinates are those of the levels in remapping notation. The answer holds, for each value of those in brackets, statistics
//! of the entries that agree in them.

use std::fmt;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::format::{Coordinate, Format, coordinate as parse_coordinate};
use crate::notation::cursor::{Cursor, Parsed};

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What entries must agree in to be counted together.
    pub by: Vec<Coordinate>,
    /// What is asked of them.
    pub asked: Vec<Asked>,
}

/// One statistic, and what its answer is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The statistic.
    pub what: Aggregate,
    /// The name of the answer.
    pub label: String,
}

/// A statistic of entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// How many different values these coordinates have.
    Count(Vec<Coordinate>),
    /// The smallest value of a coordinate.
    Min(Coordinate),
    /// The largest value of a coordinate.
    Max(Coordinate),
    /// Whether there is any entry.
    Id,
}

impl Query {
    /// The query that `text` spells over the indices of `format`.
    ///
    /// # Errors
    ///
    /// Where the text is no query, and what was expected there.
    pub fn parse(text: &str, format: &Format) -> Result<Query, Diagnostics> {
        let mut cursor = Cursor::new(text);
        let whole = query(&mut cursor, &format.indices).and_then(|query| match cursor.at_end() {
            true => Ok(query),
            false => Err(cursor.expected("the end of the query")),
        });
        whole.map_err(|mistake| Diagnostics::from(*mistake))
    }

    /// The query as text over the indices of a format.
    pub fn show<'a>(&'a self, format: &'a Format) -> impl fmt::Display + 'a {
        Shown { query: self, format }
    }
}

struct Shown<'a> {
    query: &'a Query,
    format: &'a Format,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |c: &Coordinate| self.format.coordinate_text(c);
        let list = |all: &[Coordinate]| all.iter().map(text).collect::<Vec<_>>().join(", ");
        write!(f, "select [{}] -> ", list(&self.query.by))?;
        for (k, Asked { what, label }) in self.query.asked.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            match what {
                Aggregate::Count(of) => write!(f, "count({})", list(of))?,
                Aggregate::Min(of) => write!(f, "min({})", text(of))?,
                Aggregate::Max(of) => write!(f, "max({})", text(of))?,
                Aggregate::Id => f.write_str("id()")?,
            }
            write!(f, " as {label}")?;
        }
        Ok(())
    }
}

fn query(cursor: &mut Cursor<'_>, indices: &[String]) -> Parsed<Query> {
    if !cursor.eat_word("select") {
        return Err(cursor.expected("`select [i] -> count(j) as n`"));
    }
    let by = cursor.list("[", "]", "before the coordinates to group by", |c| parse_coordinate(c, indices))?;
    cursor.expect("->", "behind the coordinates")?;
    let mut all = vec![asked(cursor, indices)?];
    while cursor.eat(",") {
        all.push(asked(cursor, indices)?);
    }
    for (k, one) in all.iter().enumerate() {
        if all[..k].iter().any(|other| other.label == one.label) {
            return Err(Box::new(Diagnostic::new(
                cursor.since(cursor.last_end()),
                format!("two answers are called `{}`", one.label),
            )));
        }
    }
    Ok(Query { by, asked: all })
}

fn asked(cursor: &mut Cursor<'_>, indices: &[String]) -> Parsed<Asked> {
    let start = cursor.peek().span.start;
    let name = cursor.name("`count`, `min`, `max` or `id`")?;
    let of = cursor.list("(", ")", "before what is asked for", |c| parse_coordinate(c, indices))?;
    let wrong = |message: String| Err(Box::new(Diagnostic::new(cursor.since(start), message)));
    let what = match (name.text.as_str(), &of[..]) {
        ("id", []) => Aggregate::Id,
        ("id", _) => return wrong("`id` asks whether there is any entry: it takes no coordinate".to_owned()),
        ("count", [_, ..]) => Aggregate::Count(of),
        ("count", []) => return wrong("`count` takes the coordinates whose values are counted".to_owned()),
        ("min", [one]) => Aggregate::Min(one.clone()),
        ("max", [one]) => Aggregate::Max(one.clone()),
        ("min" | "max", _) => return wrong(format!("`{name}` takes one coordinate")),
        _ => return wrong(format!("there is no statistic `{name}`: there are `count`, `min`, `max` and `id`")),
    };
    if !cursor.eat_word("as") {
        return Err(cursor.expected("`as` and a name for the answer"));
    }
    let label = cursor.name("a name for the answer")?.text;
    Ok(Asked { what, label })
}
