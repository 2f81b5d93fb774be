//! Types of fields, members and messages.

use super::cursor::Cursor;
use crate::schema::document::{
    MAX_TYPE_DEPTH, SchemaError, SchemaMember, SchemaType, SchemaVariant,
};

impl Cursor<'_> {
    /// Reads a type inside `depth` types.
    pub(super) fn value(&mut self, depth: usize) -> Result<SchemaType, SchemaError> {
        let mut value = self.unmarked_value(depth)?;
        // Each mark behind a type is a type around it.
        for around in depth.. {
            if around >= MAX_TYPE_DEPTH {
                return Err(self.error(format!("more than {MAX_TYPE_DEPTH} nested types")));
            }
            if self.accept("?") {
                value = SchemaType::Optional(Box::new(value));
            } else if self.accept(" measured") {
                value = SchemaType::Measured(Box::new(value));
            } else if self.accept(" as ") {
                value = self.encoded(value)?;
            } else {
                break;
            }
        }
        Ok(value)
    }

    /// Reads a type without the marks behind it.
    fn unmarked_value(&mut self, depth: usize) -> Result<SchemaType, SchemaError> {
        let inner = depth + 1;
        if inner >= MAX_TYPE_DEPTH {
            return Err(self.error(format!("more than {MAX_TYPE_DEPTH} nested types")));
        }
        if self.rest().starts_with("{ ") {
            return self.structure(String::new(), inner);
        }
        if self.accept("{") {
            let element = Box::new(self.value(inner)?);
            self.require("}")?;
            return Ok(SchemaType::Set(element));
        }
        if self.accept("[") {
            return self.bracketed(inner);
        }
        let name = self.name()?;
        if self.rest().starts_with(" {") {
            self.require(" ")?;
            return self.structure(name, inner);
        }
        if self.accept(" [") {
            let variants = self.list("]", |line| line.variant(inner))?;
            return Ok(SchemaType::Enum { name, variants });
        }
        if self.accept("<") {
            let parts = self.list(">", |line| line.value(inner))?;
            return Ok(SchemaType::Collection { name, parts });
        }
        Ok(SchemaType::Named(name))
    }

    /// Reads a sequence, an array or a map behind its bracket.
    fn bracketed(&mut self, depth: usize) -> Result<SchemaType, SchemaError> {
        let first = Box::new(self.value(depth)?);
        let value = if self.accept("; ") {
            SchemaType::Array(first, self.number()?)
        } else if self.accept(": ") {
            SchemaType::Map(first, Box::new(self.value(depth)?))
        } else {
            SchemaType::Sequence(first)
        };
        self.require("]")?;
        Ok(value)
    }

    fn structure(&mut self, name: String, depth: usize) -> Result<SchemaType, SchemaError> {
        self.require("{ ")?;
        let members = self.members_in_braces(depth)?;
        Ok(SchemaType::Struct { name, members })
    }

    /// Reads `a: u8 }` behind `{ `.
    fn members_in_braces(&mut self, depth: usize) -> Result<Vec<SchemaMember>, SchemaError> {
        if self.accept("}") {
            return Ok(Vec::new());
        }
        self.members(" }", depth)
    }

    /// Reads members up to a closing text.
    pub(super) fn members(
        &mut self,
        end: &str,
        depth: usize,
    ) -> Result<Vec<SchemaMember>, SchemaError> {
        self.list(end, |line| {
            let names = line.names()?;
            line.require(": ")?;
            Ok(SchemaMember {
                names,
                value: line.value(depth)?,
            })
        })
    }

    fn variant(&mut self, depth: usize) -> Result<SchemaVariant, SchemaError> {
        let names = self.names()?;
        self.require(" = ")?;
        let number = self.number()?;
        let is_other = self.accept(" other");
        let members = if self.accept(" { ") {
            self.members_in_braces(depth)?
        } else {
            Vec::new()
        };
        Ok(SchemaVariant {
            names,
            number,
            is_other,
            members,
        })
    }

    fn encoded(&mut self, value: SchemaType) -> Result<SchemaType, SchemaError> {
        let codec = self.name()?;
        let parameters = if self.accept("<") {
            self.list(">", Self::number)?
        } else {
            Vec::new()
        };
        let value = Box::new(value);
        Ok(SchemaType::Encoded {
            codec,
            parameters,
            value,
        })
    }

    /// Reads parts with commas between them, up to a closing text.
    fn list<T>(
        &mut self,
        end: &str,
        mut part: impl FnMut(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        let mut parts = Vec::new();
        if self.accept(end) {
            return Ok(parts);
        }
        loop {
            parts.push(part(self)?);
            if self.accept(end) {
                return Ok(parts);
            }
            self.require(", ")?;
        }
    }
}
