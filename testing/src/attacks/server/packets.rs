//! Packets of a malicious client.

use syncvar::Framing;

use super::{
    ADD, CALL, CLEAR, INSERT, OWNER_WRITE, PACKET, PING, READY, REMOVE, REMOVE_AT, RESYNC, SET,
    SPLICE, Server,
};
use crate::attacks::bytes::Payload;
use crate::attacks::objects::{Text, Trove, Wide};
use crate::attacks::{Attack, Named, Victim};

fn compact(fill: impl FnOnce(&mut Trove)) -> Server {
    Server::new(Framing::Compact, fill)
}

fn unet(fill: impl FnOnce(&mut Trove)) -> Server {
    Server::new(Framing::Unet, fill)
}

/// Returns an attack with one packet.
fn one(server: Server, packet: impl FnOnce(&Server) -> Vec<u8>) -> Attack {
    let packet = packet(&server);
    Attack::new(server, vec![packet])
}

fn many_numbers(trove: &mut Trove) {
    trove.numbers.extend((0..975_000).map(|number| number % 64));
}

fn some_numbers(trove: &mut Trove) {
    trove.numbers.extend((0..60_000).map(|number| number % 64));
}

fn many_wide(trove: &mut Trove) {
    trove.wide.extend(vec![Wide::Empty; 125_000]);
}

fn insert(write: Payload, _: usize) -> Payload {
    write.operation(INSERT, 0).value(&7_u64)
}

fn remove(write: Payload, _: usize) -> Payload {
    write.operation(REMOVE_AT, 0)
}

fn alternate(write: Payload, number: usize) -> Payload {
    match number % 2 {
        0 => insert(write, number),
        _ => write.operation(REMOVE, 1).number(0).number(1),
    }
}

/// Writes a splice at the beginning: removed elements, and inserted elements, a byte each.
fn splice(write: Payload, removed: usize, inserted: usize, element: u8) -> Payload {
    let write = write.number(1).operation(SPLICE, 0).number(removed);
    write.count(inserted).raw(&vec![element; inserted])
}

/// Returns the attacks on a server of the protocols UNet and Compact.
pub(in crate::attacks) fn attacks() -> Vec<Named> {
    [lists(), memory(), state(), floods()].concat()
}

/// Operations that move elements: finding 1 of the reliability report.
fn lists() -> Vec<Named> {
    vec![
        ("inserts at the front", || {
            one(compact(many_numbers), |server| server.operations(0, insert))
        }),
        ("inserts at the front, UNet", || {
            one(unet(some_numbers), |server| server.operations(0, insert))
        }),
        ("removals at the front", || {
            one(compact(many_numbers), |server| server.operations(0, remove))
        }),
        ("removals at the front, UNet", || {
            one(unet(some_numbers), |server| server.operations(0, remove))
        }),
        ("inserts and removed runs", || {
            one(compact(many_numbers), |server| {
                server.operations(0, alternate)
            })
        }),
        ("removals of wide elements", || {
            one(compact(many_wide), |server| {
                server.some_operations(1, 300, remove)
            })
        }),
        ("alternate inserts at both ends", || {
            one(compact(many_numbers), |server| {
                server.operations(0, |write, number| {
                    let position = if number % 2 == 0 { 0 } else { 974_999 };
                    write.operation(INSERT, position).value(&7_u64)
                })
            })
        }),
        ("splices of one element at the front", || {
            one(compact(many_numbers), |server| {
                server.operations(0, |write, number| {
                    let write = write.operation(SPLICE, 0).number(number % 2);
                    write.count(1 - number % 2).raw(&[7][number % 2..])
                })
            })
        }),
        ("insert and clear of wide elements", || {
            one(compact(|_| ()), |server| {
                server.operations(1, |write, number| match number % 2 {
                    0 => write.operation(ADD, 0).raw(&[0]),
                    _ => write.operation(CLEAR, 0),
                })
            })
        }),
        ("sets of one position", || {
            one(compact(many_numbers), |server| {
                server.operations(0, |write, _| write.operation(SET, 3).raw(&[9]))
            })
        }),
        ("removed runs, many operations", || {
            one(compact(many_numbers), |server| {
                server.operations(0, |write, _| write.operation(REMOVE, 1).number(0).number(1))
            })
        }),
        ("removed run with half a million runs", || {
            one(compact(many_numbers), |server| {
                server.owner_write(0, |write| {
                    let runs = (PACKET - 40) / 2;
                    let write = write.number(1).operation(REMOVE, runs);
                    write.times(runs, |write, _| write.raw(&[1, 1]))
                })
            })
        }),
        ("small writes to a large state", || {
            let server = compact(many_numbers);
            let write = server.owner_write(11, |write| write.raw(&[5]));
            let count = PACKET / write.len();
            let packet = write.repeat(count);
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("small writes to a state of wide elements", || {
            let server = compact(many_wide);
            let write = server.owner_write(11, |write| write.raw(&[5]));
            let packet = write.repeat(PACKET / write.len());
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("malformed writes to a large state", || {
            let server = compact(many_numbers);
            let write = server.owner_write(11, |write| write.raw(&[5, 9]));
            let packet = write.repeat(PACKET / write.len());
            Attack::new(server, vec![packet]).repeated(3)
        }),
    ]
}

/// Values whose memory exceeds their bytes: finding 2 of the reliability report.
fn memory() -> Vec<Named> {
    vec![
        ("command of empty texts", || {
            one(compact(|_| ()), |server| {
                server.command(0, |write| write.count(PACKET).raw(&vec![0; PACKET]))
            })
        }),
        ("command of empty options", || {
            one(compact(|_| ()), |server| {
                server.command(1, |write| write.count(PACKET).raw(&vec![0; PACKET]))
            })
        }),
        ("command of wide elements", || {
            one(compact(|_| ()), |server| {
                server.command(2, |write| write.count(PACKET).raw(&vec![0; PACKET]))
            })
        }),
        ("command of empty rows", || {
            one(compact(|_| ()), |server| {
                server.command(3, |write| write.count(PACKET).raw(&vec![0; PACKET]))
            })
        }),
        ("command of empty strings", || {
            one(compact(|_| ()), |server| {
                server.command(4, |write| write.count(PACKET).raw(&vec![0; PACKET]))
            })
        }),
        ("command of elements without bytes", || {
            one(compact(|_| ()), |server| {
                let rows = PACKET / 2;
                server.command(5, |write| {
                    write.count(rows).times(rows, |write, _| write.count(1024))
                })
            })
        }),
        ("command of a map", || {
            one(compact(|_| ()), |server| {
                let entries = 18_000;
                server.command(6, |write| {
                    let write = write.count(entries);
                    write.times(entries, |write, key| write.number(key).raw(&[0]))
                })
            })
        }),
        ("command of boxes", || {
            one(compact(|_| ()), |server| {
                let boxes = PACKET / 2;
                server.command(7, |write| write.count(boxes).raw(&vec![0; 2 * boxes]))
            })
        }),
    ]
}

/// Writes of owners whose memory exceeds their bytes.
fn state() -> Vec<Named> {
    vec![
        ("splices of empty texts", || {
            let server = compact(|_| ());
            let packet = server.owner_write(2, |write| splice(write, 0, PACKET - 40, 0));
            Attack::new(server, vec![packet]).repeated(16)
        }),
        ("splices of empty texts in one update", || {
            let server = compact(|_| ());
            let packet = server.owner_write(2, |write| splice(write, 0, PACKET - 40, 0));
            Attack::new(server, vec![packet; 16])
        }),
        ("small splices of empty texts", || {
            let server = compact(|_| ());
            let packet = server.owner_write(2, |write| splice(write, 0, 900, 0));
            Attack::new(server, vec![packet; 70]).repeated(4)
        }),
        ("additions of empty texts", || {
            let server = compact(|_| ());
            let packet = server.operations(2, |write, _| write.operation(ADD, 0).raw(&[0]));
            Attack::new(server, vec![packet]).repeated(4)
        }),
        ("splices of options", || {
            let server = compact(|_| ());
            let packet = server.owner_write(4, |write| splice(write, 0, PACKET - 40, 0));
            Attack::new(server, vec![packet]).repeated(16)
        }),
        ("splices of rows", || {
            let server = compact(|_| ());
            let packet = server.owner_write(3, |write| splice(write, 0, PACKET - 40, 0));
            Attack::new(server, vec![packet]).repeated(16)
        }),
        ("splices into each list", || {
            let server = compact(|_| ());
            let packets =
                [1, 2, 3, 4].map(|bit| server.owner_write(bit, |write| splice(write, 0, 1800, 0)));
            Attack::new(server, packets.to_vec()).repeated(40)
        }),
        ("empty texts of a dictionary", || {
            let server = compact(|_| ());
            let packets = (0..4).map(|packet| {
                server.some_operations(5, 12_000, |write, key| {
                    write
                        .operation(0, 0)
                        .number(packet * 12_000 + key)
                        .raw(&[0])
                })
            });
            let packets = packets.collect();
            Attack::new(server, packets)
        }),
        ("keys of a set", || {
            let server = compact(|_| ());
            let packets = (0..16).map(|packet| {
                server.some_operations(6, 16_000, |write, key| {
                    write.operation(0, 0).number(packet * 16_000 + key)
                })
            });
            let packets = packets.collect();
            Attack::new(server, packets)
        }),
        ("keys of a sorted set", || {
            let server = compact(|_| ());
            let packets = (0..16).map(|packet| {
                server.some_operations(7, 16_000, |write, key| {
                    write
                        .operation(0, 0)
                        .number(300_000 - packet * 16_000 - key)
                })
            });
            let packets = packets.collect();
            Attack::new(server, packets)
        }),
        ("elements without bytes", || {
            let server = compact(|_| ());
            let packet = server.operations(8, |write, _| {
                write.operation(SPLICE, 0).number(0).count(1000)
            });
            Attack::new(server, vec![packet]).repeated(2)
        }),
        ("value of empty texts", || {
            let server = compact(|_| ());
            let value = PACKET - 40;
            let packet = server.owner_write(9, |write| write.count(value).raw(&vec![0; value]));
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("value of a map", || {
            let server = compact(|_| ());
            let packet = server.owner_write(10, |write| {
                let write = write.count(18_000);
                write.times(18_000, |write, key| write.number(key).raw(&[0]))
            });
            Attack::new(server, vec![packet]).repeated(3)
        }),
    ]
}

/// Messages that are cheap for the client.
fn floods() -> Vec<Named> {
    vec![
        ("resyncs of a large object", || {
            let server = compact(many_numbers);
            let packet = server.payload().packed(server.object.0).message(RESYNC);
            Attack::new(server, vec![packet.repeat(PACKET / packet.len())]).repeated(5)
        }),
        ("resyncs of 100 large objects", || {
            let mut server = compact(|_| ());
            for _ in 0..100 {
                let mut trove = Trove::default();
                trove.value.set(vec![Text::default(); 100]);
                trove.numbers.extend(vec![1; 600_000]);
                server.end.spawn(trove);
            }
            server.update();
            let objects = 2..102;
            let packets = objects.map(|id| server.payload().packed(id).message(RESYNC));
            let packet = packets.collect::<Vec<_>>().concat();
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("pings", || {
            one(compact(|_| ()), |server| {
                let packet = server.payload().packed(5).message(PING);
                packet.repeat(PACKET / packet.len())
            })
        }),
        ("ready messages", || {
            one(compact(|_| ()), |server| {
                server.payload().message(READY).repeat(PACKET / 4)
            })
        }),
        ("unknown messages", || {
            one(compact(|_| ()), |server| {
                server.payload().message(99).repeat(PACKET / 4)
            })
        }),
        ("commands on unknown objects", || {
            one(compact(|_| ()), |server| {
                let packet = server.payload().raw(&[99, 0]).message(CALL);
                packet.repeat(PACKET / packet.len())
            })
        }),
        ("refused commands for ten updates without a poll", || {
            one(compact(|_| ()), |server| {
                let packet = server.command(4, |write| write.raw(&[5]));
                packet.repeat(PACKET / packet.len())
            })
        }),
        ("writes of objects without ownership", || {
            one(compact(|_| ()), |server| {
                let packet = server.payload().raw(&[77, 1]).message(OWNER_WRITE);
                packet.repeat(PACKET / packet.len())
            })
        }),
        ("empty writes", || {
            one(compact(|_| ()), |server| {
                let packet = server.payload().packed(server.object.0).packed(1);
                packet.raw(&vec![0; 60_000]).message(OWNER_WRITE)
            })
        }),
    ]
}
