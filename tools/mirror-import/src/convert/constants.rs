//! Initial values in Rust: of initializers in C#, and of prefabs.

use super::arithmetic::Vector;
use super::arithmetic::{Constant, MAX_DEPTH, binary, cast, of_libraries, unary};
use super::enumerations::{is_number, variant_name, variants};
use super::literals::{Initial, collected, constructor, double, fits, float, packed};
use super::types::{Around, Types};
use crate::csharp::{Expression, IntegerType, Kind, Type};
use crate::model::{Shape, ValueType};
use crate::unity::Yaml;

impl Types<'_> {
    /// Returns the initial value of a type in Rust. `None` if the expression is not read.
    pub(super) fn initial(
        &self,
        ty: &ValueType,
        expression: &Expression,
        around: Around<'_>,
    ) -> Option<Initial> {
        self.initial_at(ty, expression, around, 0)
    }

    /// As [`initial`](Self::initial), for a value at this depth.
    pub(super) fn initial_at(
        &self,
        ty: &ValueType,
        expression: &Expression,
        around: Around<'_>,
        depth: usize,
    ) -> Option<Initial> {
        if matches!(expression.uncast(), Expression::Null | Expression::Default) {
            return Some(None);
        }
        match &ty.shape {
            Shape::Optional(inner) => {
                let inner = self.initial_at(inner, expression, around, depth)?;
                Some(Some(format!(
                    "Some({})",
                    inner.unwrap_or_else(|| "Default::default()".to_owned())
                )))
            }
            Shape::Sequence(element) => {
                let Expression::New {
                    arguments,
                    elements,
                    ..
                } = expression.uncast()
                else {
                    return None;
                };
                // `new List<int>(16)` reserves memory; an array is given its length in its type.
                let is_plain = arguments
                    .iter()
                    .all(|argument| matches!(argument, Expression::Integer(..)));
                let elements = self
                    .elements(element, elements, around)
                    .filter(|_| is_plain)?;
                Some(collected(ty, &elements))
            }
            Shape::Floats(_) | Shape::Integers(_) => {
                let vector = self.vector(ty, expression, around)?;
                let is_float = matches!(ty.shape, Shape::Floats(_));
                Some(constructor(ty, vector.components(), is_float))
            }
            Shape::Structure => self.structure_value(ty, expression.uncast(), around, depth),
            Shape::Reference | Shape::Opaque => match expression {
                Expression::New {
                    arguments,
                    elements,
                    ..
                } if arguments.is_empty() && elements.is_empty() => Some(None),
                _ => None,
            },
            _ => literal(self, ty, &self.evaluate(expression, around, 0)?),
        }
    }

    /// Returns the elements of a collection.
    pub(super) fn elements(
        &self,
        ty: &ValueType,
        elements: &[Expression],
        around: Around<'_>,
    ) -> Option<Vec<String>> {
        let element = |element| {
            let initial = self.initial(ty, element, around)?;
            Some(initial.unwrap_or_else(|| "Default::default()".to_owned()))
        };
        elements.iter().map(element).collect()
    }

    /// Returns the vector, rotation or colour that an expression is, in the type of its field.
    fn vector(
        &self,
        ty: &ValueType,
        expression: &Expression,
        around: Around<'_>,
    ) -> Option<Vector> {
        let vector = match expression {
            Expression::New {
                ty: None,
                arguments,
                elements,
            } if elements.is_empty() => self.created(&ty.rust, arguments, around, 0)?,
            _ => self.evaluate(expression, around, 0)?,
        };
        match vector {
            Constant::Vector(vector) => vector.converted(&ty.rust),
            _ => None,
        }
    }

    /// Returns the value of `new Vector3(..)`.
    fn created(
        &self,
        ty: &str,
        arguments: &[Expression],
        around: Around<'_>,
        depth: usize,
    ) -> Option<Constant> {
        let number = |argument| self.evaluate(argument, around, depth + 1)?.number();
        let numbers: Vec<f64> = arguments.iter().map(number).collect::<Option<_>>()?;
        Vector::created(ty, &numbers).map(Constant::Vector)
    }

    fn evaluate(
        &self,
        expression: &Expression,
        around: Around<'_>,
        depth: usize,
    ) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match expression {
            Expression::Integer(number, ty) => Constant::Integer(*number, *ty),
            Expression::Real(number) => Constant::Real(*number),
            Expression::Text(text) => Constant::Text(text.clone()),
            Expression::Character(letter) => Constant::Character(*letter),
            Expression::Boolean(value) => Constant::Boolean(*value),
            Expression::Path(path) => return self.constant(path, around, depth),
            Expression::Unary(sign, operand) => {
                return unary(sign, self.evaluate(operand, around, depth + 1)?);
            }
            Expression::Binary(sign, operands) => {
                let (left, right) = &**operands;
                let left = self.evaluate(left, around, depth + 1)?;
                return binary(sign, &left, &self.evaluate(right, around, depth + 1)?);
            }
            Expression::Cast(ty, operand) => {
                return cast(self.evaluate(operand, around, depth + 1)?, ty.last_name());
            }
            Expression::New {
                ty: Some(ty),
                arguments,
                elements,
            } if elements.is_empty() => {
                return self.created(ty.last_name(), arguments, around, depth);
            }
            Expression::Null
            | Expression::Default
            | Expression::New { .. }
            | Expression::Other(_) => return None,
        })
    }

    /// Returns a constant by its name: of the class, of a class by its name, of an enumeration, or of .NET.
    fn constant(&self, path: &[String], around: Around<'_>, depth: usize) -> Option<Constant> {
        let (name, owner) = path.split_last()?;
        let owner = match owner {
            [] => around.inside?,
            owner => {
                let parts = owner.iter().map(|name| crate::csharp::Part {
                    name: name.clone(),
                    arguments: Vec::new(),
                });
                match self
                    .project
                    .find(&Type::Named(parts.collect()), around.scope, around.inside)
                {
                    Some(found) => found,
                    None => {
                        let vector = || Vector::named(path).map(Constant::Vector);
                        return of_libraries(path).or_else(vector);
                    }
                }
            }
        };
        if owner.kind == Kind::Enum {
            let number = variants(owner)?
                .into_iter()
                .find(|(variant, _)| variant == name)?
                .1;
            let ty = IntegerType::ALL.into_iter().find(|ty| ty.contains(number));
            return Some(Constant::Integer(number, ty?));
        }
        let mut class = Some(owner);
        for _ in 0..MAX_DEPTH {
            let declared = class?;
            if let Some(field) = declared.fields.iter().find(|field| field.name == *name) {
                let is_constant = ["const", "static"]
                    .iter()
                    .any(|word| field.modifiers.contains(*word));
                let initial = field.initial.as_ref().filter(|_| is_constant)?;
                let around = Around {
                    scope: &field.scope,
                    inside: Some(declared),
                    ..around
                };
                let value = self.evaluate(initial, around, depth + 1)?;
                return cast(value, field.ty.last_name());
            }
            class = self.project.base(declared).map(|(_, base)| base);
        }
        None
    }

    /// Returns the value that a prefab has serialised. `None` if it is not read.
    pub(super) fn serialised(&self, ty: &ValueType, value: &Yaml) -> Option<Initial> {
        if let Some(packed) = value.get("rgba").and_then(Yaml::text) {
            // A Color32, the red byte lowest.
            let bytes = packed.parse::<u32>().ok()?.to_le_bytes();
            return Some(constructor(ty, &bytes.map(f64::from), false));
        }
        match (&ty.shape, value) {
            (Shape::Floats(names) | Shape::Integers(names), Yaml::Map(_)) => {
                let number = |name: &&str| value.get(name)?.text()?.parse().ok();
                let numbers: Vec<f64> = names.iter().map(number).collect::<Option<_>>()?;
                Some(constructor(
                    ty,
                    &numbers,
                    matches!(ty.shape, Shape::Floats(_)),
                ))
            }
            (Shape::Sequence(element), Yaml::List(items)) => {
                let item = |item| {
                    Some(
                        self.serialised(element, item)?
                            .unwrap_or_else(|| "Default::default()".to_owned()),
                    )
                };
                let items: Vec<String> = items.iter().map(item).collect::<Option<_>>()?;
                Some(collected(ty, &items))
            }
            (Shape::Sequence(element), Yaml::Text(text)) => {
                let numbers = packed(&element.rust, text)?;
                Some(collected(ty, &numbers))
            }
            (Shape::Boolean, Yaml::Text(text)) => {
                literal(self, ty, &Constant::Boolean(text != "0"))
            }
            (Shape::Text, Yaml::Text(text)) => literal(self, ty, &Constant::Text(text.clone())),
            (Shape::Character, Yaml::Text(text)) => {
                let letter = char::from_u32(text.parse().ok()?)?;
                literal(self, ty, &Constant::Character(letter))
            }
            (Shape::Integer | Shape::Enumeration(_), Yaml::Text(text)) => literal(
                self,
                ty,
                &Constant::Integer(text.parse().ok()?, IntegerType::Long),
            ),
            (Shape::Float, Yaml::Text(text)) => {
                literal(self, ty, &Constant::Real(text.parse::<f32>().ok()?.into()))
            }
            (Shape::Double, Yaml::Text(text)) => {
                literal(self, ty, &Constant::Real(text.parse().ok()?))
            }
            _ => None,
        }
    }
}

/// Returns a constant as a literal of Rust.
fn literal(types: &Types<'_>, ty: &ValueType, constant: &Constant) -> Option<Initial> {
    Some(match (&ty.shape, constant) {
        (Shape::Integer, Constant::Integer(number, _)) => {
            (fits(&ty.rust, *number)? != 0).then(|| number.to_string())
        }
        (Shape::Integer, Constant::Character(letter)) => Some(u32::from(*letter).to_string()),
        (Shape::Float, number) => number
            .number()
            .map(|number| (number.to_bits() != 0).then(|| float(number)))?,
        (Shape::Double, number) => number
            .number()
            .map(|number| (number.to_bits() != 0).then(|| double(number)))?,
        (Shape::Boolean, Constant::Boolean(value)) => value.then(|| "true".to_owned()),
        (Shape::Character, Constant::Character(letter)) => {
            (*letter != '\0').then(|| format!("{letter:?}"))
        }
        (Shape::Text, Constant::Text(text)) => {
            (!text.is_empty()).then(|| format!("{text:?}.to_owned()"))
        }
        (Shape::Enumeration(full), Constant::Integer(number, _)) => {
            let declared = types.project.get(full)?;
            let variants = variants(declared)?;
            if *number == 0 {
                return Some(None);
            }
            match variants.iter().find(|(_, known)| known == number) {
                Some((name, _)) => Some(format!("{}::{}", ty.rust, variant_name(name))),
                None if is_number(declared, &variants) => Some(format!("{}({number})", ty.rust)),
                None => return None,
            }
        }
        _ => return None,
    })
}
