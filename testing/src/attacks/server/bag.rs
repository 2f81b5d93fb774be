//! Attacks on a [`Bag`]: further types, and a host.

use syncvar::limits::{Limits, ReadBudget, WorkMeter};
use syncvar::prelude::*;
use syncvar::unet::{ListHash, ListOperation, SyncListMessage};
use syncvar::wire::{NetworkReader, NetworkWriter};
use syncvar::{Framing, ServerConfig};

use super::{ADD, PACKET, Server, connect};
use crate::attacks::objects::{Bag, Blank};
use crate::attacks::{Attack, Named, Victim};

fn bag(fill: impl FnOnce(&mut Bag)) -> Server {
    Server::with_object(Framing::Compact, ServerConfig::default(), |server| {
        let mut bag = Bag::default();
        fill(&mut bag);
        server.spawn(bag)
    })
}

/// Returns a server whose owner has many objects.
fn bags(count: u32) -> (Server, Vec<NetId>) {
    let mut server = bag(|_| ());
    let ids = (0..count).map(|_| server.end.spawn(Bag::default()));
    let ids: Vec<NetId> = ids.collect();
    server.update();
    for id in &ids {
        server.end.set_owner(*id, Some(server.owner)).unwrap();
    }
    server.update();
    (server, ids)
}

/// Returns an attack by one command with a number of equal elements.
fn command(call: usize, element: &[u8]) -> Attack {
    let server = bag(|_| ());
    let count = PACKET / element.len();
    let packet = server.command(call, |write| write.count(count).raw(&element.repeat(count)));
    Attack::new(server, vec![packet])
}

/// Returns an attack by one command with ascending keys, each with a rest.
fn keys(call: usize, rest: &[u8]) -> Attack {
    let server = bag(|_| ());
    let packet = server.command(call, |write| {
        let count = 16_000;
        let write = write.count(count);
        write.times(count, |write, key| write.number(key).raw(rest))
    });
    Attack::new(server, vec![packet])
}

/// Returns an attack by one command with ascending texts of two bytes.
fn texts(call: usize) -> Attack {
    let server = bag(|_| ());
    let packet = server.command(call, |write| {
        let write = write.count(128 * 128);
        write.times(128 * 128, |write, number| {
            let [low, high] = [number % 128, number / 128].map(|byte| byte.to_le_bytes()[0]);
            write.raw(&[2, high, low])
        })
    });
    Attack::new(server, vec![packet])
}

/// Returns the attacks with further types.
pub(super) fn attacks() -> Vec<Named> {
    [commands(), writes()].concat()
}

fn commands() -> Vec<Named> {
    vec![
        ("bag: command of heavy values", || command(0, &[0])),
        ("bag: command of a hash map", || keys(1, &[0])),
        ("bag: command of a hash set of texts", || texts(2)),
        ("bag: command of a tree set of texts", || texts(3)),
        ("bag: command of pairs", || command(4, &[0, 0])),
        ("bag: command of arrays", || command(5, &[0, 0])),
        ("bag: command of nested lists", || command(6, &[1, 0])),
        ("bag: command of lists of empty bytes", || {
            let row = [&[200, 1][..], &[0; 200]].concat();
            command(6, &[&[1][..], &row].concat())
        }),
        ("bag: command of boxes", || command(7, &[1, 0])),
        ("bag: many commands in a packet", || {
            let server = bag(|_| ());
            let command = server.command(0, |write| write.count(600).raw(&[0; 600]));
            let packet = command.repeat(PACKET / command.len());
            Attack::new(server, vec![packet]).repeated(3)
        }),
    ]
}

fn writes() -> Vec<Named> {
    vec![
        ("bag: additions of heavy values", || {
            let server = bag(|_| ());
            let packet = server.operations(2, |write, _| write.operation(ADD, 0).raw(&[0]));
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("bag: additions of strings", || {
            let server = bag(|_| ());
            let packet = server.operations(3, |write, _| write.operation(ADD, 0).raw(&[0]));
            Attack::new(server, vec![packet]).repeated(40)
        }),
        ("bag: nested value of boxes", || {
            let server = bag(|_| ());
            let packet = server.owner_write(4, |write| {
                let write = write.count(20_000);
                write.times(20_000, |write, _| write.raw(&[1, 1, 0]))
            });
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("bag: a little into each of 100 objects", || {
            let (server, ids) = bags(100);
            let packets = ids.iter().map(|id| {
                server.write_of(*id, 2, |write| {
                    let write = write.number(1).operation(6, 0).number(0);
                    write.count(600).raw(&[0; 600])
                })
            });
            let packet = packets.collect::<Vec<_>>().concat();
            Attack::new(server, vec![packet]).repeated(10)
        }),
        ("bag: small writes of a host's object", || {
            let mut server = bag(|bag| bag.numbers.extend(vec![7; 900_000]));
            server.end.connect_local();
            server.update();
            let write = server.owner_write(1, |write| write.raw(&[5]));
            let packet = write.repeat(PACKET / write.len());
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("bag: additions to a list of a host's object", || {
            let mut server = bag(|bag| bag.numbers.extend(vec![7; 900_000]));
            server.end.connect_local();
            server.update();
            let write = server.owner_write(0, |write| write.number(1).operation(ADD, 0).raw(&[5]));
            let packet = write.repeat(PACKET / write.len());
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("bag: joins of a world of 10 000 objects", || {
            let server = bag(|_| ());
            Attack::new(Joins(server), vec![vec![0]; 20])
        }),
        ("bag: UNet's list messages, inserts at the front", || {
            let messages = (0..4000).map(|_| {
                let mut writer = NetworkWriter::new();
                let message = SyncListMessage {
                    net_id: NetId(1),
                    list_hash: ListHash(7),
                    operation: ListOperation::Insert {
                        index: 0,
                        value: 7_u64,
                    },
                };
                message.write(&mut writer);
                writer.as_bytes().to_vec()
            });
            let messages = messages.collect();
            let list = SyncList::from(vec![7; 900_000]);
            Attack::new(UnetList(list, budget()), messages)
        }),
    ]
}

/// Server with many objects; each packet stands for a connection that joins and leaves.
struct Joins(Server);

impl Victim for Joins {
    fn handle(&mut self, _packet: &[u8]) -> bool {
        if self.0.end.object_count() < 10_000 {
            (0..10_000).for_each(|_| {
                self.0.end.spawn(Blank::default());
            });
        }
        let (connection, _) = connect(&mut self.0.end, Framing::Compact);
        self.0.update();
        self.0.end.handle_disconnect(connection);
        true
    }

    fn update(&mut self) -> usize {
        self.0.update()
    }
}

fn budget() -> ReadBudget {
    WorkMeter::default().begin(&Limits::default(), 0)
}

/// List that a program keeps equal to the list of a UNet server.
struct UnetList(SyncList<u64>, ReadBudget);

impl Victim for UnetList {
    fn handle(&mut self, packet: &[u8]) -> bool {
        let message = SyncListMessage::read(&mut NetworkReader::new(packet));
        let Self(list, budget) = self;
        message.is_ok_and(|message| message.operation.apply_within(list, budget).is_ok())
    }

    fn update(&mut self) -> usize {
        self.0.clear_dirty();
        self.1 = budget();
        0
    }
}
