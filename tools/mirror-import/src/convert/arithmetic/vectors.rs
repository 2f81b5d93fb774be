//! Vectors, rotations and colours of Unity as constants.

use super::{Constant, single};

/// A value of Unity with up to four components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vector {
    kind: VectorKind,
    /// Those beyond the components of the type are 0.
    numbers: [f64; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VectorKind {
    Vector2,
    Vector3,
    Vector4,
    Quaternion,
    Color,
    Color32,
    Rect,
    Vector2Int,
    Vector3Int,
}

impl VectorKind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Vector2" => Self::Vector2,
            "Vector3" => Self::Vector3,
            "Vector4" => Self::Vector4,
            "Quaternion" => Self::Quaternion,
            "Color" => Self::Color,
            "Color32" => Self::Color32,
            "Rect" => Self::Rect,
            "Vector2Int" => Self::Vector2Int,
            "Vector3Int" => Self::Vector3Int,
            _ => return None,
        })
    }

    const fn components(self) -> usize {
        match self {
            Self::Vector2 | Self::Vector2Int => 2,
            Self::Vector3 | Self::Vector3Int => 3,
            _ => 4,
        }
    }

    const fn is_float_vector(self) -> bool {
        matches!(self, Self::Vector2 | Self::Vector3 | Self::Vector4)
    }

    const fn is_integer_vector(self) -> bool {
        matches!(self, Self::Vector2Int | Self::Vector3Int)
    }
}

impl Vector {
    fn new(kind: VectorKind, numbers: &[f64]) -> Self {
        let mut components = [0.0; 4];
        for (component, number) in components.iter_mut().zip(numbers).take(kind.components()) {
            *component = match kind {
                VectorKind::Color32 | VectorKind::Vector2Int | VectorKind::Vector3Int => *number,
                _ => single(*number),
            };
        }
        Self {
            kind,
            numbers: components,
        }
    }

    pub(crate) fn components(&self) -> &[f64] {
        &self.numbers[..self.kind.components()]
    }

    /// Returns the value of a constructor. `None` for a number of arguments that Unity's constructors do not have.
    pub(crate) fn created(ty: &str, arguments: &[f64]) -> Option<Self> {
        let kind = VectorKind::of(ty)?;
        let least = match kind {
            VectorKind::Vector3 | VectorKind::Vector4 | VectorKind::Vector3Int => 2,
            VectorKind::Color => 3,
            _ => kind.components(),
        };
        if !arguments.is_empty() && !(least..=kind.components()).contains(&arguments.len()) {
            return None;
        }
        let mut numbers = arguments.to_vec();
        // A colour without opacity is opaque; a missing component of a vector is 0.
        if kind == VectorKind::Color && numbers.len() == 3 {
            numbers.push(1.0);
        }
        Some(Self::new(kind, &numbers))
    }

    /// Returns the value of a static property such as `Vector3.up`.
    pub(crate) fn named(path: &[String]) -> Option<Self> {
        let [.., owner, name] = path else {
            return None;
        };
        let kind = VectorKind::of(owner)?;
        let is_vector = kind.is_float_vector() || kind.is_integer_vector();
        let has_depth = matches!(kind, VectorKind::Vector3 | VectorKind::Vector3Int);
        let has_sides = is_vector && kind != VectorKind::Vector4;
        let numbers: &[f64] = match (kind, name.as_str()) {
            (_, "zero") if is_vector || kind == VectorKind::Rect => &[],
            (_, "one") if is_vector => &[1.0; 4],
            (_, "up") if has_sides => &[0.0, 1.0],
            (_, "down") if has_sides => &[0.0, -1.0],
            (_, "right") if has_sides => &[1.0],
            (_, "left") if has_sides => &[-1.0],
            (_, "forward") if has_depth => &[0.0, 0.0, 1.0],
            (_, "back") if has_depth => &[0.0, 0.0, -1.0],
            (_, "positiveInfinity") if kind.is_float_vector() => &[f64::INFINITY; 4],
            (_, "negativeInfinity") if kind.is_float_vector() => &[f64::NEG_INFINITY; 4],
            (VectorKind::Quaternion, "identity") | (VectorKind::Color, "black") => {
                &[0.0, 0.0, 0.0, 1.0]
            }
            (VectorKind::Color, "clear") => &[],
            (VectorKind::Color, "white") => &[1.0, 1.0, 1.0, 1.0],
            (VectorKind::Color, "red") => &[1.0, 0.0, 0.0, 1.0],
            (VectorKind::Color, "green") => &[0.0, 1.0, 0.0, 1.0],
            (VectorKind::Color, "blue") => &[0.0, 0.0, 1.0, 1.0],
            (VectorKind::Color, "yellow") => &[1.0, 235.0 / 255.0, 4.0 / 255.0, 1.0],
            (VectorKind::Color, "cyan") => &[0.0, 1.0, 1.0, 1.0],
            (VectorKind::Color, "magenta") => &[1.0, 0.0, 1.0, 1.0],
            (VectorKind::Color, "gray" | "grey") => &[0.5, 0.5, 0.5, 1.0],
            _ => return None,
        };
        Some(Self::new(kind, numbers))
    }

    /// Converts the value to a type: Unity's implicit conversions.
    pub(crate) fn converted(self, ty: &str) -> Option<Self> {
        let to = VectorKind::of(ty)?;
        let numbers = match (self.kind, to) {
            (from, to) if from == to => self.numbers,
            (from, to) if from.is_float_vector() && to.is_float_vector() => self.numbers,
            (VectorKind::Color, VectorKind::Vector4)
            | (VectorKind::Vector4, VectorKind::Color)
            | (VectorKind::Vector2Int, VectorKind::Vector2)
            | (VectorKind::Vector3Int, VectorKind::Vector3) => self.numbers,
            (VectorKind::Color, VectorKind::Color32) => self
                .numbers
                .map(|part| single(part.clamp(0.0, 1.0) * 255.0).round_ties_even()),
            (VectorKind::Color32, VectorKind::Color) => self.numbers.map(|part| part / 255.0),
            _ => return None,
        };
        Some(Self::new(to, &numbers))
    }

    pub(crate) fn negated(self) -> Option<Self> {
        let is_vector = self.kind.is_float_vector() || self.kind.is_integer_vector();
        is_vector.then(|| Self::new(self.kind, &self.numbers.map(|number| 0.0 - number)))
    }

    /// Returns the result of an operator of two values of a type.
    pub(crate) fn with_vector(&self, sign: &str, other: &Self) -> Option<Self> {
        let kind = self.kind;
        let is_vector = kind.is_float_vector() || kind.is_integer_vector();
        // Unity multiplies these types alone by components.
        let has_product =
            kind.is_integer_vector() || matches!(kind, VectorKind::Vector2 | VectorKind::Color);
        let operator: fn(f64, f64) -> f64 = match sign {
            "+" if is_vector || kind == VectorKind::Color => |left, right| left + right,
            "-" if is_vector || kind == VectorKind::Color => |left, right| left - right,
            "*" if has_product => |left, right| left * right,
            "/" if kind == VectorKind::Vector2 => |left, right| left / right,
            _ => return None,
        };
        if kind != other.kind {
            return None;
        }
        let pairs = self.numbers.iter().zip(&other.numbers);
        let numbers: Vec<f64> = pairs.map(|(left, right)| operator(*left, *right)).collect();
        Some(Self::new(kind, &numbers))
    }

    /// Returns the product with a number, or the quotient.
    pub(crate) fn with_number(&self, sign: &str, number: &Constant) -> Option<Self> {
        let kind = self.kind;
        let is_integer = matches!(number, Constant::Integer(..));
        let is_known = kind.is_float_vector()
            || kind == VectorKind::Color
            || kind.is_integer_vector() && is_integer;
        let number = number.number().filter(|_| is_known)?;
        let numbers = match sign {
            "*" => self.numbers.map(|component| component * number),
            "/" if !kind.is_integer_vector() => self.numbers.map(|component| component / number),
            "/" if number != 0.0 => self.numbers.map(|component| (component / number).trunc()),
            _ => return None,
        };
        Some(Self::new(kind, &numbers))
    }
}
