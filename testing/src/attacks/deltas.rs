//! Random attacks by deltas: on clients of both framings, and on a server of Mirror's protocol.

use proptest::prelude::*;
use syncvar::Framing;

use super::bytes::Payload;
use super::objects::{MirrorTrove, Text, Watched};
use super::programs::{Operation, operation};
use super::{Attack, Client, MirrorServerVictim};

/// Largest payload of a step.
const ROOM: usize = 60_000;

/// End of a random attack.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// Client of a framing.
    Client(Framing),
    /// Server of Mirror's protocol.
    MirrorServer,
}

/// Delta of an attacker.
#[derive(Clone, Debug)]
pub enum Delta {
    /// Operations on a list of numbers, in succession, as many as fit.
    Numbers(Vec<Operation>),
    /// The same on a list of texts.
    Texts(Vec<Operation>),
    /// Additions to a dictionary, at a distance of keys.
    Table(usize),
    /// Value of this many texts.
    Value(usize),
    /// Small messages.
    Small(usize),
}

/// Packets of an attacker for one end.
#[derive(Clone, Debug)]
pub struct DeltaProgram {
    /// The end.
    pub end: End,
    /// Numbers of the object before the attack.
    pub numbers: usize,
    /// Packets of an update.
    pub deltas: Vec<Delta>,
    /// Number of updates.
    pub updates: usize,
}

impl DeltaProgram {
    /// Prepares the attack.
    #[must_use]
    pub fn prepare(&self) -> Attack {
        let attack = match self.end {
            End::Client(framing) => {
                let fill = |watched: &mut Watched| {
                    watched.numbers.extend(vec![7; self.numbers]);
                };
                let client = Client::with_framing(framing, 0, fill);
                let packets = self.deltas.iter();
                let packets = packets.map(|delta| delta.for_client(&client, self.numbers));
                let packets = packets.collect();
                Attack::new(client, packets)
            }
            End::MirrorServer => {
                let fill = |trove: &mut MirrorTrove| trove.numbers.extend(vec![7; self.numbers]);
                let server = MirrorServerVictim::new(0, fill);
                let packets = self.deltas.iter();
                let packets = packets.map(|delta| delta.for_mirror(&server, self.numbers));
                let packets = packets.collect();
                Attack::new(server, packets)
            }
        };
        attack.repeated(self.updates)
    }
}

/// Returns as many operations as fit, and their bytes.
fn fill(
    operations: &[Operation],
    empty: &Payload,
    write: impl Fn(Payload, Operation, usize) -> Payload,
) -> (usize, Vec<u8>) {
    let (mut count, mut bytes) = (0, Vec::new());
    for (number, operation) in operations.iter().cycle().enumerate() {
        let next = write(empty.clone(), *operation, number).bytes();
        if bytes.len() + next.len() > ROOM || number == ROOM {
            break;
        }
        bytes.extend(next);
        count += 1;
    }
    (count, bytes)
}

fn number(write: Payload) -> Payload {
    write.value(&7_u64)
}

fn text(write: Payload) -> Payload {
    write.value(&Text::default())
}

impl Delta {
    fn for_client(&self, client: &Client, length: usize) -> Vec<u8> {
        let list = |bit, operations: &[Operation], element: fn(Payload) -> Payload| {
            let write = |write, operation: Operation, number| {
                operation.write_with(write, element, number, length)
            };
            let (count, bytes) = fill(operations, &client.payload(), write);
            client.change(bit, |write| write.number(count).raw(&bytes))
        };
        match self {
            Self::Numbers(operations) => list(0, operations, number),
            Self::Texts(operations) => list(1, operations, text),
            Self::Table(distance) => client.operations(2, 8000, |write, key| {
                text(write.operation(0, 0).number(key * distance))
            }),
            Self::Value(count) => client.change(3, |write| {
                write.count(*count).times(*count, |write, _| text(write))
            }),
            Self::Small(count) => {
                let small = client.operations(4, 1, |write, _| number(write.operation(0, 0)));
                small.repeat(*count)
            }
        }
    }

    fn for_mirror(&self, server: &MirrorServerVictim, length: usize) -> Vec<u8> {
        let list = |bit, operations: &[Operation], element: fn(Payload) -> Payload| {
            let write = |write, operation: Operation, number| {
                operation.write_mirror(write, element, number, length)
            };
            let (count, bytes) = fill(operations, &MirrorServerVictim::payload(), write);
            let whole = |write: Payload, index| if index == 0 { write.raw(&bytes) } else { write };
            server.operations(bit, count, whole)
        };
        match self {
            Self::Numbers(operations) => list(0, operations, number),
            Self::Texts(operations) => list(2, operations, text),
            Self::Table(distance) => server.operations(3, 8000, |write, key| {
                let key = u32::try_from(key * distance).unwrap_or(u32::MAX);
                text(write.raw(&[0]).value(&key))
            }),
            Self::Value(count) => server.batch(&server.value(0, |write| {
                write.count(count + 1).times(*count, |write, _| text(write))
            })),
            Self::Small(count) => {
                server.batch(&server.value(1, |write| write.raw(&[5])).repeat(*count))
            }
        }
    }
}

fn delta() -> impl Strategy<Value = Delta> {
    let operations = || prop::collection::vec(operation(), 1..5);
    prop_oneof![
        4 => operations().prop_map(Delta::Numbers),
        3 => operations().prop_map(Delta::Texts),
        1 => (1..100_000_usize).prop_map(Delta::Table),
        1 => (0..30_000_usize).prop_map(Delta::Value),
        1 => (0..3000_usize).prop_map(Delta::Small),
    ]
}

/// Returns random attacks on clients and on a server of Mirror's protocol.
pub fn delta_programs() -> impl Strategy<Value = DeltaProgram> {
    let end = prop_oneof![
        Just(End::Client(Framing::Unet)),
        Just(End::Client(Framing::Compact)),
        Just(End::MirrorServer),
    ];
    let numbers = prop_oneof![Just(0), Just(60_000), Just(900_000)];
    let deltas = prop::collection::vec(delta(), 1..5);
    (end, numbers, deltas, 1..5_usize).prop_map(|(end, numbers, deltas, updates)| {
        // The framing `Unet` cannot express longer states.
        let numbers = match end {
            End::Client(Framing::Unet) => numbers.min(60_000),
            End::Client(Framing::Compact) | End::MirrorServer => numbers,
        };
        DeltaProgram {
            end,
            numbers,
            deltas,
            updates,
        }
    })
}
