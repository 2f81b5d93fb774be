//! Whatever happens, and whatever is lost, late, twice or out of order: after a baseline everybody has what
//! the server has.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::NetworkIdentity;
use syncvar::mirror::*;
use syncvar::prelude::*;

use super::net::{Aim, Body, Car, Fuel, HybridNetwork, Name, SECOND, joined, network};
use syncvar_testing::mirror::{Dice, Link, MirrorNetwork, Quality};

/// Something that happens; numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    Frames(u64),
    Join(bool),
    Leave(usize),
    NotReady(usize),
    Spawn,
    Despawn(usize),
    X(usize, i32),
    Y(usize, i32),
    Name(usize, u8),
    Fuel(usize, i32),
    /// What the server writes to what an owner is to write.
    Turn(usize, i32),
    /// What the owner writes.
    Aim(usize, i32),
    SetDirty(usize, usize),
    Own(usize, Option<usize>),
    View(usize, usize, Option<bool>),
    Link(u64, u64, u64),
}

fn step() -> impl Strategy<Value = Step> {
    let (what, who, value) = (|| 0..4_usize, || 0..4_usize, any::<i32>);
    prop_oneof![
        8 => (1..60_u64).prop_map(Step::Frames),
        8 => (1..4_u64).prop_map(Step::Frames),
        2 => any::<bool>().prop_map(Step::Join),
        1 => who().prop_map(Step::Leave),
        1 => who().prop_map(Step::NotReady),
        2 => Just(Step::Spawn),
        1 => what().prop_map(Step::Despawn),
        6 => (what(), value()).prop_map(|(what, value)| Step::X(what, value)),
        3 => (what(), value()).prop_map(|(what, value)| Step::Y(what, value)),
        2 => (what(), any::<u8>()).prop_map(|(what, value)| Step::Name(what, value)),
        4 => (what(), value()).prop_map(|(what, value)| Step::Fuel(what, value)),
        1 => (what(), value()).prop_map(|(what, value)| Step::Turn(what, value)),
        6 => (what(), value()).prop_map(|(what, value)| Step::Aim(what, value)),
        1 => (what(), 0..4_usize).prop_map(|(what, index)| Step::SetDirty(what, index)),
        3 => (what(), proptest::option::of(who())).prop_map(|(what, who)| Step::Own(what, who)),
        4 => (what(), who(), any::<Option<bool>>()).prop_map(|(what, who, view)| Step::View(what, who, view)),
        2 => (0..100_u64, 0..50_u64, 0..8_u64).prop_map(|(lost, twice, delay)| Step::Link(lost, twice, delay)),
    ]
}

struct World {
    net: MirrorNetwork,
    dice: Dice,
    quality: Quality,
    /// Whoever has once owned what: what an owner writes and loses then is its own.
    owned: BTreeSet<(ConnectionId, NetId)>,
    /// Whoever was not ready once keeps what goes meanwhile, as in Mirror.
    lapsed: BTreeSet<ConnectionId>,
}

impl World {
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
        let all: Vec<_> = self.net.clients.keys().copied().collect();
        all.get(number.checked_rem(all.len())?).copied()
    }

    fn improve(&mut self) {
        let quality = self.quality;
        self.net.quality(quality);
    }

    fn take(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Frames(count) => self.net.frames(count),
            Step::Join(kcp) => {
                let limits = if kcp { Limits::KCP } else { Limits::TELEPATHY };
                self.net.limits = limits;
                let connection = self.net.connect();
                let seeds = [(); 2].map(|()| self.dice.below(u64::MAX));
                self.net.links.insert(connection, seeds.map(Link::new));
                self.improve();
            }
            Step::Leave(who) => self.leave(self.who(who)?),
            Step::NotReady(who) => {
                let who = self.who(who)?;
                self.lapsed.insert(who);
                self.net.server.set_not_ready(who);
            }
            Step::Spawn => {
                self.net.server.spawn(Car::default());
            }
            Step::Despawn(what) => {
                let id = self.object(what)?;
                self.net.server.despawn(id).ok();
            }
            Step::Own(what, who) => {
                let (id, owner) = (self.object(what)?, who.and_then(|who| self.who(who)));
                self.net.server.set_owner(id, owner).ok();
                self.owned.extend(owner.map(|owner| (owner, id)));
            }
            Step::View(what, who, view) => {
                let (id, who) = (self.object(what)?, self.who(who)?);
                match view {
                    Some(true) => self.net.server.show(id, who),
                    Some(false) => self.net.server.hide(id, who),
                    None => self.net.server.restore(id, who),
                }
                .ok();
            }
            Step::Link(lost, twice, delay) => {
                self.quality = Quality {
                    lost,
                    twice,
                    delay,
                    ..Quality::default()
                };
                self.improve();
            }
            _ => self.write(step)?,
        }
        Some(())
    }

    fn write(&mut self, step: &Step) -> Option<()> {
        let (Step::X(what, _)
        | Step::Y(what, _)
        | Step::Name(what, _)
        | Step::Fuel(what, _)
        | Step::Turn(what, _)
        | Step::Aim(what, _)
        | Step::SetDirty(what, _)) = *step
        else {
            return None;
        };
        let id = self.object(what)?;
        let server = &mut self.net.server;
        match *step {
            Step::X(_, value) => server.get_mut::<Body>(id).ok()?.x.set(value),
            Step::Y(_, value) => server.get_mut::<Body>(id).ok()?.y.set(value),
            Step::Name(_, value) => server.get_mut::<Name>(id).ok()?.name.set(value.to_string()),
            Step::Fuel(_, value) => server.get_mut::<Fuel>(id).ok()?.left.set(value),
            // What an owner is to write and others write too is what is written last, wherever that was.
            Step::Turn(_, value) if server.owner(id).is_none() => {
                server.get_mut::<Aim>(id).ok()?.yaw.set(value)
            }
            Step::SetDirty(_, index) => server.set_dirty(id, index).is_ok(),
            Step::Aim(_, value) => {
                let owner = server.owner(id)?;
                let client = self.net.clients.get_mut(&owner)?;
                client.get_mut::<Aim>(id).ok()?.yaw.set(value)
            }
            _ => false,
        };
        Some(())
    }

    fn leave(&mut self, who: ConnectionId) {
        self.net.server.handle_disconnect(who);
        self.net.clients.remove(&who);
        self.net.links.remove(&who);
    }

    /// Everybody who is not ready is again, what was written has time for a baseline of its owner's and one
    /// of the server's, and all that is reliable arrives.
    fn settle(&mut self) {
        self.net.frames(10);
        for client in self.net.clients.values_mut() {
            client.ready();
        }
        self.net.frames(2 * SECOND + 20);
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        for (who, client) in &self.net.clients {
            for object in self.net.server.identities() {
                let id = object.net_id();
                let seen = client.identity(id);
                let observed = self.net.server.is_observer(id, *who);
                if !observed {
                    prop_assert!(seen.is_none() || self.lapsed.contains(who), "{who} {id}");
                    continue;
                }
                let owned = self.net.server.owner(id) == Some(*who);
                prop_assert_eq!(client.is_owned(id), owned);
                let theirs = |it: NetworkIdentity<'_>| {
                    let (body, name) = (it.behaviour::<Body>(), it.behaviour::<Name>());
                    let name = name.map(|it| it.name.to_string());
                    (body.map(|it| (*it.x, *it.y)), name)
                };
                let seen = seen.expect("it is observed");
                prop_assert_eq!(theirs(seen), theirs(object), "{} {}", who, id);
                let fuel = |it: NetworkIdentity<'_>| it.behaviour::<Fuel>().map(|it| *it.left);
                prop_assert!(!owned || fuel(seen) == fuel(object), "{who} {id}");
                let yaw = |it: NetworkIdentity<'_>| it.behaviour::<Aim>().map(|it| *it.yaw);
                if !self.owned.contains(&(*who, id)) {
                    prop_assert_eq!(yaw(seen), yaw(object), "{} {}", who, id);
                }
            }
            let stats = client.stats();
            prop_assert_eq!(stats.mismatches, 0);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(96))]

    #[test]
    fn all_clients_equal_the_server_after_a_baseline(
        seed in any::<u64>(),
        steps in vec(step(), 1..60),
    ) {
        let mut world = World {
            net: network(),
            dice: Dice(seed | 1),
            quality: Quality::default(),
            owned: BTreeSet::new(),
            lapsed: BTreeSet::new(),
        };
        for step in [Step::Join(true), Step::Join(false), Step::Spawn, Step::Spawn, Step::Frames(3)] {
            world.take(&step);
        }
        for step in &steps {
            world.take(step);
        }
        world.settle();
        world.check()?;
        // And it stays so.
        world.net.states();
        world.net.frames(SECOND);
        prop_assert_eq!(world.net.states(), Vec::<String>::new());
        world.check()?;
    }

    /// One owner of one object, which it keeps: what it writes is what everybody has in the end.
    #[test]
    fn last_owner_write_wins_on_all_clients(
        seed in any::<u64>(),
        writes in vec((any::<i32>(), 0..30_u64), 1..20),
        (lost, twice, delay) in (0..101_u64, 0..50_u64, 0..8_u64),
    ) {
        let (mut net, all) = joined::<3>();
        let car = net.server.spawn(Car::default());
        net.server.set_owner(car, Some(all[0])).ok();
        net.frames(2);
        for connection in all {
            let seeds = [seed, seed.rotate_left(7)].map(|seed| seed ^ u64::from(connection.0));
            net.links.insert(connection, seeds.map(Link::new));
        }
        net.quality(Quality { lost, twice, delay, ..Quality::default() });
        let mut last = 0;
        for (yaw, frames) in writes {
            net.client(all[0]).get_mut::<Aim>(car).unwrap().yaw.set(yaw);
            net.frames(frames);
            last = yaw;
        }
        net.frames(2 * SECOND + 20);
        prop_assert_eq!(*net.server.get::<Aim>(car).unwrap().yaw, last);
        for client in all {
            prop_assert_eq!(*net.seen::<Aim>(client, car).yaw, last);
        }
    }
}
