//! Labels and texts as formats of other programs have them.

use std::fmt::{Display, Formatter, Result, Write};

use crate::attributes::Value;

/// A text with what XML gives a meaning escaped.
pub(super) struct Xml<T>(pub(super) T);

impl<T: Display> Display for Xml<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(EscapeXml(f), "{}", self.0)
    }
}

struct EscapeXml<'a, 'f>(&'a mut Formatter<'f>);

impl Write for EscapeXml<'_, '_> {
    fn write_str(&mut self, text: &str) -> Result {
        for c in text.chars() {
            match c {
                '&' => self.0.write_str("&amp;")?,
                '<' => self.0.write_str("&lt;")?,
                '>' => self.0.write_str("&gt;")?,
                '"' => self.0.write_str("&quot;")?,
                '\t' => self.0.write_str("&#9;")?,
                '\n' => self.0.write_str("&#10;")?,
                '\r' => self.0.write_str("&#13;")?,
                c => self.0.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A number as XML's schemas spell it.
pub(super) struct Schema<'a>(pub(super) Value<'a>);

impl Display for Schema<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Value::Float(value) if value.is_infinite() => f.write_str(if value > 0.0 { "INF" } else { "-INF" }),
            value => Xml(value).fmt(f),
        }
    }
}

/// A text in quotes, as DOT and Pajek have it.
pub(super) struct Quoted<T>(pub(super) T);

impl<T: Display> Display for Quoted<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_char('"')?;
        write!(EscapeQuotes(f), "{}", self.0)?;
        f.write_char('"')
    }
}

struct EscapeQuotes<'a, 'f>(&'a mut Formatter<'f>);

impl Write for EscapeQuotes<'_, '_> {
    fn write_str(&mut self, text: &str) -> Result {
        for c in text.chars() {
            if matches!(c, '\\' | '"') {
                self.0.write_char('\\')?;
            }
            self.0.write_char(c)?;
        }
        Ok(())
    }
}

/// A value as JSON.
pub(super) struct Json<'a>(pub(super) Value<'a>);

impl Display for Json<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Value::Text(text) => serde_json::Value::from(text).fmt(f),
            value => value.fmt(f),
        }
    }
}
