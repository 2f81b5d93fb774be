//! Initial values in Rust: of initializers in C#, and of prefabs.

use std::fmt::Write as _;

use super::types::{Around, Types};
use crate::csharp::{Declaration, Expression, Kind, Type};
use crate::model::{Shape, ValueType};
use crate::unity::Value;

/// Deepest chain of constants that name each other.
const MAX_DEPTH: usize = 16;

/// A constant of C#.
#[derive(Clone, Debug, PartialEq)]
enum Constant {
    Integer(i128),
    Real(f64),
    Text(String),
    Character(char),
    Boolean(bool),
}

/// A value that Rust's `Default` has, or an expression.
pub(super) type Initial = Option<String>;

impl Types<'_> {
    /// Returns the initial value of a type in Rust. `None` if the expression is not read.
    pub(super) fn initial(
        &self,
        ty: &ValueType,
        expression: &Expression,
        around: Around<'_>,
    ) -> Option<Initial> {
        if matches!(expression, Expression::Null | Expression::Default) {
            return Some(None);
        }
        match &ty.shape {
            Shape::Optional(inner) => {
                let inner = self.initial(inner, expression, around)?;
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
                } = expression
                else {
                    return None;
                };
                // `new List<int>(16)` reserves memory; an array is given its length in its type.
                let is_plain = arguments
                    .iter()
                    .all(|argument| matches!(argument, Expression::Integer(_)));
                let elements = self
                    .elements(element, elements, around)
                    .filter(|_| is_plain)?;
                Some(collected(ty, &elements))
            }
            Shape::Floats(names) | Shape::Integers(names) => {
                self.components(ty, names, expression, around)
            }
            Shape::Structure | Shape::Reference | Shape::Opaque => match expression {
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

    /// Returns `Vector3::new(..)` of `new Vector3(..)` and of `Vector3.up`.
    fn components(
        &self,
        ty: &ValueType,
        names: &[&str],
        expression: &Expression,
        around: Around<'_>,
    ) -> Option<Initial> {
        let is_float = matches!(ty.shape, Shape::Floats(_));
        let mut numbers = match expression {
            Expression::New {
                arguments,
                elements,
                ..
            } if elements.is_empty() => {
                let number = |argument| self.evaluate(argument, around, 0)?.number();
                arguments.iter().map(number).collect::<Option<Vec<f64>>>()?
            }
            Expression::Path(path) => named_value(path)?.to_vec(),
            _ => return None,
        };
        // A colour without opacity is opaque; a missing component of a vector is 0.
        if ty.rust == "Color" && numbers.len() == 3 {
            numbers.push(1.0);
        }
        numbers.truncate(names.len());
        numbers.resize(names.len(), 0.0);
        Some(constructor(ty, &numbers, is_float))
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
            Expression::Integer(number) => Constant::Integer(*number),
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
            Expression::Null
            | Expression::Default
            | Expression::New { .. }
            | Expression::Other(_) => return None,
        })
    }

    /// Returns a constant by its name: of the class, of another one, of an enumeration, or of .NET.
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
                    None => return of_libraries(path),
                }
            }
        };
        if owner.kind == Kind::Enum {
            let number = self
                .variants(owner)?
                .into_iter()
                .find(|(variant, _)| variant == name)?
                .1;
            return Some(Constant::Integer(number));
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
                return self.evaluate(initial, around, depth + 1);
            }
            class = self.project.base(declared).map(|(_, base)| base);
        }
        None
    }

    /// Returns the names and numbers of an enumeration. `None` if a number is not read.
    pub(super) fn variants(&self, declared: &Declaration) -> Option<Vec<(String, i128)>> {
        let mut variants: Vec<(String, i128)> = Vec::new();
        for variant in &declared.variants {
            let known = |name: &str| {
                variants
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, number)| *number)
            };
            let number = match &variant.value {
                None => variants.last().map_or(0, |(_, last)| last + 1),
                Some(value) => integer(value, &known, 0)?,
            };
            variants.push((variant.name.clone(), number));
        }
        Some(variants)
    }

    /// Returns the value that a prefab has serialised. `None` if it is not read.
    pub(super) fn serialised(&self, ty: &ValueType, value: &Value) -> Option<Initial> {
        if let Some(packed) = value.get("rgba").and_then(Value::text) {
            // A Color32, the red byte lowest.
            let bytes = packed.parse::<u32>().ok()?.to_le_bytes();
            return Some(constructor(ty, &bytes.map(f64::from), false));
        }
        match (&ty.shape, value) {
            (Shape::Floats(names) | Shape::Integers(names), Value::Map(_)) => {
                let number = |name: &&str| value.get(name)?.text()?.parse().ok();
                let numbers: Vec<f64> = names.iter().map(number).collect::<Option<_>>()?;
                Some(constructor(
                    ty,
                    &numbers,
                    matches!(ty.shape, Shape::Floats(_)),
                ))
            }
            (Shape::Sequence(element), Value::List(items)) => {
                let item = |item| {
                    Some(
                        self.serialised(element, item)?
                            .unwrap_or_else(|| "Default::default()".to_owned()),
                    )
                };
                let items: Vec<String> = items.iter().map(item).collect::<Option<_>>()?;
                Some(collected(ty, &items))
            }
            (Shape::Sequence(element), Value::Text(text)) => {
                let numbers = packed(&element.rust, text)?;
                Some(collected(ty, &numbers))
            }
            (Shape::Boolean, Value::Text(text)) => {
                literal(self, ty, &Constant::Boolean(text != "0"))
            }
            (Shape::Text, Value::Text(text)) => literal(self, ty, &Constant::Text(text.clone())),
            (Shape::Character, Value::Text(text)) => {
                let letter = char::from_u32(text.parse().ok()?)?;
                literal(self, ty, &Constant::Character(letter))
            }
            (Shape::Integer | Shape::Enumeration(_), Value::Text(text)) => {
                literal(self, ty, &Constant::Integer(text.parse().ok()?))
            }
            (Shape::Float, Value::Text(text)) => {
                literal(self, ty, &Constant::Real(text.parse::<f32>().ok()?.into()))
            }
            (Shape::Double, Value::Text(text)) => {
                literal(self, ty, &Constant::Real(text.parse().ok()?))
            }
            _ => None,
        }
    }
}

impl Constant {
    #[expect(
        clippy::cast_precision_loss,
        reason = "C# converts a constant likewise"
    )]
    fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }
}

/// Returns the number of a variant of an enumeration: other variants, and operators between them.
fn integer(
    value: &Expression,
    known: &impl Fn(&str) -> Option<i128>,
    depth: usize,
) -> Option<i128> {
    match value {
        _ if depth > MAX_DEPTH => None,
        Expression::Integer(number) => Some(*number),
        Expression::Character(letter) => Some(u32::from(*letter).into()),
        Expression::Path(path) => match of_libraries(path) {
            Some(Constant::Integer(number)) => Some(number),
            _ => known(path.last()?),
        },
        Expression::Unary(sign, operand) => {
            match unary(sign, Constant::Integer(integer(operand, known, depth + 1)?))? {
                Constant::Integer(number) => Some(number),
                _ => None,
            }
        }
        Expression::Binary(sign, operands) => {
            let left = Constant::Integer(integer(&operands.0, known, depth + 1)?);
            let right = Constant::Integer(integer(&operands.1, known, depth + 1)?);
            match binary(sign, &left, &right)? {
                Constant::Integer(number) => Some(number),
                _ => None,
            }
        }
        _ => None,
    }
}

fn unary(sign: &str, operand: Constant) -> Option<Constant> {
    Some(match (sign, operand) {
        ("+", number) => number,
        ("-", Constant::Integer(number)) => Constant::Integer(number.checked_neg()?),
        ("-", Constant::Real(number)) => Constant::Real(-number),
        ("~", Constant::Integer(number)) => Constant::Integer(!number),
        ("!", Constant::Boolean(value)) => Constant::Boolean(!value),
        _ => return None,
    })
}

fn binary(sign: &str, left: &Constant, right: &Constant) -> Option<Constant> {
    if let (Constant::Integer(left), Constant::Integer(right)) = (left, right) {
        let shift = u32::try_from(*right).ok().filter(|shift| *shift < 64);
        return Some(Constant::Integer(match sign {
            "+" => left.checked_add(*right)?,
            "-" => left.checked_sub(*right)?,
            "*" => left.checked_mul(*right)?,
            "/" => left.checked_div(*right)?,
            "%" => left.checked_rem(*right)?,
            "|" => left | right,
            "&" => left & right,
            "^" => left ^ right,
            "<<" => left.checked_mul(1_i128.checked_shl(shift?)?)?,
            ">>" => left >> shift?,
            _ => return None,
        }));
    }
    if let (Constant::Text(left), "+", Constant::Text(right)) = (left, sign, right) {
        return Some(Constant::Text(format!("{left}{right}")));
    }
    let (left, right) = (left.number()?, right.number()?);
    Some(Constant::Real(match sign {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        _ => return None,
    }))
}

/// Returns a constant of .NET or Unity.
fn of_libraries(path: &[String]) -> Option<Constant> {
    let [.., owner, name] = path else {
        return None;
    };
    Some(match (owner.as_str(), name.as_str()) {
        ("string" | "String", "Empty") => Constant::Text(String::new()),
        ("byte" | "Byte", "MaxValue") => Constant::Integer(u8::MAX.into()),
        ("sbyte" | "SByte", "MaxValue") => Constant::Integer(i8::MAX.into()),
        ("short" | "Int16", "MaxValue") => Constant::Integer(i16::MAX.into()),
        ("ushort" | "UInt16", "MaxValue") => Constant::Integer(u16::MAX.into()),
        ("int" | "Int32", "MaxValue") => Constant::Integer(i32::MAX.into()),
        ("int" | "Int32", "MinValue") => Constant::Integer(i32::MIN.into()),
        ("uint" | "UInt32", "MaxValue") => Constant::Integer(u32::MAX.into()),
        ("long" | "Int64", "MaxValue") => Constant::Integer(i64::MAX.into()),
        ("long" | "Int64", "MinValue") => Constant::Integer(i64::MIN.into()),
        ("ulong" | "UInt64", "MaxValue") => Constant::Integer(u64::MAX.into()),
        ("float" | "Single", "MaxValue") => Constant::Real(f32::MAX.into()),
        ("float" | "Single", "MinValue") => Constant::Real(f32::MIN.into()),
        ("double" | "Double", "MaxValue") => Constant::Real(f64::MAX),
        ("float" | "Single" | "double" | "Double", "PositiveInfinity") | ("Mathf", "Infinity") => {
            Constant::Real(f64::INFINITY)
        }
        ("Mathf", "PI") => Constant::Real(std::f32::consts::PI.into()),
        _ => return None,
    })
}

/// Returns the components of a value of Unity with a name.
fn named_value(path: &[String]) -> Option<&'static [f64]> {
    let [.., owner, name] = path else {
        return None;
    };
    Some(match (owner.as_str(), name.as_str()) {
        (_, "zero") | ("Color", "clear") => &[],
        ("Vector2" | "Vector3" | "Vector4" | "Vector2Int" | "Vector3Int", "one") => {
            &[1.0, 1.0, 1.0, 1.0]
        }
        (_, "up") => &[0.0, 1.0],
        (_, "down") => &[0.0, -1.0],
        (_, "right") => &[1.0],
        (_, "left") => &[-1.0],
        (_, "forward") => &[0.0, 0.0, 1.0],
        (_, "back") => &[0.0, 0.0, -1.0],
        ("Quaternion", "identity") => &[0.0, 0.0, 0.0, 1.0],
        ("Color", "white") => &[1.0, 1.0, 1.0, 1.0],
        ("Color", "black") => &[0.0, 0.0, 0.0, 1.0],
        ("Color", "red") => &[1.0, 0.0, 0.0, 1.0],
        ("Color", "green") => &[0.0, 1.0, 0.0, 1.0],
        ("Color", "blue") => &[0.0, 0.0, 1.0, 1.0],
        ("Color", "cyan") => &[0.0, 1.0, 1.0, 1.0],
        ("Color", "magenta") => &[1.0, 0.0, 1.0, 1.0],
        ("Color", "gray" | "grey") => &[0.5, 0.5, 0.5, 1.0],
        _ => return None,
    })
}

/// Returns `Vector3::new(1.0, 2.0, 3.0)`.
fn constructor(ty: &ValueType, numbers: &[f64], is_float: bool) -> Initial {
    if numbers.iter().all(|number| number.to_bits() == 0) {
        return None;
    }
    let mut text = format!("{}::new(", ty.rust);
    for (index, number) in numbers.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        let _ = write!(
            text,
            "{comma}{}",
            if is_float {
                float(*number)
            } else {
                number.to_string()
            }
        );
    }
    Some(text + ")")
}

/// Returns `Vec::from([..])`.
fn collected(ty: &ValueType, elements: &[String]) -> Initial {
    let container = ty.rust.split('<').next().unwrap_or_default();
    (!elements.is_empty()).then(|| format!("{container}::from([{}])", elements.join(", ")))
}

/// Returns the numbers of an array of integers, which Unity writes as the hexadecimal digits of their bytes.
fn packed(rust: &str, text: &str) -> Option<Vec<String>> {
    let bits: usize = rust
        .get(1..)?
        .parse()
        .ok()
        .filter(|_| rust.starts_with(['u', 'i']))?;
    let digits = bits / 4;
    if !text.is_ascii() || !text.len().is_multiple_of(digits) {
        return None;
    }
    let number = |start| {
        let bytes = (0..digits / 2)
            .rev()
            .map(|byte| &text[start + 2 * byte..start + 2 * byte + 2]);
        let value = u64::from_str_radix(&bytes.collect::<String>(), 16).ok()?;
        let unused = u64::BITS - u32::try_from(bits).ok()?;
        Some(if rust.starts_with('i') {
            ((value << unused).cast_signed() >> unused).to_string()
        } else {
            value.to_string()
        })
    };
    (0..text.len()).step_by(digits).map(number).collect()
}

/// Returns a constant as a literal of Rust.
fn literal(types: &Types<'_>, ty: &ValueType, constant: &Constant) -> Option<Initial> {
    Some(match (&ty.shape, constant) {
        (Shape::Integer, Constant::Integer(number)) => {
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
        (Shape::Enumeration(full), Constant::Integer(number)) => {
            let declared = types.project.get(full)?;
            let variants = types.variants(declared)?;
            if *number == 0 {
                return Some(None);
            }
            match variants.iter().find(|(_, known)| known == number) {
                Some((name, _)) => Some(format!(
                    "{}::{}",
                    ty.rust,
                    super::values::variant_name(name)
                )),
                None if super::values::is_number(declared, &variants) => {
                    Some(format!("{}({number})", ty.rust))
                }
                None => return None,
            }
        }
        _ => return None,
    })
}

/// Returns a number that the type can hold.
fn fits(rust: &str, number: i128) -> Option<i128> {
    let bits = rust[1..].parse::<u32>().ok()?;
    let (low, high) = match rust.as_bytes()[0] {
        b'u' => (0, (1_i128 << bits) - 1),
        _ => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
    };
    (low..=high).contains(&number).then_some(number)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the type of the field has 32 bits"
)]
fn float(number: f64) -> String {
    match number as f32 {
        f32::INFINITY => "f32::INFINITY".to_owned(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".to_owned(),
        number if number.is_nan() => "f32::NAN".to_owned(),
        number => format!("{number:?}"),
    }
}

fn double(number: f64) -> String {
    match number {
        f64::INFINITY => "f64::INFINITY".to_owned(),
        f64::NEG_INFINITY => "f64::NEG_INFINITY".to_owned(),
        number if number.is_nan() => "f64::NAN".to_owned(),
        number => format!("{number:?}"),
    }
}
