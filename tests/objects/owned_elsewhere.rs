//! Programs that own their data elsewhere: batches, reserved ids, and callbacks as events.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{Callbacks, ClientConfig, Framing, ServerConfig};

#[derive(NetworkBehaviour, Default, Clone, Debug)]
#[network_behaviour(send_interval = 0, lifecycle)]
struct Unit {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
    #[sync_var(write = owner)]
    aim: SyncVar<i32>,
    #[sync_var(write = owner, server_override)]
    mode: SyncVar<i32>,
    #[sync_var(read = owner)]
    gold: SyncVar<i32>,
    #[sync_var(with = syncvar::codec::Half)]
    speed: SyncVar<f32>,
    #[sync_var]
    items: SyncList<u32>,
    #[sync_var]
    target: SyncVar<NetRef>,
    log: Vec<String>,
}

impl Unit {
    fn on_health(&mut self, previous: i32) {
        self.log.push(format!("{previous} -> {}", self.health));
    }
}

#[network_calls]
impl Unit {
    #[command]
    fn hit(&mut self, ctx: &mut CallContext<'_>, points: i32) {
        assert!(points >= 0, "negative");
        self.health -= points;
        let (id, sender) = (ctx.net_id(), ctx.sender());
        self.log
            .push(format!("hit {id} {sender:?} {}", ctx.is_server()));
    }

    #[client_rpc]
    fn flash(&mut self, colour: String) {
        self.log.push(format!("flash {colour}"));
    }
}

impl NetworkLifecycle for Unit {
    fn on_network_spawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.log.push("spawned".into());
        Ok(())
    }
}

#[derive(NetworkBehaviour, Default, Clone, Debug)]
struct Hat {
    #[sync_var]
    size: SyncVar<u8>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<(Hat, Unit, Unit)>("twins")
}

fn client_config(framing: Framing) -> ClientConfig {
    ClientConfig {
        framing,
        callbacks: Callbacks::Events,
        ..ClientConfig::default()
    }
}

/// A server and a client, both with callbacks as events.
fn network(framing: Framing) -> MemoryNetwork {
    let config = ServerConfig {
        callbacks: Callbacks::Events,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.connect_client(NetworkClient::with_config(
        prefabs(),
        client_config(framing),
    ));
    net.settle();
    net
}

fn each(test: impl Fn(MemoryNetwork)) {
    for framing in [Framing::Compact, Framing::Unet] {
        test(network(framing));
    }
}

/// Assigns, and returns the positions with the changed and the refused fields.
fn assign(
    net: &mut MemoryNetwork,
    index: Option<usize>,
    from: &mut [(NetId, &mut Unit)],
) -> Vec<(usize, u64, u64)> {
    let mut told = Vec::new();
    net.server.assign_all(index, from, |position, taken| {
        let taken = taken.unwrap();
        told.push((position, taken.changed, taken.refused));
    });
    told
}

#[test]
fn batch_sends_the_fields_that_differ() {
    each(|mut net| {
        let mut own: Vec<Unit> = (0..40).map(|_| Unit::default()).collect();
        let ids: Vec<NetId> = own
            .iter()
            .map(|unit| net.server.spawn(unit.clone()))
            .collect();
        net.settle();
        net.client_mut(0).drain_received::<Unit>(|_, _, _, _| {});
        let mut batch: Vec<_> = ids.iter().copied().zip(&mut own).collect();
        assert!(assign(&mut net, None, &mut batch).is_empty());
        own[3].health += 5;
        own[20].items.push(7);
        own[39].speed.set(0.000_000_001);
        let mut batch: Vec<_> = ids.iter().copied().zip(&mut own).collect();
        assert_eq!(
            assign(&mut net, None, &mut batch),
            [(3, 1, 0), (20, 1 << 5, 0)]
        );
        assert!(own.iter().all(|unit| unit.sync_var_dirty_bits() == 0));
        net.settle();
        let mut received = Vec::new();
        net.client_mut(0)
            .drain_received::<Unit>(|id, index, unit, fields| {
                received.push((id, index, *unit.health, unit.items.len(), fields));
            });
        assert_eq!(received, [(ids[3], 0, 5, 0, 1), (ids[20], 0, 0, 1, 1 << 5)]);
        net.client_mut(0)
            .drain_received::<Unit>(|_, _, _, _| panic!("drained already"));
    });
}

#[test]
fn batch_reports_missing_objects_and_uses_the_position() {
    let mut net = network(Framing::Compact);
    let twins = net
        .server
        .spawn((Hat::default(), Unit::default(), Unit::default()));
    let mut own = [Unit::default(), Unit::default()];
    own[0].health += 1;
    let [first, second] = &mut own;
    let mut told = Vec::new();
    let batch = &mut [(twins, first), (NetId(99), second)];
    net.server.assign_all(Some(2), batch, |position, taken| {
        told.push((position, taken.map(|taken| taken.changed)));
    });
    let missing = syncvar::error::ObjectError::NoSuchObject(NetId(99));
    assert_eq!(told, [(0, Ok(1)), (1, Err(missing))]);
    assert_eq!(net.server.get_at::<Unit>(twins, 2).unwrap().health, 1);
    assert_eq!(net.server.get_at::<Unit>(twins, 1).unwrap().health, 0);
    let mut hats = [(twins, &mut Unit::default())];
    let mut errors = 0;
    let count = |_: usize, taken: Result<_, _>| errors += usize::from(taken.is_err());
    net.server.assign_all(Some(0), &mut hats, count);
    assert_eq!(errors, 1);
}

#[test]
fn fields_of_the_owner_are_refused_and_given_back() {
    each(|mut net| {
        let id = net.server.spawn(Unit::default());
        net.settle();
        let owner = net.connection(0);
        assert!(net.server.owner(id).is_none());
        let _ = net.server.set_owner(id, Some(owner));
        net.settle();
        net.client_mut(0).get_mut::<Unit>(id).unwrap().aim.set(4);
        net.settle();
        let mut own = Unit::default();
        own.aim.set(9);
        own.mode.set(3);
        own.gold.set(2);
        let told = assign(&mut net, None, &mut [(id, &mut own)]);
        assert_eq!(told, [(0, 0b1100, 0b10)]);
        assert_eq!((*own.aim, own.sync_var_dirty_bits()), (4, 0));
        net.settle();
        let client = net.client(0).get::<Unit>(id).unwrap();
        assert_eq!((*client.aim, *client.mode, *client.gold), (4, 3, 2));
    });
}

#[test]
fn neither_hooks_nor_lifecycle_run_on_the_objects() {
    each(|mut net| {
        let id = net.server.spawn(Unit::default());
        net.settle();
        net.server.get_mut::<Unit>(id).unwrap().health.set(3);
        net.settle();
        assert!(net.server.get::<Unit>(id).unwrap().log.is_empty());
        assert!(net.client(0).get::<Unit>(id).unwrap().log.is_empty());
        // Hooks run on the program's own value.
        let mut own = Unit::default();
        net.client_mut(0)
            .drain_received::<Unit>(|_, _, unit, fields| {
                let taken = own.take_changes(unit, fields);
                NetworkContext::detached(|ctx| own.call_hooks(taken.previous, ctx));
            });
        assert_eq!(own.log, ["0 -> 3"]);
    });
}

#[test]
fn command_is_an_event_that_runs_on_the_own_value() {
    each(|mut net| {
        let owner = net.connection(0);
        let options = SpawnOptions {
            owner: Some(owner),
            ..SpawnOptions::default()
        };
        let id = net.server.try_spawn(Unit::default(), options).unwrap();
        net.settle();
        net.client_mut(0).calls::<Unit>(id).hit(5).unwrap();
        net.client_mut(0).calls::<Unit>(id).hit(-1).unwrap();
        net.settle();
        let called: Vec<_> = std::iter::from_fn(|| net.server.poll_event())
            .filter_map(|event| match event {
                ServerEvent::Called(called) => Some(called),
                _ => None,
            })
            .collect();
        let [hit, bad] = &called[..] else {
            panic!("{called:?}");
        };
        assert_eq!(
            (hit.object(), hit.name(), hit.sender()),
            (id, "hit", Some(owner))
        );
        let mut own = Unit::default();
        net.server.run_call(&mut own, hit).unwrap();
        assert_eq!(own.health, -5);
        assert_eq!(own.log, [format!("hit {id} {:?} true", Some(owner))]);
        assert_eq!(
            net.server.run_call(&mut own, bad).unwrap_err().message,
            "negative"
        );
        assert!(net.server.run_call(&mut Hat::default(), hit).is_err());
        assert_eq!(net.server.get::<Unit>(id).unwrap().health, 0);
    });
}

#[test]
fn foreign_command_is_refused_before_the_event() {
    let mut net = network(Framing::Compact);
    let id = net.server.spawn(Unit::default());
    net.settle();
    assert!(net.client_mut(0).calls::<Unit>(id).hit(5).is_err());
    net.settle();
    let called = |event| matches!(event, ServerEvent::Called(_));
    assert!(!std::iter::from_fn(|| net.server.poll_event()).any(called));
}

#[test]
fn call_of_the_server_is_an_event_on_the_client() {
    each(|mut net| {
        let id = net.server.spawn(Unit::default());
        net.settle();
        net.server.calls::<Unit>(id).flash("red".into()).unwrap();
        net.settle();
        let client = net.client_mut(0);
        let called = syncvar_testing::events(client).find_map(|event| match event {
            ClientEvent::Called(called) => Some(called),
            _ => None,
        });
        let (called, mut own) = (called.unwrap(), Unit::default());
        assert!(called.is_of::<Unit>() && !called.is_of::<Hat>());
        client.run_call(&mut own, &called).unwrap();
        assert_eq!(own.log, ["flash red"]);
    });
}

#[test]
fn host_reports_changes_and_calls_as_events() {
    let mut net = network(Framing::Compact);
    net.server.connect_local();
    let mut own = Unit::default();
    let id = net.server.spawn(own.clone());
    net.settle();
    own.health += 2;
    assign(&mut net, None, &mut [(id, &mut own)]);
    net.server.calls::<Unit>(id).flash("blue".into()).unwrap();
    net.settle();
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_local_event()).collect();
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { .. });
    let called = |event: &ClientEvent| matches!(event, ClientEvent::Called(_));
    assert!(events.iter().any(changed), "{events:?}");
    assert!(events.iter().any(called), "{events:?}");
    assert!(net.server.get::<Unit>(id).unwrap().log.is_empty());
}

#[test]
fn reserved_id_is_used_once_and_may_be_referenced_before() {
    each(|mut net| {
        let (one, two) = (
            net.server.reserve_id().unwrap(),
            net.server.reserve_id().unwrap(),
        );
        let other = net.server.spawn(Unit::default());
        assert!(one != two && other != one && other != two);
        let at = |id| SpawnOptions {
            net_id: Some(id),
            ..SpawnOptions::default()
        };
        let first = Unit {
            target: NetRef::reserved(two).into(),
            ..Unit::default()
        };
        net.server.try_spawn(first, at(one)).unwrap();
        net.server.try_spawn(Unit::default(), at(two)).unwrap();
        assert!(net.server.try_spawn(Unit::default(), at(one)).is_err());
        net.settle();
        let client = net.client(0);
        let target = client.get::<Unit>(one).unwrap().target.try_get(client);
        assert_eq!(target.map(syncvar::NetworkIdentity::net_id), Some(two));
    });
}

#[test]
fn removed_objects_are_not_drained() {
    let mut net = network(Framing::Compact);
    let ids = [(); 2].map(|()| net.server.spawn(Unit::default()));
    net.settle();
    let _ = net.server.despawn(ids[0]);
    net.settle();
    let mut drained = Vec::new();
    net.client_mut(0)
        .drain_received::<Unit>(|id, _, _, _| drained.push(id));
    assert_eq!(drained, [ids[1]]);
}

#[test]
fn types_of_a_generic_behaviour_are_drained_apart() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Part<T: syncvar::SyncValue + Default + PartialEq> {
        #[sync_var]
        value: SyncVar<T>,
    }

    let prefabs = || {
        Prefabs::new()
            .register::<(Part<u32>, Part<String>)>("unit")
            .behaviour_name::<Part<u32>>("Health")
            .behaviour_name::<Part<String>>("Name")
    };
    let mut net = MemoryNetwork::new(prefabs);
    let client = NetworkClient::with_config(prefabs(), client_config(Framing::Compact));
    net.connect_client(client);
    let id = net
        .server
        .spawn((Part::<u32>::default(), Part::<String>::default()));
    net.settle();
    let drain = |net: &mut MemoryNetwork| {
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        let client = net.client_mut(0);
        client.drain_received::<Part<u32>>(|_, at, part, _| numbers.push((at, *part.value)));
        client.drain_received::<Part<String>>(|_, at, part, _| {
            texts.push((at, part.value.to_string()));
        });
        (numbers, texts)
    };
    assert_eq!(drain(&mut net), (vec![(0, 0)], vec![(1, String::new())]));
    net.server
        .get_mut::<Part<String>>(id)
        .unwrap()
        .value
        .set("Ann".into());
    net.settle();
    assert_eq!(drain(&mut net), (vec![], vec![(1, "Ann".into())]));
    assert_eq!(drain(&mut net), (vec![], vec![]));
    let schema = net.server.prefabs().schema();
    let names = schema.prefabs[0].behaviours.iter();
    assert!(
        names
            .map(|behaviour| &behaviour.names.name[..])
            .eq(["Health", "Name"])
    );
}

#[test]
fn a_received_change_tells_the_type_of_its_behaviour() {
    let mut net = network(Framing::Compact);
    let id = net.server.spawn(Unit::default());
    net.settle();
    net.server.get_mut::<Unit>(id).unwrap().health.set(1);
    net.settle();
    let changed = syncvar_testing::events(net.client_mut(0)).find_map(|event| match event {
        ClientEvent::Changed { fields, .. } => Some(fields.behaviour_type()),
        _ => None,
    });
    assert_eq!(changed, Some(std::any::TypeId::of::<Unit>()));
}

#[test]
fn arguments_of_a_call_have_the_types_of_the_program() {
    each(|mut net| {
        let owner = Some(net.connection(0));
        let options = SpawnOptions {
            owner,
            ..SpawnOptions::default()
        };
        let id = net.server.try_spawn(Unit::default(), options).unwrap();
        net.settle();
        net.client_mut(0).calls::<Unit>(id).hit(5).unwrap();
        net.server.calls::<Unit>(id).flash("red".into()).unwrap();
        net.settle();
        let hit = std::iter::from_fn(|| net.server.poll_event()).find_map(|event| match event {
            ServerEvent::Called(called) => Some(called),
            _ => None,
        });
        let hit = hit.unwrap();
        assert_eq!(hit.arguments::<(i32,)>().unwrap(), (5,));
        let error = hit.arguments::<(u32,)>().unwrap_err();
        assert_eq!(error.message, "the arguments are (points: i32)");
        assert!(hit.arguments::<()>().is_err());
        let flash = syncvar_testing::events(net.client_mut(0)).find_map(|event| match event {
            ClientEvent::Called(called) => Some(called),
            _ => None,
        });
        let (colour,) = flash.unwrap().arguments::<(String,)>().unwrap();
        assert_eq!(colour, "red");
    });
}
