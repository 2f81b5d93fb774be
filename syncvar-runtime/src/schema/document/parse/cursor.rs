//! `Cursor`: a line of the text, read from left to right.

use std::str::FromStr;

use super::super::print::Name;
use crate::schema::document::{Names, SchemaError};

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    number: usize,
    line: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(number: usize, line: &'a str) -> Self {
        let rest = line;
        Self { number, line, rest }
    }

    /// Skips the indentation of two spaces per level. Returns the level.
    pub(super) fn depth(&mut self) -> usize {
        let mut depth = 0;
        while self.accept("  ") {
            depth += 1;
        }
        depth
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Skips a text, if it follows.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(super) fn require(&mut self, text: &str) -> Result<(), SchemaError> {
        if self.accept(text) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{text}`")))
        }
    }

    pub(super) fn end(&self) -> Result<(), SchemaError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    pub(super) fn take_while(&mut self, accept: fn(char) -> bool) -> &'a str {
        let end = { self.rest }.find(|it| !accept(it));
        let end = end.unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    pub(super) fn number<T: FromStr>(&mut self) -> Result<T, SchemaError> {
        let digits = self.take_while(|it| it.is_ascii_digit() || it == '-');
        let number = digits.parse();
        number.map_err(|_| self.error_before(digits, "expected a number of this range"))
    }

    /// Reads a name, in quotes or without.
    pub(super) fn name(&mut self) -> Result<String, SchemaError> {
        if self.accept("\"") {
            return self.quoted();
        }
        let name = self.take_while(Name::is_plain);
        if name.is_empty() {
            return Err(self.expected("a name"));
        }
        Ok(name.into())
    }

    /// Reads a name up to the closing quote.
    fn quoted(&mut self) -> Result<String, SchemaError> {
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(|it| it != '"' && it != '\\'));
            if self.accept("\"") {
                return Ok(name);
            }
            let escape = if self.accept("\\n") {
                Some('\n')
            } else if self.accept("\\\"") {
                Some('"')
            } else if self.accept("\\\\") {
                Some('\\')
            } else if self.accept("\\u{") {
                let digits = self.take_while(|it| it.is_ascii_hexdigit());
                let number = u32::from_str_radix(digits, 16).ok();
                number.and_then(char::from_u32).filter(|_| self.accept("}"))
            } else {
                None
            };
            name.push(escape.ok_or_else(|| self.expected("the end of a quoted name"))?);
        }
    }

    pub(super) fn names(&mut self) -> Result<Names, SchemaError> {
        let mut names = Names::new(self.name()?);
        while self.accept(" was ") {
            names.was.push(self.name()?);
        }
        Ok(names)
    }

    pub(super) fn expected(&self, part: &str) -> SchemaError {
        self.error(format!("expected {part}"))
    }

    pub(super) fn error(&self, message: impl Into<String>) -> SchemaError {
        self.error_before("", message)
    }

    /// Describes a mistake at the begin of the text that was taken last.
    pub(super) fn error_before(&self, taken: &str, message: impl Into<String>) -> SchemaError {
        let length = self.line.len() - self.rest.len() - taken.len();
        let column = self.line.get(..length).map_or(0, |it| it.chars().count());
        SchemaError::new(self.number, column + 1, message)
    }
}
