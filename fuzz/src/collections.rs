//! Deltas and snapshots of collections and fields, in each encoding.

use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
use syncvar::{SyncField, fields::OperationLog};

use crate::limits::bounded;
use crate::objects::{Empty, Item};
use crate::script::{Script, Step};
use crate::values::{ENCODINGS, reader};

/// Most elements that the edits of an input leave in a collection.
const MAX_ELEMENTS: usize = 256;

/// Field under test: an edit, and a comparison of values.
trait Subject: SyncField + Default {
    /// Changes the field, as a program does.
    fn edit(&mut self, step: Step<'_>);

    /// Returns whether the values are equal.
    fn equals(&self, other: &Self) -> bool;
}

/// Element made of the bytes of a step.
trait Element: SyncValue {
    fn make(step: &mut Step<'_>) -> Self;
}

impl Element for u32 {
    fn make(step: &mut Step<'_>) -> Self {
        step.number()
    }
}

impl Element for u8 {
    fn make(step: &mut Step<'_>) -> Self {
        step.byte()
    }
}

impl Element for i64 {
    fn make(step: &mut Step<'_>) -> Self {
        step.number().cast_signed().into()
    }
}

impl Element for String {
    fn make(step: &mut Step<'_>) -> Self {
        step.text()
    }
}

impl Element for FixedString512 {
    fn make(step: &mut Step<'_>) -> Self {
        Self::truncated(&step.text())
    }
}

impl Element for Empty {
    fn make(_: &mut Step<'_>) -> Self {
        Self
    }
}

impl Element for Item {
    fn make(step: &mut Step<'_>) -> Self {
        let [low, high] = [step.byte(), step.byte()];
        Self {
            count: u16::from_le_bytes([low, high]),
            names: vec![step.text()],
            ..Self::default()
        }
    }
}

impl Element for Option<Vec<u8>> {
    fn make(step: &mut Step<'_>) -> Self {
        (step.byte() > 50).then(|| step.bytes.to_vec())
    }
}

impl<T: Element> Subject for SyncList<T> {
    fn edit(&mut self, mut step: Step<'_>) {
        let (what, at) = (step.byte(), usize::from(step.byte()));
        let value = T::make(&mut step);
        let length = self.len();
        match what % 12 {
            _ if length > MAX_ELEMENTS => self.clear(),
            0 => self.push(value),
            1 | 2 => self.insert(at % (length + 1), value),
            3 if length > 0 => drop(self.remove(at % length)),
            4 if length > 0 => drop(self.set(at % length, value)),
            5 if length > 0 => self.swap(0, at % length),
            6 => self.truncate(at),
            7 => self.resize(at, value),
            8 => drop(self.pop()),
            9 => drop(self.split_off(at.min(length))),
            10 if at < 8 => self.clear(),
            _ => self.extend(vec![value; at % 8]),
        }
    }

    fn equals(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.same(b))
    }
}

macro_rules! dictionary {
    ($key:ty, $value:ty) => {
        impl Subject for SyncDictionary<$key, $value> {
            fn edit(&mut self, mut step: Step<'_>) {
                let what = step.byte();
                let key = <$key>::make(&mut step);
                match what % 6 {
                    _ if self.len() > MAX_ELEMENTS => self.clear(),
                    0..=2 => drop(self.insert(key, <$value>::make(&mut step))),
                    3 => drop(self.remove(&key)),
                    4 if what < 8 => self.clear(),
                    _ => self.retain(|other, _| *other != key),
                }
            }

            fn equals(&self, other: &Self) -> bool {
                self.len() == other.len()
                    && self
                        .iter()
                        .all(|(key, value)| other.get(key).is_some_and(|v| v.same(value)))
            }
        }
    };
}

dictionary!(u32, String);
dictionary!(String, i64);
dictionary!(u8, Item);

macro_rules! set {
    ($set:ty, $element:ty) => {
        impl Subject for $set {
            fn edit(&mut self, mut step: Step<'_>) {
                let what = step.byte();
                let value = <$element>::make(&mut step);
                match what % 6 {
                    _ if self.len() > MAX_ELEMENTS => self.clear(),
                    0..=2 => drop(self.insert(value)),
                    3 => drop(self.remove(&value)),
                    4 if what < 8 => self.clear(),
                    _ => self.retain(|other| *other != value),
                }
            }

            fn equals(&self, other: &Self) -> bool {
                self.len() == other.len() && self.iter().all(|value| other.contains(value))
            }
        }
    };
}

set!(SyncHashSet<u8>, u8);
set!(SyncHashSet<String>, String);
set!(SyncSortedSet<u32>, u32);
set!(SyncSortedSet<String>, String);

impl Subject for SyncVar<Option<Vec<u8>>> {
    fn edit(&mut self, mut step: Step<'_>) {
        self.set(Element::make(&mut step));
    }

    fn equals(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Sessions by the number of their field.
const SUBJECTS: &[fn(Script<'_>, Encoding)] = &[
    session::<SyncList<u32>>,
    session::<SyncList<String>>,
    session::<SyncList<Empty>>,
    session::<SyncList<FixedString512>>,
    session::<SyncList<Item>>,
    session::<SyncList<Option<Vec<u8>>>>,
    session::<SyncDictionary<u32, String>>,
    session::<SyncDictionary<String, i64>>,
    session::<SyncDictionary<u8, Item>>,
    session::<SyncHashSet<u8>>,
    session::<SyncHashSet<String>>,
    session::<SyncSortedSet<u32>>,
    session::<SyncSortedSet<String>>,
    session::<SyncVar<Option<Vec<u8>>>>,
];

/// Runs an input: the number of a field and of an encoding, then the steps of a session.
///
/// # Panics
///
/// When a delta of the field does not change a replica to its values.
pub fn run(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let (subject, encoding) = (script.byte(), script.byte());
    let session = SUBJECTS[usize::from(subject) % SUBJECTS.len()];
    session(script, ENCODINGS[usize::from(encoding) % ENCODINGS.len()]);
}

/// A field and its replica: edits, deltas and snapshots, and deltas of an attacker.
fn session<F: Subject + 'static>(script: Script<'_>, encoding: Encoding) {
    let (mut field, mut replica) = (F::default(), F::default());
    // Mirror's deltas are operations in order.
    if encoding == Encoding::Mirror {
        field.set_log(OperationLog::Full { pending: 0 });
    }
    field.set_observed(true);
    let mut is_equal = true;
    for mut step in script {
        match step.op % 9 {
            8 => {
                let bytes = step.run();
                bounded(bytes.len(), || {
                    let _ = replica.read_delta(&mut reader(&bytes, encoding));
                });
                is_equal = false;
            }
            0 => {
                bounded(step.bytes.len(), || {
                    let mut reader = reader(step.bytes, encoding);
                    let _ = replica.read_delta(&mut reader);
                });
                is_equal = false;
            }
            1 => {
                bounded(step.bytes.len(), || {
                    let mut reader = reader(step.bytes, encoding);
                    let _ = replica.read_full(&mut reader);
                });
                is_equal = false;
            }
            2 => {
                if field.is_dirty() {
                    is_equal &= send(&mut field, &mut replica, encoding, step, is_equal);
                }
            }
            3 => {
                // A snapshot contains the changes that later deltas repeat or leave out.
                if field.is_dirty() {
                    send(
                        &mut field,
                        &mut replica,
                        encoding,
                        Step { op: 0, bytes: &[] },
                        false,
                    );
                }
                let bytes = written(encoding, |writer| field.write_full(writer));
                let mut reader = NetworkReader::with_encoding(&bytes, encoding);
                replica.read_full(&mut reader).expect("a legal snapshot");
                reader.finish().expect("a whole snapshot");
                is_equal = true;
                assert!(field.equals(&replica), "snapshot");
            }
            _ => field.edit(step),
        }
    }
}

/// Sends a delta, changed by the step. Returns whether the replica has the values of the field.
fn send<F: Subject + 'static>(
    field: &mut F,
    replica: &mut F,
    encoding: Encoding,
    step: Step<'_>,
    is_equal: bool,
) -> bool {
    let legal = written(encoding, |writer| field.write_delta(writer));
    field.clear_dirty();
    let mut bytes = legal.clone();
    step.patch(&mut bytes);
    let mut reader = reader(&bytes, encoding);
    let read = bounded(bytes.len(), || replica.read_delta(&mut reader));
    if !is_equal || bytes != legal {
        return false;
    }
    read.expect("a legal delta");
    reader.finish().expect("a whole delta");
    assert!(field.equals(replica), "delta");
    true
}

fn written(encoding: Encoding, write: impl FnOnce(&mut NetworkWriter)) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(encoding);
    write(&mut writer);
    assert_eq!(writer.error(), None);
    writer.as_bytes().to_vec()
}
