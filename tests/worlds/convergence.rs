//! Whatever is done on the server, every ready client that sees an object ends equal to it.

pub(crate) mod action;
mod sight;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use syncvar_testing::ClientMessages as _;

use self::action::{Action, action};
use proptest::prelude::*;
use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{Channel, Framing, ServerConfig, testing::Conditions};
use syncvar_testing::{Banner, Compass, Door, Player, Score, ViewChange, client, object_of};

/// The server with its clients, and what should be visible to whom.
struct World {
    net: MemoryNetwork,
    objects: Vec<NetId>,
    /// What each client was told is there.
    told: BTreeMap<usize, BTreeSet<NetId>>,
    /// Clients that were sent nonsense.
    garbled: BTreeSet<usize>,
    /// Clients that were not ready at some time.
    idled: BTreeSet<usize>,
    /// Clients that have had a budget: what they miss of operations they are given whole.
    limited: BTreeSet<usize>,
}

impl World {
    fn new(link: Conditions) -> Self {
        let prefabs = syncvar_testing::prefabs_with_scoreboard();
        Self::with_server(NetworkServer::with_config(prefabs, Self::config()), link)
    }

    fn with_server(server: NetworkServer, link: Conditions) -> Self {
        let prefabs = syncvar_testing::prefabs_with_scoreboard;
        let mut net = MemoryNetwork::with_config(prefabs, Self::config(), link);
        net.server = server;
        let mut world = Self {
            net,
            objects: Vec::new(),
            told: BTreeMap::new(),
            garbled: BTreeSet::new(),
            idled: BTreeSet::new(),
            limited: BTreeSet::new(),
        };
        world.join();
        world
    }

    /// All channels are reliable: state that is lost on an unreliable one is not sent again.
    fn config() -> ServerConfig {
        let mut config = ServerConfig {
            channels: vec![Channel::Reliable, Channel::Reliable],
            packet_size: 200,
            ..ServerConfig::default()
        };
        // Both ways of writing: a run of one object is written by one thread.
        #[cfg(feature = "parallel")]
        {
            config.parallel_from = 2;
        }
        config
    }

    /// Connects a client. The clients ask for `Compact` and UNet's framing by turns.
    fn join(&mut self) {
        let framing = [Framing::Compact, Framing::Unet][self.net.client_count() % 2];
        let client = client(syncvar_testing::prefabs_with_scoreboard(), framing);
        self.net.connect_client(client);
    }

    fn object(&self, choice: usize) -> NetId {
        object_of(&self.objects, choice)
    }

    fn client(&self, choice: usize) -> usize {
        choice % self.net.client_count()
    }

    fn connection(&self, choice: usize) -> ConnectionId {
        self.net.connection(self.client(choice))
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::SpawnPlayer { health, hidden } => {
                let options = SpawnOptions {
                    hidden,
                    ..SpawnOptions::default()
                };
                let spawned = self
                    .net
                    .server
                    .try_spawn(Player::new(health, "new"), options);
                self.objects.extend(spawned);
            }
            Action::SpawnVane => {
                self.objects
                    .push(self.net.server.spawn((Door::default(), Compass::default())));
            }
            Action::SpawnScoreboard => {
                let id = self.net.server.spawn((Score::default(), Banner::default()));
                self.objects.push(id);
            }
            Action::Despawn(choice) => {
                let id = self.object(choice);
                self.net.server.despawn(id).ok();
                self.objects.retain(|object| *object != id);
            }
            Action::Join if self.net.client_count() < 6 => {
                self.join();
            }
            Action::Join => {}
            Action::Garble(choice, payload) => self.garble(choice, &payload),
            Action::Step => {
                self.net.step();
                self.take_events();
            }
            Action::View(change) => {
                if let ViewChange::SetBudget(choice, _) = change {
                    self.limited.insert(self.client(choice));
                }
                change.apply(&mut self.net, &self.objects);
            }
            write => self.write(write),
        }
    }

    fn write(&mut self, action: Action) {
        match action {
            Action::SetHealth(object, health) => self.with_player(object, |player| {
                player.health.set(health);
            }),
            Action::SetName(object, name) => self.with_player(object, |player| {
                player.name.set(name);
            }),
            Action::SetDirtyBits(object, bits) => {
                self.with_player(object, |player| player.set_dirty_bit(bits));
            }
            Action::SetHeading(object, heading) => {
                if let Ok(mut compass) = self.net.server.get_mut::<Compass>(self.object(object)) {
                    compass.heading.set(heading);
                }
            }
            Action::AddPoints(object, points) => {
                if let Ok(mut score) = self.net.server.get_mut::<Score>(self.object(object)) {
                    score.points.add(points);
                }
            }
            Action::SetText(object, thousands) => {
                if let Ok(mut banner) = self.net.server.get_mut::<Banner>(self.object(object)) {
                    banner.text.set("t".repeat(1000 * thousands));
                }
            }
            _ => {}
        }
    }

    fn with_player(&mut self, choice: usize, change: impl FnOnce(&mut Player)) {
        if let Ok(mut player) = self.net.server.get_mut::<Player>(self.object(choice)) {
            change(&mut player);
        }
    }

    /// An update that no server has sent, with a string cut short, so that it can only poison.
    fn garble(&mut self, choice: usize, payload: &[u8]) {
        let client = self.client(choice);
        let players = self
            .objects
            .iter()
            .filter(|id| self.net.server.get::<Player>(**id).is_some());
        let Some(id) = players
            .copied()
            .find(|id| self.net.client(client).identity(*id).is_some())
        else {
            return;
        };
        self.garbled.insert(client);
        let mut writer = syncvar::wire::NetworkWriter::new();
        let start = writer.start_message(8);
        writer.write(&id);
        writer.write_packed_u32(0b010);
        writer.write_u16(500);
        writer.write_bytes(payload);
        writer.finish_message(start);
        self.net
            .client_mut(client)
            .handle_messages(0, writer.as_bytes())
            .expect("poison is no error");
    }

    /// Lets everything arrive; what has no form on the wire is given one.
    fn settle(&mut self) {
        for id in self.objects.clone() {
            if let Ok(mut banner) = self.net.server.get_mut::<Banner>(id) {
                banner.text.set("short".into());
            }
        }
        self.net.settle();
        self.take_events();
    }

    /// Objects come and go by turns; only nonsense poisons them, and nobody is given an object that
    /// it has without a reason.
    fn take_events(&mut self) {
        for client in 0..self.net.client_count() {
            let told = self.told.entry(client).or_default();
            while let Some(event) = self.net.client_mut(client).poll_event() {
                match event {
                    ClientEvent::Spawned { object } => {
                        assert!(told.insert(object), "client {client}: {object} came twice");
                    }
                    ClientEvent::Despawned { object, .. } => {
                        assert!(told.remove(&object), "client {client}: {object} went twice");
                    }
                    ClientEvent::Poisoned { .. } => {
                        assert!(self.garbled.contains(&client), "client {client}: {event:?}");
                    }
                    ClientEvent::NotReady => drop(self.idled.insert(client)),
                    ClientEvent::Restored { .. } => {
                        let reason = [&self.garbled, &self.idled, &self.limited];
                        assert!(reason.iter().any(|reason| reason.contains(&client)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Asserts that each ready client has the state of the server, whose players are clean.
    fn check(&mut self) {
        self.net.assert_replicas_equal();
        for player in self
            .objects
            .iter()
            .filter_map(|id| self.net.server.get::<Player>(*id))
        {
            assert_eq!(player.sync_var_dirty_bits(), 0);
        }
    }
}

/// A slow link that loses packets.
fn slow(seed: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(70),
        jitter: Duration::from_millis(90),
        loss: 0.2,
        seed,
        ..Conditions::default()
    }
}

proptest! {
    #[test]
    fn every_ready_client_ends_equal_to_the_server(actions in prop::collection::vec(action(), 1..120)) {
        let mut world = World::new(Conditions::default());
        for action in actions {
            world.act(action);
        }
        world.settle();
        world.check();
    }

    #[test]
    fn over_slow_links_that_lose_packets_too(
        actions in prop::collection::vec(action(), 1..80),
        seed in any::<u64>(),
    ) {
        let mut world = World::new(slow(seed));
        for action in actions {
            world.act(action);
        }
        world.settle();
        world.check();
    }
}
