//! Attacks of a server on a `NetworkClient`.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::wire::Encoding;
use syncvar::{ClientConfig, Framing};

use super::bytes::Payload;
use super::objects::{Blank, Watched, trove_prefabs};
use super::{Attack, Named, Victim};

/// Numbers of the messages.
const DESTROY: i16 = 1;
const UPDATE_VARS: i16 = 8;
const SPAWN_FINISHED: i16 = 12;
const HIDE: i16 = 13;
const AUTHORITY: i16 = 15;
const SCHEMA: i16 = 21;
const UPDATE_BATCH: i16 = 22;
const SPAWN_BATCH: i16 = 23;
const CALL: i16 = 25;
const SET_PARENT: i16 = 29;
const OWNER_STATE: i16 = 30;
const VOID: i16 = 31;
const NOT_READY: i16 = 36;

/// Operations on a list.
const ADD: u8 = 0;
const INSERT: u8 = 2;
const REMOVE_AT: u8 = 4;
const SPLICE: u8 = 6;

/// Length of a packet.
const PACKET: usize = 65_000;

/// Client with one [`Watched`] and a number of [`Blank`] objects.
pub struct Client {
    end: NetworkClient,
    /// Object of the server.
    pub object: NetId,
    framing: Framing,
    now: Duration,
}

impl Client {
    /// Returns a client whose object has a state.
    ///
    /// # Panics
    ///
    /// If the client does not receive the objects.
    #[must_use]
    pub fn new(blanks: u32, fill: impl FnOnce(&mut Watched)) -> Self {
        Self::with_framing(Framing::Compact, blanks, fill)
    }

    /// Returns a client of a framing whose object has a state.
    ///
    /// # Panics
    ///
    /// If the client does not receive the objects.
    #[must_use]
    pub fn with_framing(framing: Framing, blanks: u32, fill: impl FnOnce(&mut Watched)) -> Self {
        let mut server = NetworkServer::new(trove_prefabs());
        let mut watched = Watched::default();
        fill(&mut watched);
        let object = server.spawn(watched);
        (0..blanks).for_each(|_| {
            server.spawn(Blank::default());
        });
        let config = ClientConfig {
            framing,
            ..ClientConfig::default()
        };
        let mut client = NetworkClient::with_config(trove_prefabs(), config);
        client.handle_connect();
        let connection = server.handle_connect();
        for step in 1..4 {
            while let Some(packet) = client.poll_transmit() {
                let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
                handled.expect("a valid packet");
            }
            server.update(Duration::from_millis(step));
            while let Some(packet) = server.poll_transmit() {
                let handled = client.handle_packet(packet.channel, &packet.to_bytes());
                handled.expect("a valid packet");
            }
        }
        assert!(client.get::<Watched>(object).is_some());
        let now = Duration::ZERO;
        let mut this = Self {
            end: client,
            object,
            framing,
            now,
        };
        this.update();
        this
    }

    /// Returns the client.
    #[must_use]
    pub fn client(&self) -> &NetworkClient {
        &self.end
    }

    /// Returns an empty payload in the encoding of the client.
    #[must_use]
    pub fn payload(&self) -> Payload {
        Payload::new(match self.framing {
            Framing::Unet => Encoding::Unet,
            Framing::Compact => Encoding::Compact,
        })
    }

    /// Returns the message `UpdateVars` or `UpdateBatch` with the change of a field of the object.
    #[must_use]
    pub fn change(&self, bit: u32, content: impl FnOnce(Payload) -> Payload) -> Vec<u8> {
        let delta = content(self.payload().number(1 << bit)).bytes();
        match self.framing {
            Framing::Unet => {
                let update = self.payload().packed(self.object.0).raw(&delta);
                update.message(UPDATE_VARS)
            }
            Framing::Compact => entry(payload(), self.object.0, &delta).message(UPDATE_BATCH),
        }
    }

    /// Returns a change of a collection by a number of operations.
    #[must_use]
    pub fn operations(
        &self,
        bit: u32,
        count: usize,
        operation: impl Fn(Payload, usize) -> Payload,
    ) -> Vec<u8> {
        self.change(bit, |write| write.number(count).times(count, operation))
    }
}

impl Victim for Client {
    fn handle(&mut self, packet: &[u8]) -> bool {
        self.end.handle_packet(0, packet).is_ok()
    }

    fn update(&mut self) -> usize {
        self.now += Duration::from_millis(50);
        self.end.update(self.now);
        let mut sent = 0;
        while let Some(packet) = self.end.poll_transmit() {
            sent += packet.bytes.len();
        }
        while self.end.poll_event().is_some() {}
        sent
    }
}

fn payload() -> Payload {
    Payload::new(Encoding::Compact)
}

/// Appends an entry of a batch: WIRE.md, section 6.
fn entry(batch: Payload, difference: u32, content: &[u8]) -> Payload {
    let code = content.len().min(7);
    let difference = usize::try_from(difference - 1).unwrap_or(usize::MAX);
    let head = batch.number(difference * 8 + code);
    if code == 7 {
        head.number(content.len() - 7).raw(content)
    } else {
        head.raw(content)
    }
}

/// Returns an attack with one packet.
fn one(client: Client, packet: impl FnOnce(&Client) -> Vec<u8>) -> Attack {
    let packet = packet(&client);
    Attack::new(client, vec![packet])
}

/// Returns an attack with a packet of many equal messages.
fn many(client: Client, message: impl FnOnce(&Client) -> Vec<u8>) -> Attack {
    one(client, |client| {
        let message = message(client);
        message.repeat(PACKET / message.len())
    })
}

/// Returns a message for each of a number of ids, at a distance.
fn ids(count: u32, distance: u32, message: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let ids = (0..count).map(|number| 1_000_000 + number * distance);
    ids.flat_map(message).collect()
}

fn empty() -> Client {
    Client::new(0, |_| ())
}

fn large() -> Client {
    Client::new(0, |watched| {
        watched.numbers.extend(vec![7; 900_000]);
        watched.plain.extend(vec![7; 900_000]);
    })
}

fn crowd() -> Client {
    Client::new(10_000, |_| ())
}

/// Returns the attacks on a client of the protocols UNet and Compact.
pub(super) fn attacks() -> Vec<Named> {
    [collections(), objects(), messages(), sessions()].concat()
}

/// Operations on collections of replicas.
fn collections() -> Vec<Named> {
    vec![
        ("client: inserts at the front", || {
            one(large(), |client| {
                client.operations(4, 30_000, |write, _| write.operation(INSERT, 0).raw(&[7]))
            })
        }),
        ("client: removals at the front", || {
            one(large(), |client| {
                client.operations(4, 60_000, |write, _| write.operation(REMOVE_AT, 0))
            })
        }),
        ("client: inserts at the front, with a hook", || {
            one(large(), |client| {
                client.operations(0, 30_000, |write, _| write.operation(INSERT, 0).raw(&[7]))
            })
        }),
        ("client: additions to a large list with a hook", || {
            many(large(), |client| {
                client.operations(0, 1, |write, _| write.operation(ADD, 0).raw(&[7]))
            })
        }),
        ("client: additions to a large list", || {
            many(large(), |client| {
                client.operations(4, 1, |write, _| write.operation(ADD, 0).raw(&[7]))
            })
        }),
        ("client: additions of empty texts with a hook", || {
            one(empty(), |client| {
                client.operations(1, 30_000, |write, _| write.operation(ADD, 0).raw(&[0]))
            })
        }),
        ("client: splices of empty texts with a hook", || {
            let client = empty();
            let packet = client.operations(1, 1, |write, _| {
                let write = write.operation(SPLICE, 0).number(0).count(60_000);
                write.raw(&vec![0; 60_000])
            });
            Attack::new(client, vec![packet]).repeated(4)
        }),
        ("client: texts of a dictionary with a hook", || {
            one(empty(), |client| {
                client.operations(2, 15_000, |write, key| {
                    write.operation(0, 0).number(key).raw(&[0])
                })
            })
        }),
        ("client: value of empty texts with a hook", || {
            let client = empty();
            let packets = [60_000, 59_999]
                .map(|count| client.change(3, |write| write.count(count).raw(&vec![0; count])));
            Attack::new(client, packets.to_vec())
        }),
        ("client: call with empty texts", || {
            one(empty(), |client| {
                let head = payload().value(&client.object).number(0);
                head.count(60_000).raw(&vec![0; 60_000]).message(CALL)
            })
        }),
        ("client: references to many objects", || {
            let client = empty();
            let packets = (0..4).map(|packet| {
                client.operations(5, 12_000, |write, number| {
                    let id = 5000 + packet * 12_000 + number;
                    write.operation(ADD, 0).number(id)
                })
            });
            let packets = packets.collect();
            Attack::new(client, packets)
        }),
        ("client: writes of a state that it owns", || {
            let client = large();
            let packet = payload()
                .packed(client.object.0)
                .packed(1)
                .raw(&[0, 16, 0, 0]);
            let packet = packet.message(OWNER_STATE);
            Attack::new(client, vec![packet.repeat(PACKET / packet.len())])
        }),
    ]
}

/// Spawns, and messages for many objects.
fn objects() -> Vec<Named> {
    vec![
        ("client: spawns of ids far out", || {
            one(empty(), |_| {
                let batch = entry(payload(), 1_000_000, &[8, 0]);
                let batch = batch.times(8000, |batch, _| entry(batch, 500_000, &[8, 0]));
                batch.message(SPAWN_BATCH)
            })
        }),
        ("client: spawns of neighbours", || {
            one(empty(), |_| {
                let batch = payload();
                let batch = batch.times(21_000, |batch, _| entry(batch, 2, &[8, 0]));
                batch.message(SPAWN_BATCH)
            })
        }),
        ("client: spawns of troves", || {
            one(empty(), |_| {
                let batch = payload();
                let batch = batch.times(4000, |batch, _| {
                    entry(batch, 2, &[16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
                });
                batch.message(SPAWN_BATCH)
            })
        }),
        ("client: spawns of one object", || {
            many(empty(), |_| {
                let batch = entry(payload(), 77, &[8, 0]);
                batch.message(SPAWN_BATCH)
            })
        }),
        ("client: spawns of unknown scene objects", || {
            one(empty(), |_| {
                let batch = payload().times(8000, |batch, number| {
                    let contents = payload().raw(&[12, 1]).number(number + 1).raw(&[0]).bytes();
                    entry(batch, 3, &contents)
                });
                batch.message(SPAWN_BATCH)
            })
        }),
        ("client: changes of unknown objects", || {
            one(empty(), |_| {
                let batch = entry(payload(), 1_000_000, &[1, 1]);
                let batch = batch.times(8000, |batch, _| entry(batch, 500_000, &[1, 1]));
                batch.message(UPDATE_BATCH)
            })
        }),
        ("client: long changes of one unknown object", || {
            let client = empty();
            let packet = entry(payload(), 77, &vec![1; 60_000]).message(UPDATE_BATCH);
            Attack::new(client, vec![packet; 200])
        }),
    ]
}

/// Messages for single objects.
fn messages() -> Vec<Named> {
    vec![
        ("client: hides of unknown objects", || {
            one(empty(), |_| {
                ids(7000, 500_000, |id| payload().packed(id).message(HIDE))
            })
        }),
        ("client: ends of unknown objects", || {
            one(empty(), |_| {
                ids(7000, 500_000, |id| payload().packed(id).message(DESTROY))
            })
        }),
        ("client: owners of unknown objects", || {
            one(empty(), |_| {
                ids(6000, 500_000, |id| {
                    payload().packed(id).raw(&[1]).message(AUTHORITY)
                })
            })
        }),
        ("client: voids of unknown objects", || {
            one(empty(), |_| {
                ids(7000, 500_000, |id| payload().packed(id).message(VOID))
            })
        }),
        ("client: early messages and voids", || {
            let client = empty();
            let early = ids(3000, 500_000, |id| payload().packed(id).message(HIDE));
            let void = payload().packed(7).message(VOID);
            let voids = void.repeat(4000);
            Attack::new(client, vec![early, voids])
        }),
        ("client: a chain of parents", || {
            one(crowd(), |_| {
                let links = (2..6000_u32)
                    .flat_map(|id| payload().packed(id + 1).packed(id).message(SET_PARENT));
                links.collect()
            })
        }),
        ("client: a chain of parents from its end", || {
            one(crowd(), |_| {
                let links = (2..6000_u32)
                    .rev()
                    .flat_map(|id| payload().packed(id + 1).packed(id).message(SET_PARENT));
                links.collect()
            })
        }),
        ("client: ends of a chain of parents", || {
            one(crowd(), |_| {
                let links = (2..4000_u32)
                    .flat_map(|id| payload().packed(id + 1).packed(id).message(SET_PARENT));
                let ends = (2..4000_u32).flat_map(|id| payload().packed(id).message(DESTROY));
                links.chain(ends).collect()
            })
        }),
        ("client: children of one object, and its end", || {
            one(crowd(), |_| {
                let links =
                    (3..6000_u32).flat_map(|id| payload().packed(id).packed(2).message(SET_PARENT));
                let end = payload().packed(2).message(DESTROY);
                links.chain(end).collect()
            })
        }),
        ("client: owner changes", || {
            many(empty(), |client| {
                let owned = payload()
                    .packed(client.object.0)
                    .raw(&[1])
                    .message(AUTHORITY);
                let not = payload()
                    .packed(client.object.0)
                    .raw(&[0])
                    .message(AUTHORITY);
                [owned, not].concat()
            })
        }),
    ]
}

/// Messages about the session.
fn sessions() -> Vec<Named> {
    vec![
        ("client: beginnings of a burst", || {
            many(crowd(), |_| payload().packed(0).message(SPAWN_FINISHED))
        }),
        ("client: bursts", || {
            many(crowd(), |_| {
                let begin = payload().packed(0).message(SPAWN_FINISHED);
                [begin, payload().packed(1).message(SPAWN_FINISHED)].concat()
            })
        }),
        ("client: complete scenes", || {
            many(crowd(), |_| payload().packed(2).message(SPAWN_FINISHED))
        }),
        ("client: not ready", || {
            many(crowd(), |_| payload().message(NOT_READY))
        }),
        ("client: schemas", || {
            many(empty(), |_| {
                let name = payload().raw(&4_u16.to_le_bytes()).raw(b"lamp");
                name.raw(&[7; 16]).raw(&[0; 2]).message(SCHEMA)
            })
        }),
        ("client: unknown messages", || {
            many(empty(), |_| payload().message(99))
        }),
        ("client: empty messages", || {
            many(empty(), |_| payload().message(UPDATE_BATCH))
        }),
        ("client: malformed changes", || {
            let client = crowd();
            let batch = payload().times(9000, |batch, number| {
                entry(batch, if number == 0 { 2 } else { 1 }, &[9])
            });
            let packet = batch.message(UPDATE_BATCH);
            Attack::new(client, vec![packet]).repeated(3)
        }),
    ]
}
