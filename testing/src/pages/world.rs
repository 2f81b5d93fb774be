//! A world: the server, the ends, the link of the page.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value as Json, json};
use syncvar::prelude::*;
use syncvar::schema::{Names, Schema, SchemaMessage};
use syncvar::testing::Random;
use syncvar::{Callbacks, Channel, ClientConfig, Endpoint, PacketLimits, ServerConfig};

use super::page::Orders;
use super::radio::{Aerial, Chat, RADIO, Radio};
use super::types::schema;
use crate::pair::Packet;
use crate::programs::Conditions;
use crate::programs::link::Link;
use crate::schemas::codecs::plain;
use crate::schemas::typed;
use crate::schemas::types::random_type;

/// Steps of a game.
const LONGEST: u32 = 40;

/// Steps within which all ends rest.
const PATIENCE: u32 = 400;

/// Steps after which the repairs of the last changes and the calls that wait for a second have arrived.
const REST: u32 = 60;

/// Progress of a world.
enum Phase {
    /// Steps that are left of the game.
    Game(u32),
    /// Steps without a change, and those in which the twin equals the server.
    Rest(u32, u32),
}

/// The page's connection.
pub(super) struct Line {
    link: Option<ConnectionId>,
    up: Link,
    down: Link,
    conditions: Conditions,
    limits: PacketLimits,
}

/// Client without a lossy link, which owns objects and is in groups.
pub(super) struct Rival {
    client: NetworkClient,
    pub(super) connection: ConnectionId,
}

/// Calls and messages that the twin has heard.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) at_once: Vec<Json>,
    /// Calls by datagrams: the page may hear them in a different order.
    pub(super) lossy: Vec<Json>,
    /// Calls that wait for the state of their tick, each with its object.
    pub(super) late: Vec<Json>,
}

pub(super) struct World {
    pub(super) random: Random,
    pub(super) server: NetworkServer,
    pub(super) twin: NetworkClient,
    pub(super) rival: Rival,
    pub(super) schema: Schema,
    pub(super) objects: Vec<NetId>,
    pub(super) heard: Heard,
    /// Commands and messages of the page, and those that have arrived.
    pub(super) orders: Orders,
    line: Line,
    pub(super) now: Duration,
    phase: Phase,
    /// Rests that follow.
    rests: u32,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut own = schema(&mut random);
        own.messages.push(SchemaMessage {
            names: Names::new("news"),
            number: 48,
            value: plain(&random_type(&mut random, 2)),
        });
        let prefabs = Prefabs::from_schema(&own).expect("a schema without types by hand");
        let prefabs = prefabs
            .register::<(Radio, Aerial)>(RADIO)
            .register::<typed::Bags>(typed::BAG)
            .message::<Chat>("chat");
        let schema = prefabs.schema();
        let mut config = ServerConfig::default();
        if random.chance(500) {
            config.send_interval = Some(Duration::ZERO);
        }
        if random.chance(500) {
            config.reconnect_grace = Duration::from_secs(20);
            config.session_tokens = Some(crate::token);
        }
        let mut server = NetworkServer::with_config(prefabs, config);
        let conditions = Conditions {
            delay: random.number() % 60,
            jitter: random.number() % if random.chance(500) { 60 } else { 250 },
            loss: if random.chance(700) {
                random.below(25)
            } else {
                0
            },
            duplicates: random.below(10),
        };
        let limits = PacketLimits {
            datagrams: random.chance(700),
            ..PacketLimits::STREAM
        };
        let mut rival = Rival {
            client: NetworkClient::learning(),
            connection: server.handle_connect(),
        };
        rival.client.handle_connect();
        Self {
            server,
            twin: NetworkClient::learning_with_config(ClientConfig {
                callbacks: Callbacks::Events,
                ..ClientConfig::default()
            }),
            rival,
            schema,
            objects: Vec::new(),
            heard: Heard::default(),
            orders: Orders::default(),
            line: Line {
                link: None,
                up: Link::new(seed + 1),
                down: Link::new(seed + 2),
                conditions,
                limits,
            },
            now: Duration::ZERO,
            phase: Phase::Game(10 + random.below(LONGEST)),
            rests: 4,
            random,
        }
    }

    /// Returns the answer to the seed: the transport of the page.
    pub(super) fn begin(&mut self) -> Json {
        // The page joins a world that has objects.
        for _ in 0..self.random.below(10) {
            self.play();
            self.now += Duration::from_millis(20);
            self.advance();
        }
        let transport = if self.line.limits.datagrams {
            "webtransport"
        } else {
            "websocket"
        };
        json!({ "transport": transport, "ms": 0, "now": self.now.as_millis() as u64 })
    }

    /// Returns the connection of the page, also while it is away.
    pub(super) fn connection(&self) -> Option<ConnectionId> {
        self.server.connection_of(self.line.link?)
    }

    /// Takes the packets of the page, and runs one update.
    pub(super) fn step(&mut self, line: &Json) -> Json {
        if line["opened"] == true {
            let limits = self.line.limits;
            Endpoint::handle_connect(&mut self.twin, limits);
            self.line.link = Some(Endpoint::handle_connect(&mut self.server, limits));
        }
        if line["passed"] == true {
            self.orders.sent.pop();
        }
        for packet in line["up"].as_array().into_iter().flatten() {
            let bytes = hex::decode(packet[2].as_str().expect("a packet")).expect("a packet");
            let delivery = if packet[0] == 1 {
                Channel::Unreliable
            } else {
                Channel::Reliable
            };
            let place = (delivery, packet[1].as_u64().expect("a channel") as u8);
            let conditions = self.conditions();
            self.line
                .up
                .send(self.now, &conditions, place, bytes.into());
        }
        let mut answer = json!({});
        let is_playing = matches!(self.phase, Phase::Game(_));
        if is_playing {
            self.play();
        }
        self.advance();
        answer["down"] = self.deliver();
        if is_playing && self.random.chance(8) && self.line.link.is_some() {
            self.cut();
            answer["cut"] = true.into();
        } else if is_playing {
            answer["acts"] = self.act().into_iter().collect();
        }
        self.progress(&mut answer);
        let ms = 1 + self.random.below(50);
        self.now += Duration::from_millis(ms.into());
        answer["ms"] = ms.into();
        answer
    }

    /// Returns the conditions of the link: at rest nothing is lost.
    fn conditions(&self) -> Conditions {
        match self.phase {
            Phase::Game(_) => self.line.conditions,
            Phase::Rest(..) => Conditions::default(),
        }
    }

    /// Runs an update of the server and of the rival.
    fn advance(&mut self) {
        if let Some(link) = self.line.link {
            while let Some((delivery, channel, bytes)) = self.line.up.receive(self.now) {
                let packet = Packet {
                    delivery,
                    channel,
                    bytes,
                };
                packet
                    .arrive(&mut self.server, link)
                    .expect("a packet of the page");
            }
        }
        self.rival.client.update(self.now);
        while let Some(packet) = Packet::poll(&mut self.rival.client, ConnectionId::SERVER) {
            packet
                .arrive(&mut self.server, self.rival.connection)
                .expect("a packet");
        }
        Endpoint::update(&mut self.server, self.now);
        let conditions = self.conditions();
        while let Some(transmit) = self.server.poll_transmit() {
            let place = (transmit.delivery, transmit.channel);
            let (bytes, connection): (Bytes, _) = (transmit.to_bytes(), transmit.connection);
            if connection == self.rival.connection {
                self.rival
                    .client
                    .handle_packet(place.1, &bytes)
                    .expect("a packet of the server");
            } else if Some(connection) == self.line.link {
                self.line.down.send(self.now, &conditions, place, bytes);
            }
        }
        while self.rival.client.poll_event().is_some() {}
        while let Some(event) = self.server.poll_event() {
            self.orders.note(&self.schema, &self.server, &event);
        }
    }

    /// Hands the packets that have arrived to the twin, and returns them.
    fn deliver(&mut self) -> Json {
        let mut packets = Vec::new();
        self.twin.update(self.now);
        while let Some((delivery, channel, bytes)) = self.line.down.receive(self.now) {
            let packet = Packet {
                delivery,
                channel,
                bytes,
            };
            packet
                .arrive(&mut self.twin, ConnectionId::SERVER)
                .expect("a packet of the server");
            let kind = u8::from(packet.is_datagram());
            packets.push(json!([kind, channel, hex::encode(&packet.bytes)]));
        }
        // The page answers in its place.
        while self.twin.poll_transmit().is_some() {}
        self.hear();
        packets.into()
    }

    /// Cuts the link.
    fn cut(&mut self) {
        let link = self.line.link.take().expect("a link");
        self.server.handle_disconnect(link);
        self.twin.handle_disconnect();
        self.line.up.clear();
        self.line.down.clear();
        self.orders.is_cut = true;
    }

    /// Passes on to the next phase.
    fn progress(&mut self, answer: &mut Json) {
        self.phase = match self.phase {
            Phase::Game(0) => {
                if let Some(connection) = self.connection() {
                    self.server
                        .set_budget(connection, None)
                        .expect("a connection");
                }
                Phase::Rest(0, 0)
            }
            Phase::Game(left) => Phase::Game(left - 1),
            Phase::Rest(steps, equal) => match self.objects_of_page() {
                Ok(objects) if equal > REST => {
                    self.orders.check();
                    let Heard {
                        at_once,
                        lossy,
                        late,
                    } = std::mem::take(&mut self.heard);
                    answer["check"] = json!({ "objects": objects, "heard": at_once, "lossy": lossy, "late": late });
                    self.rests -= 1;
                    if self.rests == 0 {
                        answer["ends"] = true.into();
                    }
                    Phase::Game(self.random.below(LONGEST))
                }
                Ok(_) => Phase::Rest(steps + 1, equal + 1),
                Err(difference) if steps > PATIENCE => panic!("the twin: {difference}"),
                Err(_) => Phase::Rest(steps + 1, 0),
            },
        };
    }
}
