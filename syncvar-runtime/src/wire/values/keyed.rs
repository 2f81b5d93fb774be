//! Maps and sets as values: a count, then the entries in ascending order of the keys.
//!
//! The order gives equal maps equal bytes, independent of a hash map's table, and lets the reader find
//! duplicate keys. It is the order of the keys' `Ord`, which must depend on travelling members
//! alone. In `Mirror` the writer keeps the order too, but the reader accepts any
//! order: C# writes a set in the order of its table.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use super::value::write_elements;
use crate::schema::TypeSchema;
use crate::wire::budget::{ENTRY, is_wasteful};
use crate::wire::{
    Absence, Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue,
};

/// A count, then each key and its value, in ascending order of the keys.
impl<K: SyncValue + Ord, V: SyncValue> SyncValue for BTreeMap<K, V> {
    const SCHEMA: TypeSchema = TypeSchema::Map(&K::SCHEMA, &V::SCHEMA);
    const ABSENCE: Absence = Absence::Count;

    fn write(&self, writer: &mut NetworkWriter) {
        write_entries(self.iter(), writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let entries = read_entries(reader, |_| None)?;
        Ok(entries.into_iter().collect())
    }

    /// Reads existing keys' values in place.
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let entries = read_entries(reader, |key| self.remove_entry(key))?;
        *self = entries.into_iter().collect();
        Ok(())
    }

    fn same(&self, other: &Self) -> bool {
        let mut pairs = self.iter().zip(other);
        self.len() == other.len() && pairs.all(|((k, v), (l, w))| k.same(l) && v.same(w))
    }
}

/// Form of a [`BTreeMap`]. Sorting the entries takes memory during the write.
impl<K, V, S> SyncValue for HashMap<K, V, S>
where
    K: SyncValue + Ord + Hash,
    V: SyncValue,
    S: BuildHasher + Default + Clone + Send + Sync + 'static,
{
    const SCHEMA: TypeSchema = BTreeMap::<K, V>::SCHEMA;
    const ABSENCE: Absence = Absence::Count;

    fn write(&self, writer: &mut NetworkWriter) {
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        write_entries(entries.into_iter(), writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let entries = read_entries(reader, |_| None)?;
        Ok(entries.into_iter().collect())
    }

    /// Keeps the table's memory, and reads existing keys' values in place.
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let entries = read_entries(reader, |key| self.remove_entry(key))?;
        self.clear();
        if is_wasteful::<(K, V)>(self.capacity(), entries.len()) {
            self.shrink_to_fit();
        }
        self.extend(entries);
        Ok(())
    }

    fn same(&self, other: &Self) -> bool {
        let has = |(key, value): (&K, &V)| match other.get_key_value(key) {
            Some((other_key, other_value)) => key.same(other_key) && value.same(other_value),
            None => false,
        };
        self.len() == other.len() && self.iter().all(has)
    }
}

/// A count, then the elements in ascending order.
impl<T: SyncValue + Ord> SyncValue for BTreeSet<T> {
    const SCHEMA: TypeSchema = TypeSchema::Set(&T::SCHEMA);
    const ABSENCE: Absence = Absence::Count;

    fn write(&self, writer: &mut NetworkWriter) {
        write_each(self.iter(), writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let elements = read_elements(reader, |_| None)?;
        Ok(elements.into_iter().collect())
    }

    /// Keeps common elements.
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let elements = read_elements(reader, |element| self.take(element))?;
        *self = elements.into_iter().collect();
        Ok(())
    }

    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

/// Form of a [`BTreeSet`]. Sorting the elements takes memory during the write.
impl<T, S> SyncValue for HashSet<T, S>
where
    T: SyncValue + Ord + Hash,
    S: BuildHasher + Default + Clone + Send + Sync + 'static,
{
    const SCHEMA: TypeSchema = BTreeSet::<T>::SCHEMA;
    const ABSENCE: Absence = Absence::Count;

    fn write(&self, writer: &mut NetworkWriter) {
        let mut elements: Vec<_> = self.iter().collect();
        elements.sort_unstable();
        write_each(elements.into_iter(), writer);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let elements = read_elements(reader, |_| None)?;
        Ok(elements.into_iter().collect())
    }

    /// Keeps the table's memory and common elements.
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let elements = read_elements(reader, |element| self.take(element))?;
        self.clear();
        if is_wasteful::<T>(self.capacity(), elements.len()) {
            self.shrink_to_fit();
        }
        self.extend(elements);
        Ok(())
    }

    fn same(&self, other: &Self) -> bool {
        let has = |element: &T| other.get(element).is_some_and(|same| element.same(same));
        self.len() == other.len() && self.iter().all(has)
    }
}

/// Writes a count, then each key and its value.
fn write_entries<'a, K: SyncValue, V: SyncValue>(
    entries: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    writer: &mut NetworkWriter,
) {
    writer.report_elements::<(K, V)>(entries.len(), ENTRY);
    write_elements(entries.len(), writer, |writer| {
        for (key, value) in entries {
            key.write(writer);
            value.write(writer);
        }
    });
}

/// Writes a count, then the elements.
fn write_each<'a, T: SyncValue>(
    elements: impl ExactSizeIterator<Item = &'a T>,
    writer: &mut NetworkWriter,
) {
    writer.report_elements::<T>(elements.len(), ENTRY);
    write_elements(elements.len(), writer, |writer| {
        for element in elements {
            element.write(writer);
        }
    });
}

/// Reads entries with ascending keys; `former` returns the previous entry of a key.
fn read_entries<K: SyncValue + Ord, V: SyncValue>(
    reader: &mut NetworkReader<'_>,
    mut former: impl FnMut(&K) -> Option<(K, V)>,
) -> Result<Vec<(K, V)>, ReadError> {
    let read = |reader: &mut NetworkReader<'_>| {
        let key = K::read(reader)?;
        match former(&key) {
            Some((key, mut value)) => {
                value.read_in_place(reader)?;
                Ok((key, value))
            }
            None => Ok((key, V::read(reader)?)),
        }
    };
    read_ascending(reader, |(key, _)| key, read)
}

/// Reads ascending elements; `former` returns the previous one.
fn read_elements<T: SyncValue + Ord>(
    reader: &mut NetworkReader<'_>,
    mut former: impl FnMut(&T) -> Option<T>,
) -> Result<Vec<T>, ReadError> {
    let read = |reader: &mut NetworkReader<'_>| {
        let element = T::read(reader)?;
        Ok(former(&element).unwrap_or(element))
    };
    read_ascending(reader, |element| element, read)
}

/// Reads a count, then the elements, with ascending keys except in `Mirror`.
fn read_ascending<T, K: Ord>(
    reader: &mut NetworkReader<'_>,
    key: impl Fn(&T) -> &K,
    mut read: impl FnMut(&mut NetworkReader<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let count = reader.read_count()?;
    // The list of entries, and the map made from it.
    reader.charge_sized(
        count,
        size_of::<T>().saturating_mul(2).saturating_add(ENTRY),
    )?;
    let ordered = reader.encoding() != Encoding::Mirror && !reader.context().plain;
    let mut all: Vec<T> = Vec::with_capacity(reader.room::<T>(count));
    reader.nested(|reader| {
        for _ in 0..count {
            let (start, before) = (reader.mark(), reader.position());
            let one = read(reader)?;
            if ordered && all.last().is_some_and(|last| key(last) >= key(&one)) {
                return Err(reader.error_since(start, ReadErrorKind::UnorderedKey));
            }
            all.push(one);
            if reader.position() == before {
                reader.count_empty_element()?;
            }
        }
        Ok(())
    })?;
    Ok(all)
}
