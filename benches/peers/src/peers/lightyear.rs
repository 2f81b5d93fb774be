//! lightyear, measured where it hands packets to a socket: `Link::send`. No encryption.
//!
//! The first client is a Bevy app. The others are links of the server; since all are sent packets
//! with the same numbers, they acknowledge with copies of what the first one sends.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy_replicon::shared::server_entity_map::ServerEntityMap;
use bytes::{Bytes, BytesMut};
use lightyear::prelude::client::*;
use lightyear::prelude::server::*;
use lightyear::prelude::*;

use crate::peer::{Join, Pair, Peer, Sent};
use crate::plain_unit::PlainUnit;
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

pub(crate) struct Lightyear {
    server: App,
    endpoint: Entity,
    client: LightyearClient,
    connections: Vec<Entity>,
    objects: Vec<Entity>,
    /// What the real client has been sent and has not applied yet.
    inbox: Vec<Bytes>,
    /// The port of the next client that joins.
    next_port: u16,
}

struct LightyearClient {
    app: App,
    link: Entity,
}

const TICK: Duration = Duration::from_millis(10);

/// A packet acknowledges the last 33; after more than that at once the server would send again.
const PACKETS_PER_ACKNOWLEDGEMENT: usize = 30;

/// More rounds than 100 000 objects need to arrive.
const MANY_ROUNDS: usize = 400;

fn new_app(plugins: impl PluginGroup) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, StatesPlugin));
    app.add_plugins(plugins);
    app.component::<PlainUnit>().replicate();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(TICK));
    app.finish();
    app.cleanup();
    app
}

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// What waits in a link to be sent.
fn take_sent(app: &mut App, link: Entity) -> Vec<Bytes> {
    let mut link = app.world_mut().get_mut::<Link>(link);
    link.as_mut()
        .expect("the link is there")
        .send
        .drain()
        .collect()
}

/// Puts a packet into a link, as if it had been received.
fn put_received(app: &mut App, link: Entity, packet: &Bytes) {
    let mut link = app.world_mut().get_mut::<Link>(link);
    let link = link.as_mut().expect("the link is there");
    link.recv.push_raw(BytesMut::from(&packet[..]));
}

impl LightyearClient {
    fn new(port: u16) -> Self {
        let tick_duration = TICK;
        let mut app = new_app(ClientPlugins { tick_duration });
        let addresses = (LocalAddr(address(port)), PeerAddr(address(1)));
        let link = app
            .world_mut()
            .spawn((RawClient, ReplicationReceiver, addresses))
            .id();
        app.world_mut().entity_mut(link).insert(Linked);
        app.update();
        Self { app, link }
    }

    fn apply(&mut self, packets: &[Bytes]) {
        for packet in packets {
            put_received(&mut self.app, self.link, packet);
        }
        self.app.update();
    }

    fn object_count(&self) -> usize {
        self.app
            .world()
            .resource::<ServerEntityMap>()
            .to_client()
            .len()
    }
}

impl Lightyear {
    /// A server without objects and its real client, connected.
    fn without_objects(clients: usize) -> Self {
        let tick_duration = TICK;
        let mut server = new_app(ServerPlugins { tick_duration });
        let endpoint = server.world_mut().spawn(RawServer).id();
        server.world_mut().entity_mut(endpoint).insert(Linked);
        server.update();
        let mut this = Self {
            server,
            endpoint,
            client: LightyearClient::new(10_000),
            connections: Vec::new(),
            objects: Vec::new(),
            inbox: Vec::new(),
            next_port: 20_000,
        };
        for port in (10_000..).take(clients) {
            let connection = this.connect(port);
            this.connections.push(connection);
        }
        this
    }

    fn connect(&mut self, port: u16) -> Entity {
        let endpoint = self.endpoint;
        let world = self.server.world_mut();
        let link = (
            LinkOf { endpoint },
            Link::default(),
            PeerAddr(address(port)),
        );
        let connection = world.spawn((link, ReplicationSender)).id();
        world.entity_mut(connection).insert(Linked);
        connection
    }

    /// Lets a tick pass in which everything arrives and is acknowledged. Returns what it took.
    fn settle(&mut self) -> Join {
        let mut round = Join::default();
        let start = Instant::now();
        self.tick();
        round.send = start.elapsed();
        round.sent = self.collect();
        let packets = std::mem::take(&mut self.inbox);
        let chunks = packets.chunks(PACKETS_PER_ACKNOWLEDGEMENT);
        // A round without packets counts too: the client's clock runs on.
        let nothing = packets.is_empty().then_some(&[][..]);
        for chunk in chunks.chain(nothing) {
            let start = Instant::now();
            self.client.apply(chunk);
            round.apply += start.elapsed();
            self.acknowledge();
        }
        round
    }

    /// Lets ticks pass until the real client has every object. Returns what they took.
    fn settle_all(&mut self) -> Join {
        let mut total = Join::default();
        for _ in 0..MANY_ROUNDS {
            let round = self.settle();
            total.send += round.send;
            total.apply += round.apply;
            total.sent.bytes += round.sent.bytes;
            total.sent.packets += round.sent.packets;
            if self.client.object_count() == self.objects.len() {
                return total;
            }
        }
        panic!("the client has {} objects only", self.client.object_count());
    }
}

impl Server for Lightyear {
    fn change(&mut self, object: u32, change: Change) {
        let entity = self.objects[object as usize];
        let mut unit = self.server.world_mut().get_mut::<PlainUnit>(entity);
        unit.as_mut().expect("it was spawned").apply(change);
    }

    fn tick(&mut self) {
        self.server.update();
    }
}

impl Lightyear {
    /// Collects the packets that are not lost. Returns all of them.
    pub(crate) fn collect_unless(&mut self, mut loses: impl FnMut() -> bool) -> Sent {
        let mut sent = Sent::default();
        for (number, connection) in self.connections.iter().enumerate() {
            let packets = take_sent(&mut self.server, *connection);
            if number == 0 {
                for packet in &packets {
                    sent.add(packet);
                }
                let arrived = packets.into_iter().filter(|_| !loses());
                self.inbox.extend(arrived);
            }
        }
        sent
    }

    /// Hands the packets of the client that are not lost to every connection. Runs `PreUpdate` too, where
    /// the server takes acknowledgements, so that they are no part of the next tick.
    pub(crate) fn acknowledge_unless(&mut self, mut loses: impl FnMut() -> bool) {
        for packet in take_sent(&mut self.client.app, self.client.link) {
            if loses() {
                continue;
            }
            for connection in &self.connections {
                put_received(&mut self.server, *connection, &packet);
            }
        }
        self.server.world_mut().run_schedule(PreUpdate);
    }
}

impl Pair for Lightyear {
    fn collect(&mut self) -> Sent {
        self.collect_unless(|| false)
    }

    fn apply(&mut self) {
        self.client.apply(&std::mem::take(&mut self.inbox));
    }

    fn acknowledge(&mut self) {
        self.acknowledge_unless(|| false);
    }
}

impl Peer for Lightyear {
    const NAME: &str = "lightyear";

    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let mut this = Self::without_objects(clients);
        for _ in 0..5 {
            this.settle();
        }
        let world = this.server.world_mut();
        let spawn = |_| {
            let unit = PlainUnit::from(Values::random(random));
            world
                .spawn((Replicate::to_clients(NetworkTarget::All), unit))
                .id()
        };
        this.objects = (0..objects).map(spawn).collect();
        this.settle_all();
        for _ in 0..5 {
            this.settle();
        }
        this
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let (server, client) = (self.server.world(), self.client.app.world());
        let known = client.resource::<ServerEntityMap>().to_client();
        let pair = |entity: &Entity| {
            let original = server.get::<PlainUnit>(*entity).expect("it was spawned");
            let replica = known
                .get(entity)
                .and_then(|&replica| client.get::<PlainUnit>(replica));
            (original.values(), replica.map(PlainUnit::values))
        };
        self.objects.iter().map(pair).collect()
    }

    /// The other clients have gone silent by then: their links stay, without acknowledgements.
    fn join(&mut self) -> Join {
        let port = self.next_port;
        self.next_port += 1;
        let connection = self.connect(port);
        self.client = LightyearClient::new(port);
        self.connections = vec![connection];
        self.settle_all()
    }

    fn leave(&mut self) {
        for connection in self.connections.drain(..) {
            self.server.world_mut().despawn(connection);
        }
        self.tick();
    }
}
