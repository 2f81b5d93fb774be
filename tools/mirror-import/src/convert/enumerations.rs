//! Names and numbers of enumerations.

use super::arithmetic::{Constant, MAX_DEPTH, binary, cast, of_libraries, unary};
use crate::csharp::{Declaration, Expression, IntegerType, attribute};

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
            Some(value) => match integer(value, &known, 0)? {
                Constant::Integer(number, _) => number,
                Constant::Character(letter) => u32::from(letter).into(),
                _ => return None,
            },
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

/// Returns the number of a variant of an enumeration: variants by name, and operators between variants.
fn integer(
    value: &Expression,
    known: &impl Fn(&str) -> Option<i128>,
    depth: usize,
) -> Option<Constant> {
    let operand = |operand| integer(operand, known, depth + 1);
    match value {
        _ if depth > MAX_DEPTH => None,
        Expression::Integer(number, ty) => Some(Constant::Integer(*number, *ty)),
        Expression::Character(letter) => Some(Constant::Character(*letter)),
        Expression::Path(path) => match of_libraries(path) {
            Some(constant) => Some(constant),
            None => {
                let number = known(path.last()?)?;
                let ty = IntegerType::ALL.into_iter().find(|ty| ty.contains(number));
                Some(Constant::Integer(number, ty?))
            }
        },
        Expression::Cast(ty, inner) => cast(operand(inner)?, ty.last_name()),
        Expression::Unary(sign, inner) => unary(sign, operand(inner)?),
        Expression::Binary(sign, operands) => {
            binary(sign, &operand(&operands.0)?, &operand(&operands.1)?)
        }
        _ => None,
    }
}
