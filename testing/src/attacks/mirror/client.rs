//! Attacks of a server on a `MirrorClient`.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::{Limits, MirrorClient, MirrorServer, MirrorServerConfig, SpawnPolicy};
use syncvar::prelude::*;

use super::{
    ADD, CHANGE_OWNER, DESTROY, NOT_READY, PING, SPAWN, SPAWN_FINISHED, SPAWN_STARTED, STATE,
    batch, client, collection, insert, message, message_of, payload, remove, state,
};
use crate::attacks::bytes::Payload;
use crate::attacks::objects::{Blank, Text, Watched, mirror_trove_prefabs};
use crate::attacks::{Attack, Named, Victim};

/// Mirror's client with one [`Watched`] and a number of [`Blank`] objects.
pub struct MirrorClientVictim {
    end: MirrorClient,
    /// Object of the server.
    pub object: NetId,
    now: Duration,
}

impl MirrorClientVictim {
    /// Returns a client whose object has a state.
    ///
    /// # Panics
    ///
    /// If the client does not receive the objects.
    #[must_use]
    pub fn new(blanks: u32, fill: impl FnOnce(&mut Watched)) -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(mirror_trove_prefabs(), config);
        let mut watched = Watched::default();
        fill(&mut watched);
        let object = server.spawn(watched);
        (0..blanks).for_each(|_| {
            server.spawn(Blank::default());
        });
        let connection = server.handle_connect(Limits::KCP);
        let mut end = client();
        for step in 1..4 {
            let now = Duration::from_millis(step);
            end.update(now);
            while let Some(packet) = end.poll_transmit() {
                let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
                handled.expect("a valid packet");
            }
            server.update(now);
            while let Some(packet) = server.poll_transmit() {
                let handled = end.handle_packet(packet.channel, &packet.to_bytes());
                handled.expect("a valid packet");
            }
        }
        assert!(end.get::<Watched>(object).is_some());
        let now = Duration::ZERO;
        let mut this = Self { end, object, now };
        this.update();
        this
    }

    /// Returns a batch with a change of a collection.
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
}

impl Victim for MirrorClientVictim {
    fn handle(&mut self, packet: &[u8]) -> bool {
        self.end.handle_packet(Channel::Reliable, packet).is_ok()
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

fn replica(blanks: u32) -> MirrorClientVictim {
    MirrorClientVictim::new(blanks, |_| ())
}

fn at_client(
    client: MirrorClientVictim,
    packet: impl FnOnce(&MirrorClientVictim) -> Vec<u8>,
) -> Attack {
    let packet = packet(&client);
    Attack::new(client, vec![packet])
}

/// Returns a client with long lists. A spawn of that length is no message.
fn large() -> MirrorClientVictim {
    let mut client = replica(0);
    for bit in [0, 3] {
        let packet = client.operations(bit, 140_000, |write, _| write.raw(&[ADD, 7]));
        for _ in 0..6 {
            assert!(client.handle(&packet));
        }
        client.update();
    }
    client
}

/// Returns the attacks of a server.
pub(super) fn attacks() -> Vec<Named> {
    [replicas(), sessions()].concat()
}

fn replicas() -> Vec<Named> {
    vec![
        ("mirror client: inserts at the front", || {
            at_client(large(), |client| client.operations(3, 48_000, insert))
        }),
        ("mirror client: removals at the front, with a hook", || {
            at_client(large(), |client| client.operations(0, 48_000, remove))
        }),
        (
            "mirror client: additions of empty texts with a hook",
            || {
                at_client(replica(0), |client| {
                    client.operations(1, 90_000, |write, _| {
                        write.raw(&[ADD]).value(&Text::default())
                    })
                })
            },
        ),
        (
            "mirror client: additions to a large list with a hook",
            || {
                at_client(large(), |client| {
                    let delta = collection(0, 1, |write, _| write.raw(&[ADD, 7]));
                    batch(&state(STATE, client.object, &delta).repeat(9000))
                })
            },
        ),
        ("mirror client: values of empty texts with a hook", || {
            at_client(replica(0), |client| {
                let texts = vec![Text::default(); 70_000];
                let value = |texts: &[Text]| {
                    let delta = payload().raw(&[0; 8]).number(1).value(&texts.to_vec());
                    state(STATE, client.object, &delta.bytes())
                };
                batch(&[value(&texts), value(&texts[1..])].concat())
            })
        }),
    ]
}

fn spawn(id: u32, asset: u32) -> Vec<u8> {
    let head = payload().value(&id).raw(&[0, 0]).value(&asset);
    let body = head.raw(&[0; 24]).raw(&[0, 0, 128, 63]).raw(&[0; 12]);
    // Component 1: a snapshot of a single byte.
    message_of(SPAWN, body.number(4).raw(&[1, 1, 0]))
}

fn sessions() -> Vec<Named> {
    vec![
        ("mirror client: spawns of ids far out", || {
            at_client(replica(0), |_| {
                let spawns = (0..6000).flat_map(|number| spawn(1_000_000 + number * 500_000, 1));
                batch(&spawns.collect::<Vec<_>>())
            })
        }),
        ("mirror client: spawns of one object", || {
            at_client(replica(0), |_| batch(&spawn(77, 1).repeat(6000)))
        }),
        ("mirror client: beginnings of a burst", || {
            at_client(replica(10_000), |_| {
                batch(&message(SPAWN_STARTED).repeat(60_000))
            })
        }),
        ("mirror client: bursts", || {
            at_client(replica(10_000), |_| {
                let burst = [message(SPAWN_STARTED), message(SPAWN_FINISHED)].concat();
                batch(&burst.repeat(40_000))
            })
        }),
        ("mirror client: ends of a burst", || {
            at_client(replica(10_000), |_| {
                batch(&message(SPAWN_FINISHED).repeat(60_000))
            })
        }),
        ("mirror client: not ready", || {
            at_client(replica(10_000), |_| {
                batch(&message(NOT_READY).repeat(60_000))
            })
        }),
        ("mirror client: owners", || {
            at_client(replica(0), |client| {
                let owned = payload().value(&client.object).raw(&[3]);
                let not = payload().value(&client.object).raw(&[0]);
                let both = [
                    message_of(CHANGE_OWNER, owned),
                    message_of(CHANGE_OWNER, not),
                ];
                batch(&both.concat().repeat(20_000))
            })
        }),
        ("mirror client: ends of unknown objects", || {
            at_client(replica(0), |_| {
                let ends = (0..30_000_u32).flat_map(|number| {
                    message_of(DESTROY, payload().value(&(1_000_000 + number * 100_000)))
                });
                batch(&ends.collect::<Vec<_>>())
            })
        }),
        ("mirror client: pings", || {
            at_client(replica(0), |_| {
                batch(&message_of(PING, payload().raw(&[0; 16])).repeat(14_000))
            })
        }),
        ("mirror client: states of a burst", || {
            at_client(replica(0), |client| {
                let change =
                    collection(1, 100, |write, _| write.raw(&[ADD]).value(&Text::default()));
                let change = state(STATE, client.object, &change);
                let begin = message(SPAWN_STARTED);
                batch(&[begin, change.repeat(800)].concat())
            })
        }),
    ]
}
