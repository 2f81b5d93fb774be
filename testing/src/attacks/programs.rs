//! Random attacks: legal operations in malicious numbers, orders and places.

use proptest::prelude::*;
use syncvar::Framing;

use super::bytes::Payload;
use super::objects::{Text, Trove, Wide};
use super::server::{ADD, CLEAR, INSERT, PING, READY, REMOVE, REMOVE_AT, RESYNC, SET, SPLICE};
use super::{Attack, Server};

/// Largest payload of a step.
const ROOM: usize = 60_000;

/// State of the object before the attack.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Elements of the list of numbers.
    pub numbers: usize,
    /// Elements of the list of wide elements.
    pub wide: usize,
}

/// Place of an operation in a list.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// First element.
    Front,
    /// An element near the end.
    Back,
    /// Element by the number of the operation.
    Moving,
    /// Position beyond each list.
    Beyond,
}

/// Operation on a list.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// Addition.
    Add,
    /// Removal of the whole content.
    Clear,
    /// Insertion at a place.
    Insert(Place),
    /// Removal at a place.
    RemoveAt(Place),
    /// Replacement at a place.
    Set(Place),
    /// Replacement of a number of elements.
    Splice(Place, usize, usize),
    /// Removal of a number of elements behind a number of elements.
    Run(usize, usize),
}

/// Message of an attacker.
#[derive(Clone, Debug)]
pub enum Step {
    /// Operations on a list, in succession, as many as fit.
    List(u32, Vec<Operation>),
    /// Operations on a dictionary or a set: the bit, the distance of keys, and whether each key is
    /// removed again.
    Keys(u32, usize, bool),
    /// Whole list of this many elements.
    Whole(u32, usize),
    /// Value of this many elements.
    Value(usize),
    /// Command with this many elements.
    Command(usize, usize),
    /// Small writes, one message each.
    Writes(usize),
    /// Requests for the snapshot.
    Resyncs(usize),
    /// Pings.
    Pings(usize),
    /// Ready messages.
    Readies(usize),
}

/// Packets of an attacker for a server.
#[derive(Clone, Debug)]
pub struct Program {
    /// Framing of the connection.
    pub framing: Framing,
    /// State before the attack.
    pub fill: Fill,
    /// Messages of an update, one packet each.
    pub steps: Vec<Step>,
    /// Number of updates.
    pub updates: usize,
}

impl Program {
    /// Prepares the attack.
    #[must_use]
    pub fn prepare(&self) -> Attack {
        let (server, packets) = self.packets();
        Attack::new(server, packets).repeated(self.updates)
    }

    /// Returns the server, and the packets of an update.
    #[must_use]
    pub fn packets(&self) -> (Server, Vec<Vec<u8>>) {
        let Fill { numbers, wide } = self.fill;
        let server = Server::new(self.framing, |trove: &mut Trove| {
            trove.numbers.extend(vec![7; numbers]);
            trove.wide.extend(vec![Wide::Empty; wide]);
        });
        let length = numbers.max(wide);
        let packets = self.steps.iter().map(|step| step.write(&server, length));
        let packets = packets.collect();
        (server, packets)
    }
}

impl Place {
    fn position(self, number: usize, length: usize) -> usize {
        match self {
            Self::Front => 0,
            Self::Back => length.saturating_sub(70_000),
            Self::Moving => number.wrapping_mul(7919) % length.saturating_sub(70_000).max(1),
            Self::Beyond => 1 << 20,
        }
    }
}

/// Appends an element of the list of a bit.
fn element(write: Payload, bit: u32) -> Payload {
    match bit {
        0 => write.value(&7_u64),
        1 => write.value(&Wide::Empty),
        2 => write.value(&Text::default()),
        3 => write.value(&Vec::<Vec<u8>>::new()),
        4 => write.value(&None::<[f64; 64]>),
        _ => write,
    }
}

impl Operation {
    fn write(self, write: Payload, bit: u32, number: usize, length: usize) -> Payload {
        self.write_with(write, |write| element(write, bit), number, length)
    }

    /// Appends the operation in the encodings of UNet and Compact.
    pub(super) fn write_with(
        self,
        write: Payload,
        element: impl Fn(Payload) -> Payload,
        number: usize,
        length: usize,
    ) -> Payload {
        let at = |place: Place| place.position(number, length);
        match self {
            Self::Add => element(write.operation(ADD, 0)),
            Self::Clear => write.operation(CLEAR, 0),
            Self::Insert(place) => element(write.operation(INSERT, at(place))),
            Self::RemoveAt(place) => write.operation(REMOVE_AT, at(place)),
            Self::Set(place) => element(write.operation(SET, at(place))),
            Self::Splice(place, removed, inserted) => {
                let write = write.operation(SPLICE, at(place)).number(removed);
                let write = write.count(inserted);
                write.times(inserted, |write, _| element(write))
            }
            Self::Run(stay, go) => write.operation(REMOVE, 1).number(stay).number(go),
        }
    }

    /// Appends the operation in Mirror's encoding, which lacks splices and runs.
    #[cfg(feature = "mirror")]
    pub(super) fn write_mirror(
        self,
        write: Payload,
        element: impl Fn(Payload) -> Payload,
        number: usize,
        length: usize,
    ) -> Payload {
        let at = |place: Place| {
            let position = place.position(number, length);
            u32::try_from(position).unwrap_or(u32::MAX).to_le_bytes()
        };
        match self {
            Self::Add => element(write.raw(&[0])),
            Self::Set(place) => element(write.raw(&[1]).raw(&at(place))),
            Self::Insert(place) => element(write.raw(&[2]).raw(&at(place))),
            Self::RemoveAt(place) | Self::Splice(place, ..) => write.raw(&[3]).raw(&at(place)),
            Self::Run(..) => write.raw(&[3]).raw(&at(Place::Front)),
            Self::Clear => write.raw(&[4]),
        }
    }
}

impl Step {
    fn write(&self, server: &Server, length: usize) -> Vec<u8> {
        match self {
            Self::List(bit, operations) => {
                let mut body = server.payload();
                let mut count = 0;
                for (number, operation) in operations.iter().cycle().enumerate() {
                    let longer = operation.write(server.payload(), *bit, number, length);
                    if body.len() + longer.len() > ROOM || number == ROOM {
                        break;
                    }
                    body = body.raw(&longer.bytes());
                    count += 1;
                }
                server.owner_write(*bit, |write| write.number(count).raw(&body.bytes()))
            }
            Self::Keys(bit, distance, again) => {
                let count = 8000;
                server.some_operations(*bit, count, |write, number| {
                    let removal = *again && number % 2 == 1;
                    let key = if *again { number / 2 } else { number } * distance % (1 << 31);
                    let write = write.operation(if removal { 2 } else { 0 }, 0).number(key);
                    if *bit == 5 && !removal {
                        write.value(&Text::default())
                    } else {
                        write
                    }
                })
            }
            Self::Whole(bit, count) => server.owner_write(*bit, |write| {
                let write = write.number(0).count(*count);
                write.times(*count, |write, _| element(write, *bit))
            }),
            Self::Value(count) => server.owner_write(9, |write| {
                let write = write.count(*count);
                write.times(*count, |write, _| element(write, 2))
            }),
            Self::Command(call, count) => {
                server.command(*call, |write| write.count(*count).raw(&vec![0; *count]))
            }
            Self::Writes(count) => server
                .owner_write(11, |write| write.raw(&[5]))
                .repeat(*count),
            Self::Resyncs(count) => {
                let resync = server.payload().packed(server.object.0).message(RESYNC);
                resync.repeat(*count)
            }
            Self::Pings(count) => server.payload().packed(5).message(PING).repeat(*count),
            Self::Readies(count) => server.payload().message(READY).repeat(*count),
        }
    }
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => Just(Place::Front),
        2 => Just(Place::Back),
        2 => Just(Place::Moving),
        1 => Just(Place::Beyond),
    ]
}

pub(super) fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => Just(Operation::Add),
        1 => Just(Operation::Clear),
        4 => place().prop_map(Operation::Insert),
        4 => place().prop_map(Operation::RemoveAt),
        1 => place().prop_map(Operation::Set),
        3 => (place(), 0..4_usize, 0..4_usize)
            .prop_map(|(place, removed, inserted)| Operation::Splice(place, removed, inserted)),
        1 => (place(), 0..2_usize, 0..2000_usize)
            .prop_map(|(place, removed, inserted)| Operation::Splice(place, removed, inserted)),
        1 => (0..3_usize, 1..3_usize).prop_map(|(stay, go)| Operation::Run(stay, go)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..5_u32, prop::collection::vec(operation(), 1..5))
            .prop_map(|(bit, operations)| Step::List(bit, operations)),
        2 => (5..8_u32, 1..100_000_usize, any::<bool>())
            .prop_map(|(bit, distance, again)| Step::Keys(bit, distance, again)),
        1 => (0..5_u32, 0..30_000_usize).prop_map(|(bit, count)| Step::Whole(bit, count)),
        1 => (0..30_000_usize).prop_map(Step::Value),
        2 => (0..8_usize, 0..ROOM).prop_map(|(call, count)| Step::Command(call, count)),
        1 => (0..3000_usize).prop_map(Step::Writes),
        1 => (0..3000_usize).prop_map(Step::Resyncs),
        1 => (0..3000_usize).prop_map(Step::Pings),
        1 => (0..3000_usize).prop_map(Step::Readies),
    ]
}

/// Returns random attacks on a server.
pub fn programs() -> impl Strategy<Value = Program> {
    let framing = prop_oneof![Just(Framing::Unet), Just(Framing::Compact)];
    let fill = prop_oneof![
        Just((0, 0)),
        Just((60_000, 0)),
        Just((0, 8000)),
        Just((900_000, 8000)),
    ];
    let steps = prop::collection::vec(step(), 1..5);
    (framing, fill, steps, 1..5_usize).prop_map(|(framing, fill, steps, updates)| {
        let (numbers, wide) = fill;
        // The framing `Unet` cannot express longer states.
        let numbers = match framing {
            Framing::Unet => numbers.min(60_000),
            Framing::Compact => numbers,
        };
        Program {
            framing,
            fill: Fill { numbers, wide },
            steps,
            updates,
        }
    })
}
