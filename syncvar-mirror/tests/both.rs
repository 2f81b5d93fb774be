//! `MirrorServer` and `MirrorClient`, each as the other's counterpart: whatever is done on the server, its
//! clients have in the end.

#[path = "client/game.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod game;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use syncvar::NetworkIdentity;
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientEvent, MirrorServer, MirrorServerEvent, MirrorSpawnOptions,
};
use syncvar::prelude::*;

use game::{Aim, DOOR, Door, GlobalMsg, Kind, Loot, Monster, Player, Wallet, prefabs};

/// A server, its clients, and nothing between them.
struct World {
    server: MirrorServer,
    clients: BTreeMap<ConnectionId, MirrorClient>,
    now: Duration,
    events: Vec<MirrorServerEvent>,
    /// Those that the server has made not ready once: as in Mirror, they keep what goes meanwhile.
    lagging: BTreeSet<ConnectionId>,
}

impl World {
    fn new() -> Self {
        let server = MirrorServer::new(prefabs());
        Self {
            server,
            clients: BTreeMap::new(),
            now: Duration::ZERO,
            events: Vec::new(),
            lagging: BTreeSet::new(),
        }
    }

    fn join(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        let mut client = MirrorClient::new(prefabs());
        client.add_scene_object(DOOR, Door::default()).unwrap();
        client.handle_connect(Limits::TELEPATHY);
        self.clients.insert(connection, client);
        connection
    }

    /// A fiftieth of a second: everything that is sent arrives.
    fn frame(&mut self) {
        self.now += Duration::from_millis(20);
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let is_open = self.server.is_connected(*connection);
                let (channel, bytes) = (packet.channel, packet.bytes);
                let taken = self.server.handle_packet(*connection, channel, &bytes);
                assert_eq!(taken.is_ok(), is_open);
            }
        }
        while let Some(event) = self.server.poll_event() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                self.server.add_player(connection, game::player()).unwrap();
            }
            self.events.push(event);
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let client = self.clients.get_mut(&transmit.connection).unwrap();
            client
                .handle_packet(transmit.channel, &transmit.to_bytes())
                .unwrap();
        }
        while let Some(connection) = self.server.poll_close() {
            if let Some(mut client) = self.clients.remove(&connection) {
                client.handle_disconnect();
            }
            self.server.handle_disconnect(connection);
        }
    }

    fn settle(&mut self) {
        for _ in 0..4 {
            self.frame();
        }
    }

    fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.clients.get_mut(&connection).unwrap()
    }

    fn joined() -> (Self, ConnectionId, NetId) {
        let mut world = Self::new();
        let me = world.join();
        world.settle();
        let player = world.client(me).local_player().unwrap();
        assert_eq!(world.server.player_of(me), Some(player));
        (world, me, player)
    }

    /// Every client has every object that it observes, as the server has it.
    fn check(&mut self) {
        for (connection, client) in &mut self.clients {
            let observed = self.server.identities().map(|it| it.net_id());
            let observed: Vec<_> = observed
                .filter(|id| self.server.is_observer(*id, *connection))
                .collect();
            let mut seen: Vec<_> = client.identities().map(|it| it.net_id()).collect();
            if self.lagging.contains(connection) {
                seen.retain(|id| observed.contains(id));
            }
            assert_eq!(seen, observed, "{connection}");
            for id in seen {
                let owned = self.server.owner(id) == Some(*connection);
                assert_eq!(client.is_owned(id), owned);
                assert_eq!(
                    view(client.identity(id).unwrap(), owned),
                    view(self.server.identity(id).unwrap(), owned),
                    "{id}"
                );
            }
            while let Some(event) = client.poll_event() {
                assert!(
                    !matches!(
                        event,
                        MirrorClientEvent::Mismatch(_) | MirrorClientEvent::SpawnFailed { .. }
                    ),
                    "{event:?}"
                );
            }
            let stats = client.stats();
            assert_eq!(
                (stats.unknown_objects, stats.unknown_calls),
                (0, 0),
                "{connection}"
            );
        }
    }
}

/// What an object is, as text; to the owner, if that is asked for.
fn view(object: NetworkIdentity<'_>, owned: bool) -> String {
    if let Some(monster) = object.behaviour::<Monster>() {
        let mut buffs: Vec<_> = monster.buffs.iter().collect();
        buffs.sort_unstable();
        let mut tags: Vec<_> = monster.tags.iter().collect();
        tags.sort_unstable();
        let values = (
            *monster.kind,
            *monster.hp,
            monster.target.id(),
            *monster.bounty,
        );
        return format!("{buffs:?} {tags:?} {:?} {values:?}", &monster.loot[..]);
    }
    if let Some(player) = object.behaviour::<Player>() {
        let wallet: &Wallet = object.behaviour().unwrap();
        let aim: &Aim = object.behaviour().unwrap();
        let gold = owned.then_some((*wallet.gold, *wallet.secret));
        let values = (&*player.player_name, *player.health, gold);
        return format!(
            "{values:?} {:?} {:?}",
            &player.inventory[..],
            (*aim.yaw, *aim.firing)
        );
    }
    format!("{:?}", *object.behaviour::<Door>().unwrap().open)
}

#[test]
fn a_client_of_ours_joins_a_server_of_ours() {
    let mut world = World::new();
    let mut monster = Monster::default();
    monster.loot.push(Loot {
        item: 5,
        label: Some("sword".into()),
        chance: 0.5,
    });
    world.server.spawn(monster);
    world
        .server
        .spawn_scene_object(DOOR, Door::default(), MirrorSpawnOptions::default())
        .unwrap();
    let me = world.join();
    world.settle();
    world.check();
    let client = world.client(me);
    assert_eq!(client.object_count(), 3);
    assert!(client.is_owned(client.local_player().unwrap()));
    assert!(client.network_time().is_some());
    assert!(client.rtt() > Duration::ZERO);
}

#[test]
fn what_an_owner_writes_is_seen_by_the_others() {
    let (mut world, me, player) = World::joined();
    let other = world.join();
    world.settle();
    world
        .client(me)
        .get_mut::<Aim>(player)
        .unwrap()
        .yaw
        .set(2.5);
    world.settle();
    for connection in [me, other] {
        let aim: &Aim = world.client(connection).get(player).unwrap();
        assert_eq!(*aim.yaw, 2.5);
    }
    assert_eq!(*world.server.get::<Aim>(player).unwrap().yaw, 2.5);
    world.check();
}

#[test]
fn messages_and_calls_reach_the_other_side() {
    let (mut world, me, player) = World::joined();
    game::called();
    world.server.calls::<Player>(player).rpc_others(3).unwrap();
    world.settle();
    assert_eq!(game::called(), ["rpc RpcOthers 3"]);
    let message = GlobalMsg {
        a: 8,
        ..GlobalMsg::default()
    };
    world.client(me).send(&message).unwrap();
    world.settle();
    let got = world.events.iter().find_map(|event| match event {
        MirrorServerEvent::Message { message, .. } => message.get::<GlobalMsg>(),
        _ => None,
    });
    assert_eq!(got, Some(&message));
}

#[test]
fn who_is_thrown_out_has_no_objects_left() {
    let (mut world, me, player) = World::joined();
    let other = world.join();
    world.settle();
    world.server.disconnect(me);
    world.settle();
    assert!(!world.clients.contains_key(&me));
    assert!(world.client(other).identity(player).is_none());
    world.check();
}

/// Something that happens on the server, or to it.
#[derive(Clone, Debug)]
enum Step {
    Frame,
    Join,
    Leave(usize),
    Spawn(Option<usize>),
    Despawn(usize),
    Hp(usize, u16),
    Kind(usize),
    Buff(usize, i32, bool),
    Tag(usize, u8, bool),
    Loot(usize, usize, i32),
    LootGone(usize),
    Target(usize, usize),
    Own(usize, Option<usize>),
    Hide(usize, usize, bool),
    Aim(usize, i16),
    Gold(usize, i32),
    NotReady(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (at, who) = (0..8_usize, 0..4_usize);
    prop_oneof![
        6 => Just(Step::Frame),
        1 => Just(Step::Join),
        1 => who.clone().prop_map(Step::Leave),
        3 => prop::option::of(who.clone()).prop_map(Step::Spawn),
        1 => at.clone().prop_map(Step::Despawn),
        3 => (at.clone(), any::<u16>()).prop_map(|(at, hp)| Step::Hp(at, hp)),
        1 => at.clone().prop_map(Step::Kind),
        3 => (at.clone(), 0..4, any::<bool>()).prop_map(|(at, key, set)| Step::Buff(at, key, set)),
        3 => (at.clone(), 0..4_u8, any::<bool>()).prop_map(|(at, tag, set)| Step::Tag(at, tag, set)),
        3 => (at.clone(), 0..4_usize, any::<i32>()).prop_map(|(at, to, item)| Step::Loot(at, to, item)),
        2 => at.clone().prop_map(Step::LootGone),
        1 => (at.clone(), at.clone()).prop_map(|(at, target)| Step::Target(at, target)),
        2 => (at.clone(), prop::option::of(who.clone())).prop_map(|(at, who)| Step::Own(at, who)),
        2 => (at.clone(), who.clone(), any::<bool>()).prop_map(|(at, who, hide)| Step::Hide(at, who, hide)),
        2 => (who.clone(), any::<i16>()).prop_map(|(who, yaw)| Step::Aim(who, yaw)),
        2 => (who.clone(), any::<i32>()).prop_map(|(who, gold)| Step::Gold(who, gold)),
        1 => who.prop_map(Step::NotReady),
    ]
}

impl World {
    fn nth_client(&self, which: usize) -> Option<ConnectionId> {
        self.clients.keys().nth(which).copied()
    }

    fn nth_monster(&self, which: usize) -> Option<NetId> {
        let monsters =
            { self.server.identities() }.filter(|it| it.behaviour::<Monster>().is_some());
        monsters.map(|it| it.net_id()).nth(which)
    }

    fn monster(&mut self, which: usize, change: impl FnOnce(&mut Monster)) {
        if let Some(id) = self.nth_monster(which)
            && let Some(mut monster) = self.server.get_mut::<Monster>(id)
        {
            change(&mut monster);
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Frame => self.frame(),
            Step::Join if self.clients.len() < 4 => {
                self.join();
            }
            Step::Join => {}
            Step::Leave(which) => {
                if let Some(connection) = self.nth_client(which) {
                    self.clients.remove(&connection);
                    self.server.handle_disconnect(connection);
                }
            }
            Step::Spawn(owner) => {
                let mut options = MirrorSpawnOptions::default();
                options.owner = owner.and_then(|which| self.nth_client(which));
                self.server.spawn_with(Monster::default(), options).unwrap();
            }
            Step::Despawn(which) => {
                if let Some(id) = self.nth_monster(which) {
                    self.server.despawn(id);
                }
            }
            Step::Hp(at, hp) => self.monster(at, |it| {
                it.hp.set(hp);
            }),
            Step::Kind(at) => self.monster(at, |it| {
                it.kind.set(Kind::Dragon);
            }),
            Step::Buff(at, key, true) => self.monster(at, |it| {
                it.buffs.insert(key, Some("x".into()));
            }),
            Step::Buff(at, key, false) => self.monster(at, |it| {
                it.buffs.remove(&key);
            }),
            Step::Tag(at, tag, true) => self.monster(at, |it| {
                it.tags.insert(Some(tag.to_string()));
            }),
            Step::Tag(at, tag, false) => self.monster(at, |it| {
                it.tags.remove(&Some(tag.to_string()));
            }),
            Step::Loot(at, to, item) => self.monster(at, |it| {
                let to = to.min(it.loot.len());
                it.loot.insert(
                    to,
                    Loot {
                        item,
                        ..Loot::default()
                    },
                );
            }),
            Step::LootGone(at) => self.monster(at, |it| {
                it.loot.pop();
            }),
            Step::Target(at, target) => {
                let target = self.nth_monster(target).unwrap_or_default();
                self.monster(at, |it| {
                    it.target.set(target.into());
                });
            }
            Step::Own(at, who) => {
                let owner = who.and_then(|which| self.nth_client(which));
                if let Some(id) = self.nth_monster(at) {
                    self.server.set_owner(id, owner);
                }
            }
            Step::Hide(at, who, hide) => {
                if let (Some(id), Some(who)) = (self.nth_monster(at), self.nth_client(who)) {
                    if hide {
                        self.server.hide(id, who);
                    } else {
                        self.server.restore(id, who);
                    }
                }
            }
            Step::Aim(who, yaw) => {
                // What is on its way when the server spawns the object again is undone, as in Mirror.
                let connection = self.nth_client(who);
                if let Some(connection) = connection.filter(|it| !self.lagging.contains(it))
                    && let Some(player) = self.client(connection).local_player()
                    && let Some(mut aim) = self.client(connection).get_mut::<Aim>(player)
                {
                    aim.yaw.set(f32::from(yaw));
                }
            }
            Step::Gold(who, gold) => {
                if let Some(player) = self
                    .nth_client(who)
                    .and_then(|it| self.server.player_of(it))
                    && let Some(mut wallet) = self.server.get_mut::<Wallet>(player)
                {
                    wallet.gold.set(gold);
                }
            }
            Step::NotReady(who) => {
                if let Some(connection) = self.nth_client(who) {
                    self.server.set_not_ready(connection);
                    self.lagging.insert(connection);
                    self.frame();
                    self.client(connection).ready();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_is_done_on_the_server_its_clients_have_in_the_end(
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut world = World::new();
        world.join();
        for step in steps {
            world.step(step);
        }
        world.settle();
        world.check();
    }
}
