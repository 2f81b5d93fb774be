//! Reading the recordings: what is not as expected is a panic, which makes the vector a failure.

use serde_json::Value;

/// What the cases ask of a piece of JSON.
pub(crate) trait Json {
    /// The value of a key that is always there.
    fn at(&self, key: &str) -> &Value;
    /// The elements of what must be a list.
    fn list(&self) -> &[Value];
    fn text(&self) -> &str;
    fn truth(&self) -> bool;
    /// A whole number: those of 64 bits are recorded as text.
    fn number<T: TryFrom<i128>>(&self) -> T;
    /// Any number, as a time in seconds.
    fn seconds(&self) -> f64;
    /// Bytes, recorded as hexadecimal text.
    fn hex(&self) -> Vec<u8>;
    /// The beginning of what this is, for messages.
    fn brief(&self) -> String;
}

impl Json for Value {
    #[track_caller]
    fn at(&self, key: &str) -> &Value {
        self.get(key)
            .unwrap_or_else(|| panic!("no `{key}` in {}", self.brief()))
    }

    #[track_caller]
    fn list(&self) -> &[Value] {
        self.as_array()
            .unwrap_or_else(|| panic!("a list, not {}", self.brief()))
    }

    #[track_caller]
    fn text(&self) -> &str {
        self.as_str()
            .unwrap_or_else(|| panic!("a text, not {}", self.brief()))
    }

    #[track_caller]
    fn truth(&self) -> bool {
        self.as_bool()
            .unwrap_or_else(|| panic!("a boolean, not {}", self.brief()))
    }

    #[track_caller]
    fn number<T: TryFrom<i128>>(&self) -> T {
        let number = match self {
            Value::Number(number) => number.as_i128(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        number
            .and_then(|number| T::try_from(number).ok())
            .unwrap_or_else(|| panic!("a number that fits, not {}", self.brief()))
    }

    #[track_caller]
    fn seconds(&self) -> f64 {
        self.as_f64()
            .unwrap_or_else(|| panic!("a time, not {}", self.brief()))
    }

    #[track_caller]
    fn hex(&self) -> Vec<u8> {
        hex::decode(self.text()).expect("hexadecimal text")
    }

    fn brief(&self) -> String {
        self.to_string().chars().take(200).collect()
    }
}

/// Without what types would say: numbers as text, and floats by their bits alone.
pub(crate) fn loose(json: &Value) -> Value {
    match json {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(elements) => elements.iter().map(loose).collect(),
        Value::Object(members) => {
            let is_float = members.contains_key("bits");
            let members = members
                .iter()
                .filter(|(name, _)| !is_float || *name == "bits");
            members
                .map(|(name, value)| (name.clone(), loose(value)))
                .collect()
        }
        other => other.clone(),
    }
}
