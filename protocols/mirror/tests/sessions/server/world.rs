//! A world in which everything happens at random: in the end every client has what it may see.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::mirror::*;
use syncvar::{
    ConnectionId, NetId,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};

use super::net::{Aim, Chest, Net, Wallet, aim, prefabs, whole};

/// One step; numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    Spawn(usize),
    Despawn(usize),
    Gold(usize, i32),
    Secret(usize, i32),
    Push(usize, i32),
    Remove(usize, usize),
    Insert(usize, i32),
    Clear(usize),
    SetDirty(usize, usize),
    Aim(usize, i32),
    Join,
    Connect,
    Leave(usize),
    SendOff(usize),
    NotReady(usize),
    Ready(usize),
    Hide(usize, usize),
    Show(usize, usize),
    Restore(usize, usize),
    Visibility(usize, u8),
    Own(usize, usize),
    Disown(usize),
    Replace(usize),
    Move(usize, u8),
    Watch(usize, u8),
    Update,
    UpdateAtOnce,
}

fn step() -> impl Strategy<Value = Step> {
    let (which, value) = (|| 0..20usize, any::<i32>);
    prop_oneof![
        2 => which().prop_map(Step::Spawn),
        1 => which().prop_map(Step::Despawn),
        5 => (which(), value()).prop_map(|(a, b)| Step::Gold(a, b)),
        2 => (which(), value()).prop_map(|(a, b)| Step::Secret(a, b)),
        4 => (which(), value()).prop_map(|(a, b)| Step::Push(a, b)),
        1 => (which(), which()).prop_map(|(a, b)| Step::Remove(a, b)),
        1 => (which(), value()).prop_map(|(a, b)| Step::Insert(a, b)),
        1 => which().prop_map(Step::Clear),
        1 => (which(), 0..4usize).prop_map(|(a, b)| Step::SetDirty(a, b)),
        2 => (which(), value()).prop_map(|(a, b)| Step::Aim(a, b)),
        3 => Just(Step::Join),
        1 => Just(Step::Connect),
        1 => which().prop_map(Step::Leave),
        1 => which().prop_map(Step::SendOff),
        1 => which().prop_map(Step::NotReady),
        2 => which().prop_map(Step::Ready),
        2 => (which(), which()).prop_map(|(a, b)| Step::Hide(a, b)),
        2 => (which(), which()).prop_map(|(a, b)| Step::Show(a, b)),
        1 => (which(), which()).prop_map(|(a, b)| Step::Restore(a, b)),
        1 => (which(), 0..3u8).prop_map(|(a, b)| Step::Visibility(a, b)),
        2 => (which(), which()).prop_map(|(a, b)| Step::Own(a, b)),
        1 => which().prop_map(Step::Disown),
        1 => which().prop_map(Step::Replace),
        2 => (which(), any::<u8>()).prop_map(|(a, b)| Step::Move(a, b)),
        2 => (which(), any::<u8>()).prop_map(|(a, b)| Step::Watch(a, b)),
        6 => Just(Step::Update),
        1 => Just(Step::UpdateAtOnce),
    ]
}

struct World {
    net: Net,
    has_areas: bool,
    /// Those who were not ready for a while: they are not told of what goes meanwhile.
    lapsed: BTreeSet<ConnectionId>,
    /// What was said about who sees what.
    views: BTreeMap<(NetId, ConnectionId), bool>,
    visibilities: BTreeMap<NetId, Visibility>,
}

impl World {
    fn object(&self, number: usize) -> Option<NetId> {
        let ids: Vec<_> = self
            .net
            .server
            .identities()
            .map(syncvar::NetworkIdentity::net_id)
            .collect();
        (!ids.is_empty()).then(|| ids[number % ids.len()])
    }

    fn connection(&self, number: usize) -> Option<ConnectionId> {
        let connections: Vec<_> = self.net.server.connections().collect();
        (!connections.is_empty()).then(|| connections[number % connections.len()])
    }

    /// Does a step, if there is what it needs.
    fn run(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Spawn(owner) => {
                let owner = (owner % 3 == 0).then(|| self.connection(owner)).flatten();
                let options = MirrorSpawnOptions {
                    owner,
                    ..MirrorSpawnOptions::default()
                };
                self.net.server.try_spawn(whole(1), options).unwrap();
            }
            Step::Despawn(object) => {
                let object = self.object(object)?;
                self.net.server.despawn(object).unwrap();
            }
            Step::Gold(object, gold) => {
                let object = self.object(object)?;
                self.net.chest(object).gold.set(gold);
            }
            Step::Secret(object, secret) => {
                let object = self.object(object)?;
                let mut wallet = self.net.server.get_mut::<Wallet>(object).ok()?;
                wallet.secret.set(secret);
            }
            Step::Push(object, item) => {
                let object = self.object(object)?;
                self.net.chest(object).items.push(item);
            }
            Step::Remove(object, at) => {
                let object = self.object(object)?;
                let mut chest = self.net.chest(object);
                let at = at.checked_rem(chest.items.len())?;
                chest.items.remove(at);
            }
            Step::Insert(object, item) => {
                let object = self.object(object)?;
                self.net.chest(object).items.insert(0, item);
            }
            Step::Clear(object) => {
                let object = self.object(object)?;
                self.net.chest(object).items.clear();
            }
            Step::SetDirty(object, component) => {
                let object = self.object(object)?;
                let done = self.net.server.set_dirty(object, component);
                assert_eq!(done.is_ok(), component < 3);
            }
            Step::Aim(object, yaw) => self.aim(object, yaw.max(0) / 3)?,
            Step::Join => {
                self.net.join();
            }
            Step::Connect => {
                self.net.connect();
            }
            _ => return self.run_other(step),
        }
        Some(())
    }

    fn run_other(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Leave(connection) => {
                let connection = self.connection(connection)?;
                self.net.server.handle_disconnect(connection);
                self.net.clients.remove(&connection);
            }
            Step::SendOff(connection) => {
                let connection = self.connection(connection)?;
                self.net.server.disconnect(connection);
            }
            Step::NotReady(connection) => {
                let connection = self.connection(connection)?;
                self.net.server.set_not_ready(connection);
                self.lapsed.insert(connection);
            }
            Step::Ready(connection) => {
                let connection = self.connection(connection)?;
                self.net.ready(connection);
            }
            Step::Hide(object, connection) => self.view(object, connection, Some(false))?,
            Step::Show(object, connection) => self.view(object, connection, Some(true))?,
            Step::Restore(object, connection) => self.view(object, connection, None)?,
            Step::Visibility(object, visibility) => {
                let object = self.object(object)?;
                let visibility = match visibility {
                    0 => Visibility::ByDefault,
                    1 => Visibility::ForceHidden,
                    _ => Visibility::ForceShown,
                };
                self.net.server.set_visibility(object, visibility).ok();
                self.visibilities.insert(object, visibility);
            }
            Step::Own(object, connection) => {
                let (object, connection) = (self.object(object)?, self.connection(connection)?);
                self.net.server.set_owner(object, Some(connection)).ok();
            }
            Step::Disown(object) => {
                let object = self.object(object)?;
                self.net.server.set_owner(object, None).ok();
            }
            Step::Replace(connection) => {
                let connection = self.connection(connection)?;
                self.net.server.add_player(connection, whole(2)).unwrap();
            }
            Step::Move(object, x) => {
                let object = self.object(object)?;
                let turned = Quaternion::IDENTITY;
                self.net
                    .server
                    .set_transform(object, at(x), turned)
                    .unwrap();
            }
            Step::Watch(connection, x) => {
                let connection = self.connection(connection)?;
                let grid: &mut SpatialGrid = self.net.server.interest_mut().ok()?;
                grid.watch(connection, at(x)).ok()?;
            }
            Step::UpdateAtOnce => {
                let now = self.net.now;
                self.net.server.update(now);
                self.net.deliver();
            }
            _ => self.net.step(),
        }
        Some(())
    }

    fn view(&mut self, object: usize, connection: usize, view: Option<bool>) -> Option<()> {
        let (object, connection) = (self.object(object)?, self.connection(connection)?);
        let server = &mut self.net.server;
        assert!(match view {
            Some(true) => server.show(object, connection).is_ok(),
            Some(false) => server.hide(object, connection).is_ok(),
            None => server.restore(object, connection).is_ok(),
        });
        match view {
            Some(view) => self.views.insert((object, connection), view),
            None => self.views.remove(&(object, connection)),
        };
        Some(())
    }

    /// An owner turns around.
    fn aim(&mut self, object: usize, yaw: i32) -> Option<()> {
        let object = self.object(object)?;
        let owner = self.net.server.owner(object)?;
        // It knows what is on its way.
        self.net.step();
        let client = self.net.clients.get_mut(&owner)?;
        client.objects.get_mut(&object)?.yaw = yaw;
        self.net.say(owner, &[&aim(object, yaw)]).unwrap();
        assert_eq!(*self.net.server.get::<Aim>(object)?.yaw, yaw);
        Some(())
    }

    /// Whether a connection that has been shown everything is to see an object.
    fn may_see(&self, object: NetId, connection: ConnectionId) -> bool {
        if let Some(view) = self.views.get(&(object, connection)) {
            return *view;
        }
        let is_owner = self.net.server.owner(object) == Some(connection);
        self.visibilities.get(&object) != Some(&Visibility::ForceHidden) || is_owner
    }

    /// Every client has what it may see, and it is what it is on the server.
    fn check(&self) -> Result<(), TestCaseError> {
        let server = &self.net.server;
        for (connection, client) in &self.net.clients {
            let player = server.player_of(*connection);
            for identity in server.identities() {
                let id = identity.net_id();
                let observes = server.is_observer(id, *connection);
                let is_ready = server.is_ready(*connection);
                if is_ready && player.is_some() && !self.has_areas {
                    prop_assert_eq!(
                        observes,
                        self.may_see(id, *connection),
                        "{} {}",
                        connection,
                        id
                    );
                }
                prop_assert!(is_ready || !observes);
                let replica = client.objects.get(&id);
                if !observes {
                    let keeps = self.lapsed.contains(connection);
                    prop_assert!(replica.is_none() || keeps, "{} {}", connection, id);
                    continue;
                }
                let Some(replica) = replica else {
                    return Err(TestCaseError::fail(format!("{connection} has no {id}")));
                };
                let is_owner = server.owner(id) == Some(*connection);
                prop_assert_eq!(replica.flags & 1 == 1, is_owner);
                let chest: &Chest = server.get(id).unwrap();
                prop_assert_eq!(replica.gold, *chest.gold);
                prop_assert_eq!(&replica.items, &chest.items[..]);
                if is_owner {
                    let wallet: &Wallet = server.get(id).unwrap();
                    prop_assert_eq!(replica.secret, Some(*wallet.secret));
                } else {
                    let aim: &Aim = server.get(id).unwrap();
                    prop_assert_eq!(replica.yaw, *aim.yaw);
                }
            }
            if !self.lapsed.contains(connection) {
                let known = client.objects.keys();
                let gone: Vec<_> = known.filter(|id| server.identity(**id).is_none()).collect();
                prop_assert!(gone.is_empty(), "{} still has {:?}", connection, gone);
            }
        }
        Ok(())
    }
}

/// A place on a line.
fn at(x: u8) -> Vector3 {
    Vector3::new(x.into(), 0.0, 0.0)
}

fn run(net: Net, has_areas: bool, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut world = World {
        net,
        has_areas,
        lapsed: BTreeSet::new(),
        views: BTreeMap::new(),
        visibilities: BTreeMap::new(),
    };
    for step in steps {
        let is_update = matches!(step, Step::Update | Step::UpdateAtOnce);
        world.run(step);
        if is_update {
            world.check()?;
        }
    }
    world.net.step();
    world.check()?;
    // All that was dirty has been sent.
    for client in world.net.clients.values_mut() {
        client.take_log();
    }
    world.net.step();
    for client in world.net.clients.values() {
        prop_assert!(client.log.is_empty(), "{:?}", client.log);
    }
    Ok(())
}

proptest! {
    #![proptest_config(syncvar_testing::cases(300))]

    #[test]
    fn clients_have_their_visible_objects(steps in vec(step(), 0..120)) {
        run(Net::new(), false, &steps)?;
    }

    /// And where it sees some areas only, that is as it is on the server.
    #[test]
    fn clients_have_their_near_objects(steps in vec(step(), 0..120)) {
        let grid = SpatialGrid::xz(20.0, 40.0);
        let config = MirrorServerConfig::default();
        let server = MirrorServer::with_interest(prefabs(), config, grid);
        run(Net::of(server), true, &steps)?;
    }
}
