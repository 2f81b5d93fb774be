//! The floor: about the minimum of work for a server without a library.
//!
//! A change puts its object on a list. A tick writes the listed objects once into a shared buffer and
//! copies it to the clients: completely in [`FloorServer`], the observed objects in [`SightFloor`].
//! It has no packets, schedules, behaviours and types: the further cost of a library is the price
//! of its features.

use super::floor_codec::{ALL_FIELDS, HEALTH, read_delta, read_object, write_object};
use super::random::Random;
use super::workload::{Change, Server, Values};

#[derive(Debug)]
struct FloorObject {
    values: Values,
    dirty: u64,
}

/// Objects by number, and their encoded changes.
#[derive(Debug)]
struct FloorObjects {
    objects: Vec<FloorObject>,
    changed: Vec<u32>,
    /// Bytes of the changed objects.
    shared: Vec<u8>,
}

/// Upper limit of the bytes of an object.
const BYTES_PER_OBJECT: usize = 64;

impl FloorObjects {
    fn new(objects: u32, random: &mut Random) -> Self {
        let object = |_| FloorObject {
            values: Values::random(random),
            dirty: 0,
        };
        Self {
            objects: (0..objects).map(object).collect(),
            changed: Vec::with_capacity(objects as usize),
            shared: Vec::with_capacity(objects as usize * BYTES_PER_OBJECT),
        }
    }

    fn change(&mut self, object: u32, change: Change) {
        let changed = &mut self.objects[object as usize];
        if changed.dirty == 0 {
            self.changed.push(object);
        }
        changed.dirty |= match change {
            Change::Health(_) => HEALTH,
            Change::All(_) => ALL_FIELDS,
        };
        changed.values.apply(change);
    }

    /// Writes every changed object once; `note` receives its number and position.
    fn encode(&mut self, mut note: impl FnMut(u32, usize)) {
        self.shared.clear();
        for number in self.changed.drain(..) {
            note(number, self.shared.len());
            let object = &mut self.objects[number as usize];
            write_object(&mut self.shared, number, object.dirty, &object.values);
            object.dirty = 0;
        }
    }

    fn values(&self) -> impl Iterator<Item = &Values> {
        self.objects.iter().map(|object| &object.values)
    }
}

fn outboxes(clients: usize, objects: u32) -> Vec<Vec<u8>> {
    let capacity = objects as usize * BYTES_PER_OBJECT;
    (0..clients).map(|_| Vec::with_capacity(capacity)).collect()
}

/// A floor server whose clients observe all objects.
#[derive(Debug)]
pub(crate) struct FloorServer {
    objects: FloorObjects,
    outboxes: Vec<Vec<u8>>,
}

impl FloorServer {
    /// Creates a server with objects of random values, not yet sent to its clients.
    pub(crate) fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        Self {
            objects: FloorObjects::new(objects, random),
            outboxes: outboxes(clients, objects),
        }
    }

    /// Returns the bytes of the last tick for each client.
    pub(crate) fn outboxes(&self) -> &[Vec<u8>] {
        &self.outboxes
    }

    /// Writes the state of all objects, for a client that joins.
    pub(crate) fn write_snapshot(&self, buffer: &mut Vec<u8>) {
        let objects = &self.objects.objects;
        buffer.clear();
        buffer.reserve(objects.len() * BYTES_PER_OBJECT);
        for (number, object) in (0..).zip(objects) {
            write_object(buffer, number, ALL_FIELDS, &object.values);
        }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Values> {
        self.objects.values()
    }
}

impl Server for FloorServer {
    fn change(&mut self, object: u32, change: Change) {
        self.objects.change(object, change);
    }

    /// Encodes every changed object once and copies the bytes to every client.
    fn tick(&mut self) {
        self.objects.encode(|_, _| ());
        for outbox in &mut self.outboxes {
            outbox.clear();
            outbox.extend_from_slice(&self.objects.shared);
        }
    }
}

/// Objects observed by a client, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight(Vec<u64>);

impl FromIterator<bool> for Sight {
    fn from_iter<I: IntoIterator<Item = bool>>(sees: I) -> Self {
        let mut words = Vec::new();
        for (number, sees) in sees.into_iter().enumerate() {
            if number % 64 == 0 {
                words.push(0);
            }
            words[number / 64] |= u64::from(sees) << (number % 64);
        }
        Self(words)
    }
}

impl Sight {
    pub(crate) fn sees(&self, object: u32) -> bool {
        self.0[object as usize / 64] >> (object % 64) & 1 != 0
    }

    /// Returns the number of observed objects.
    pub(crate) fn count(&self) -> usize {
        let bits = self.0.iter().map(|word| word.count_ones() as usize);
        bits.sum()
    }
}

/// A floor server whose clients observe some of the objects: about the minimum cost of interest management.
#[derive(Debug)]
pub(crate) struct SightFloor {
    objects: FloorObjects,
    /// Number and position of each written object, in order; the end comes last.
    written: Vec<(u32, usize)>,
    sights: Vec<Sight>,
    outboxes: Vec<Vec<u8>>,
}

impl SightFloor {
    /// Creates a server with objects of random values and a client for each sight.
    pub(crate) fn new(objects: u32, sights: Vec<Sight>, random: &mut Random) -> Self {
        Self {
            objects: FloorObjects::new(objects, random),
            written: Vec::with_capacity(objects as usize + 1),
            outboxes: outboxes(sights.len(), objects),
            sights,
        }
    }

    /// Returns the bytes of the last tick for each client.
    pub(crate) fn outboxes(&self) -> &[Vec<u8>] {
        &self.outboxes
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Values> {
        self.objects.values()
    }
}

impl Server for SightFloor {
    fn change(&mut self, object: u32, change: Change) {
        self.objects.change(object, change);
    }

    /// Encodes every changed object once and copies its bytes to its observers.
    fn tick(&mut self) {
        self.written.clear();
        self.objects
            .encode(|number, start| self.written.push((number, start)));
        let shared = &self.objects.shared[..];
        self.written.push((u32::MAX, shared.len()));
        for (sight, outbox) in self.sights.iter().zip(&mut self.outboxes) {
            outbox.clear();
            for pair in self.written.windows(2) {
                let ((number, start), (_, end)) = (pair[0], pair[1]);
                if sight.sees(number) {
                    outbox.extend_from_slice(&shared[start..end]);
                }
            }
        }
    }
}

/// Client of the floor: values by number.
#[derive(Debug, Default)]
pub(crate) struct FloorClient {
    pub(crate) replicas: Vec<Values>,
}

impl FloorClient {
    /// Applies the bytes of the server; `None` if they are malformed.
    pub(crate) fn apply(&mut self, mut bytes: &[u8]) -> Option<()> {
        while !bytes.is_empty() {
            let object = read_object(&mut bytes)?;
            if object >= self.replicas.len() {
                self.replicas.resize(object + 1, Values::default());
            }
            read_delta(&mut bytes, &mut self.replicas[object])?;
        }
        Some(())
    }
}
