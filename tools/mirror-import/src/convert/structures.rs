//! Initial values of structs and classes of the project.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::arithmetic::MAX_DEPTH;
use super::literals::Initial;
use super::types::{Around, Types};
use crate::csharp::{CONSTRUCTOR, Declaration, Expression, Kind, Method};
use crate::model::ValueType;

/// An expression, and the place where its names are searched.
type FoundExpression<'a> = (&'a Expression, Around<'a>);

impl Types<'_> {
    /// Returns `Item { count: 3, ..Default::default() }` of `new Item(3, "apple")` and of `new Item { count = 3 }`. `None`
    /// if a constructor does more than to set members.
    pub(super) fn structure_value(
        &self,
        ty: &ValueType,
        expression: &Expression,
        around: Around<'_>,
        depth: usize,
    ) -> Option<Initial> {
        let Expression::New {
            ty: written,
            arguments,
            elements,
        } = expression
        else {
            return None;
        };
        let declared = self.project.get(&ty.csharp)?;
        if let Some(written) = written {
            // An object of a derived class has more members.
            let found = self.project.find(written, around.scope, around.inside)?;
            (found.name == declared.name).then_some(())?;
        }
        if depth > MAX_DEPTH || self.has_constructing_base(declared) {
            return None;
        }
        let mut values: BTreeMap<&str, FoundExpression<'_>> = BTreeMap::new();
        self.initializers(declared, around, &mut values);
        construct(declared, arguments, around, &mut values)?;
        for element in elements {
            let Expression::Binary(sign, sides) = element else {
                return None;
            };
            let (Expression::Path(path), value) = &**sides else {
                return None;
            };
            let [name] = &path[..] else { return None };
            (sign == "=").then_some(())?;
            values.insert(name, (value, around));
        }
        let mut text = String::new();
        let members = self.known_members(&ty.csharp)?;
        for member in &members.list {
            let Some((value, around)) = values.get(member.csharp.as_str()) else {
                continue;
            };
            if let Some(value) = self.initial_at(&member.value, value, *around, depth + 1)? {
                let _ = write!(text, "{}: {value}, ", member.name);
            }
        }
        let value = format!("{} {{ {text}..Default::default() }}", ty.rust);
        Some((!text.is_empty()).then_some(value))
    }

    /// Returns whether a constructor runs a constructor of a base without being told to.
    fn has_constructing_base(&self, declared: &Declaration) -> bool {
        let bases = std::iter::successors(self.project.base(declared), |(_, base)| {
            self.project.base(base)
        });
        let mut bases = bases.take(MAX_DEPTH).map(|(_, base)| base);
        bases.any(|base| constructors(base).any(|it| it.parameters.is_empty()))
    }

    /// Adds the values that the members of a class have before its constructor.
    fn initializers<'a>(
        &'a self,
        declared: &'a Declaration,
        around: Around<'a>,
        values: &mut BTreeMap<&'a str, FoundExpression<'a>>,
    ) {
        let mut class = Some(declared);
        for _ in 0..MAX_DEPTH {
            let Some(current) = class else { return };
            for field in &current.fields {
                if let Some(initial) = &field.initial {
                    let around = Around {
                        scope: &field.scope,
                        inside: Some(current),
                        ..around
                    };
                    values.entry(&field.name).or_insert((initial, around));
                }
            }
            class = self.project.base(current).map(|(_, base)| base);
        }
    }
}

/// Returns the constructors of a type.
fn constructors(declared: &Declaration) -> impl Iterator<Item = &Method> {
    let methods = declared.methods.iter();
    methods.filter(|it| it.name == CONSTRUCTOR && !it.modifiers.contains("static"))
}

/// Adds the values that a constructor sets: its parameters, or constants.
fn construct<'a>(
    declared: &'a Declaration,
    arguments: &'a [Expression],
    around: Around<'a>,
    values: &mut BTreeMap<&'a str, FoundExpression<'a>>,
) -> Option<()> {
    let count = arguments.len();
    let has_none = constructors(declared).next().is_none();
    let mut fitting = constructors(declared).filter(|it| it.parameters.len() == count);
    let Some(constructor) = fitting.next() else {
        // The default one sets nothing.
        let is_default = count == 0 && (declared.kind == Kind::Struct || has_none);
        return is_default.then_some(());
    };
    if fitting.next().is_some() {
        return None;
    }
    let inside = Around {
        scope: &declared.scope,
        inside: Some(declared),
        ..around
    };
    for (name, value) in constructor.assignments.as_ref()? {
        let parameter = match value {
            Expression::Path(path) if path.len() == 1 => {
                let mut parameters = constructor.parameters.iter();
                parameters.position(|parameter| parameter.name == path[0])
            }
            _ => None,
        };
        let value = match parameter {
            Some(index) => (arguments.get(index)?, around),
            None => (value, inside),
        };
        values.insert(name, value);
    }
    Some(())
}
