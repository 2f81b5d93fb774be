//! Sequences, arrays, sets, maps and collections.

use std::borrow::Cow;

use super::{TypeRefusal, Types, refusal};
use crate::schema::SchemaType;
use crate::translate::conversion::{Conversion, Elements, First, SequenceShape};
use crate::translate::layout::{Layout, Scalar};

/// Parts of a type with elements.
struct Parts<'a> {
    shape: SequenceShape,
    /// Type of an element or key.
    element: &'a SchemaType,
    /// Type of the value of a key; `None` without keys.
    value: Option<&'a SchemaType>,
}

impl<'a> Parts<'a> {
    fn of(of: &'a SchemaType) -> Option<Self> {
        let (shape, element, value) = match of {
            // A text of a fixed limit.
            SchemaType::Array(element, _) if is_text(element) => return None,
            SchemaType::Sequence(element) => (SequenceShape::Counted, &**element, None),
            SchemaType::Array(element, count) => (SequenceShape::Fixed(*count), &**element, None),
            SchemaType::Set(element) => (SequenceShape::Ordered, &**element, None),
            SchemaType::Map(key, value) => (SequenceShape::Ordered, &**key, Some(&**value)),
            SchemaType::Collection { name, parts } => match (name.as_str(), parts.as_slice()) {
                ("SyncList", [element]) => (SequenceShape::Counted, element, None),
                ("SyncHashSet" | "SyncSortedSet", [element]) => {
                    (SequenceShape::Distinct, element, None)
                }
                ("SyncDictionary", [key, value]) => (SequenceShape::Distinct, key, Some(value)),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self {
            shape,
            element,
            value,
        })
    }

    /// Returns the type of an element with its codec. Bytes have a form of their own in a sequence.
    fn element_on_wire(&self) -> Cow<'a, SchemaType> {
        if !self.is_bytes() {
            return Cow::Borrowed(self.element);
        }
        Cow::Owned(SchemaType::Encoded {
            codec: "Fixed".into(),
            parameters: Vec::new(),
            value: Box::new(self.element.clone()),
        })
    }

    /// Returns whether the elements are bytes behind their number.
    fn is_bytes(&self) -> bool {
        self.shape == SequenceShape::Counted
            && matches!(self.element, SchemaType::Named(name) if name == "u8")
    }
}

fn is_text(of: &SchemaType) -> bool {
    matches!(of, SchemaType::Named(name) if name == "FixedString")
}

impl Types<'_> {
    /// Returns the conversion from or to a type with elements; `None` for two types without.
    pub(super) fn sequences(
        &self,
        from: &SchemaType,
        to: &SchemaType,
    ) -> Option<Result<Conversion, TypeRefusal>> {
        match (Parts::of(from), Parts::of(to)) {
            (Some(from_parts), Some(to_parts)) => {
                Some(self.elements(from, to, &from_parts, &to_parts))
            }
            (Some(parts), None) => Some(self.first(from, to, &parts)),
            (None, Some(parts)) => Some(self.one(from, to, &parts)),
            (None, None) => None,
        }
    }

    fn elements(
        &self,
        from: &SchemaType,
        to: &SchemaType,
        from_parts: &Parts<'_>,
        to_parts: &Parts<'_>,
    ) -> Result<Conversion, TypeRefusal> {
        let value = match (from_parts.value, to_parts.value) {
            (Some(from), Some(to)) => Some(self.convert(from, to, None)?),
            (None, None) => None,
            _ => return Err(refusal(from, to)),
        };
        if let (SequenceShape::Fixed(count), SequenceShape::Fixed(expected)) =
            (from_parts.shape, to_parts.shape)
            && count != expected
        {
            return Err(refusal(from, to));
        }
        let layout = if matches!(to_parts.shape, SequenceShape::Fixed(_)) {
            self.zeroed_layout(to)?
        } else {
            self.layout(to)?
        };
        Ok(Conversion::Elements(Box::new(Elements {
            from: from_parts.shape,
            to: to_parts.shape,
            element: self.element(from_parts, to_parts)?,
            value,
            layout,
        })))
    }

    /// Returns the conversion of an element.
    fn element(&self, from: &Parts<'_>, to: &Parts<'_>) -> Result<Conversion, TypeRefusal> {
        self.convert(&from.element_on_wire(), &to.element_on_wire(), None)
    }

    /// A sequence to its first element.
    fn first(
        &self,
        from: &SchemaType,
        to: &SchemaType,
        parts: &Parts<'_>,
    ) -> Result<Conversion, TypeRefusal> {
        // The operations of a collection, and the order of keys, have no first element.
        if parts.shape != SequenceShape::Counted || matches!(from, SchemaType::Collection { .. }) {
            return Err(refusal(from, to));
        }
        let single = Parts {
            shape: SequenceShape::Fixed(1),
            element: to,
            value: None,
        };
        let element = if parts.is_bytes() {
            Layout::Scalar(Scalar::BYTE)
        } else {
            self.layout(parts.element)?
        };
        Ok(Conversion::First(
            Box::new(
                self.element(parts, &single)
                    .map_err(|_| refusal(from, to))?,
            ),
            Box::new(First {
                shape: parts.shape,
                element,
                to: self.zeroed_layout(to)?,
            }),
        ))
    }

    /// A value to a sequence with this element.
    fn one(
        &self,
        from: &SchemaType,
        to: &SchemaType,
        parts: &Parts<'_>,
    ) -> Result<Conversion, TypeRefusal> {
        if parts.shape != SequenceShape::Counted {
            return Err(refusal(from, to));
        }
        let single = Parts {
            shape: SequenceShape::Fixed(1),
            element: from,
            value: None,
        };
        let element = self.element(&single, parts);
        Ok(Conversion::One(Box::new(
            element.map_err(|_| refusal(from, to))?,
        )))
    }
}
