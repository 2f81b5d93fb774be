//! Constant expressions: initial values, arguments of attributes, numbers of enumerations.

use super::syntax::Syntax;
use super::{Expression, IntegerType, types};

/// Deepest expression that is read.
const MAX_DEPTH: usize = 32;

pub(super) fn read(syntax: Syntax<'_>) -> Expression {
    read_at(syntax, 0)
}

fn read_at(syntax: Syntax<'_>, depth: usize) -> Expression {
    let text = syntax.text();
    let other = || Expression::Other(text.to_owned());
    if depth > MAX_DEPTH {
        return other();
    }
    let inner = |syntax: Syntax<'_>| Box::new(read_at(syntax, depth + 1));
    match syntax.kind() {
        "integer_literal" => {
            integer(text).map_or_else(other, |(number, ty)| Expression::Integer(number, ty))
        }
        "real_literal" => real(text).map_or_else(other, Expression::Real),
        "string_literal" | "verbatim_string_literal" | "raw_string_literal" => {
            string(text).map_or_else(other, Expression::Text)
        }
        "character_literal" => character(text).map_or_else(other, Expression::Character),
        "boolean_literal" => Expression::Boolean(text == "true"),
        "null_literal" => Expression::Null,
        "default_expression" => Expression::Default,
        "identifier" | "predefined_type" => {
            Expression::Path(vec![text.trim_start_matches('@').to_owned()])
        }
        "member_access_expression" | "qualified_name" | "alias_qualified_name" => {
            path(text).map_or_else(other, Expression::Path)
        }
        "parenthesized_expression" | "checked_expression" => syntax
            .children()
            .next()
            .map_or_else(other, |syntax| *inner(syntax)),
        "cast_expression" => match (syntax.field("type"), syntax.field("value")) {
            (Some(ty), Some(value)) => Expression::Cast(types::read(ty), inner(value)),
            _ => other(),
        },
        "prefix_unary_expression" => match syntax.children().next() {
            Some(operand) => Expression::Unary(text[..1].to_owned(), inner(operand)),
            None => other(),
        },
        "binary_expression" | "assignment_expression" => match (
            syntax.field("left"),
            syntax.field("operator"),
            syntax.field("right"),
        ) {
            (Some(left), Some(operator), Some(right)) => Expression::Binary(
                operator.text().to_owned(),
                Box::new((*inner(left), *inner(right))),
            ),
            _ => other(),
        },
        "invocation_expression" => name_of(syntax).map_or_else(other, Expression::Text),
        "object_creation_expression"
        | "implicit_object_creation_expression"
        | "array_creation_expression"
        | "implicit_array_creation_expression"
        | "initializer_expression"
        | "collection_expression" => creation(syntax, depth),
        _ => other(),
    }
}

/// Reads `new T(a) { b }` and its shorter forms.
fn creation(syntax: Syntax<'_>, depth: usize) -> Expression {
    let elements_of = |list: Syntax<'_>| -> Vec<Expression> {
        list.children()
            .map(|element| read_at(element, depth + 1))
            .collect()
    };
    if matches!(
        syntax.kind(),
        "initializer_expression" | "collection_expression"
    ) {
        return Expression::New {
            ty: None,
            arguments: Vec::new(),
            elements: elements_of(syntax),
        };
    }
    let arguments = syntax.of_kind("argument_list").next();
    let arguments = arguments
        .into_iter()
        .flat_map(|list| list.of_kind("argument").collect::<Vec<_>>());
    // A named argument is read as its value: all known constructors keep that order.
    let arguments = arguments.filter_map(|argument| argument.children().last());
    let elements = syntax.of_kind("initializer_expression").next();
    Expression::New {
        ty: syntax.field("type").map(types::read),
        arguments: arguments
            .map(|argument| read_at(argument, depth + 1))
            .collect(),
        elements: elements.map(elements_of).unwrap_or_default(),
    }
}

/// Returns the name in `nameof(A.B)`: its last part.
fn name_of(syntax: Syntax<'_>) -> Option<String> {
    if syntax.field("function")?.text() != "nameof" {
        return None;
    }
    let argument = syntax.field("arguments")?.of_kind("argument").next()?;
    path(argument.text())?.pop()
}

/// Returns the parts of a name with dots.
fn path(text: &str) -> Option<Vec<String>> {
    let parts = text.rsplit("::").next()?.split('.');
    let parts = parts.map(|part| part.trim().trim_start_matches('@'));
    let is_name = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    parts
        .map(|part| is_name(part).then(|| part.to_owned()))
        .collect()
}

/// Returns the number and the type of a literal: the first type that contains it and that its suffix permits.
fn integer(text: &str) -> Option<(i128, IntegerType)> {
    let text = text.replace('_', "").to_lowercase();
    let number = text.trim_end_matches(['u', 'l']);
    let suffix = &text[number.len()..];
    let number = match number.get(..2) {
        Some("0x") => i128::from_str_radix(&number[2..], 16),
        Some("0b") => i128::from_str_radix(&number[2..], 2),
        _ => number.parse(),
    };
    let number = number.ok()?;
    let is_permitted = |ty: &IntegerType| match ty {
        IntegerType::Int => suffix.is_empty(),
        IntegerType::Uint => !suffix.contains('l'),
        IntegerType::Long => !suffix.contains('u'),
        IntegerType::Ulong => true,
    };
    let mut types = IntegerType::ALL.into_iter();
    let ty = types.find(|ty| is_permitted(ty) && ty.contains(number))?;
    Some((number, ty))
}

fn real(text: &str) -> Option<f64> {
    let text = text.replace('_', "").to_lowercase();
    // Rounded once: 0.1f is the `float` nearest to 0.1.
    if let Some(text) = text.strip_suffix('f') {
        return text.parse::<f32>().ok().map(f64::from);
    }
    text.trim_end_matches(['d', 'm']).parse().ok()
}

fn character(text: &str) -> Option<char> {
    let text = unescape(text.strip_prefix('\'')?.strip_suffix('\'')?)?;
    let mut letters = text.chars();
    let letter = letters.next()?;
    letters.next().is_none().then_some(letter)
}

fn string(text: &str) -> Option<String> {
    if let Some(text) = text.strip_prefix("@\"") {
        return Some(text.strip_suffix('"')?.replace("\"\"", "\""));
    }
    if text.starts_with("\"\"\"") {
        let quotes = text.bytes().take_while(|byte| *byte == b'"').count();
        let inner = text.get(quotes..text.len().checked_sub(quotes)?)?;
        // Of several lines: the indentation is that of the last one.
        return (!inner.contains('\n')).then(|| inner.to_owned());
    }
    unescape(text.strip_prefix('"')?.strip_suffix('"')?)
}

/// Resolves escapes such as `\n` and `\u0041`.
fn unescape(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            result.push(letter);
            continue;
        }
        result.push(match letters.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'e' => '\u{1b}',
            sign @ ('u' | 'U' | 'x') => {
                let most = if sign == 'U' { 8 } else { 4 };
                let mut digits = String::new();
                while digits.len() < most
                    && let Some(digit) = letters.next_if(char::is_ascii_hexdigit)
                {
                    digits.push(digit);
                }
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            sign @ ('\\' | '\'' | '"') => sign,
            _ => return None,
        });
    }
    Some(result)
}

impl IntegerType {
    /// All types, in the order in which C# tries them for a literal.
    pub(crate) const ALL: [Self; 4] = [Self::Int, Self::Uint, Self::Long, Self::Ulong];

    /// Returns the number of bits, and whether there are negative numbers.
    const fn layout(self) -> (u32, bool) {
        match self {
            Self::Int => (32, true),
            Self::Uint => (32, false),
            Self::Long => (64, true),
            Self::Ulong => (64, false),
        }
    }

    pub(crate) fn contains(self, number: i128) -> bool {
        let (bits, is_signed) = self.layout();
        wrapped(number, bits, is_signed) == number
    }

    /// Returns the number without the bits that the type lacks.
    pub(crate) fn wrap(self, number: i128) -> i128 {
        let (bits, is_signed) = self.layout();
        wrapped(number, bits, is_signed)
    }
}

/// Returns a number in so many bits, as a conversion without a check.
pub(crate) fn wrapped(number: i128, bits: u32, is_signed: bool) -> i128 {
    let rest = number.rem_euclid(1 << bits);
    if is_signed && rest >= 1 << (bits - 1) {
        rest - (1 << bits)
    } else {
        rest
    }
}

impl Expression {
    /// Returns the expression without casts.
    pub(crate) fn uncast(&self) -> &Self {
        match self {
            Self::Cast(_, inner) => inner.uncast(),
            other => other,
        }
    }

    /// Returns the text of a text, and the last name of a path.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match self.uncast() {
            Self::Text(text) => Some(text),
            Self::Path(parts) => parts.last().map(String::as_str),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_values_of_csharp() {
        assert_eq!(integer("1_000UL"), Some((1000, IntegerType::Ulong)));
        assert_eq!(integer("0xFFu"), Some((255, IntegerType::Uint)));
        assert_eq!(integer("0b101"), Some((5, IntegerType::Int)));
        assert_eq!(
            integer("0xFFFF_FFFF"),
            Some((0xffff_ffff, IntegerType::Uint))
        );
        assert_eq!(integer("2147483648L"), Some((1 << 31, IntegerType::Long)));
        assert_eq!(integer("18446744073709551616"), None);
        assert_eq!(real("1_0.5e1f"), Some(105.0));
        assert_eq!(string(r#""a\n\u0041\"""#).as_deref(), Some("a\nA\""));
        assert_eq!(string("@\"C:\\\"\"x\"").as_deref(), Some("C:\\\"x"));
        assert_eq!(
            string("\"\"\"a \"b\" c\"\"\"").as_deref(),
            Some("a \"b\" c")
        );
        assert_eq!(character(r"'\t'"), Some('\t'));
        assert_eq!(string(r#""\q""#), None);
    }
}
