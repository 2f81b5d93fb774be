//! Constants of C#, of .NET and of Unity.

mod vectors;

pub(super) use vectors::Vector;

use crate::csharp::{IntegerType, wrapped};

/// Deepest expression of constants, and longest chain of constants by name.
pub(super) const MAX_DEPTH: usize = 16;

/// A constant of C#.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Integer(i128, IntegerType),
    Real(f64),
    Text(String),
    Character(char),
    Boolean(bool),
    /// A vector, rotation or colour of Unity.
    Vector(Vector),
}

impl Constant {
    /// Creates an `int`.
    const fn int(number: i128) -> Self {
        Self::Integer(number, IntegerType::Int)
    }

    /// Returns the operand that an operator has: characters are numbers.
    fn promoted(&self) -> Self {
        match self {
            Self::Character(letter) => Self::int(u32::from(*letter).into()),
            other => other.clone(),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "C# converts a constant likewise"
    )]
    /// Returns the value of a number.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number, _) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }
}

pub(super) fn unary(sign: &str, operand: Constant) -> Option<Constant> {
    Some(match (sign, operand) {
        ("+", number @ (Constant::Integer(..) | Constant::Real(_))) => number,
        ("-", Constant::Integer(number, ty)) => {
            let mut types = [ty, IntegerType::Long].into_iter();
            let number = number.checked_neg()?;
            Constant::Integer(number, types.find(|ty| ty.contains(number))?)
        }
        ("-", Constant::Real(number)) => Constant::Real(-number),
        ("-", Constant::Vector(vector)) => Constant::Vector(vector.negated()?),
        ("~", Constant::Integer(number, ty)) => Constant::Integer(ty.wrap(!number), ty),
        ("!", Constant::Boolean(value)) => Constant::Boolean(!value),
        _ => return None,
    })
}

pub(super) fn binary(sign: &str, left: &Constant, right: &Constant) -> Option<Constant> {
    let (left, right) = (&left.promoted(), &right.promoted());
    match (left, right) {
        (&Constant::Integer(left, left_type), &Constant::Integer(right, right_type)) => {
            let integer = |number, ty| Integer { number, ty };
            return integers(sign, integer(left, left_type), integer(right, right_type));
        }
        (Constant::Text(left), Constant::Text(right)) if sign == "+" => {
            return Some(Constant::Text(format!("{left}{right}")));
        }
        (Constant::Vector(left), Constant::Vector(right)) => {
            return left.with_vector(sign, right).map(Constant::Vector);
        }
        (Constant::Vector(vector), number) => {
            return vector.with_number(sign, number).map(Constant::Vector);
        }
        (number, Constant::Vector(vector)) if sign == "*" => {
            return vector.with_number(sign, number).map(Constant::Vector);
        }
        _ => {}
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

/// An integer of C#.
#[derive(Clone, Copy)]
struct Integer {
    number: i128,
    ty: IntegerType,
}

/// Returns the result of an operator of integers. `None` beyond the limits of its type, as C# refuses it.
fn integers(sign: &str, left: Integer, right: Integer) -> Option<Constant> {
    let ty = common_type(left, right);
    let bits = match left.ty {
        IntegerType::Int | IntegerType::Uint => 32,
        IntegerType::Long | IntegerType::Ulong => 64,
    };
    let (left, left_type, right) = (left.number, left.ty, right.number);
    let number = match sign {
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        "|" => left | right,
        "&" => left & right,
        "^" => left ^ right,
        // Only the low bits of the number of places count.
        "<<" => {
            let shifted = left << right.rem_euclid(bits);
            return Some(Constant::Integer(left_type.wrap(shifted), left_type));
        }
        ">>" => {
            return Some(Constant::Integer(left >> right.rem_euclid(bits), left_type));
        }
        _ => return None,
    };
    ty.filter(|ty| ty.contains(number))
        .map(|ty| Constant::Integer(number, ty))
}

/// Returns the type in which an operator calculates: a constant that is not negative fits the unsigned type of the second
/// one.
fn common_type(left: Integer, right: Integer) -> Option<IntegerType> {
    let types = [left.ty, right.ty];
    let fits = |ty: IntegerType| ty.contains(left.number) && ty.contains(right.number);
    if left.ty == right.ty {
        Some(left.ty)
    } else if types.contains(&IntegerType::Ulong) {
        Some(IntegerType::Ulong).filter(|ty| fits(*ty))
    } else if types.contains(&IntegerType::Long) || !fits(IntegerType::Uint) {
        Some(IntegerType::Long)
    } else {
        Some(IntegerType::Uint)
    }
}

/// Returns a constant in a type with this name. Types of the project leave it unchanged; `None` for a constant that C# refuses or
/// that is not known here.
pub(super) fn cast(constant: Constant, ty: &str) -> Option<Constant> {
    if let Constant::Vector(vector) = constant {
        return vector.converted(ty).map(Constant::Vector);
    }
    let (bits, is_signed, ty) = match ty {
        "float" | "Single" => return Some(Constant::Real(single(constant.number()?))),
        "double" | "Double" => return Some(Constant::Real(constant.number()?)),
        "sbyte" | "SByte" => (8, true, IntegerType::Int),
        "byte" | "Byte" => (8, false, IntegerType::Int),
        "short" | "Int16" => (16, true, IntegerType::Int),
        "ushort" | "UInt16" => (16, false, IntegerType::Int),
        "int" | "Int32" => (32, true, IntegerType::Int),
        "uint" | "UInt32" => (32, false, IntegerType::Uint),
        "long" | "Int64" => (64, true, IntegerType::Long),
        "ulong" | "UInt64" => (64, false, IntegerType::Ulong),
        "char" | "Char" => {
            let Constant::Integer(code, _) = constant else {
                return Some(constant);
            };
            let letter = char::from_u32(code.try_into().ok()?);
            return letter.map(Constant::Character);
        }
        _ => return Some(constant),
    };
    let number = match constant {
        Constant::Integer(number, _) => number,
        Constant::Character(letter) => u32::from(letter).into(),
        Constant::Real(number) => whole(number)?,
        _ => return None,
    };
    Some(Constant::Integer(wrapped(number, bits, is_signed), ty))
}

/// Returns a number without its fraction, if a 64 bit integer can contain it.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn whole(number: f64) -> Option<i128> {
    (number.abs() < 1e19).then_some(number.trunc() as i128)
}

/// Returns a number rounded to 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "`float` has 32 bits")]
pub(super) fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

/// Returns a constant of .NET or Unity.
pub(super) fn of_libraries(path: &[String]) -> Option<Constant> {
    let [.., owner, name] = path else {
        return None;
    };
    Some(match (owner.as_str(), name.as_str()) {
        ("string" | "String", "Empty") => Constant::Text(String::new()),
        ("byte" | "Byte", "MaxValue") => Constant::int(u8::MAX.into()),
        ("sbyte" | "SByte", "MaxValue") => Constant::int(i8::MAX.into()),
        ("short" | "Int16", "MaxValue") => Constant::int(i16::MAX.into()),
        ("ushort" | "UInt16", "MaxValue") => Constant::int(u16::MAX.into()),
        ("int" | "Int32", "MaxValue") => Constant::int(i32::MAX.into()),
        ("int" | "Int32", "MinValue") => Constant::int(i32::MIN.into()),
        ("uint" | "UInt32", "MaxValue") => Constant::Integer(u32::MAX.into(), IntegerType::Uint),
        ("long" | "Int64", "MaxValue") => Constant::Integer(i64::MAX.into(), IntegerType::Long),
        ("long" | "Int64", "MinValue") => Constant::Integer(i64::MIN.into(), IntegerType::Long),
        ("ulong" | "UInt64", "MaxValue") => Constant::Integer(u64::MAX.into(), IntegerType::Ulong),
        ("byte" | "Byte" | "ushort" | "UInt16", "MinValue") => Constant::int(0),
        ("uint" | "UInt32", "MinValue") => Constant::Integer(0, IntegerType::Uint),
        ("ulong" | "UInt64", "MinValue") => Constant::Integer(0, IntegerType::Ulong),
        ("sbyte" | "SByte", "MinValue") => Constant::int(i8::MIN.into()),
        ("short" | "Int16", "MinValue") => Constant::int(i16::MIN.into()),
        ("float" | "Single", "MaxValue") => Constant::Real(f32::MAX.into()),
        ("float" | "Single", "MinValue") => Constant::Real(f32::MIN.into()),
        ("double" | "Double", "MaxValue") => Constant::Real(f64::MAX),
        ("float" | "Single" | "double" | "Double", "PositiveInfinity") | ("Mathf", "Infinity") => {
            Constant::Real(f64::INFINITY)
        }
        ("float" | "Single" | "double" | "Double" | "Mathf", "NegativeInfinity") => {
            Constant::Real(f64::NEG_INFINITY)
        }
        ("double" | "Double", "MinValue") => Constant::Real(f64::MIN),
        ("float" | "Single" | "double" | "Double", "NaN") => Constant::Real(f64::NAN),
        ("Math", "PI") => Constant::Real(std::f64::consts::PI),
        ("Math", "E") => Constant::Real(std::f64::consts::E),
        ("Mathf", "Deg2Rad") => Constant::Real((std::f32::consts::PI / 180.0).into()),
        ("Mathf", "Rad2Deg") => Constant::Real((180.0 / std::f32::consts::PI).into()),
        ("Mathf" | "MathF", "PI") => Constant::Real(std::f32::consts::PI.into()),
        _ => return None,
    })
}
