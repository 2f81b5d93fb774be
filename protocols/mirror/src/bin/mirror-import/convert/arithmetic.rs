//! Constants of C#, of .NET and of Unity.

/// Deepest expression of constants, and longest chain of constants that name each other.
pub(super) const MAX_DEPTH: usize = 16;

/// A constant of C#.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Integer(i128),
    Real(f64),
    Text(String),
    Character(char),
    Boolean(bool),
}

impl Constant {
    #[expect(
        clippy::cast_precision_loss,
        reason = "C# converts a constant likewise"
    )]
    /// Returns the value of a number.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }
}

pub(super) fn unary(sign: &str, operand: Constant) -> Option<Constant> {
    Some(match (sign, operand) {
        ("+", number) => number,
        ("-", Constant::Integer(number)) => Constant::Integer(number.checked_neg()?),
        ("-", Constant::Real(number)) => Constant::Real(-number),
        ("~", Constant::Integer(number)) => Constant::Integer(!number),
        ("!", Constant::Boolean(value)) => Constant::Boolean(!value),
        _ => return None,
    })
}

pub(super) fn binary(sign: &str, left: &Constant, right: &Constant) -> Option<Constant> {
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
pub(super) fn of_libraries(path: &[String]) -> Option<Constant> {
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
pub(super) fn named_value(path: &[String]) -> Option<&'static [f64]> {
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
        ("Color", "white") => &[1.0, 1.0, 1.0, 1.0],
        ("Color", "black") | ("Quaternion", "identity") => &[0.0, 0.0, 0.0, 1.0],
        ("Color", "red") => &[1.0, 0.0, 0.0, 1.0],
        ("Color", "green") => &[0.0, 1.0, 0.0, 1.0],
        ("Color", "blue") => &[0.0, 0.0, 1.0, 1.0],
        ("Color", "cyan") => &[0.0, 1.0, 1.0, 1.0],
        ("Color", "magenta") => &[1.0, 0.0, 1.0, 1.0],
        ("Color", "gray" | "grey") => &[0.5, 0.5, 0.5, 1.0],
        _ => return None,
    })
}
