//! A world in which everything happens at random: in the end every client has what it may see, as the
//! server has it, and nobody has been sent what is not for it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{
    NetworkIdentity,
    error::ObjectError,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};

use syncvar_testing::mirror::{FRAME, MirrorNetwork};

use super::net::{Bag, Body, Diary, FoundNetwork, Hands, Whole, network_of, slow_prefabs};
use super::steps::{Step, step};

/// Numbers from here on are found in the bytes of whoever is sent them.
const SECRET: u64 = 0xa5c3_0000_0000_0000;

struct World {
    net: MirrorNetwork,
    /// Those that were not ready once: as in Mirror, they keep what goes meanwhile.
    lapsed: BTreeSet<ConnectionId>,
    secrets: u64,
    /// Who has owned what since the last frame.
    owned: BTreeSet<(ConnectionId, NetId)>,
}

impl World {
    fn new(interest: bool) -> Self {
        let config = MirrorServerConfig::default();
        let server = if interest {
            MirrorServer::with_interest(slow_prefabs(), config, SpatialGrid::xz(10.0, 10.0))
        } else {
            MirrorServer::with_config(slow_prefabs(), config)
        };
        Self {
            net: network_of(server, slow_prefabs),
            lapsed: BTreeSet::new(),
            secrets: SECRET,
            owned: BTreeSet::new(),
        }
    }

    fn object(&self, number: usize) -> Option<NetId> {
        let ids: Vec<_> = self
            .net
            .server
            .identities()
            .map(NetworkIdentity::net_id)
            .collect();
        ids.get(number.checked_rem(ids.len())?).copied()
    }

    fn who(&self, number: usize) -> Option<ConnectionId> {
        let all: Vec<_> = self.net.server.connections().collect();
        all.get(number.checked_rem(all.len())?).copied()
    }

    fn connect(&mut self, kcp: bool) {
        let limits = if kcp { Limits::KCP } else { Limits::TELEPATHY };
        self.net.limits = limits;
        self.net.connect();
    }

    fn frame(&mut self, passed: u64) {
        self.net.advance(Duration::from_millis(passed));
        self.net.send_all();
        self.net.server.update(self.net.now);
        self.note_owners();
        let secrets = self.secrets();
        self.net.take_packets();
        self.net.deliver();
        for packet in self.net.take_packets() {
            for (id, secret) in &secrets {
                let is_sent = packet.bytes.windows(8).any(|it| it == secret.to_le_bytes());
                let may_know = self.owned.contains(&(packet.connection, *id));
                assert!(
                    !is_sent || may_know,
                    "{} is sent the secret of {id}",
                    packet.connection
                );
            }
        }
        self.owned.clear();
        self.note_owners();
        for event in self.net.events() {
            let text = format!("{event:?}");
            let wrong = ["StateRefused", "Failed", "TooLong"];
            assert!(!wrong.iter().any(|word| text.contains(word)), "{text}");
        }
    }

    fn secrets(&self) -> BTreeMap<NetId, u64> {
        let all = self.net.server.identities();
        let secrets = all.filter_map(|it| Some((it.net_id(), *it.behaviour::<Bag>()?.coins)));
        secrets.filter(|(_, secret)| *secret >= SECRET).collect()
    }

    fn note_owners(&mut self) {
        for identity in self.net.server.identities() {
            let id = identity.net_id();
            let owner = self.net.server.owner(id);
            self.owned.extend(owner.map(|owner| (owner, id)));
        }
    }

    fn run(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Frame => self.frame(20),
            Step::Again => self.frame(0),
            Step::Connect(kcp) => self.connect(kcp),
            Step::AddPlayer(who) => {
                let who = self.who(who)?;
                self.net.server.add_player(who, Whole::default()).unwrap();
            }
            Step::Leave(who) => {
                let who = self.who(who)?;
                self.net.server.handle_disconnect(who);
                self.net.clients.remove(&who);
            }
            Step::SendOff(who) => {
                let who = self.who(who)?;
                self.net.server.disconnect(who);
            }
            Step::NotReady(who) => {
                let who = self.who(who)?;
                self.net.server.set_not_ready(who);
                self.lapsed.insert(who);
            }
            Step::Ready(who) => {
                let who = self.who(who)?;
                self.net.clients.get_mut(&who)?.ready();
            }
            Step::Spawn { owner, calls } => {
                let owner = owner.and_then(|owner| self.who(owner));
                let options = MirrorSpawnOptions {
                    owner,
                    ..MirrorSpawnOptions::default()
                };
                let mut whole = Whole::default();
                whole.0.leaves = calls;
                whole.0.health = if calls { -1 } else { 5 }.into();
                whole.1.items = [1, 2].into();
                whole.2.held = [3].into();
                self.net.server.try_spawn(whole, options).unwrap();
            }
            Step::Despawn(at) => {
                let at = self.object(at)?;
                self.net.server.despawn(at).unwrap();
            }
            _ => {
                self.write(step)?;
                self.note_owners();
                self.look(step)?;
            }
        }
        self.note_owners();
        Some(())
    }

    /// What the server writes.
    fn write(&mut self, step: &Step) -> Option<()> {
        let (Step::Health(at, _)
        | Step::Effect(at, ..)
        | Step::EffectGone(at, _)
        | Step::EffectsGone(at)
        | Step::Replaced(at, ..)
        | Step::Tag(at, ..)
        | Step::Name(at, ..)
        | Step::Friend(at, _)
        | Step::Secret(at)
        | Step::Item(at, _)
        | Step::ItemGone(at)
        | Step::SetDirty(at, _)
        | Step::Prepare(at, _)) = *step
        else {
            return Some(());
        };
        let id = self.object(at)?;
        match *step {
            Step::Health(_, health) => drop(self.net.body(id).health.set(health)),
            Step::Effect(_, to, effect) => {
                let mut body = self.net.body(id);
                let to = to.min(body.effects.len());
                body.effects.insert(to, effect);
            }
            Step::EffectGone(_, to) => {
                let mut body = self.net.body(id);
                let to = to.checked_rem(body.effects.len())?;
                body.effects.remove(to);
            }
            Step::EffectsGone(_) => self.net.body(id).effects.clear(),
            Step::Replaced(_, which, length) => match which {
                0 => self.net.body(id).effects = (0..length).collect(),
                1 => self.net.body(id).tags = (0..length).collect(),
                2 => {
                    let names = (0..length).map(|key| (key, "y".into()));
                    self.net.body(id).names = names.collect();
                }
                _ => self.net.bag(id).items = (0..length).collect(),
            },
            Step::Tag(_, tag, true) => drop(self.net.body(id).tags.insert(tag)),
            Step::Tag(_, tag, false) => drop(self.net.body(id).tags.remove(&tag)),
            Step::Name(_, key, true) => drop(self.net.body(id).names.insert(key, "x".into())),
            Step::Name(_, key, false) => drop(self.net.body(id).names.remove(&key)),
            Step::Friend(_, friend) => {
                let friend = self.object(friend)?;
                self.net.body(id).friend.set(friend.into());
            }
            Step::Secret(_) => {
                self.secrets += 1;
                let secret = self.secrets;
                self.net.bag(id).coins.set(secret);
            }
            Step::Item(_, item) => self.net.bag(id).items.push(item),
            Step::ItemGone(_) => {
                let mut bag = self.net.bag(id);
                if !bag.items.is_empty() {
                    bag.items.remove(0);
                }
            }
            Step::SetDirty(_, component) => {
                assert!(self.net.server.set_dirty(id, component).is_ok());
            }
            // It is not for the owner, if there is one.
            _ if self.net.server.owner(id).is_some() => {}
            Step::Prepare(_, value) => {
                self.net.hands(id).grip.set(value);
                self.net.hands(id).held.push(value);
            }
            _ => {}
        }
        Some(())
    }

    /// What an owner writes to an object; it has been told everything, and is ready.
    fn owner_writes(
        &mut self,
        at: usize,
        write: impl FnOnce(&mut MirrorClient, NetId),
    ) -> Option<()> {
        let id = self.object(at)?;
        self.frame(20);
        let owner = self.net.server.owner(id)?;
        let is_current = self.net.server.is_observer(id, owner);
        let client = self.net.clients.get_mut(&owner)?;
        if !is_current || !client.is_ready() {
            return None;
        }
        assert!(client.is_owned(id));
        write(client, id);
        // As long as its interval takes nobody else may have the object.
        (0..5).for_each(|_| {
            self.net.advance(FRAME);
            self.net.send(owner);
        });
        Some(())
    }

    /// What has to do with clients.
    fn look(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Grip(at, grip) => self.owner_writes(at, |client, id| {
                client.get_mut::<Hands>(id).unwrap().grip.set(grip);
            }),
            Step::Held(at, held) => self.owner_writes(at, |client, id| {
                let mut hands = client.get_mut::<Hands>(id).unwrap();
                if held % 3 == 0 && !hands.held.is_empty() {
                    hands.held.remove(0);
                } else {
                    hands.held.push(held);
                }
            }),
            Step::Diary(at, page) => self.owner_writes(at, |client, id| {
                let mut diary = client.get_mut::<Diary>(id).unwrap();
                diary.page.set(page);
                diary.lines.insert(0, page);
            }),
            Step::Own(at, owner) => {
                let owner = owner.and_then(|owner| self.who(owner));
                let id = self.object(at)?;
                self.net.server.set_owner(id, owner).ok()
            }
            Step::Take(at, who) => self.call(at, who, None),
            Step::End(at, who, what) => self.call(at, who, Some(what)),
            Step::Hide(at, who) => self.view(at, who, MirrorServer::hide),
            Step::Show(at, who) => self.view(at, who, MirrorServer::show),
            Step::Restore(at, who) => self.view(at, who, MirrorServer::restore),
            Step::ShownAgain(at) => {
                let id = self.object(at)?;
                let owner = self.net.server.owner(id)?;
                self.net.server.hide(id, owner).ok();
                self.net.server.restore(id, owner).ok()
            }
            Step::Visibility(at, visibility) => {
                let visibility = match visibility {
                    0 => Visibility::ByDefault,
                    1 => Visibility::ForceHidden,
                    _ => Visibility::ForceShown,
                };
                let id = self.object(at)?;
                self.net.server.set_visibility(id, visibility).ok()
            }
            Step::Move(at, x) => {
                let place = Vector3::new(10.0 * f32::from(x), 0.0, 0.0);
                let (id, turned) = (self.object(at)?, Quaternion::IDENTITY);
                self.net.server.set_transform(id, place, turned).ok()
            }
            Step::Watch(who, x) => {
                let place = Vector3::new(10.0 * f32::from(x), 0.0, 0.0);
                let who = self.who(who)?;
                let grid: &mut SpatialGrid = self.net.server.interest_mut().ok()?;
                grid.watch(who, place).ok()
            }
            _ => Some(()),
        }
    }

    /// A client calls the server, if it may.
    fn call(&mut self, at: usize, who: usize, end: Option<u8>) -> Option<()> {
        let (id, who) = (self.object(at)?, self.who(who)?);
        let client = self.net.clients.get_mut(&who)?;
        let calls = client.calls::<Body>(id);
        let called = match end {
            None => calls.cmd_take(),
            Some(what) => calls.cmd_end(what),
        };
        if called.is_ok() {
            self.net.send(who);
        }
        Some(())
    }

    fn view(
        &mut self,
        at: usize,
        who: usize,
        view: impl FnOnce(&mut MirrorServer, NetId, ConnectionId) -> Result<(), ObjectError>,
    ) -> Option<()> {
        let (id, who) = (self.object(at)?, self.who(who)?);
        view(&mut self.net.server, id, who).ok()
    }

    /// Every client has what it observes, as the server has it.
    fn check(&mut self) -> Result<(), TestCaseError> {
        for (connection, client) in &mut self.net.clients {
            let server = &self.net.server;
            for identity in server.identities() {
                let id = identity.net_id();
                if !server.is_observer(id, *connection) {
                    let keeps = self.lapsed.contains(connection);
                    prop_assert!(keeps || client.identity(id).is_none(), "{connection} {id}");
                    continue;
                }
                prop_assert!(client.identity(id).is_some(), "{connection} has no {id}");
                let owned = server.owner(id) == Some(*connection);
                prop_assert_eq!(client.is_owned(id), owned, "{} {}", connection, id);
                let (ours, theirs) = (
                    view(server.identity(id), owned),
                    view(client.identity(id), owned),
                );
                prop_assert_eq!(theirs, ours, "{} {}", connection, id);
            }
            if !self.lapsed.contains(connection) {
                let known = client.identities().map(NetworkIdentity::net_id);
                let gone: Vec<_> = known.filter(|id| server.identity(*id).is_none()).collect();
                prop_assert!(gone.is_empty(), "{connection} still has {gone:?}");
            }
            while let Some(event) = client.poll_event() {
                let text = format!("{event:?}");
                let wrong = ["Mismatch", "Failed", "Unsendable"];
                prop_assert!(!wrong.iter().any(|word| text.contains(word)), "{text}");
            }
            prop_assert_eq!(client.stats().unknown_objects, 0, "{}", connection);
            prop_assert_eq!(client.stats().unknown_calls, 0);
        }
        Ok(())
    }
}

/// What an object is, as text; to the owner, if that is asked for.
fn view(object: Option<NetworkIdentity<'_>>, owned: bool) -> String {
    let object = object.unwrap();
    let body: &Body = object.behaviour().unwrap();
    let hands: &Hands = object.behaviour().unwrap();
    let tags: BTreeSet<_> = body.tags.iter().collect();
    let names: BTreeMap<_, _> = body.names.iter().collect();
    let text = format!(
        "{} {:?} {tags:?} {names:?} {:?}, {} {:?}",
        *body.health,
        body.effects,
        body.friend.id(),
        *hands.grip,
        hands.held
    );
    if !owned {
        return text;
    }
    let bag: &Bag = object.behaviour().unwrap();
    let diary: &Diary = object.behaviour().unwrap();
    let own = (*bag.coins, &bag.items, *diary.page, &diary.lines);
    format!("{text}, {own:?}")
}

proptest! {
    #[test]
    fn random_steps_leave_each_client_with_its_state_only(
        interest in any::<bool>(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut world = World::new(interest);
        world.connect(false);
        world.frame(20);
        for step in &steps {
            world.run(step);
        }
        (0..8).for_each(|_| world.frame(20));
        world.check()?;
    }
}
