//! JSON of a recorder. An unexpected value is a panic, which makes a fault of the vector.

use serde_json::{Number, Value};

/// Piece of a recording.
pub trait Node: Sized {
    /// Reads a text with one value.
    ///
    /// # Panics
    ///
    /// When the text is not JSON.
    fn parse(text: &str) -> Self;

    /// Returns the first value of a key, of an object that has the key.
    fn find(&self, key: &str) -> Option<&Self>;

    /// Returns the elements of a list.
    fn elements(&self) -> Option<&[Self]>;

    /// Returns a text.
    fn as_text(&self) -> Option<&str>;

    /// Returns a boolean.
    fn as_truth(&self) -> Option<bool>;

    /// Returns a number.
    fn as_json_number(&self) -> Option<&Number>;

    /// Returns the beginning of the value, for messages.
    fn brief(&self) -> String;

    /// Returns the value of a key.
    ///
    /// # Panics
    ///
    /// When the key is missing.
    #[track_caller]
    fn at(&self, key: &str) -> &Self {
        self.find(key)
            .unwrap_or_else(|| panic!("no `{key}` in {}", self.brief()))
    }

    /// Returns the elements of a list; none of any other value.
    fn items(&self) -> &[Self] {
        self.elements().unwrap_or_default()
    }

    /// Returns the elements of a list.
    ///
    /// # Panics
    ///
    /// When the value is no list.
    #[track_caller]
    fn list(&self) -> &[Self] {
        self.elements()
            .unwrap_or_else(|| panic!("a list, not {}", self.brief()))
    }

    /// Returns a text.
    ///
    /// # Panics
    ///
    /// When the value is no text.
    #[track_caller]
    fn text(&self) -> &str {
        self.as_text()
            .unwrap_or_else(|| panic!("a text, not {}", self.brief()))
    }

    /// Returns a boolean.
    ///
    /// # Panics
    ///
    /// When the value is no boolean.
    #[track_caller]
    fn truth(&self) -> bool {
        self.as_truth()
            .unwrap_or_else(|| panic!("a boolean, not {}", self.brief()))
    }

    /// Returns a whole number; recorders write 64-bit numbers as text.
    ///
    /// # Panics
    ///
    /// When the value is no number of this type.
    #[track_caller]
    fn number<T: TryFrom<i128>>(&self) -> T {
        let number = match (self.as_json_number(), self.as_text()) {
            (Some(number), _) => number.as_i128(),
            (None, text) => text.and_then(|text| text.parse().ok()),
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        number.unwrap_or_else(|| panic!("a number that fits, not {}", self.brief()))
    }

    /// Returns a time in seconds.
    ///
    /// # Panics
    ///
    /// When the value is no number.
    #[track_caller]
    fn seconds(&self) -> f64 {
        let number = self.as_json_number().and_then(Number::as_f64);
        number.unwrap_or_else(|| panic!("a time, not {}", self.brief()))
    }

    /// Returns bytes, recorded as hexadecimal text.
    ///
    /// # Panics
    ///
    /// When the value is no hexadecimal text.
    #[track_caller]
    fn hex(&self) -> Vec<u8> {
        hex::decode(self.text()).expect("hexadecimal text")
    }
}

impl Node for Value {
    fn parse(text: &str) -> Self {
        serde_json::from_str(text).expect("JSON")
    }

    fn find(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }

    fn elements(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn as_truth(&self) -> Option<bool> {
        self.as_bool()
    }

    fn as_json_number(&self) -> Option<&Number> {
        self.as_number()
    }

    fn brief(&self) -> String {
        self.to_string().chars().take(200).collect()
    }
}

/// JSON in the order of the text and with repeated keys: `{"set": {"int1": 5, "int1": 1}}` is two assignments, of which
/// `serde_json` keeps the last.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// Keys and values.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Returns the first value of a key, of an object that has the key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let (_, value) = self.entries().iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// Returns the keys and values of an object; none of any other value.
    #[must_use]
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// Returns whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

impl Node for Json {
    fn parse(text: &str) -> Self {
        let mut parser = Parser { rest: text };
        let json = parser.value();
        assert_eq!(parser.rest.trim(), "", "one value and nothing behind it");
        json
    }

    fn find(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }

    fn elements(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn as_truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn as_json_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    fn brief(&self) -> String {
        format!("{self:?}").chars().take(200).collect()
    }
}

/// Reader of objects and lists; `serde_json` reads the scalars inside.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn value(&mut self) -> Json {
        if self.accept('{') {
            return Json::Object(self.sequence('}', |parser| {
                let Json::Text(key) = parser.scalar() else {
                    panic!("a key before {:.40}", parser.rest);
                };
                assert!(parser.accept(':'), "a value for `{key}`");
                (key, parser.value())
            }));
        }
        if self.accept('[') {
            return Json::List(self.sequence(']', Self::value));
        }
        self.scalar()
    }

    fn sequence<T>(&mut self, end: char, element: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut elements = Vec::new();
        if self.accept(end) {
            return elements;
        }
        loop {
            elements.push(element(self));
            if self.accept(end) {
                return elements;
            }
            assert!(self.accept(','), "a comma before {:.40}", self.rest);
        }
    }

    fn accept(&mut self, expected: char) -> bool {
        match self.rest.trim_start().strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn scalar(&mut self) -> Json {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter();
        let value = values.next().expect("a value").expect("JSON");
        self.rest = &self.rest[values.byte_offset()..];
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => Json::Number(number),
            Value::String(text) => Json::Text(text),
            Value::Array(_) | Value::Object(_) => panic!("a scalar before {:.40}", self.rest),
        }
    }
}

#[test]
fn a_key_that_comes_twice_is_kept_twice() {
    let json = Json::parse(r#" {"set": {"a": 5, "a": -1.5}, "b": ["\u00e9", null, true, {}]} "#);
    let entries = json.at("set").entries().iter();
    let names: Vec<_> = entries.map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "a"]);
    assert_eq!(json.at("b").items()[0].text(), "é");
    assert!(json.at("b").items()[1].is_null() && json.at("b").items()[2].truth());
}
