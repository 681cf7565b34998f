//! Types of attributes that a file has as texts only.

use super::{Attribute, Value};

impl Attribute {
    /// The column with its texts as booleans or numbers, if all of them can be.
    pub(crate) fn narrowed(self) -> Attribute {
        self.narrowed_to(&[boolean, integer, number])
    }

    /// The column with its texts as whole numbers, if all of them can be. These are the same texts again, and take less memory.
    pub(crate) fn narrowed_to_integers(self) -> Attribute {
        self.narrowed_to(&[integer])
    }

    fn narrowed_to(self, kinds: &[fn(&str) -> Option<Value<'_>>]) -> Attribute {
        let all = |of: fn(&str) -> Option<Value<'_>>| self.distinct_texts().all(|text| of(text).is_some());
        let any = self.distinct_texts().next().is_some();
        let Some(of) = kinds.iter().copied().find(|&of| any && all(of)) else { return self };
        let mut narrowed = Attribute::new(self.name());
        for (row, value) in self.iter() {
            let Value::Text(text) = value else { unreachable!("a column of texts") };
            narrowed.set(row, of(text).expect("all texts have been looked at"));
        }
        narrowed
    }
}

fn boolean(text: &str) -> Option<Value<'_>> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Boolean(true)),
        "false" | "False" | "FALSE" => Some(Value::Boolean(false)),
        _ => None,
    }
}

/// A whole number. `007` is a text.
fn integer(text: &str) -> Option<Value<'_>> {
    let value = text.parse::<i64>().ok().filter(|value| value.to_string() == text);
    value.map(Value::Integer)
}

/// A number. `00.7` is a text, and so is a whole number that floats do not hold.
fn number(text: &str) -> Option<Value<'_>> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let plain = matches!(digits, [b'0', b'.' | b'e' | b'E', ..] | [b'0'] | [b'1'..=b'9', ..] | [b'.', b'0'..=b'9', ..]);
    let value = text.parse::<f64>().ok().filter(|_| plain || matches!(text, "NaN" | "nan" | "inf" | "-inf"))?;
    let whole = digits.iter().all(u8::is_ascii_digit);
    (!whole || value.abs() <= 9_007_199_254_740_992.0).then_some(Value::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Kind;

    #[test]
    fn types_are_those_that_all_texts_have() {
        let kind = |texts: &[&str]| {
            let mut column = Attribute::new("x");
            texts.iter().enumerate().for_each(|(row, text)| column.set(2 * row, Value::Text(text)));
            let column = column.narrowed();
            let back: Vec<String> = column.iter().map(|(_, value)| value.to_string()).collect();
            (column.kind(), back)
        };
        let is = |texts: &[&str], expected: Kind| assert_eq!(kind(texts).0, expected, "{texts:?}");
        is(&["true", "False"], Kind::Boolean);
        is(&["1", "-5", "0"], Kind::Integer);
        is(&["1", "0.5", "-1e9"], Kind::Float);
        is(&["1", "yes"], Kind::Text);
        // Texts that would not come back as they were.
        for text in ["007", "1e", "+5", "9223372036854775808", "0x1", "", "infinity"] {
            is(&[text], Kind::Text);
            assert_eq!(kind(&[text]).1, [text]);
        }
    }

    #[test]
    fn columns_widen_and_rows_move() {
        let mut column = Attribute::new("x");
        column.set(1, Value::Integer(3));
        column.set(4, Value::Float(0.5));
        assert_eq!((column.kind(), column.get(0), column.get(1)), (Kind::Float, None, Some(Value::Float(3.0))));
        let moved = column.rearranged(|row| Some(4 - row));
        assert_eq!(moved.iter().collect::<Vec<_>>(), [(0, Value::Float(0.5)), (3, Value::Float(3.0))]);
        column.set(4, Value::Boolean(true));
        assert_eq!((column.kind(), column.get(1)), (Kind::Text, Some(Value::Text("3.0"))));
        assert_eq!(column.get(4), Some(Value::Text("true")));
        let mut large = Attribute::new("y");
        large.set(0, Value::Integer(i64::MAX));
        large.set(1, Value::Float(0.5));
        assert_eq!(large.get(0), Some(Value::Text("9223372036854775807")));
    }
}
