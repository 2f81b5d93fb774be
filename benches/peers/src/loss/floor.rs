//! A hand-written floor for links that lose packets: chunks shared by all clients, a record of the objects
//! in each chunk, a ring of sent packets per client, acknowledgements, and repairs with the values of now.
//!
//! It knows one field per object, and has no spawns, visibility, priorities, budgets and hostile clients.

use std::mem;

use super::{Losses, Lossy};
use crate::grid::Size;
use crate::peer::Sent;
use crate::support::floor_codec::{HEALTH, read_delta, read_object, write_object};
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

/// Limit of a chunk, in bytes.
const CHUNK: usize = 1_100;

/// Sent packets that a connection remembers.
const RING: usize = 256;

/// Frames that the server remembers.
const FRAMES: usize = 64;

/// A packet is lost when a sequence this far above it is acknowledged, and after so many ticks.
const REORDER: u32 = 3;
const PATIENCE: u32 = 4;

/// Length of a header: sequence and tick.
const HEADER: usize = 8;

struct Object {
    values: Values,
    /// Tick of the last frame with the object.
    written: u32,
    dirty: bool,
}

/// Changes of one tick, in chunks.
#[derive(Default)]
struct Frame {
    bytes: Vec<u8>,
    objects: Vec<u32>,
    /// End of each chunk: in the bytes, and among the objects.
    ends: Vec<(usize, usize)>,
}

/// What a packet contained.
#[derive(Clone, Default)]
enum Contents {
    #[default]
    Decided,
    Chunk(usize),
    Repairs(Vec<u32>),
}

#[derive(Clone, Default)]
struct Record {
    tick: u32,
    contents: Contents,
}

struct Connection {
    sequence: u32,
    /// First sequence whose fate is undecided.
    first: u32,
    ring: Vec<Record>,
    backlog: Vec<u32>,
    outbox: Vec<u8>,
    ends: Vec<usize>,
}

pub(crate) struct Floor {
    objects: Vec<Object>,
    changed: Vec<u32>,
    frames: Vec<Frame>,
    tick: u32,
    connections: Vec<Connection>,
    clients: Vec<Client>,
    answers: Vec<Option<Answer>>,
}

/// Newest sequence, and a bit for each of the 64 before it that has arrived.
type Answer = (u32, u64);

#[derive(Default)]
struct Client {
    replicas: Vec<Values>,
    ticks: Vec<u32>,
    newest: u32,
    arrived: u64,
}

impl Frame {
    fn chunk(&self, index: usize) -> (&[u8], &[u32]) {
        let start = index.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        let end = self.ends[index];
        (&self.bytes[start.0..end.0], &self.objects[start.1..end.1])
    }

    fn write(&mut self, number: u32, object: &Object) {
        let start = self.ends.last().map_or(0, |end| end.0);
        let before = self.bytes.len();
        write_object(&mut self.bytes, number, HEALTH, &object.values);
        if self.bytes.len() - start > CHUNK {
            self.ends.push((before, self.objects.len()));
        }
        self.objects.push(number);
    }

    fn end(&mut self) {
        let end = (self.bytes.len(), self.objects.len());
        if self.ends.last() != Some(&end) && end.0 > 0 {
            self.ends.push(end);
        }
    }
}

impl Connection {
    fn new() -> Self {
        Self {
            sequence: 0,
            first: 1,
            ring: vec![Record::default(); RING],
            backlog: Vec::new(),
            outbox: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn send(&mut self, tick: u32, contents: Contents, write: impl FnOnce(&mut Vec<u8>)) {
        self.sequence += 1;
        self.outbox.extend_from_slice(&self.sequence.to_le_bytes());
        self.outbox.extend_from_slice(&tick.to_le_bytes());
        write(&mut self.outbox);
        self.ends.push(self.outbox.len());
        self.ring[self.sequence as usize % RING] = Record { tick, contents };
    }

    /// Puts the objects of a lost packet into the backlog, unless a later frame has them.
    fn lose(&mut self, sequence: u32, objects: &[Object], frames: &[Frame]) {
        let record = mem::take(&mut self.ring[sequence as usize % RING]);
        let lost = match &record.contents {
            Contents::Decided => return,
            Contents::Chunk(index) => frames[record.tick as usize % FRAMES].chunk(*index).1,
            Contents::Repairs(lost) => lost,
        };
        let standing = |object: &&u32| objects[**object as usize].written <= record.tick;
        self.backlog.extend(lost.iter().filter(standing));
    }

    fn handle(&mut self, (newest, arrived): Answer, objects: &[Object], frames: &[Frame]) {
        for sequence in self.first..=newest {
            let back = newest - sequence;
            let has_arrived = back == 0 || back <= 64 && arrived >> (back - 1) & 1 == 1;
            if has_arrived {
                self.ring[sequence as usize % RING].contents = Contents::Decided;
            } else if back >= REORDER {
                self.lose(sequence, objects, frames);
            }
        }
        self.first = self.first.max((newest + 1).saturating_sub(REORDER));
    }

    fn send_tick(&mut self, tick: u32, objects: &[Object], frames: &[Frame]) {
        self.outbox.clear();
        self.ends.clear();
        while self.first <= self.sequence {
            let record = &self.ring[self.first as usize % RING];
            if !matches!(record.contents, Contents::Decided) {
                if record.tick + PATIENCE > tick {
                    break;
                }
                self.lose(self.first, objects, frames);
            }
            self.first += 1;
        }
        let frame = &frames[tick as usize % FRAMES];
        for index in 0..frame.ends.len() {
            let chunk = frame.chunk(index).0;
            self.send(tick, Contents::Chunk(index), |outbox| {
                outbox.extend_from_slice(chunk);
            });
        }
        let mut backlog = mem::take(&mut self.backlog);
        backlog.retain(|object| objects[*object as usize].written < tick);
        for repairs in backlog.chunks(CHUNK / 12) {
            self.send(tick, Contents::Repairs(repairs.to_vec()), |outbox| {
                for number in repairs {
                    let values = &objects[*number as usize].values;
                    write_object(outbox, *number, HEALTH, values);
                }
            });
        }
        backlog.clear();
        self.backlog = backlog;
    }
}

impl Client {
    fn receive(&mut self, packet: &[u8]) {
        let (header, mut bytes) = packet.split_at(HEADER);
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let (sequence, tick) = (number(&header[..4]), number(&header[4..]));
        let step = sequence - self.newest;
        self.arrived = self.arrived.checked_shl(step).unwrap_or(0);
        if (1..=64).contains(&step) {
            self.arrived |= 1 << (step - 1);
        }
        self.newest = sequence;
        if self.replicas.is_empty() {
            return;
        }
        while !bytes.is_empty() {
            let object = read_object(&mut bytes).expect("the floor reads itself");
            let mut passed_over = Values::default();
            let values = if tick > self.ticks[object] {
                self.ticks[object] = tick;
                &mut self.replicas[object]
            } else {
                &mut passed_over
            };
            read_delta(&mut bytes, values).expect("the floor reads itself");
        }
    }
}

impl Server for Floor {
    fn change(&mut self, object: u32, change: Change) {
        let changed = &mut self.objects[object as usize];
        if !mem::replace(&mut changed.dirty, true) {
            self.changed.push(object);
        }
        changed.values.apply(change);
    }

    fn tick(&mut self) {
        self.tick += 1;
        let frame = &mut self.frames[self.tick as usize % FRAMES];
        frame.bytes.clear();
        frame.objects.clear();
        frame.ends.clear();
        for number in self.changed.drain(..) {
            let object = &mut self.objects[number as usize];
            object.dirty = false;
            object.written = self.tick;
            frame.write(number, object);
        }
        frame.end();
        for connection in &mut self.connections {
            connection.send_tick(self.tick, &self.objects, &self.frames);
        }
    }
}

impl Lossy for Floor {
    const NAME: &str = "floor";

    fn new(size: Size, random: &mut Random) -> Self {
        let object = |_| Object {
            values: Values::random(random),
            written: 0,
            dirty: false,
        };
        let objects: Vec<_> = (0..size.objects).map(object).collect();
        // The others only acknowledge.
        let first = Client {
            replicas: objects.iter().map(|object| object.values.clone()).collect(),
            ticks: vec![0; objects.len()],
            ..Client::default()
        };
        let mut clients = vec![first];
        clients.resize_with(size.clients, Client::default);
        Self {
            clients,
            objects,
            changed: Vec::new(),
            frames: (0..FRAMES).map(|_| Frame::default()).collect(),
            tick: 0,
            connections: (0..size.clients).map(|_| Connection::new()).collect(),
            answers: vec![None; size.clients],
        }
    }

    fn carry(&mut self, losses: &mut Losses) -> Sent {
        let mut sent = Sent::default();
        let ends = self.connections.iter().zip(&mut self.clients);
        for ((number, (connection, client)), answer) in (0..).zip(ends).zip(&mut self.answers) {
            let mut start = 0;
            for end in &connection.ends {
                let packet = &connection.outbox[start..*end];
                start = *end;
                if number == 0 {
                    sent.add(packet);
                }
                if !losses.loses() {
                    client.receive(packet);
                }
            }
            *answer = (!losses.loses()).then_some((client.newest, client.arrived));
        }
        sent
    }

    fn acknowledge(&mut self) {
        for (connection, answer) in self.connections.iter_mut().zip(&self.answers) {
            if let Some(answer) = answer {
                connection.handle(*answer, &self.objects, &self.frames);
            }
        }
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let originals = self.objects.iter().map(|object| object.values.clone());
        let replicas = self.clients[0].replicas.iter().cloned().map(Some);
        originals.zip(replicas).collect()
    }
}
