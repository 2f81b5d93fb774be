//! Operations, applied to the present value of a reader whose field has none.

use super::super::Fit;
use super::Operations;
use crate::field::numbers::{keyed, list};
use crate::translate::layout::{CollectionKind, Layout};
use crate::value::{MapValue, SetValue, Value};
use crate::{NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

/// Present elements of the reader; of a map, its keys and values.
enum Present {
    List(Vec<Value>),
    Set(Box<SetValue>),
    Map(Box<MapValue>),
}

impl Operations {
    /// Reads operations, applies them to the reader's present value, and writes the whole value.
    pub(super) fn apply(
        &self,
        count: usize,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
        former: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> ReadResult<()> {
        let mut present = self.present(reader, former)?;
        for _ in 0..count {
            fit.in_collection(|fit| self.apply_one(&mut present, reader, fit))?;
        }
        let value = match present {
            Present::List(elements) => Value::List(elements),
            Present::Set(elements) => Value::Set(elements),
            Present::Map(entries) => Value::Map(entries),
        };
        if matches!(self.to, Layout::Collection(_)) {
            writer.write_operations(0);
        }
        if self.to.write_value(&value, writer).is_err() {
            fit.unfit = true;
        }
        Ok(())
    }

    /// Returns the present value of the reader.
    fn present(
        &self,
        reader: &mut NetworkReader<'_>,
        former: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> ReadResult<Present> {
        let bytes = former().unwrap_or_default();
        reader.take_work(bytes.len())?;
        let mut bytes =
            NetworkReader::with_encoding(&bytes, reader.encoding()).with_budget(reader.budget());
        Ok(match self.to.read_value(&mut bytes)? {
            Value::List(elements) => Present::List(elements),
            Value::Set(elements) => Present::Set(elements),
            Value::Map(entries) => Present::Map(entries),
            bytes => Present::List(numbers_of(&bytes)),
        })
    }

    fn apply_one(
        &self,
        present: &mut Present,
        reader: &mut NetworkReader<'_>,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        let start = reader.mark();
        let (operation, index) = reader.read_operation()?;
        let done = match (self.kind, present) {
            (CollectionKind::List, Present::List(elements)) => {
                self.apply_to_list(operation, index, elements, reader, fit)?
            }
            (CollectionKind::Set, Present::List(elements)) => {
                // Elements of a set in a list: the sequence of a former build.
                let mut set: SetValue = std::mem::take(elements).into_iter().collect();
                let done = self.apply_to_set(operation, &mut set, reader, fit)?;
                elements.extend(set.iter().cloned());
                done
            }
            (CollectionKind::Set, Present::Set(elements)) => {
                self.apply_to_set(operation, elements, reader, fit)?
            }
            (CollectionKind::Dictionary, Present::Map(entries)) => {
                self.apply_to_map(operation, entries, reader, fit)?
            }
            _ => false,
        };
        if done {
            return Ok(());
        }
        let (what, value) = ("operation of a collection", operation.into());
        Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }))
    }

    /// Returns false for an unknown operation, and for a position without an element.
    fn apply_to_list(
        &self,
        operation: u8,
        index: usize,
        elements: &mut Vec<Value>,
        reader: &mut NetworkReader<'_>,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        let length = elements.len();
        let fits = match operation {
            list::ADD | list::CLEAR => true,
            list::INSERT | list::REMOVE_AT | list::SET => index < length,
            list::SPLICE => index <= length,
            list::REMOVE => return remove_runs(index, elements, reader),
            _ => false,
        };
        if !fits {
            return Ok(false);
        }
        match operation {
            list::ADD => elements.push(self.element_value(reader, fit)?),
            list::CLEAR => elements.clear(),
            list::INSERT => elements.insert(index, self.element_value(reader, fit)?),
            list::REMOVE_AT => drop(elements.remove(index)),
            list::SPLICE => {
                let removed = reader.read_number("number of removed elements")?;
                let inserted = self.whole_elements(reader, fit)?;
                let end = index.saturating_add(removed);
                if end > length {
                    return Ok(false);
                }
                elements.splice(index..end, inserted);
            }
            _ => {
                let value = self.element_value(reader, fit)?;
                elements.splice(index..=index, [value]);
            }
        }
        Ok(true)
    }

    fn apply_to_set(
        &self,
        operation: u8,
        elements: &mut SetValue,
        reader: &mut NetworkReader<'_>,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        if operation == keyed::CLEAR {
            elements.clear();
            return Ok(true);
        }
        let (value, fits) = fit.of_key(|fit| self.element_value(reader, fit));
        let value = value?;
        match operation {
            // The reader has no element for a key that does not fit.
            keyed::PUT | keyed::REMOVE if !fits => {}
            keyed::PUT => drop(elements.insert(value)),
            keyed::REMOVE => drop(elements.remove(&value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn apply_to_map(
        &self,
        operation: u8,
        entries: &mut MapValue,
        reader: &mut NetworkReader<'_>,
        fit: &mut Fit,
    ) -> ReadResult<bool> {
        if operation == keyed::CLEAR {
            entries.clear();
            return Ok(true);
        }
        let (key, fits) = fit.of_key(|fit| self.element_value(reader, fit));
        let key = key?;
        match operation {
            keyed::PUT => {
                let value = self.entry_value(reader, fit)?;
                if fits {
                    entries.insert(key, value);
                }
            }
            keyed::REMOVE if !fits => {}
            keyed::REMOVE => drop(entries.remove(&key)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads an element or key in the reader's type.
    fn element_value(&self, reader: &mut NetworkReader<'_>, fit: &mut Fit) -> ReadResult<Value> {
        let mut writer = NetworkWriter::with_encoding(reader.encoding());
        self.element.convert(reader, &mut writer, fit)?;
        self.read_part(0, &writer, reader)
    }

    /// Reads the value of a key in the reader's type.
    fn entry_value(&self, reader: &mut NetworkReader<'_>, fit: &mut Fit) -> ReadResult<Value> {
        let mut writer = NetworkWriter::with_encoding(reader.encoding());
        if let Some(value) = &self.value {
            value.convert(reader, &mut writer, fit)?;
        }
        self.read_part(1, &writer, reader)
    }

    fn read_part(
        &self,
        part: usize,
        writer: &NetworkWriter,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<Value> {
        let mut bytes = NetworkReader::with_encoding(writer.as_bytes(), writer.encoding())
            .with_budget(reader.budget());
        match self.parts.get(part) {
            Some(layout) => layout.read_value(&mut bytes),
            None => Ok(Value::List(Vec::new())),
        }
    }

    /// Reads a number of elements, and the elements, in the reader's type.
    fn whole_elements(
        &self,
        reader: &mut NetworkReader<'_>,
        fit: &mut Fit,
    ) -> ReadResult<Vec<Value>> {
        let mut writer = NetworkWriter::with_encoding(reader.encoding());
        self.whole.convert(reader, &mut writer, fit)?;
        let mut bytes = NetworkReader::with_encoding(writer.as_bytes(), writer.encoding())
            .with_budget(reader.budget());
        Ok(match self.to.read_value(&mut bytes)? {
            Value::List(elements) => elements,
            Value::Set(elements) => elements.iter().cloned().collect(),
            bytes => numbers_of(&bytes),
        })
    }
}

/// Returns the elements of a sequence of bytes, which is a value of its own.
fn numbers_of(bytes: &Value) -> Vec<Value> {
    let bytes = bytes.as_bytes().unwrap_or_default();
    bytes.iter().map(|byte| (*byte).into()).collect()
}

/// Removes runs of elements. Returns false for a run beyond the end.
fn remove_runs(
    runs: usize,
    elements: &mut Vec<Value>,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<bool> {
    let mut index = 0_usize;
    for _ in 0..runs {
        index = index.saturating_add(reader.read_number("number of kept elements")?);
        let removed = reader.read_number("number of removed elements")?;
        let end = index.saturating_add(removed);
        if end > elements.len() {
            return Ok(false);
        }
        elements.drain(index..end);
    }
    Ok(true)
}
