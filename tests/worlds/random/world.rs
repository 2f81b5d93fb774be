//! A server, its clients, and what is between them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    Budget, Channel, ClientConfig, Endpoint, Framing, NetRef, PacketLimits, ServerConfig,
    interest::{SpatialGrid, Tag},
    values::Vector3,
};

use super::action::Action;
use super::line::{Line, Sent};
use super::lossy::{Fast, Twice};
use super::objects::{CURRENT, GATE, HEARD, Hero, LITERAL, Plain, RAN, next_call, prefabs};
use super::recorded::Recorded;

/// One client, and the packets on their way.
pub(crate) struct End {
    pub(crate) client: NetworkClient,
    pub(crate) up: Line,
    pub(crate) down: Line,
    /// The commands that it has sent.
    pub(crate) sent: Vec<u32>,
    pub(crate) refused: usize,
    /// The events of objects that it was told of.
    pub(crate) rung: Vec<(NetId, u32)>,
    /// Nothing has been done since the last update to what it sees as a whole.
    pub(crate) steady: bool,
}

/// A call to everyone.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) object: NetId,
    pub(crate) number: u32,
    pub(crate) must: BTreeSet<ConnectionId>,
    pub(crate) must_not: BTreeSet<ConnectionId>,
    /// Whether it is an event, and not a call.
    pub(crate) rang: bool,
}

/// What a world is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// One of so many datagrams of a `Compact` connection is lost, in each direction; 0 for none.
    pub(crate) loss: usize,
    pub(crate) grid: bool,
    pub(crate) host: bool,
    pub(crate) liar: bool,
    /// Nothing is sent that UNet does not have.
    pub(crate) literal: bool,
    /// Half of the clients speak UNet's framing.
    pub(crate) unet: bool,
}

pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) server: NetworkServer,
    pub(crate) ends: BTreeMap<ConnectionId, End>,
    pub(crate) host: Option<ConnectionId>,
    pub(crate) liar: Option<ConnectionId>,
    pub(crate) past: Vec<Vec<u8>>,
    pub(crate) objects: Vec<NetId>,
    /// Who may be sent a text, and who may not.
    pub(crate) allowed: BTreeMap<String, BTreeSet<ConnectionId>>,
    pub(crate) forbidden: BTreeMap<String, BTreeSet<ConnectionId>>,
    /// The texts that are in an object's fields now, of either kind.
    secrets: BTreeMap<NetId, BTreeSet<String>>,
    outfits: BTreeMap<NetId, BTreeSet<String>>,
    plans: BTreeMap<NetId, BTreeSet<String>>,
    /// The owners, as they were last looked at.
    owners: BTreeMap<NetId, Option<ConnectionId>>,
    /// Who sees what since the last update.
    seen: BTreeSet<(NetId, ConnectionId)>,
    /// What each connection has been sent, if that is kept.
    pub(crate) history: BTreeMap<ConnectionId, Vec<Sent>>,
    pub(crate) saying: Vec<Said>,
    pub(crate) said: Vec<Said>,
    pub(crate) counter: u32,
    pub(crate) now: Duration,
    /// A live spectator and clients that play the records.
    pub(crate) recorded: Option<Recorded>,
}

impl World {
    pub(crate) fn new(kind: Kind) -> Self {
        HEARD.take();
        RAN.take();
        let mut config = ServerConfig {
            packet_size: 300,
            compare_schemas: !kind.literal,
            ..ServerConfig::default()
        };
        LITERAL.set(kind.literal);
        #[cfg(feature = "parallel")]
        {
            config.parallel_from = 1;
        }
        let server = if kind.grid {
            NetworkServer::with_interest(prefabs(), config, SpatialGrid::xz(10.0, 20.0))
        } else {
            NetworkServer::with_config(prefabs(), config)
        };
        let mut world = Self {
            kind,
            server,
            ends: BTreeMap::new(),
            host: None,
            liar: None,
            past: Vec::new(),
            objects: Vec::new(),
            allowed: BTreeMap::new(),
            forbidden: BTreeMap::new(),
            secrets: BTreeMap::new(),
            outfits: BTreeMap::new(),
            plans: BTreeMap::new(),
            owners: BTreeMap::new(),
            seen: BTreeSet::new(),
            history: BTreeMap::new(),
            saying: Vec::new(),
            said: Vec::new(),
            counter: 0,
            now: Duration::ZERO,
            recorded: None,
        };
        if kind.host {
            world.host = Some(world.server.connect_local());
        }
        let gate = world.server.spawn_scene_object(GATE, Hero::default());
        world.objects.push(gate.unwrap());
        world.join();
        world.join();
        if kind.liar {
            world.liar = world.ends.keys().next().copied();
        }
        world.spawn(1, Some(0));
        world
    }

    fn join(&mut self) {
        if self.ends.len() >= 4 {
            return;
        }
        let mut config = ClientConfig {
            compare_schemas: !self.kind.literal,
            ..ClientConfig::default()
        };
        if self.kind.unet && self.counter % 2 == 1 {
            config.framing = Framing::Unet;
        }
        self.counter += 1;
        let mut client = NetworkClient::with_config(prefabs(), config);
        client.add_scene_object(GATE, Hero::default()).unwrap();
        // Every third one has no datagrams.
        let limits = if self.ends.len() % 3 == 1 {
            PacketLimits::STREAM
        } else {
            syncvar_testing::DATAGRAMS
        };
        Endpoint::handle_connect(&mut client, limits);
        let end = End {
            client,
            up: Line::default(),
            down: Line::default(),
            sent: Vec::new(),
            refused: 0,
            rung: Vec::new(),
            steady: false,
        };
        let connection = Endpoint::handle_connect(&mut self.server, limits);
        self.watch(connection, 0);
        self.ends.insert(connection, end);
    }

    fn watch(&mut self, connection: ConnectionId, place: i8) {
        if let Ok(grid) = self.server.interest_mut::<SpatialGrid>() {
            grid.watch(connection, Vector3::new(f32::from(place), 0.0, 0.0))
                .ok();
        }
    }

    /// The fifth is the local client.
    pub(crate) fn connection(&self, choice: usize) -> Option<ConnectionId> {
        if choice == 4 {
            return self.host;
        }
        self.ends.keys().nth(choice).copied()
    }

    pub(crate) fn object(&self, choice: usize) -> Option<NetId> {
        self.objects.get(choice).copied()
    }

    fn text(&mut self, kind: &str) -> String {
        self.counter += 1;
        format!("{kind}<{:05}>", self.counter)
    }

    fn spawn(&mut self, kind: u8, owner: Option<usize>) {
        if self.objects.len() >= 4 {
            return;
        }
        let options = SpawnOptions {
            owner: owner.and_then(|choice| self.connection(choice)),
            hidden: self.counter % 7 == 0,
            ..SpawnOptions::default()
        };
        let server = &mut self.server;
        let id = match kind {
            0 => server.try_spawn(
                (
                    Plain::default(),
                    Hero::default(),
                    Fast::default(),
                    Twice::default(),
                ),
                options,
            ),
            3 => server.try_spawn((Fast::default(), Twice::default()), options),
            1 => server.try_spawn(Hero::default(), options),
            _ if server.scene_object(GATE).is_none() => {
                server.spawn_scene_object(GATE, Hero::default())
            }
            _ => server.try_spawn(Plain::default(), options),
        };
        let id = id.unwrap();
        self.objects.push(id);
        self.look_at_owners();
        self.write(id, u16::MAX);
    }

    /// A text that only the owner may be sent from now on.
    pub(crate) fn secret(&mut self, id: NetId) -> String {
        let text = self.text("own");
        let owner = self.server.owner(id).into_iter().collect();
        self.allowed.insert(text.clone(), owner);
        self.secrets.entry(id).or_default().insert(text.clone());
        text
    }

    /// A text that only the owner and the group may be sent from now on.
    pub(crate) fn plan(&mut self, id: NetId) -> String {
        let text = self.text("grp");
        let readers = self.group_readers(id);
        self.allowed.insert(text.clone(), readers);
        self.plans.entry(id).or_default().insert(text.clone());
        text
    }

    /// Whoever reads the fields of an object's group.
    pub(crate) fn group_readers(&self, id: NetId) -> BTreeSet<ConnectionId> {
        let group = self.server.group(id);
        let is_member =
            |it: &&ConnectionId| group.is_some_and(|group| self.server.is_in_group(**it, group));
        let members = self.ends.keys().filter(is_member).copied();
        members.chain(self.server.owner(id)).collect()
    }

    /// A text that the owner may not be sent.
    pub(crate) fn outfit(&mut self, id: NetId) -> String {
        let text = self.text("oth");
        let owner = self.server.owner(id).into_iter().collect();
        self.forbidden.insert(text.clone(), owner);
        self.outfits.entry(id).or_default().insert(text.clone());
        text
    }

    fn write(&mut self, id: NetId, fields: u16) {
        self.write_lossy(id, fields);
        let [secret, quest, thing] = [(); 3].map(|()| self.secret(id));
        let outfit = self.outfit(id);
        let [plan, step] = [(); 2].map(|()| self.plan(id));
        self.counter += 1;
        let number = self.counter;
        let bit = |index: u16| fields >> index & 1 == 1;
        if let Ok(mut hero) = self.server.get_mut::<Hero>(id) {
            if bit(0) {
                hero.name.set(number.to_string());
            }
            if bit(1) {
                hero.secret.set(secret);
            }
            if bit(2) {
                hero.outfit.set(outfit);
            }
            if bit(3) {
                hero.quests.push(quest);
                hero.bag.insert(number % 3, thing);
            }
            if bit(4) {
                hero.mode.set(number);
            }
            if bit(5) {
                hero.orders.push(number);
            }
            if bit(6) {
                hero.heat.set(number);
                *hero.place += u32::from(fields % 5);
            }
            if bit(7) {
                hero.base.level.set(number);
                hero.base.log.push(number);
            }
            if bit(8) {
                // Not the server's, if there is an owner.
                hero.aim.set(number);
                hero.path.push(number);
            }
            if bit(11) {
                hero.plan.set(plan);
                hero.morale.set(number);
            }
            if bit(12) {
                hero.steps.push(step);
            }
            if bit(13) && hero.steps.len() > 3 {
                hero.steps.clear();
            }
            if bit(9) && hero.orders.len() > 5 {
                hero.orders.clear();
            }
        }
        if let Some(mut plain) = self.server.get_mut::<Plain>(id).ok().filter(|_| bit(10)) {
            plain.log.push(number);
        }
    }

    fn owner_write(&mut self, connection: ConnectionId, id: NetId, fields: u16) {
        self.counter += 1;
        let number = self.counter;
        let bit = |index: u16| fields >> index & 1 == 1;
        let Some(end) = self.ends.get_mut(&connection) else {
            return;
        };
        if self.kind.literal {
            return;
        }
        let client = &mut end.client;
        if let Ok(mut hero) = client.get_mut::<Hero>(id) {
            if bit(0) {
                hero.aim.set(number);
            }
            if bit(1) {
                hero.path.push(number);
            }
            if bit(2) {
                hero.mode.set(number);
            }
            if bit(3) {
                hero.orders.push(number);
            }
            if bit(4) {
                hero.notes.set(number);
            }
            if bit(10) {
                hero.wish.set(number);
            }
            if bit(5) && bit(6) && bit(7) {
                hero.name.set("refused".into());
                hero.base.log.push(0);
            }
            if bit(8) && hero.path.len() > 3 {
                hero.path.remove(0);
            }
        }
        Self::owner_write_lossy(client, id, fields, number);
    }

    /// Whoever owns an object now may know what is in it, and whoever does not any more likewise.
    pub(crate) fn look_at_owners(&mut self) {
        let server = &self.server;
        self.objects.retain(|id| server.identity(*id).is_some());
        for id in &self.objects {
            let readers = self.group_readers(*id);
            for text in self.plans.get(id).into_iter().flatten() {
                self.allowed.get_mut(text).unwrap().extend(&readers);
            }
        }
        for id in &self.objects {
            let owner = server.owner(*id);
            let former = self.owners.insert(*id, owner).flatten();
            if former == owner {
                continue;
            }
            for text in self.secrets.get(id).into_iter().flatten() {
                self.allowed.get_mut(text).unwrap().extend(owner);
            }
            for text in self.outfits.get(id).into_iter().flatten() {
                let forbidden = self.forbidden.get_mut(text).unwrap();
                forbidden.retain(|connection| Some(*connection) != former);
            }
        }
    }

    fn check(&self, connection: ConnectionId, packet: &[u8]) {
        for (place, kind) in packet.windows(4).enumerate() {
            if kind != b"own<" && kind != b"oth<" && kind != b"grp<" {
                continue;
            }
            let text = std::str::from_utf8(&packet[place..place + 10]).unwrap();
            let may = if kind == b"oth<" {
                !self.forbidden[text].contains(&connection)
            } else {
                self.allowed[text].contains(&connection)
            };
            assert!(may, "{text} was sent to {connection}");
        }
    }

    fn sees(&self, id: NetId, connection: ConnectionId) -> bool {
        self.server.is_ready(connection) && self.server.is_visible(id, connection)
    }

    /// What is said now: to whom it must come, and to whom it must not, as far as can be told.
    fn say(&mut self, object: NetId, number: u32) -> Said {
        let (mut must, mut must_not) = (BTreeSet::new(), BTreeSet::new());
        for (connection, end) in &self.ends {
            let before = self.seen.contains(&(object, *connection));
            let now = self.sees(object, *connection);
            if before && now && end.steady {
                must.insert(*connection);
            }
            if !before && !now {
                must_not.insert(*connection);
            }
        }
        Said {
            object,
            number,
            must,
            must_not,
            rang: false,
        }
    }

    pub(crate) fn update(&mut self) {
        self.now += Duration::from_millis(50);
        self.show_recorded();
        self.server.update(self.now);
        self.look_at_owners();
        let saying = std::mem::take(&mut self.saying);
        for mut said in saying {
            let there = self.objects.contains(&said.object);
            let sees = |c: &ConnectionId| self.sees(said.object, *c);
            said.must.retain(|c| there && sees(c));
            said.must_not.retain(|c| !sees(c));
            self.said.push(said);
        }
        self.seen.clear();
        for (connection, end) in &mut self.ends {
            end.steady = self.server.is_ready(*connection);
            for id in &self.objects {
                if end.steady && self.server.is_visible(*id, *connection) {
                    self.seen.insert((*id, *connection));
                }
            }
        }
        self.look_at_events();
        self.transmit();
        self.play_records();
    }

    fn look_at_events(&mut self) {
        while self.server.poll_local_event().is_some() {}
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::CommandRefused { connection, .. } => {
                    if let Some(end) = self.ends.get_mut(&connection) {
                        end.refused += 1;
                    }
                }
                ServerEvent::CallFailed { .. }
                | ServerEvent::CallbackFailed { .. }
                | ServerEvent::SerializeFailed { .. }
                | ServerEvent::SynchronizeFailed { .. } => panic!("{event:?}"),
                ServerEvent::Misbehaved { connection, error } => {
                    assert_eq!(Some(connection), self.liar, "{error}");
                }
                _ => {}
            }
        }
        assert_eq!(self.server.missed_events(), 0);
    }

    fn transmit(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            let (connection, channel) = (transmit.connection, transmit.channel);
            let packet = Sent {
                delivery: transmit.delivery,
                channel,
                bytes: transmit.to_bytes().to_vec(),
            };
            self.check(connection, &packet.bytes);
            let history = self.history.entry(connection).or_default();
            history.push(packet.clone());
            if let Some(recorded) = &mut self.recorded
                && recorded.connection == connection
            {
                recorded.receive(channel, &packet.bytes);
                continue;
            }
            let loss = self.loss(connection);
            if let Some(end) = self.ends.get_mut(&connection) {
                end.down.push(packet, loss);
            }
        }
    }

    /// Returns the loss of a connection. UNet repairs none.
    fn loss(&self, connection: ConnectionId) -> usize {
        let end = self.ends.get(&connection);
        let repairs = end.is_some_and(|end| end.client.framing() == Framing::Compact);
        if repairs { self.kind.loss } else { 0 }
    }

    fn down(&mut self, connection: ConnectionId, count: usize) {
        let lies = self.liar == Some(connection);
        let loss = self.loss(connection);
        let Some(end) = self.ends.get_mut(&connection) else {
            return;
        };
        CURRENT.set(Some(connection));
        for _ in 0..count {
            if let Some(packet) = end.down.pop() {
                let place = (packet.delivery, packet.channel);
                let handled = syncvar_testing::arrive(&mut end.client, place, &packet.bytes);
                assert!(handled.is_ok() || lies, "{connection}: {handled:?}");
            }
        }
        end.client.update(self.now);
        CURRENT.set(None);
        while let Some(packet) = end.client.poll_transmit() {
            let sent = Sent {
                delivery: packet.delivery,
                channel: packet.channel,
                bytes: packet.bytes.to_vec(),
            };
            end.up.push(sent, loss);
        }
        while let Some(event) = end.client.poll_event() {
            match event {
                ClientEvent::SyncEvent(event) => {
                    let (number,) = event.arguments(Hero::RANG).unwrap();
                    end.rung.push((event.object(), number));
                }
                ClientEvent::CallFailed(_)
                | ClientEvent::HookFailed(_)
                | ClientEvent::SpawnFailed { .. }
                | ClientEvent::Poisoned { .. } => {
                    assert!(lies, "{connection}: {event:?}");
                }
                _ => {}
            }
        }
    }

    /// A liar whose header made no sense has been sent away.
    pub(crate) fn look_at_liar(&mut self) {
        let away = |liar: &ConnectionId| !Endpoint::is_connected(&self.server, *liar);
        if let Some(liar) = self.liar.filter(away) {
            self.server.handle_disconnect(liar);
            self.ends.remove(&liar);
            self.host = self.host.filter(|host| *host != liar);
        }
    }

    fn up(&mut self, connection: ConnectionId, count: usize) {
        for _ in 0..count {
            let packet = self.ends.get_mut(&connection).and_then(|end| end.up.pop());
            let Some(Sent {
                delivery,
                channel,
                bytes,
            }) = packet
            else {
                break;
            };
            let server = &mut self.server;
            let handled = match delivery {
                Channel::Reliable => server.handle_packet(connection, channel, &bytes),
                Channel::Unreliable => server.handle_datagram(connection, channel, &bytes),
            };
            let lies = self.liar == Some(connection);
            assert!(handled.is_ok() || lies, "{connection}: {handled:?}");
            if lies {
                self.past.push(bytes);
                self.look_at_liar();
            }
            for end in self.ends.values_mut() {
                // A command can do that to anybody.
                end.steady &= !lies;
            }
        }
        // Commands hide objects, and make connections not ready.
        self.look_at_owners();
        for (connection, end) in &mut self.ends {
            end.steady &= self.server.is_ready(*connection);
        }
    }

    pub(crate) fn step(&mut self) {
        let all: Vec<_> = self.ends.keys().copied().collect();
        for connection in &all {
            self.up(*connection, 50);
        }
        self.update();
        for connection in all {
            self.down(connection, 50);
        }
    }

    fn call(&mut self, id: NetId, connection: ConnectionId, kind: u8) {
        if self.server.get::<Hero>(id).is_none() {
            return;
        }
        let number = next_call();
        let mut said = self.say(id, number);
        let (secret, outfit) = (self.secret(id), self.outfit(id));
        let calls = self.server.calls::<Hero>(id);
        let sent = match kind % 6 {
            0 => calls.say(number),
            1 => calls.boom(number),
            2 => calls.tell_owner(secret, number),
            3 => calls.tell_others(outfit, number),
            4 => calls.whisper(connection, number),
            _ => calls.rang(number),
        };
        said.rang = kind % 6 == 5;
        if kind % 6 < 2 || said.rang {
            sent.unwrap();
            self.saying.push(said);
        }
    }

    fn command(&mut self, connection: ConnectionId, id: NetId, fire: bool) {
        self.counter += 1;
        let number = self.counter;
        let Some(end) = self.ends.get_mut(&connection) else {
            return;
        };
        let calls = end.client.calls::<Hero>(id);
        let sent = if fire {
            calls.fire(number)
        } else {
            calls.open(number)
        };
        if sent.is_ok() {
            end.sent.push(number);
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        self.act_on(action);
        self.look_at_owners();
    }

    fn act_on(&mut self, action: Action) {
        match action {
            Action::Step => self.step(),
            Action::Down(client, count) => {
                self.update();
                if let Some(connection) = self.connection(client) {
                    self.down(connection, count);
                }
            }
            Action::Up(client, count) => {
                if let Some(connection) = self.connection(client) {
                    self.up(connection, count);
                }
            }
            Action::Join => self.join(),
            Action::Leave(client) => {
                let leaver = self.connection(client).filter(|_| self.ends.len() > 1);
                if let Some(connection) = leaver {
                    self.server.handle_disconnect(connection);
                    self.ends.remove(&connection);
                    self.host = self.host.filter(|host| *host != connection);
                }
            }
            Action::NotReady(client) => {
                if let Some(connection) = self.connection(client) {
                    self.server.set_not_ready(connection);
                    if let Some(end) = self.ends.get_mut(&connection) {
                        end.steady = false;
                    }
                }
            }
            Action::Ready(client) => {
                if let Some(connection) = self.connection(client) {
                    self.server.set_ready(connection);
                }
            }
            Action::Limit(client, bytes) => {
                if let Some(connection) = self.connection(client) {
                    self.server
                        .set_budget(connection, bytes.map(Budget::new))
                        .ok();
                }
            }
            Action::Hold(client, held) => {
                if let Some(connection) = self.connection(client) {
                    self.server.hold_state(connection, held);
                }
            }
            Action::Watch(client, place) => {
                if let Some(connection) = self.connection(client) {
                    self.watch(connection, place);
                }
            }
            Action::Member(client, group, joins) => {
                let group = Tag(group);
                if let Some(connection) = self.connection(client) {
                    let result = if joins {
                        self.server.join_group(connection, group)
                    } else {
                        self.server.leave_group(connection, group)
                    };
                    result.unwrap();
                }
            }
            Action::Spawn(kind, owner) => self.spawn(kind, owner),
            Action::Lie(kind, object, bytes) => self.lie(kind, object, &bytes),
            Action::Twist(place, change) => self.twist(place, change),
            _ => self.act_on_object(action),
        }
    }

    fn act_on_object(&mut self, action: Action) {
        let (Action::Write(object, _)
        | Action::OwnerWrite(_, object, _)
        | Action::SetOwner(object, _)
        | Action::Show(object, ..)
        | Action::Despawn(object)
        | Action::Call(object, ..)
        | Action::Command(_, object, _)
        | Action::Parent(object, _)
        | Action::Target(object, _)
        | Action::Move(object, _)
        | Action::Group(object, _)
        | Action::Restore(object, _)) = action
        else {
            return;
        };
        let Some(id) = self.object(object) else {
            return;
        };
        match action {
            Action::Write(_, fields) => self.write(id, fields),
            Action::SetOwner(_, client) => {
                let owner = client.and_then(|client| self.connection(client));
                self.server.set_owner(id, owner).ok();
            }
            Action::Despawn(_) => {
                self.server.despawn(id).ok();
            }
            Action::Group(_, group) => {
                self.server.set_group(id, group.map(Tag)).unwrap();
            }
            Action::Parent(_, other) => {
                let parent = self.object(other).filter(|parent| *parent != id);
                let _ = self.server.set_parent(id, parent);
            }
            Action::Target(_, other) => {
                let target = self.object(other).map(NetRef::from).unwrap_or_default();
                if let Ok(mut hero) = self.server.get_mut::<Hero>(id) {
                    hero.target.set(target);
                    hero.mark.set(target);
                }
            }
            Action::Move(_, place) => {
                let place = Vector3::new(f32::from(place), 0.0, 0.0);
                self.server
                    .set_transform(id, place, Quaternion::IDENTITY)
                    .ok();
            }
            _ => self.act_on_both(id, action),
        }
    }

    fn act_on_both(&mut self, id: NetId, action: Action) {
        let (Action::OwnerWrite(client, ..)
        | Action::Show(_, client, _)
        | Action::Call(_, client, _)
        | Action::Command(client, ..)
        | Action::Restore(_, client)) = action
        else {
            return;
        };
        let Some(connection) = self.connection(client) else {
            return;
        };
        match action {
            Action::OwnerWrite(_, _, fields) => self.owner_write(connection, id, fields),
            Action::Show(_, _, true) => {
                self.server.show(id, connection).ok();
            }
            Action::Show(_, _, false) => {
                self.server.hide(id, connection).ok();
            }
            Action::Restore(..) => {
                self.server.restore(id, connection).ok();
            }
            Action::Call(_, _, kind) => self.call(id, connection, kind),
            Action::Command(_, _, fire) => self.command(connection, id, fire),
            _ => {}
        }
    }
}
