//! `Limited`: a deserializer of serde that counts memory, work and depth.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use crate::limits::ReadBudget;
use crate::wire::ReadErrorKind;
use crate::wire::budget::STEP;

/// Elements for which a sequence may reserve memory ahead.
const AT_ONCE: usize = 256;

/// Budget of a value, and the reason of its refusal.
#[derive(Debug)]
pub(super) struct Meter {
    pub(super) budget: Cell<ReadBudget>,
    pub(super) refused: Cell<Option<ReadErrorKind>>,
}

impl Meter {
    /// Charges a value of this size.
    fn charge<E: Error>(&self, size: usize) -> Result<(), E> {
        let mut budget = self.budget.get();
        let work = size.saturating_mul(2).saturating_add(STEP);
        let refused = match (
            budget.memory.checked_sub(size),
            budget.work.checked_sub(work),
        ) {
            (Some(memory), Some(work)) => {
                (budget.memory, budget.work) = (memory, work);
                self.budget.set(budget);
                return Ok(());
            }
            (None, _) => ReadErrorKind::TooMuchMemory {
                needed: size,
                left: budget.memory,
            },
            (_, None) => ReadErrorKind::TooMuchWork {
                needed: work,
                left: budget.work,
            },
        };
        Err(self.refuse(refused))
    }

    fn refuse<E: Error>(&self, kind: ReadErrorKind) -> E {
        self.refused.set(Some(kind));
        E::custom(kind)
    }
}

/// A deserializer, a visitor, a seed or an access of serde within the budget of a [`Meter`].
pub(super) struct Limited<'a, T> {
    inner: T,
    meter: &'a Meter,
    /// Levels that may follow.
    depth: usize,
}

impl<'a, T> Limited<'a, T> {
    pub(super) fn new(inner: T, meter: &'a Meter) -> Self {
        let depth = meter.budget.get().depth;
        Self {
            inner,
            meter,
            depth,
        }
    }

    /// Wraps a further part of the value.
    fn wrap<U>(&self, inner: U) -> Limited<'a, U> {
        Limited {
            inner,
            meter: self.meter,
            depth: self.depth,
        }
    }

    /// Wraps the visitor of a value with further values inside.
    fn nest<U, E: Error>(&self, inner: U) -> Result<Limited<'a, U>, E> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(self.meter.refuse(ReadErrorKind::TooDeep));
        };
        let meter = self.meter;
        Ok(Limited {
            inner,
            meter,
            depth,
        })
    }
}

/// Values without inner values keep their visitor.
macro_rules! plain {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.meter.charge(size_of::<V::Value>())?;
            self.inner.$method(visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Limited<'_, D> {
    type Error = D::Error;

    plain! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_char deserialize_str deserialize_string
        deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
        deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.wrap(visitor);
        self.inner.deserialize_option(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_seq(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_tuple(length, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_tuple_struct(name, length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.meter.charge(size_of::<V::Value>())?;
        let visitor = self.nest(visitor)?;
        self.inner.deserialize_enum(name, variants, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Visitor of a value with inner values.
impl<'de, V: Visitor<'de>> Visitor<'de> for Limited<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.wrap(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        let deserializer = self.wrap(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.wrap(access);
        self.inner.visit_seq(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.wrap(access);
        self.inner.visit_map(access)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.wrap(access);
        self.inner.visit_enum(access)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Limited<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.wrap(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        // An element may be empty.
        self.meter.charge(0)?;
        let seed = self.wrap(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|count| count.min(AT_ONCE))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.meter.charge(0)?;
        let seed = self.wrap(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.wrap(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|count| count.min(AT_ONCE))
    }
}

impl<'de, 'a, A: EnumAccess<'de>> EnumAccess<'de> for Limited<'a, A> {
    type Error = A::Error;
    type Variant = Limited<'a, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (meter, depth) = (self.meter, self.depth);
        let (value, inner) = self.inner.variant_seed(seed)?;
        let variant = Limited {
            inner,
            meter,
            depth,
        };
        Ok((value, variant))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Limited<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.wrap(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.wrap(visitor);
        self.inner.tuple_variant(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.wrap(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}
