//! One attribute: a column of values of one type.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Kind, Value};

/// An attribute of vertices or of edges.
#[derive(Clone, Debug)]
pub struct Attribute {
    name: String,
    /// The rows that have a value of their own, increasing; `None` if these are the first rows without gaps.
    rows: Option<Vec<usize>>,
    /// Their values, and behind these the usual value, if there is one.
    values: Values,
    /// If there is a usual value: the number of rows, from the first on, that have it unless they have one of their own.
    usual: Option<usize>,
}

impl PartialEq for Attribute {
    /// Whether names, types, rows and values are the same, however they are held.
    fn eq(&self, other: &Attribute) -> bool {
        self.name == other.name && self.kind() == other.kind() && self.iter().eq(other.iter())
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Booleans(Vec<bool>),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Texts(Texts),
}

/// Texts, each held once.
#[derive(Clone, Debug, Default, PartialEq)]
struct Texts {
    places: Vec<u32>,
    distinct: Vec<Arc<str>>,
    known: HashMap<Arc<str>, u32>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        let place = match self.known.get(text) {
            Some(&place) => place,
            None => {
                let (place, text) = (self.distinct.len() as u32, Arc::<str>::from(text));
                self.distinct.push(text.clone());
                self.known.insert(text, place);
                place
            }
        };
        self.places.push(place);
    }
}

impl Values {
    fn none(kind: Kind) -> Values {
        match kind {
            Kind::Boolean => Values::Booleans(Vec::new()),
            Kind::Integer => Values::Integers(Vec::new()),
            Kind::Float => Values::Floats(Vec::new()),
            Kind::Text => Values::Texts(Texts::default()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Values::Booleans(_) => Kind::Boolean,
            Values::Integers(_) => Kind::Integer,
            Values::Floats(_) => Kind::Float,
            Values::Texts(_) => Kind::Text,
        }
    }

    fn len(&self) -> usize {
        match self {
            Values::Booleans(all) => all.len(),
            Values::Integers(all) => all.len(),
            Values::Floats(all) => all.len(),
            Values::Texts(texts) => texts.places.len(),
        }
    }

    fn get(&self, at: usize) -> Value<'_> {
        match self {
            Values::Booleans(all) => Value::Boolean(all[at]),
            Values::Integers(all) => Value::Integer(all[at]),
            Values::Floats(all) => Value::Float(all[at]),
            Values::Texts(texts) => Value::Text(&texts.distinct[texts.places[at] as usize]),
        }
    }

    fn pop(&mut self) {
        match self {
            Values::Booleans(all) => drop(all.pop()),
            Values::Integers(all) => drop(all.pop()),
            Values::Floats(all) => drop(all.pop()),
            Values::Texts(texts) => drop(texts.places.pop()),
        }
    }

    /// Adds a value. One of another type makes all of them floats, if they are numbers that floats can hold, or else texts.
    fn push(&mut self, value: Value<'_>) {
        if self.len() == 0 {
            *self = Values::none(value.kind());
        }
        match (&mut *self, value) {
            (Values::Booleans(all), Value::Boolean(value)) => all.push(value),
            (Values::Integers(all), Value::Integer(value)) => all.push(value),
            (Values::Floats(all), Value::Float(value)) => all.push(value),
            (Values::Floats(all), Value::Integer(value)) if is_float(value) => all.push(value as f64),
            (Values::Texts(texts), Value::Text(value)) => texts.push(value),
            (Values::Texts(texts), value) => texts.push(&value.to_string()),
            (Values::Integers(all), Value::Float(_)) if all.iter().all(|&value| is_float(value)) => {
                *self = Values::Floats(all.iter().map(|&value| value as f64).collect());
                self.push(value);
            }
            _ => {
                let mut texts = Texts::default();
                (0..self.len()).for_each(|at| texts.push(&self.get(at).to_string()));
                *self = Values::Texts(texts);
                self.push(value);
            }
        }
    }
}

/// Whether a float holds this number exactly.
fn is_float(value: i64) -> bool {
    value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
}

impl Attribute {
    /// An attribute without values.
    pub fn new(name: impl Into<String>) -> Attribute {
        Attribute { name: name.into(), rows: None, values: Values::none(Kind::Text), usual: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type.
    pub fn kind(&self) -> Kind {
        self.values.kind()
    }

    /// The number of rows that have a value.
    pub fn len(&self) -> usize {
        self.usual.unwrap_or(self.values.len())
    }

    /// The number of rows that have a value of their own.
    fn own(&self) -> usize {
        self.values.len() - usize::from(self.usual.is_some())
    }

    /// Gives a value to all of the first `rows` rows that have none, in memory for one. All that have a value must be among them.
    pub(crate) fn set_usual(&mut self, value: Value<'_>, rows: usize) {
        self.values.push(value);
        self.usual = Some(rows);
    }

    /// Whether no row has a value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives a row its value. A value of another type than those before makes all of them floats, if they are numbers that floats can hold,
    /// or else texts.
    ///
    /// # Panics
    ///
    /// If a later row has a value already.
    pub fn set(&mut self, row: usize, value: Value<'_>) {
        if self.usual.is_some() {
            *self = self.rearranged(Some);
        }
        match self.last_row() {
            Some(last) if last == row => {
                self.values.pop();
                return self.values.push(value);
            }
            Some(last) => assert!(last < row, "rows get their values in order"),
            None => {}
        }
        match &mut self.rows {
            Some(rows) => rows.push(row),
            None if row == self.values.len() => {}
            None => self.rows = Some((0..self.values.len()).chain([row]).collect()),
        }
        self.values.push(value);
    }

    /// The last row that has a value.
    pub(super) fn last_row(&self) -> Option<usize> {
        match &self.rows {
            Some(rows) if self.usual.is_none() => rows.last().copied(),
            _ => self.len().checked_sub(1),
        }
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<Value<'_>> {
        let own = match &self.rows {
            None => Some(row).filter(|&row| row < self.own()),
            Some(rows) => rows.binary_search(&row).ok(),
        };
        let usual = || self.usual.filter(|&rows| row < rows).map(|_| self.own());
        own.or_else(usual).map(|at| self.values.get(at))
    }

    /// The rows that have a value, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Value<'_>)> {
        self.places().map(move |(row, at)| (row, self.values.get(at)))
    }

    /// The rows that have a value, increasing, with the places of their values.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let own_row = |at: usize| self.rows.as_ref().map_or(at, |rows| rows[at]);
        let (own, mut next) = (self.own(), 0);
        (0..self.len()).map(move |row| match self.usual {
            None => (own_row(row), row),
            Some(_) if next < own && own_row(next) == row => {
                next += 1;
                (row, next - 1)
            }
            Some(_) => (row, own),
        })
    }

    /// Its texts, each once, if it is one of texts.
    pub fn distinct_texts(&self) -> impl Iterator<Item = &str> {
        let texts = if let Values::Texts(texts) = &self.values { &texts.distinct[..] } else { &[] };
        texts.iter().map(|text| &**text)
    }

    /// The same with rows at other places; `None` leaves one out. Of rows that come to the same place the last counts.
    #[must_use]
    pub fn rearranged(&self, place: impl Fn(usize) -> Option<usize>) -> Attribute {
        let mut moved: Vec<(usize, usize)> = self.places().filter_map(|(row, at)| Some((place(row)?, at))).collect();
        // Rows that come to the same place stay in their order.
        moved.sort_by_key(|moved| moved.0);
        let mut result =
            Attribute { name: self.name.clone(), rows: None, values: Values::none(self.kind()), usual: None };
        moved.into_iter().for_each(|(row, at)| result.set(row, self.values.get(at)));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_value_have_the_usual_one() {
        let mut column = Attribute::new("x");
        column.set(1, Value::Integer(3));
        column.set(3, Value::Integer(4));
        column.set_usual(Value::Integer(7), 5);
        let all = [7, 3, 7, 4, 7].map(Value::Integer);
        assert!(column.iter().eq(all.into_iter().enumerate()) && column.len() == 5);
        assert!((0..5).all(|row| column.get(row) == Some(all[row])) && column.get(5).is_none());
        let mut plain = Attribute::new("x");
        all.into_iter().enumerate().for_each(|(row, value)| plain.set(row, value));
        assert_eq!(column, plain);
        // Of rows that come to the same place the last counts, whether its value is the usual one or its own.
        let moved = column.rearranged(|row| [Some(2), Some(2), Some(0), Some(4), None][row]);
        let expected = [(0, 7), (2, 3), (4, 4)].map(|(row, value)| (row, Value::Integer(value)));
        assert!(moved.iter().eq(expected), "{moved:?}");
        let moved = column.rearranged(|row| Some(row / 4));
        assert!(moved.iter().eq([(0, Value::Integer(4)), (1, Value::Integer(7))]), "{moved:?}");
        let moved = column.rearranged(|row| (row < 3).then_some(0));
        assert!(moved.iter().eq([(0, Value::Integer(7))]), "{moved:?}");
        column.set(5, Value::Float(0.5));
        assert_eq!((column.len(), column.get(0), column.get(5)), (6, Some(Value::Float(7.0)), Some(Value::Float(0.5))));
        let mut none = Attribute::new("y");
        none.set_usual(Value::Text("a"), 0);
        assert!(none.is_empty() && none.get(0).is_none());
    }
}
