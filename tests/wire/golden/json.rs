//! JSON as the recorder wrote it: in its order, and with the keys that come twice in one object
//! (`"set": {"int1": 5, "int1": 1}` is two assignments), of which `serde_json` keeps the last.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Panics when the text is not JSON: these files are our own.
    pub(crate) fn parse(text: &str) -> Self {
        let mut parser = Parser { rest: text };
        let json = parser.value();
        assert_eq!(parser.rest.trim(), "", "one value and nothing behind it");
        json
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let (_, value) = self.entries().iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// The value of a key that is always there.
    #[track_caller]
    pub(crate) fn at(&self, key: &str) -> &Self {
        self.get(key)
            .unwrap_or_else(|| panic!("no `{key}` in {}", self.brief()))
    }

    /// The members of an object; none of anything else.
    pub(crate) fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The elements of what must be a list.
    #[track_caller]
    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            other => panic!("a list, not {}", other.brief()),
        }
    }

    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("a text, not {}", other.brief()),
        }
    }

    #[track_caller]
    pub(crate) fn bool(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            other => panic!("a boolean, not {}", other.brief()),
        }
    }

    /// A whole number: 64-bit ones are recorded as text.
    #[track_caller]
    pub(crate) fn number<T: TryFrom<i128>>(&self) -> T {
        let number = match self {
            Self::Number(number) => number.as_i128(),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        number.unwrap_or_else(|| panic!("a number that fits, not {}", self.brief()))
    }

    #[track_caller]
    pub(crate) fn seconds(&self) -> std::time::Duration {
        match self {
            Self::Number(number) => number.as_f64().map(std::time::Duration::from_secs_f64),
            _ => None,
        }
        .unwrap_or_else(|| panic!("a time, not {}", self.brief()))
    }

    /// Bytes recorded as hexadecimal text.
    #[track_caller]
    pub(crate) fn hex(&self) -> Vec<u8> {
        hex::decode(self.text()).expect("hexadecimal text")
    }

    /// The beginning of what this is.
    fn brief(&self) -> String {
        format!("{self:?}").chars().take(200).collect()
    }

    pub(crate) fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

/// Objects and lists are read here, everything inside them by `serde_json`.
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
    let names: Vec<_> = json
        .at("set")
        .entries()
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["a", "a"]);
    assert_eq!(json.at("b").items()[0].text(), "é");
    assert!(json.at("b").items()[1].is_null() && json.at("b").items()[2].bool());
}
