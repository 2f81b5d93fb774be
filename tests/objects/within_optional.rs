//! Behaviours within `Optional`: reached by their own type; batches of edits.

use syncvar::behaviour::Optional;
use syncvar::error::ObjectError;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Callbacks, Framing, ServerConfig};
use syncvar_testing::{client, drain};

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default, Clone, Debug, PartialEq)]
#[network_behaviour(send_interval = 0, lifecycle)]
struct Burning {
    #[sync_var(hook = on_until)]
    until: SyncVar<u32>,
    #[sync_var(with = syncvar::codec::Half)]
    heat: SyncVar<f32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
    seen: Vec<u32>,
}

impl Burning {
    fn on_until(&mut self, previous: u32) {
        self.seen.push(previous);
    }
}

thread_local! {
    static GONE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl NetworkLifecycle for Burning {
    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if !ctx.is_server() {
            GONE.set(GONE.get() + 1);
        }
        Ok(())
    }
}

#[network_calls]
impl Burning {
    #[command(requires_ownership = false)]
    fn extinguish(&mut self) {
        *self.until = 0;
    }
}

/// A behaviour without fields.
#[derive(NetworkBehaviour, Default)]
struct Frozen;

type Burns = Optional<Burning>;
type Freezes = Optional<Frozen>;

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Player, Burns, Freezes)>("player")
        .register::<Burning>("fire")
        .input::<u32>()
}

fn player() -> (Player, Burns, Freezes) {
    Default::default()
}

fn each(test: impl Fn(MemoryNetwork)) {
    for framing in [Framing::Compact, Framing::Unet] {
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(client(prefabs(), framing));
        net.settle();
        test(net);
    }
}

/// Names of the changed fields, by event.
fn changed(net: &mut MemoryNetwork) -> Vec<Vec<&'static str>> {
    let fields = drain(net, 0).into_iter().filter_map(|event| match event {
        ClientEvent::Changed { fields, .. } => Some(fields.names().collect()),
        _ => None,
    });
    fields.collect()
}

#[test]
fn a_present_behaviour_is_reached_by_its_own_type() {
    each(|mut net| {
        let id = net.server.spawn(player());
        net.settle();
        assert!(net.server.get::<Burning>(id).is_none());
        let error = net.server.get_mut::<Burning>(id).unwrap_err();
        assert!(
            matches!(error, ObjectError::NoSuchBehaviour { .. }),
            "{error}"
        );
        assert_eq!(net.server.iter::<Burning>().count(), 0);

        net.server
            .get_mut::<Burns>(id)
            .unwrap()
            .set(Some(Burning::default()));
        net.server.get_mut::<Burning>(id).unwrap().until.set(4);
        net.settle();
        assert_eq!(net.client(0).get::<Burning>(id).unwrap().until, 4);
        assert_eq!(net.client(0).get_at::<Burning>(id, 1).unwrap().until, 4);
        assert_eq!(net.client(0).iter::<Burning>().count(), 1);
        changed(&mut net);

        net.server.get_mut::<Burning>(id).unwrap().until += 1;
        net.server
            .for_each_mut::<Burning>(|_, burning| *burning.heat = 0.5);
        net.settle();
        assert_eq!(changed(&mut net), [["until", "heat"]]);
        assert_eq!(net.client(0).get::<Burning>(id).unwrap().seen, [0, 4]);
        let mut object = net.server.object_mut(id).unwrap();
        let (burning, player) = object.split::<(Burning, Player)>().unwrap();
        assert_eq!((*burning.until, *player.health), (5, 0));
    });
}

#[test]
fn a_write_without_effect_on_the_wire_is_withdrawn_within_an_optional() {
    each(|mut net| {
        let id = net.server.spawn((
            Player::default(),
            Burns::from(Some(Burning::default())),
            Freezes::default(),
        ));
        net.server.get_mut::<Burning>(id).unwrap().heat.set(2.0);
        net.settle();
        changed(&mut net);
        net.server
            .get_mut::<Burning>(id)
            .unwrap()
            .heat
            .set(2.000_01);
        net.settle();
        assert!(changed(&mut net).is_empty());
    });
}

#[test]
fn a_replaced_field_leaves_the_presence_clean() {
    each(|mut net| {
        let id = net.server.spawn(player());
        net.server
            .edit_all::<Burning>(&[id], |_, burning| assert!(burning.is_ok()));
        net.settle();
        changed(&mut net);
        net.server.get_mut::<Burning>(id).unwrap().until = 9.into();
        net.settle();
        assert_eq!(changed(&mut net), [["until"]]);
        // A guard of the whole finds nothing that was moved.
        drop(net.server.get_mut::<Burns>(id).unwrap());
        net.settle();
        assert!(changed(&mut net).is_empty());
    });
}

#[test]
fn fields_of_the_owner_are_refused_within_an_optional() {
    each(|mut net| {
        let owner = net.connection(0);
        let id = net.server.spawn(player());
        net.server
            .get_mut::<Burns>(id)
            .unwrap()
            .set(Some(Burning::default()));
        let _ = net.server.set_owner(id, Some(owner));
        net.settle();
        net.server.get_mut::<Burning>(id).unwrap().aim.set(3);
        assert_eq!(net.server.get::<Burning>(id).unwrap().aim, 0);
        net.client_mut(0).get_mut::<Burning>(id).unwrap().aim.set(5);
        net.settle();
        assert_eq!(net.server.get::<Burning>(id).unwrap().aim, 5);
        net.client_mut(0)
            .get_mut::<Burning>(id)
            .unwrap()
            .until
            .set(5);
        net.settle();
        assert_eq!(net.server.get::<Burning>(id).unwrap().until, 0);
        assert_eq!(net.client(0).get::<Burning>(id).unwrap().until, 0);
    });
}

fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap() + 1
}

#[test]
fn a_batch_edits_behaviours_of_any_place() {
    each(|mut net| {
        let mut ids: Vec<NetId> = (0..40).map(|_| net.server.spawn(player())).collect();
        ids.extend((0..40).map(|_| net.server.spawn(Burning::default())));
        net.settle();
        changed(&mut net);
        let edited = [ids[3], ids[50], NetId(999), ids[39], ids[79]];
        let mut errors = Vec::new();
        net.server
            .edit_all::<Burning>(&edited, |position, burning| match burning {
                Ok(burning) => *burning.until = number(position),
                Err(error) => errors.push((position, error)),
            });
        assert_eq!(errors, [(2, ObjectError::NoSuchObject(NetId(999)))]);
        net.settle();
        for (position, id) in edited.into_iter().enumerate().filter(|(at, _)| *at != 2) {
            let burning = net.client(0).get::<Burning>(id).unwrap();
            assert_eq!(burning.until, number(position));
        }
        // Present behaviours keep their values, and untouched ones are not sent.
        let all: Vec<Vec<&str>> = changed(&mut net);
        assert_eq!(all.len(), 4, "{all:?}");
        net.server
            .edit_all::<Burning>(&edited[..2], |_, burning| *burning.unwrap().heat = 1.0);
        net.settle();
        assert_eq!(changed(&mut net), [["heat"], ["heat"]]);
        assert_eq!(net.client(0).get::<Burning>(edited[0]).unwrap().until, 1);
        let mut misses = 0;
        net.server
            .edit_all::<Player>(&ids, |_, player| misses += u32::from(player.is_err()));
        assert_eq!(misses, 40);
    });
}

#[test]
fn a_batch_adds_a_behaviour_without_fields() {
    each(|mut net| {
        let id = net.server.spawn(player());
        net.settle();
        net.server
            .edit_all::<Frozen>(&[id], |_, frozen| assert!(frozen.is_ok()));
        net.settle();
        assert!(net.client(0).get::<Frozen>(id).is_some());
        assert!(net.client(0).get::<Burning>(id).is_none());
    });
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form of a step")]
fn step(burning: &mut Burning, input: &u32, _tick: u64) {
    burning.until += *input;
}

#[test]
fn a_prediction_looks_through_optional_and_ends_with_the_behaviour() {
    let config = ServerConfig {
        tick_rate: 20,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(player(), options).unwrap();
    net.settle();
    let absent = net.client_mut(0).predict(id, step).unwrap_err();
    assert!(
        matches!(absent, ObjectError::NoSuchBehaviour { .. }),
        "{absent}"
    );
    net.server
        .get_mut::<Burns>(id)
        .unwrap()
        .set(Some(Burning::default()));
    net.settle();
    net.client_mut(0).predict(id, step).unwrap();
    let play = |net: &mut MemoryNetwork| {
        for _ in 0..40 {
            net.client_mut(0).set_input(&1_u32).unwrap();
            for tick in net.server.ticks_until(net.now() + net.tick) {
                // Without the behaviour there is nothing to step.
                let _ = net.server.step(id, tick, step);
            }
            net.step();
        }
    };
    play(&mut net);
    let client = net.client(0);
    let (predicted, received) = (client.predicted::<Burning>(id), client.get::<Burning>(id));
    assert!(*predicted.unwrap().until > *received.unwrap().until);
    assert!(*received.unwrap().until > 20);
    assert_eq!(client.prediction_stats().corrections, 0);

    GONE.set(0);
    net.server.get_mut::<Burns>(id).unwrap().take();
    play(&mut net);
    assert!(net.client(0).predicted::<Burning>(id).is_none());
    assert_eq!(GONE.get(), 1);
}

#[test]
fn a_host_reports_edits_within_an_optional() {
    let mut net = MemoryNetwork::new(prefabs);
    net.server.connect_local();
    let id = net.server.spawn(player());
    net.settle();
    net.server
        .edit_all::<Burning>(&[id], |_, burning| *burning.unwrap().until = 1);
    net.settle();
    net.server.get_mut::<Burning>(id).unwrap().until.set(3);
    net.settle();
    // On a host the addition itself runs no callback.
    assert_eq!(net.server.get::<Burning>(id).unwrap().seen, [1]);
}

#[test]
fn events_leave_out_calls_to_an_absent_behaviour() {
    let config = ServerConfig {
        callbacks: Callbacks::Events,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let id = net.server.spawn(player());
    net.settle();
    let called = |net: &mut MemoryNetwork| {
        net.client_mut(0).calls::<Burning>(id).extinguish().unwrap();
        net.settle();
        let events = std::iter::from_fn(|| net.server.poll_event());
        let calls = events.filter(|event| matches!(event, ServerEvent::Called(_)));
        calls.count()
    };
    assert_eq!(called(&mut net), 0);
    let burns = net.server.get_mut::<Burns>(id);
    burns.unwrap().set(Some(Burning::default()));
    net.settle();
    assert_eq!(called(&mut net), 1);
}

#[test]
fn a_write_of_the_owner_brings_no_removed_behaviour_back() {
    let schema = prefabs().schema();
    let link = Conditions::default();
    let mut net = MemoryNetwork::with_config(
        move || Prefabs::from_schema(&schema).unwrap(),
        ServerConfig::default(),
        link,
    );
    net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let id = net.server.spawn_prefab("player", options).unwrap();
    let present = |net: &mut MemoryNetwork, value: bool| {
        let server = &mut net.server;
        server.set_value(id, "Burning", "present", value).unwrap();
    };
    present(&mut net, true);
    net.settle();
    // The client writes before it learns of the removal.
    present(&mut net, false);
    net.client_mut(0).get_mut::<Burning>(id).unwrap().aim.set(5);
    net.settle();
    assert_eq!(
        net.server.value(id, "Burning", "present"),
        Some(&false.into())
    );
    assert!(net.client(0).get::<Burns>(id).unwrap().is_none());
}
