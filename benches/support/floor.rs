//! The floor: about the least that a server can do without a library.
//!
//! A change puts its object on a list; a tick writes the listed objects once into a shared buffer
//! and copies that to every client. There are no packets, no schedules, no behaviours and no types:
//! whatever a library costs beyond this is the price of what it offers.

use super::floor_codec::{ALL_FIELDS, HEALTH, read_delta, read_object, write_object};
use super::random::Random;
use super::workload::{Change, Server, Values};

#[derive(Debug)]
struct FloorObject {
    values: Values,
    dirty: u64,
}

/// Objects by number, and a buffer per client.
#[derive(Debug)]
pub(crate) struct FloorServer {
    objects: Vec<FloorObject>,
    changed: Vec<u32>,
    shared: Vec<u8>,
    outboxes: Vec<Vec<u8>>,
}

/// More than any object takes.
const BYTES_PER_OBJECT: usize = 64;

impl FloorServer {
    /// A server with objects of random values; its clients have not got them yet.
    pub(crate) fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let capacity = objects as usize * BYTES_PER_OBJECT;
        let object = |_| FloorObject {
            values: Values::random(random),
            dirty: 0,
        };
        Self {
            objects: (0..objects).map(object).collect(),
            changed: Vec::with_capacity(objects as usize),
            shared: Vec::with_capacity(capacity),
            outboxes: (0..clients).map(|_| Vec::with_capacity(capacity)).collect(),
        }
    }

    /// What was sent to each client by the last tick.
    pub(crate) fn outboxes(&self) -> &[Vec<u8>] {
        &self.outboxes
    }

    /// The state of all objects, for a client that joins.
    pub(crate) fn write_snapshot(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.reserve(self.objects.len() * BYTES_PER_OBJECT);
        for (number, object) in (0..).zip(&self.objects) {
            write_object(buffer, number, ALL_FIELDS, &object.values);
        }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Values> {
        self.objects.iter().map(|object| &object.values)
    }
}

impl Server for FloorServer {
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

    /// Every changed object is encoded once, every client gets a copy.
    fn tick(&mut self) {
        self.shared.clear();
        for number in self.changed.drain(..) {
            let object = &mut self.objects[number as usize];
            write_object(&mut self.shared, number, object.dirty, &object.values);
            object.dirty = 0;
        }
        for outbox in &mut self.outboxes {
            outbox.clear();
            outbox.extend_from_slice(&self.shared);
        }
    }
}

/// The client of the floor: values by number.
#[derive(Debug, Default)]
pub(crate) struct FloorClient {
    pub(crate) replicas: Vec<Values>,
}

impl FloorClient {
    /// Applies what the server has sent; `None` if it makes no sense.
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
