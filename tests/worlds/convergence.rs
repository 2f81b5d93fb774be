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
use syncvar::{
    Budget, Channel, ClientConfig, Framing, NetworkIdentity, ServerConfig, testing::Conditions,
};
use syncvar_testing::{Banner, Compass, Door, Player, Score};

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

    /// One more client, each in another dialect than the one before.
    fn join(&mut self) {
        let mut config = ClientConfig::default();
        if self.net.client_count() % 2 == 1 {
            config.framing = Framing::Unet;
        }
        let client = NetworkClient::with_config(syncvar_testing::prefabs_with_scoreboard(), config);
        self.net.connect_client(client);
    }

    fn object(&self, choice: usize) -> NetId {
        self.objects
            .get(choice % self.objects.len().max(1))
            .copied()
            .unwrap_or(NetId(9999))
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
            Action::Leave(choice) => {
                let client = self.client(choice);
                self.net.cut(client);
            }
            Action::SetBudget(choice, bytes) => {
                let connection = self.connection(choice);
                self.limited.insert(self.client(choice));
                let budget = bytes.map(Budget::new);
                self.net.server.set_budget(connection, budget).ok();
            }
            Action::SetPriority(choice, priority) => {
                self.net
                    .server
                    .set_priority(self.object(choice), priority)
                    .ok();
            }
            Action::NotReady(choice) => self.net.server.set_not_ready(self.connection(choice)),
            Action::Ready(choice) => {
                let client = self.client(choice);
                self.net.client_mut(client).ready();
            }
            Action::Garble(choice, payload) => self.garble(choice, &payload),
            Action::Step => {
                self.net.step();
                self.take_events();
            }
            visibility @ (Action::Show(..)
            | Action::Hide(..)
            | Action::HideFromAll(_)
            | Action::ShowToAll(_)) => {
                self.change_visibility(&visibility);
            }
            write => self.write(write),
        }
    }

    fn change_visibility(&mut self, action: &Action) {
        match *action {
            Action::Show(object, client) => {
                self.net
                    .server
                    .show(self.object(object), self.connection(client))
                    .ok();
            }
            Action::Hide(object, client) => {
                self.net
                    .server
                    .hide(self.object(object), self.connection(client))
                    .ok();
            }
            Action::HideFromAll(object) => {
                self.net.server.hide_from_all(self.object(object)).ok();
            }
            Action::ShowToAll(object) => {
                self.net.server.show_to_all(self.object(object)).ok();
            }
            _ => {}
        }
    }

    fn write(&mut self, action: Action) {
        match action {
            Action::SetOwner(object, client) => {
                self.net
                    .server
                    .set_owner(self.object(object), Some(self.connection(client)))
                    .ok();
            }
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

    /// What the server has, by object, for a connection.
    fn expected(&self, connection: ConnectionId) -> BTreeMap<NetId, String> {
        let visible = self
            .objects
            .iter()
            .filter(|id| self.net.server.is_visible(**id, connection));
        let server = &self.net.server;
        visible
            .map(|id| (*id, server.identity(*id).map(describe).unwrap_or_default()))
            .collect()
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for client in 0..self.net.client_count() {
            let connection = self.net.connection(client);
            if !self.net.is_connected(client) || !self.net.server.is_ready(connection) {
                continue;
            }
            let replica = self.net.client(client);
            let seen: BTreeMap<_, _> = replica
                .identities()
                .map(|identity| (identity.net_id(), describe(identity)))
                .collect();
            prop_assert_eq!(&seen, &self.expected(connection), "client {}", client);
            for id in &self.objects {
                let owned = self.net.server.owner(*id) == Some(connection) && seen.contains_key(id);
                prop_assert_eq!(replica.is_owner(*id), owned, "owner of {}", id);
            }
        }
        for id in &self.objects {
            let dirty = self
                .net
                .server
                .get::<Player>(*id)
                .map_or(0, NetworkBehaviour::sync_var_dirty_bits);
            prop_assert_eq!(dirty, 0, "{} is clean", id);
        }
        Ok(())
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

/// Everything that is synchronised, as text.
fn describe(identity: NetworkIdentity<'_>) -> String {
    let player = identity.behaviour().map(Player::state);
    let door = identity.behaviour().map(|door: &Door| *door.open);
    let heading = identity
        .behaviour()
        .map(|compass: &Compass| compass.heading.to_bits());
    let points = identity.behaviour().map(|score: &Score| score.points.value);
    let text = identity
        .behaviour()
        .map(|banner: &Banner| banner.text.len());
    format!("{player:?} {door:?} {heading:?} {points:?} {text:?}")
}

proptest! {
    #[test]
    fn every_ready_client_ends_equal_to_the_server(actions in prop::collection::vec(action(), 1..120)) {
        let mut world = World::new(Conditions::default());
        for action in actions {
            world.act(action);
        }
        world.settle();
        world.check()?;
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
        world.check()?;
    }
}
