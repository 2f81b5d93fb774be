//! Random steps.

use proptest::prelude::*;
use syncvar::NetworkIdentity;
use syncvar::mirror::MirrorSpawnOptions;
use syncvar::prelude::*;

use crate::game::{Aim, Kind, Loot, Monster, Wallet};
use crate::world::World;

/// Something that happens on the server, or to it.
#[derive(Clone, Debug)]
pub(crate) enum Step {
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

/// Any of them.
pub(crate) fn step() -> impl Strategy<Value = Step> {
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
        monsters.map(NetworkIdentity::net_id).nth(which)
    }

    fn monster(&mut self, which: usize, change: impl FnOnce(&mut Monster)) {
        if let Some(id) = self.nth_monster(which)
            && let Some(mut monster) = self.server.get_mut::<Monster>(id)
        {
            change(&mut monster);
        }
    }

    pub(crate) fn step(&mut self, step: Step) {
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
                let options = MirrorSpawnOptions {
                    owner: owner.and_then(|which| self.nth_client(which)),
                    ..MirrorSpawnOptions::default()
                };
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
            other => self.step_of_clients(other),
        }
    }

    /// Those that have to do with who a client is.
    fn step_of_clients(&mut self, step: Step) {
        match step {
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
            other => unreachable!("{other:?}"),
        }
    }
}
