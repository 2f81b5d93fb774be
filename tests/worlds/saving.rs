//! Saved states: a loaded server equals the saved one, and the clients keep their objects.

mod damage;
mod journals;
mod restarts;
mod slices;

use std::time::Duration;

use syncvar::behaviour::Optional;
use syncvar::codec::Half;
use syncvar::interest::{SpatialGrid, Tag};
use syncvar::prelude::*;
use syncvar::saving::{Save, SaveError};
use syncvar::schema::Schema;
use syncvar::testing::Conditions;
use syncvar::values::{Quaternion, Vector3};
use syncvar::{NetworkSceneId, ServerConfig};
use syncvar_testing::token;

/// A unit with fields of each policy.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
    #[sync_var(read = server)]
    account: SyncVar<String>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
    #[sync_var(read = group)]
    plan: SyncList<String>,
    #[sync_var(read = others)]
    mask: SyncVar<u8>,
    #[sync_var(write = owner)]
    aim: SyncVar<i32>,
    #[sync_var(initial_only)]
    name: SyncVar<String>,
    #[sync_var]
    target: SyncVar<NetRef>,
    hooks: Vec<i32>,
}

impl Unit {
    fn on_health(&mut self, previous: i32) {
        self.hooks.push(previous);
    }
}

/// A place on an unreliable channel, with data beside the fields.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0, synchronize)]
struct Place {
    #[sync_var(with = Half)]
    x: SyncVar<f32>,
    #[sync_var(read = server)]
    seed: SyncVar<u64>,
    #[sync_var(read = owner)]
    path: SyncList<u16>,
    colour: u32,
}

impl Synchronize for Place {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        serializer.serialize_value(&mut self.colour)
    }
}

#[derive(NetworkBehaviour, Default)]
struct Shield {
    #[sync_var]
    strength: SyncVar<u32>,
    #[sync_var(read = server)]
    maker: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Unit, Place, Optional<Shield>)>("unit")
        .register::<Place>("place")
}

const RED: Tag = Tag(7);

const SCENE: NetworkSceneId = NetworkSceneId(40);

fn config() -> ServerConfig {
    ServerConfig {
        reconnect_grace: Duration::from_secs(30),
        session_tokens: Some(token),
        incarnation: 77,
        ..ServerConfig::default()
    }
}

fn unit(number: u8) -> (Unit, Place, Optional<Shield>) {
    let unit = Unit {
        health: i32::from(number).into(),
        account: format!("account {number}").into(),
        gold: u32::from(number).into(),
        plan: vec![format!("plan {number}")].into(),
        mask: number.into(),
        aim: (-i32::from(number)).into(),
        name: format!("unit {number}").into(),
        ..Unit::default()
    };
    let place = Place {
        x: f32::from(number).into(),
        seed: (1 << 40 | u64::from(number)).into(),
        path: vec![u16::from(number); 3].into(),
        colour: number.into(),
    };
    let shield = Shield {
        strength: 5.into(),
        maker: "smith".into(),
    };
    let shield = number.is_multiple_of(2).then_some(shield);
    (unit, place, shield.into())
}

/// Returns a network of two clients with objects of each kind.
fn network(link: Conditions) -> (MemoryNetwork, Vec<NetId>) {
    let mut net = MemoryNetwork::with_config(prefabs, config(), link);
    for _ in 0..2 {
        let client = net.connect();
        let scene = Place::default();
        net.client_mut(client)
            .add_scene_object(SCENE, scene)
            .unwrap();
    }
    net.settle();
    let connections = [net.connection(0), net.connection(1)];
    let ids = populate(&mut net.server, connections);
    net.settle();
    (net, ids)
}

fn populate(server: &mut NetworkServer, [ann, bob]: [ConnectionId; 2]) -> Vec<NetId> {
    let mut ids: Vec<_> = (1..=8).map(|number| server.spawn(unit(number))).collect();
    let options = SpawnOptions {
        position: Vector3::new(1.0, 2.0, 3.0),
        rotation: Some(Quaternion::new(0.0, 1.0, 0.0, 0.0)),
        hidden: true,
        ..SpawnOptions::default()
    };
    ids.push(server.try_spawn(unit(9), options).unwrap());
    ids.push(server.spawn_scene_object(SCENE, Place::default()).unwrap());
    server.despawn(ids[7]).unwrap();
    server.set_owner(ids[0], Some(ann)).unwrap();
    server.set_owner(ids[1], Some(bob)).unwrap();
    server.set_group(ids[2], Some(RED)).unwrap();
    server.join_group(bob, RED).unwrap();
    server.hide(ids[3], ann).unwrap();
    server.hide_from_all(ids[4]).unwrap();
    server.show(ids[4], bob).unwrap();
    server.show_to_all(ids[5]).unwrap();
    server.set_parent(ids[6], Some(ids[5])).unwrap();
    server
        .get_mut::<Unit>(ids[0])
        .unwrap()
        .target
        .set(ids[6].into());
    server.set_player(ann, 3, Some(ids[0])).unwrap();
    ids
}

/// Returns a new server with the state of a save, in bytes.
fn reload(save: &Save, prefabs: fn() -> Prefabs) -> NetworkServer {
    let save = Save::from_bytes(&save.to_bytes()).unwrap();
    let mut server = NetworkServer::with_config(prefabs(), config());
    server.load(&save).unwrap();
    server
}

/// Returns the objects in a save, as messages.
fn objects(save: &Save) -> Vec<Vec<u8>> {
    let items = save.keyframe().items();
    items.map(|item| item.messages.to_vec()).collect()
}

#[test]
fn loaded_server_has_every_field_and_fact_of_the_saved_one() {
    let (mut net, ids) = network(Conditions::default());
    let (ann, bob) = (net.connection(0), net.connection(1));
    // Pending changes belong to the state.
    net.server
        .get_mut::<Unit>(ids[2])
        .unwrap()
        .plan
        .push("late".into());
    let save = net.server.save().unwrap();
    let mut server = reload(&save, prefabs);
    assert_eq!(objects(&server.save().unwrap()), objects(&save));

    let former = &net.server;
    for id in ids.iter().filter(|id| **id != ids[7]) {
        assert_eq!(server.owner(*id), former.owner(*id));
        assert_eq!(server.group(*id), former.group(*id));
        for connection in [ann, bob] {
            let sees = former.is_visible(*id, connection);
            assert_eq!(
                server.is_visible(*id, connection),
                sees,
                "{id} {connection:?}"
            );
        }
        let (new, old) = (server.identity(*id).unwrap(), former.identity(*id).unwrap());
        assert_eq!(new.prefab(), old.prefab());
        assert_eq!((new.position, new.rotation), (old.position, old.rotation));
        assert_eq!(new.parent(), old.parent());
        assert_eq!(new.scene_id(), old.scene_id());
    }
    assert_eq!(server.object_count(), former.object_count());
    let read = server.get::<Unit>(ids[1]).unwrap();
    assert_eq!(
        (&**read.account, *read.gold, *read.mask, *read.aim),
        ("account 2", 2, 2, -2)
    );
    assert_eq!((&**read.name, read.hooks.len()), ("unit 2", 0));
    let place = server.get::<Place>(ids[1]).unwrap();
    assert_eq!(
        (*place.seed, place.path.to_vec(), place.colour),
        (1 << 40 | 2, vec![2; 3], 2)
    );
    assert_eq!(server.get::<Shield>(ids[1]).unwrap().maker, "smith");
    assert!(server.get::<Shield>(ids[0]).is_none());
    assert_eq!(server.get::<Unit>(ids[2]).unwrap().plan[1], "late");
    assert_eq!(server.player(ann, 3), Some(ids[0]));
    assert!(server.groups_of(bob).eq([RED]));
    assert!(server.is_away(ann) && server.is_away(bob));
    assert!(server.network_time().tick > former.network_time().tick);
    // Ids and connections continue.
    let born = net.server.spawn(unit(1));
    assert_eq!(server.spawn(unit(1)), born);
    assert_eq!(server.handle_connect(), net.server.handle_connect());
}

#[test]
fn interest_management_sees_the_loaded_objects() {
    let grid = || SpatialGrid::xz(10.0, 10.0);
    let mut server = NetworkServer::with_interest(prefabs(), config(), grid());
    let at = |x| SpawnOptions {
        position: Vector3::new(x, 0.0, 0.0),
        ..SpawnOptions::default()
    };
    let near = server.try_spawn(unit(1), at(0.0)).unwrap();
    let far = server.try_spawn(unit(2), at(500.0)).unwrap();
    server.update(Duration::from_secs(1));
    let save = server.save().unwrap();
    let mut net = MemoryNetwork::with_interest(
        prefabs,
        ServerConfig::default(),
        Conditions::default(),
        grid(),
    );
    net.server.load(&save).unwrap();
    let client = net.connect();
    let connection = net.connection(client);
    let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(0.0, 0.0, 0.0)).unwrap();
    net.settle();
    assert!(net.client(client).get::<Unit>(near).is_some());
    assert!(net.client(client).get::<Unit>(far).is_none());
}

#[test]
fn save_is_played_by_a_client_with_every_field() {
    let (mut net, ids) = network(Conditions::default());
    let save = net.server.save().unwrap();
    let schema = Schema::parse(save.schema()).unwrap();
    let mut viewer = NetworkClient::new(Prefabs::from_schema(&schema).unwrap());
    assert!(save.keyframe().is_private());
    viewer.handle_record(save.keyframe()).unwrap();
    let behaviours: Vec<_> = viewer.untyped_behaviours(ids[1]).collect();
    let account = behaviours[0].fields().find(|(name, _)| *name == "account");
    assert_eq!(account.unwrap().1.to_string(), "\"account 2\"");
}

#[test]
fn load_needs_a_new_server_and_a_readable_save() {
    let (mut net, _) = network(Conditions::default());
    let save = net.server.save().unwrap();
    assert_eq!(net.server.load(&save), Err(SaveError::NotEmpty));

    #[derive(NetworkBehaviour, Default)]
    struct Unit {
        #[sync_var]
        health: SyncVar<String>,
    }
    let mut server = NetworkServer::new(Prefabs::new().register::<Unit>("unit"));
    let error = server.load(&save).unwrap_err();
    assert!(matches!(error, SaveError::Unresolved(_)), "{error}");
    assert!(error.to_string().contains("health"), "{error}");
    // The server is as before.
    server.spawn(Unit::default());

    let mut recorded = NetworkServer::new(prefabs());
    recorded.start_recording();
    recorded.update(Duration::from_secs(1));
    let keyframe = recorded.keyframe().unwrap().clone();
    assert_eq!(
        Save::new(save.schema(), keyframe).unwrap_err(),
        SaveError::NoState
    );

    let mut server = NetworkServer::new(prefabs());
    let long = "x".repeat(40_000);
    let id = server.spawn(unit(1));
    server
        .get_mut::<crate::saving::Unit>(id)
        .unwrap()
        .account
        .set(long);
    let error = server.save().unwrap_err();
    assert!(error.to_string().contains("account"), "{error}");
}
