//! What the compiler says when it does not understand: spans, messages and their rendering.
//!
//! Every notation reports its mistakes as [`Diagnostic`]s, several per run, each with the place in the source and,
//! where it is known, what would make it right. [`Diagnostics::render`] draws them for a terminal:
//!
//! ```text
//! error: nothing is called `M`
//!  --> ctree.schema:2:12
//!   |
//! 2 |   e : elem[M] nonempty
//!   |            ^ the size of an array is a constant, a parameter or a `size` field of the same node
//!   |
//!   = help: write `N`, or add a field `M : size`
//! ```

use std::fmt::{self, Write as _};

/// A stretch of source text as byte offsets, `start..end`. Empty at a place where something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The span of the bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The smallest span that holds both `self` and `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}

/// A name and a text: what spans point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Shown before line and column: a path, or another name for the origin of the text.
    pub name: String,
    /// The text.
    pub text: String,
}

impl SourceFile {
    /// A source file called `name` that holds `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile { name: name.into(), text: text.into() }
    }

    /// Line and column, both counted from 1, of the character at byte `offset`. Columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        line_column(&self.text, offset)
    }
}

/// Line and column, both counted from 1, of the character at byte `offset` of `text`. Columns count characters; an
/// offset inside a character belongs to it, one past the end to the place behind the last character.
///
/// Takes time linear in `offset`.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let offset = floor_char(text, offset);
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

fn floor_char(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// One mistake: what is wrong, where, and what would make it right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one line, without a full stop.
    pub message: String,
    /// Where it is wrong.
    pub span: Span,
    /// What is said beside the carets; may be empty.
    pub label: String,
    /// Other places that matter, such as a first definition, with what is said of each.
    pub related: Vec<(Span, String)>,
    /// Facts that help to understand the mistake.
    pub notes: Vec<String>,
    /// What would make it right.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A mistake at `span`.
    pub fn new(span: impl Into<Span>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            message: message.into(),
            span: span.into(),
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Says `label` beside the carets.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Points at another place that matters.
    pub fn related(mut self, span: impl Into<Span>, label: impl Into<String>) -> Diagnostic {
        self.related.push((span.into(), label.into()));
        self
    }

    /// Adds a fact that helps to understand the mistake.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds what would make it right.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }

    /// Draws the mistake with the lines it points at. `source` is the text that was compiled and `file_name` what the
    /// user calls it. Ends with a line break.
    pub fn render(&self, file_name: &str, source: &str) -> String {
        self.draw("error", file_name, source)
    }

    /// Draws a warning, as [`render`](Self::render) draws a mistake.
    pub fn render_warning(&self, file_name: &str, source: &str) -> String {
        self.draw("warning", file_name, source)
    }

    fn draw(&self, kind: &str, file_name: &str, source: &str) -> String {
        let mut out = String::new();
        let gutter = std::iter::once(self.span)
            .chain(self.related.iter().map(|(span, _)| *span))
            .map(|span| line_column(source, span.start).0.to_string().len())
            .max()
            .unwrap_or(1);
        let pad = " ".repeat(gutter);
        let (line, column) = line_column(source, self.span.start);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{kind}: {}", self.message);
        let _ = writeln!(out, "{pad}--> {file_name}:{line}:{column}");
        let _ = writeln!(out, "{pad} |");
        snippet(&mut out, gutter, source, self.span, '^', &self.label);
        for (span, label) in &self.related {
            let _ = writeln!(out, "{pad} |");
            snippet(&mut out, gutter, source, *span, '-', label);
        }
        if !self.notes.is_empty() || !self.help.is_empty() {
            let _ = writeln!(out, "{pad} |");
        }
        for (kind, text) in
            self.notes.iter().map(|text| ("note", text)).chain(self.help.iter().map(|text| ("help", text)))
        {
            let _ = writeln!(out, "{pad} = {kind}: {}", text.replace('\n', &format!("\n{pad}         ")));
        }
        out
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// Characters of a source line that are shown at most: a machine-written line of a megabyte is not printed whole.
const SHOWN: usize = 160;

/// Draws the first line of `span` and marks the part of it that the span covers.
fn snippet(out: &mut String, gutter: usize, source: &str, span: Span, mark: char, label: &str) {
    let start = floor_char(source, span.start);
    let end = floor_char(source, span.end).max(start);
    let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
    let number = source[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;

    let column = source[line_start..start].chars().count();
    let shown_from = if column > SHOWN / 2 { column - SHOWN / 4 } else { 0 };
    let mut line: String =
        source[line_start..line_end].trim_end_matches('\r').chars().skip(shown_from).take(SHOWN).map(visible).collect();
    let line_chars = line.chars().count();
    let mut indent = column - shown_from;
    if shown_from > 0 {
        line.insert(0, '…');
        indent += 1;
    }
    if source[line_start..line_end].chars().nth(shown_from + SHOWN).is_some() {
        line.push('…');
    }
    let covered = source[start..end.min(line_end)].chars().count();
    let marks = covered.clamp(1, (line_chars + 1).saturating_sub(column - shown_from).max(1));

    let text = format!("{number:>gutter$} | {line}");
    let _ = writeln!(out, "{}", text.trim_end());
    let pad = " ".repeat(gutter);
    let marks: String = std::iter::repeat_n(mark, marks).collect();
    let text = format!("{pad} | {}{marks} {label}", " ".repeat(indent));
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Keeps columns aligned: one character of source is drawn as one cell, even if a terminal would treat it otherwise.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// The mistakes of one run, in the order of the source. As an error it holds at least one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a mistake.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds the mistakes that are not among these yet: the same message at the same place.
    pub(crate) fn extend_new(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        for other in others {
            if !self.0.iter().any(|known| known.span == other.span && known.message == other.message) {
                self.0.push(other);
            }
        }
    }

    /// The mistake that was added last.
    pub fn last_mut(&mut self) -> Option<&mut Diagnostic> {
        self.0.last_mut()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes, first to last.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// `value` if there is no mistake, the mistakes in the order of the source otherwise.
    ///
    /// # Errors
    ///
    /// The mistakes, if there is one.
    pub fn into_result<T>(mut self, value: T) -> Result<T, Diagnostics> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort_by_key(|diagnostic| diagnostic.span.start);
        Err(self)
    }

    /// Draws every mistake, separated by empty lines. See [`Diagnostic::render`].
    pub fn render(&self, file_name: &str, source: &str) -> String {
        self.0.iter().map(|diagnostic| diagnostic.render(file_name, source)).collect::<Vec<_>>().join("\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(diagnostics: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics(diagnostics)
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        self.0.extend(diagnostics);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The candidate that a person who typed `name` most likely meant, if one is near: for "did you mean" helps.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names that a person types are short; a machine's are not worth the quadratic comparison.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + name.len().min(candidate.len()) / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance (insertions, deletions, substitutions), ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
