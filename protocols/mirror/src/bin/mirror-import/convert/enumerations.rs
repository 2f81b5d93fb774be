//! Names and numbers of enumerations.

use super::arithmetic::{Constant, MAX_DEPTH, binary, of_libraries, unary};
use crate::csharp::{Declaration, Expression, attribute};

/// Returns the names and numbers of an enumeration. `None` if a number is not read.
pub(super) fn variants(declared: &Declaration) -> Option<Vec<(String, i128)>> {
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

/// Returns whether values of an enumeration are not only its names: flags, and those without a name for 0, which is the
/// default in C#.
pub(super) fn is_number(declared: &Declaration, variants: &[(String, i128)]) -> bool {
    let is_flags = attribute(&declared.attributes, "Flags").is_some();
    is_flags || variants.iter().all(|(_, number)| *number != 0)
}

/// Returns the name of a variant: that of C#, unless Rust reserves it.
pub(super) fn variant_name(name: &str) -> String {
    crate::names::reserved(name)
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
