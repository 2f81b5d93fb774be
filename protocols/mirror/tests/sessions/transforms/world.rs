//! A server and two clients with a moving prefab.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::components::{NetworkTransform, TransformMethod, TransformSettings};
use syncvar::mirror::{
    Component, Limits, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy, SyncDirection,
};
use syncvar::prelude::*;
use syncvar::values::Vector3;
use syncvar_testing::mirror::{Link, Quality};

/// Stands beside the transform on the object.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Tank {
    #[sync_var]
    pub(crate) fuel: SyncVar<u32>,
}

pub(crate) struct World {
    pub(crate) server: MirrorServer,
    pub(crate) clients: Vec<(ConnectionId, MirrorClient)>,
    /// Changes and orders the packets of a frame to one client.
    pub(crate) path: fn(&mut Vec<(Channel, Vec<u8>)>),
    /// Quality of the links to the clients.
    pub(crate) quality: Quality,
    links: BTreeMap<ConnectionId, Link>,
    now: Duration,
    frame: u64,
}

fn prefabs<M: TransformMethod>(direction: SyncDirection) -> MirrorPrefabs {
    let component = Component::new().sync_direction(direction);
    let settings = TransformSettings {
        sync_scale: true,
        ..TransformSettings::default()
    };
    MirrorPrefabs::new().register_with(
        MirrorPrefab::new("Tank", 1001.into()).component(1, component),
        move || (Tank::default(), NetworkTransform::<M>::new(settings)),
    )
}

impl World {
    pub(crate) fn new<M: TransformMethod>(direction: SyncDirection) -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut world = Self {
            server: MirrorServer::with_config(prefabs::<M>(direction), config),
            clients: Vec::new(),
            path: |_| {},
            quality: Quality::default(),
            links: BTreeMap::new(),
            now: Duration::ZERO,
            frame: 0,
        };
        world.join::<M>(direction);
        world.join::<M>(direction);
        world.run(3);
        world
    }

    pub(crate) fn join<M: TransformMethod>(&mut self, direction: SyncDirection) {
        let config = MirrorClientConfig {
            auto_add_player: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs::<M>(direction), config);
        let connection = self.server.handle_connect(Limits::KCP);
        client.handle_connect(Limits::KCP);
        self.clients.push((connection, client));
    }

    pub(crate) fn spawn<M: TransformMethod>(&mut self) -> NetId {
        let transform = self.server.prefabs().asset_id("Tank");
        assert!(transform.is_some());
        let settings = TransformSettings {
            sync_scale: true,
            ..TransformSettings::default()
        };
        self.server
            .spawn((Tank::default(), NetworkTransform::<M>::new(settings)))
    }

    /// Runs frames of 1/60 s with a link that loses nothing.
    pub(crate) fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frame();
        }
    }

    fn frame(&mut self) {
        self.now += Duration::from_secs(1) / 60;
        self.frame += 1;
        self.server.update(self.now);
        let mut packets: BTreeMap<ConnectionId, Vec<_>> = BTreeMap::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let packet = (transmit.channel, transmit.to_bytes().to_vec());
            packets.entry(transmit.connection).or_default().push(packet);
        }
        for (connection, client) in &mut self.clients {
            let mut packets = packets.remove(connection).unwrap_or_default();
            (self.path)(&mut packets);
            let seed = u64::from(connection.0);
            let link = self
                .links
                .entry(*connection)
                .or_insert_with(|| Link::new(seed));
            link.quality = self.quality;
            for (channel, bytes) in packets {
                link.send(self.frame, channel, &bytes);
            }
            for (channel, bytes) in link.receive(self.frame) {
                client.handle_packet(channel, &bytes).unwrap();
            }
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let handled = self
                    .server
                    .handle_packet(*connection, packet.channel, &packet.bytes);
                handled.unwrap();
            }
        }
    }

    pub(crate) fn client(&mut self, index: usize) -> &mut MirrorClient {
        &mut self.clients[index].1
    }

    /// The position at a client.
    pub(crate) fn seen<M: TransformMethod>(&self, index: usize, id: NetId) -> Vector3 {
        let transform = self.clients[index].1.get::<NetworkTransform<M>>(id);
        transform.expect("a spawned object").position
    }

    pub(crate) fn on_server<M: TransformMethod>(&self, id: NetId) -> Vector3 {
        self.server
            .get::<NetworkTransform<M>>(id)
            .expect("an object")
            .position
    }
}
