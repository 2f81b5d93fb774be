//! Fields as the oracle sees them: contents, policies, hooks.

use syncvar::prelude::*;
use syncvar::{SyncHashSet, schema::Readers};

/// Value that is found again in the bytes of a packet: a tag and a number. Number 0 is the default.
pub(super) type Mark = [u8; 8];

/// First bytes of the marks, but for the default.
pub(super) const TAG: [u8; 3] = [0xA5, 0xC9, 0x3E];

/// Distance of marks from which on a field with a threshold is sent.
pub(super) const FAR: u64 = 20;

/// Marks in a value that fits no datagram.
const LONG: usize = 200;

/// Most elements of a collection.
const ELEMENTS: usize = 6;

/// Returns the mark of a number.
pub(super) fn mark(number: u64) -> Mark {
    let [.., a, b, c, d, e] = number.to_be_bytes();
    [TAG[0], TAG[1], TAG[2], a, b, c, d, e]
}

/// Returns the number of a mark.
pub(super) fn number(mark: &Mark) -> u64 {
    mark[3..]
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A field as the oracle sees it.
pub(super) trait Value {
    /// Returns a number that differs for different contents: that of the mark, or a hash. 0 for the prefab's.
    fn content(&self) -> u64;

    /// Writes the mark of a number, or changes elements.
    fn write(&mut self, number: u64);
}

impl Value for SyncVar<Mark> {
    fn content(&self) -> u64 {
        number(self)
    }

    fn write(&mut self, number: u64) {
        self.set(mark(number));
    }
}

impl Value for SyncVar<Vec<Mark>> {
    fn content(&self) -> u64 {
        self.first().map_or(0, number)
    }

    fn write(&mut self, number: u64) {
        let length = if number.is_multiple_of(3) { LONG } else { 2 };
        self.set(vec![mark(number); length]);
    }
}

/// Returns a hash of ordered marks, 0 for none.
fn hash<'a>(marks: impl Iterator<Item = &'a Mark>) -> u64 {
    marks.fold(0, |hash, mark| {
        (hash ^ number(mark)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63
    })
}

impl Value for SyncList<Mark> {
    fn content(&self) -> u64 {
        hash(self.iter())
    }

    fn write(&mut self, number: u64) {
        let at = usize::try_from(number / 8).unwrap_or(0) % self.len().max(1);
        match number % 8 {
            0 if !self.is_empty() => _ = self.remove(at),
            1 => self.insert(at, mark(number)),
            2 if !self.is_empty() => _ = self.set(at, mark(number)),
            3 if self.len() > ELEMENTS => self.clear(),
            _ if self.len() > 2 * ELEMENTS => self.truncate(at),
            _ => self.push(mark(number)),
        }
    }
}

impl Value for SyncDictionary<u8, Mark> {
    fn content(&self) -> u64 {
        let mut pairs: Vec<_> = self.iter().collect();
        pairs.sort_unstable();
        hash(pairs.into_iter().map(|(_, mark)| mark))
    }

    fn write(&mut self, number: u64) {
        let key = u8::try_from(number % 5).unwrap_or(0);
        match number % 8 {
            0 => _ = self.remove(&key),
            1 if self.len() > 3 => self.clear(),
            _ => _ = self.insert(key, mark(number)),
        }
    }
}

impl Value for SyncHashSet<Mark> {
    fn content(&self) -> u64 {
        let mut marks: Vec<_> = self.iter().collect();
        marks.sort_unstable();
        hash(marks.into_iter())
    }

    fn write(&mut self, number: u64) {
        if self.len() > ELEMENTS {
            self.clear();
        }
        self.insert(mark(number));
    }
}

/// Ends that write a field of an object with an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    Server,
    Owner,
    /// `server_override`.
    Both,
}

/// Policy of a field, in the words of the guide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) read: Readers,
    pub(super) write: Writer,
    pub(super) hooked: bool,
    /// Whether each update sends it.
    pub(super) prompt: bool,
    pub(super) initial_only: bool,
    /// Distance from which on a change is sent.
    pub(super) threshold: u64,
}

impl Rule {
    pub(super) const fn new(name: &'static str) -> Self {
        Self {
            name,
            read: Readers::Everyone,
            write: Writer::Server,
            hooked: false,
            prompt: true,
            initial_only: false,
            threshold: 1,
        }
    }

    pub(super) const fn read(self, read: Readers) -> Self {
        Self { read, ..self }
    }

    pub(super) const fn owned(self) -> Self {
        Self {
            write: Writer::Owner,
            ..self
        }
    }

    pub(super) const fn shared(self) -> Self {
        Self {
            write: Writer::Both,
            ..self
        }
    }

    pub(super) const fn hooked(self) -> Self {
        Self {
            hooked: true,
            ..self
        }
    }

    pub(super) const fn late(self) -> Self {
        Self {
            prompt: false,
            ..self
        }
    }

    pub(super) const fn near(self) -> Self {
        Self {
            threshold: FAR,
            ..self
        }
    }

    pub(super) const fn initial(self) -> Self {
        Self {
            initial_only: true,
            ..self
        }
    }
}

/// Run of a hook: index of the field, contents before and after.
pub(super) type HookRun = (usize, u64, u64);

/// A behaviour as the oracle sees it.
pub(super) trait Contents {
    /// Calls a function for each field.
    fn visit(&self, visit: &mut dyn FnMut(usize, &dyn Value));

    /// Returns a field.
    fn field_mut(&mut self, index: usize) -> Option<&mut dyn Value>;

    /// Returns the runs of hooks on this replica.
    fn runs(&self) -> &[HookRun];
}

/// Implements [`Contents`], and the hooks of fields with their indices.
macro_rules! contents {
    ($behaviour:ty: $($field:ident)*; $($hook:ident $index:literal $hooked:ident)*) => {
        impl $behaviour {
            $(fn $hook(&mut self, previous: Mark) {
                self.runs.push(($index, number(&previous), self.$hooked.content()));
            })*
        }

        impl Contents for $behaviour {
            fn visit(&self, visit: &mut dyn FnMut(usize, &dyn Value)) {
                let fields: &[&dyn Value] = &[$(&self.$field),*];
                fields.iter().enumerate().for_each(|(index, field)| visit(index, *field));
            }

            fn field_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
                let fields: Vec<&mut dyn Value> = vec![$(&mut self.$field),*];
                fields.into_iter().nth(index)
            }

            fn runs(&self) -> &[HookRun] {
                &self.runs
            }
        }
    };
}

pub(super) use contents;
