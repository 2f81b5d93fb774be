//! Attacks of a client on a `MirrorServer`.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::{Limits, MirrorClient, MirrorServer, MirrorServerConfig, SpawnPolicy};
use syncvar::prelude::*;

use super::{
    ADD, ADD_PLAYER, BASELINE, BATCH, CLEAR, INSERT, PING, READY, SET, STATE, batch, client,
    collection, insert, message, message_of, payload, position, remove, state,
};
use crate::attacks::bytes::Payload;
use crate::attacks::objects::{Blank, MirrorTrove, Text, Wide, mirror_trove_prefabs};
use crate::attacks::{Attack, Named, Victim};

/// Mirror's server with one [`MirrorTrove`], its owner, and an observer.
pub struct MirrorServerVictim {
    end: MirrorServer,
    owner: ConnectionId,
    /// Client of the owner.
    client: MirrorClient,
    /// Object of the owner.
    pub object: NetId,
    now: Duration,
}

impl MirrorServerVictim {
    /// Returns a server with further objects, whose trove has a state.
    ///
    /// # Panics
    ///
    /// If the observer is not accepted.
    #[must_use]
    pub fn new(blanks: u32, fill: impl FnOnce(&mut MirrorTrove)) -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut end = MirrorServer::with_config(mirror_trove_prefabs(), config);
        let mut trove = MirrorTrove::default();
        fill(&mut trove);
        let object = end.spawn(trove);
        (0..blanks).for_each(|_| {
            end.spawn(Blank::default());
        });
        let owner = end.handle_connect(Limits::KCP);
        let observer = end.handle_connect(Limits::KCP);
        let ready = batch(&message(READY));
        let handled = end.handle_packet(observer, Channel::Reliable, &ready);
        handled.expect("a valid packet");
        let mut this = Self {
            end,
            owner,
            client: client(),
            object,
            now: Duration::ZERO,
        };
        this.exchange();
        this.end.set_owner(object, Some(owner)).unwrap();
        this.exchange();
        this
    }

    /// Carries the packets of the owner's client, and runs an update.
    fn exchange(&mut self) {
        for _ in 0..2 {
            self.now += Duration::from_millis(50);
            self.client.update(self.now);
            while let Some(packet) = self.client.poll_transmit() {
                let handled = self
                    .end
                    .handle_packet(self.owner, packet.channel, &packet.bytes);
                handled.expect("a valid packet");
            }
            self.end.update(self.now);
            while let Some(packet) = self.end.poll_transmit() {
                if packet.connection == self.owner {
                    let bytes = packet.to_bytes();
                    let handled = self.client.handle_packet(packet.channel, &bytes);
                    handled.expect("a valid packet");
                }
            }
        }
        while self.end.poll_event().is_some() {}
    }

    /// Returns the batches of commands that the owner's client calls.
    fn commands(&mut self, call: impl FnOnce(&mut MirrorClient, NetId)) -> Vec<Vec<u8>> {
        self.now += Duration::from_millis(50);
        self.client.update(self.now);
        while self.client.poll_transmit().is_some() {}
        call(&mut self.client, self.object);
        self.client.update(self.now);
        let packets = std::iter::from_fn(|| self.client.poll_transmit());
        packets.map(|packet| packet.bytes.to_vec()).collect()
    }

    /// Returns an empty payload.
    #[must_use]
    pub fn payload() -> Payload {
        payload()
    }

    /// Returns a batch of messages.
    #[must_use]
    pub fn batch(&self, messages: &[u8]) -> Vec<u8> {
        batch(messages)
    }

    /// Returns a batch with the owner's change of a collection.
    #[must_use]
    pub fn operations(
        &self,
        bit: u32,
        count: usize,
        operation: impl Fn(Payload, usize) -> Payload,
    ) -> Vec<u8> {
        batch(&state(
            STATE,
            self.object,
            &collection(bit, count, operation),
        ))
    }

    /// Returns a message with the owner's change of a value.
    #[must_use]
    pub fn value(&self, bit: u32, content: impl FnOnce(Payload) -> Payload) -> Vec<u8> {
        let delta = content(payload().raw(&[0; 8]).number(1 << bit)).bytes();
        state(STATE, self.object, &delta)
    }
}

impl Victim for MirrorServerVictim {
    fn handle(&mut self, packet: &[u8]) -> bool {
        let handled = self
            .end
            .handle_packet(self.owner, Channel::Reliable, packet);
        handled.is_ok()
    }

    fn update(&mut self) -> usize {
        self.now += Duration::from_millis(50);
        self.end.update(self.now);
        let mut sent = 0;
        while let Some(packet) = self.end.poll_transmit() {
            sent += packet.len();
        }
        while self.end.poll_event().is_some() {}
        sent
    }
}

fn one(server: MirrorServerVictim, packet: impl FnOnce(&MirrorServerVictim) -> Vec<u8>) -> Attack {
    let packet = packet(&server);
    Attack::new(server, vec![packet])
}

fn many_numbers(trove: &mut MirrorTrove) {
    trove.numbers.extend(vec![7; 975_000]);
}

fn commands(call: impl FnOnce(&mut MirrorClient, NetId)) -> Attack {
    let mut server = MirrorServerVictim::new(0, |_| ());
    let packets = server.commands(call);
    Attack::new(server, packets)
}

/// Returns the attacks of a client.
pub(super) fn attacks() -> Vec<Named> {
    [lists(), memory(), floods()].concat()
}

fn lists() -> Vec<Named> {
    vec![
        ("mirror: inserts at the front", || {
            one(MirrorServerVictim::new(0, many_numbers), |server| {
                server.operations(0, 48_000, insert)
            })
        }),
        ("mirror: removals at the front", || {
            one(MirrorServerVictim::new(0, many_numbers), |server| {
                server.operations(0, 58_000, remove)
            })
        }),
        ("mirror: inserts and removals", || {
            one(MirrorServerVictim::new(0, many_numbers), |server| {
                server.operations(0, 50_000, |write, number| match number % 2 {
                    0 => insert(write, number),
                    _ => remove(write, number),
                })
            })
        }),
        ("mirror: removals of wide elements", || {
            let fill = |trove: &mut MirrorTrove| trove.wide.extend(vec![Wide::Empty; 125_000]);
            one(MirrorServerVictim::new(0, fill), |server| {
                server.operations(1, 300, remove)
            })
        }),
        ("mirror: inserts at both ends", || {
            one(MirrorServerVictim::new(0, many_numbers), |server| {
                server.operations(0, 48_000, |write, number| {
                    let place = if number % 2 == 0 { 0 } else { 974_999 };
                    write.raw(&[INSERT]).raw(&position(place)).raw(&[7])
                })
            })
        }),
        ("mirror: sets of one position", || {
            one(MirrorServerVictim::new(0, many_numbers), |server| {
                server.operations(0, 48_000, |write, _| {
                    write.raw(&[SET]).raw(&position(5)).raw(&[9])
                })
            })
        }),
        ("mirror: small writes to a large state", || {
            let server = MirrorServerVictim::new(0, many_numbers);
            let write = server.value(1, |write| write.raw(&[5]));
            let packet = batch(&write.repeat(9000));
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("mirror: baselines of a large state", || {
            let server = MirrorServerVictim::new(0, many_numbers);
            let write = state(BASELINE, server.object, &[0; 22]);
            let packet = batch(&write.repeat(9000));
            Attack::new(server, vec![packet])
        }),
    ]
}

fn memory() -> Vec<Named> {
    vec![
        ("mirror: command of empty texts", || {
            commands(|client, object| {
                let texts = vec![Text::default(); 140_000];
                let called = client.calls::<MirrorTrove>(object).take_texts(texts);
                called.expect("a valid call");
            })
        }),
        ("mirror: command of wide elements", || {
            commands(|client, object| {
                let wide = vec![Wide::Empty; 280_000];
                let called = client.calls::<MirrorTrove>(object).take_wide(wide);
                called.expect("a valid call");
            })
        }),
        ("mirror: command of empty strings", || {
            commands(|client, object| {
                let strings = vec![String::new(); 140_000];
                let called = client.calls::<MirrorTrove>(object).take_strings(strings);
                called.expect("a valid call");
            })
        }),
        ("mirror: additions of empty texts", || {
            let server = MirrorServerVictim::new(0, |_| ());
            let packet = server.operations(2, BATCH / 3 - 20, |write, _| {
                write.raw(&[ADD]).value(&Text::default())
            });
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("mirror: additions of wide elements", || {
            let server = MirrorServerVictim::new(0, |_| ());
            let packet = server.operations(1, BATCH / 2 - 20, |write, _| write.raw(&[ADD, 0]));
            Attack::new(server, vec![packet]).repeated(3)
        }),
        ("mirror: additions and clears", || {
            let server = MirrorServerVictim::new(0, |_| ());
            let packet = server.operations(1, BATCH / 2 - 20, |write, number| {
                if number % 100 == 99 {
                    write.raw(&[CLEAR])
                } else {
                    write.raw(&[ADD, 0])
                }
            });
            Attack::new(server, vec![packet])
        }),
        ("mirror: sets of one empty text", || {
            let fill = |trove: &mut MirrorTrove| trove.texts.push(Text::default());
            let server = MirrorServerVictim::new(0, fill);
            let packet = server.operations(2, 40_000, |write, _| {
                let write = write.raw(&[SET]).raw(&position(0));
                write.value(&Text::default())
            });
            Attack::new(server, vec![packet])
        }),
        ("mirror: texts of a dictionary", || {
            one(MirrorServerVictim::new(0, |_| ()), |server| {
                server.operations(3, 40_000, |write, key| {
                    write.raw(&[0]).number(key).value(&Text::default())
                })
            })
        }),
        ("mirror: keys of a set, added and removed", || {
            one(MirrorServerVictim::new(0, |_| ()), |server| {
                server.operations(4, 60_000, |write, number| match number % 2 {
                    0 => write.raw(&[0]).number(7),
                    _ => write.raw(&[1]).number(7),
                })
            })
        }),
        ("mirror: value of empty texts", || {
            let server = MirrorServerVictim::new(0, |_| ());
            let texts = vec![Text::default(); 140_000];
            let packet = batch(&server.value(0, |write| write.value(&texts)));
            Attack::new(server, vec![packet]).repeated(2)
        }),
    ]
}

fn floods() -> Vec<Named> {
    vec![
        ("mirror: ready messages", || {
            one(MirrorServerVictim::new(10_000, |_| ()), |_| {
                batch(&message(READY).repeat(9000))
            })
        }),
        ("mirror: requests for a player", || {
            one(MirrorServerVictim::new(0, |_| ()), |_| {
                batch(&message(ADD_PLAYER).repeat(9000))
            })
        }),
        ("mirror: pings", || {
            one(MirrorServerVictim::new(0, |_| ()), |_| {
                batch(&message_of(PING, payload().raw(&[0; 16])).repeat(9000))
            })
        }),
        ("mirror: writes of objects without ownership", || {
            one(MirrorServerVictim::new(0, |_| ()), |_| {
                batch(&state(STATE, NetId(99), &[0; 10]).repeat(9000))
            })
        }),
        ("mirror: malformed writes to a large state", || {
            let server = MirrorServerVictim::new(0, many_numbers);
            let packet = batch(&state(STATE, server.object, &[9; 10]).repeat(9000));
            Attack::new(server, vec![packet])
        }),
    ]
}
