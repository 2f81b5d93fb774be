//! Spawning: the order, and what is there by then.

use syncvar::prelude::*;
use syncvar::{Framing, behaviour::LifecycleCallback};

use super::actor::{
    Actor, Partner, Prop, events, literal_network, network, network_in, note, noted, noted_of, play,
};

// checklist: B2 B3 B4
#[test]
fn each_step_reaches_all_behaviours_before_the_next_step() {
    let mut net = network(1);
    net.server.spawn((Actor::default(), Partner::default()));
    let of = |side: &str| {
        [
            "on_network_pre_spawn",
            "on_network_spawn",
            "on_network_post_spawn",
        ]
        .into_iter()
        .flat_map(|step| ["Actor", "Partner"].map(|name| format!("{side} #1 {name} {step}")))
        .collect::<Vec<_>>()
    };
    assert_eq!(noted(), of("server"), "before `spawn` returns");
    net.settle();
    assert_eq!(noted(), of("client"));
}

// checklist: T27 N7
#[test]
fn server_writes_in_its_spawn_reach_the_clients_spawn() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut net = network_in(dialect, 1);
        play(|told, callback, ctx| {
            if callback == LifecycleCallback::Spawn {
                if ctx.is_server() {
                    told.value.set(7);
                    told.items.push(3);
                }
                note(format!("has {} {:?}", told.value, told.items));
            }
            Ok(())
        });
        net.server.spawn(Actor::default());
        net.settle();
        assert_eq!(noted_of("has"), ["has 7 [3]", "has 7 [3]"]);
        let events = events(&mut net, 0);
        assert_eq!(
            events,
            [ClientEvent::Spawned { object: NetId(1) }],
            "and no change follows"
        );
    }
}

// checklist: T28 B2 B3 B4
#[test]
fn pre_spawn_gives_values_and_post_spawn_sees_those_of_siblings() {
    let mut net = network(1);
    play(|told, callback, ctx| {
        match callback {
            LifecycleCallback::PreSpawn if ctx.is_server() => **told.value = 20,
            LifecycleCallback::Spawn if ctx.is_server() && told.name == "Partner" => {
                *told.value += 1;
            }
            LifecycleCallback::PostSpawn if told.name == "Actor" => {
                let partner = ctx.sibling::<Partner>().expect("a partner");
                note(format!("{} beside {}", told.value, partner.value));
            }
            _ => {}
        }
        Ok(())
    });
    net.server.spawn((Actor::default(), Partner::default()));
    net.settle();
    assert_eq!(noted_of("beside"), ["20 beside 21", "20 beside 21"]);
}

// checklist: M12 N2 N8 B11
#[test]
fn state_precedes_the_first_callback_and_the_event_the_last() {
    let mut net = network(1);
    play(|told, callback, ctx| {
        if let Some(client) = ctx.client() {
            assert!(client.poll_event().is_none(), "not before {callback}");
            assert_eq!(*told.value, 5, "{callback}");
        }
        Ok(())
    });
    net.server.spawn(Actor {
        value: 5.into(),
        ..Actor::default()
    });
    net.settle();
    assert_eq!(noted_of("client").len(), 3);
    assert_eq!(
        events(&mut net, 0),
        [ClientEvent::Spawned { object: NetId(1) }]
    );
}

// checklist: N5
#[test]
fn one_method_serves_the_spawn_and_the_hook() {
    /// One method for both: N5.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(lifecycle, send_interval = 0)]
    struct Lamp {
        #[sync_var(hook = on_lit_changed)]
        lit: SyncVar<bool>,
        shown: &'static str,
    }

    impl Lamp {
        fn on_lit_changed(&mut self, _previous: bool) {
            self.refresh();
        }
        fn refresh(&mut self) {
            self.shown = if *self.lit { "bright" } else { "dark" };
        }
    }

    impl NetworkLifecycle for Lamp {
        fn on_network_spawn(&mut self, _ctx: &mut NetworkContext<'_>) -> LifecycleResult {
            self.refresh();
            Ok(())
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Lamp>("lamp"));
    let id = net.server.spawn(Lamp::default());
    net.settle();
    let shown = |net: &MemoryNetwork| net.client(0).get::<Lamp>(id).unwrap().shown;
    assert_eq!(shown(&net), "dark", "no hook has run, but the callback has");
    net.server.get_mut::<Lamp>(id).unwrap().lit.set(true);
    net.settle();
    assert_eq!(shown(&net), "bright");
}

// checklist: T49
#[test]
fn each_callback_runs_once_and_only_for_spawned_objects() {
    let mut net = network(2);
    drop((Actor::default(), Partner::default()));
    let refused = SpawnOptions {
        net_id: Some(NetId(0)),
        ..SpawnOptions::default()
    };
    assert!(net.server.try_spawn(Actor::default(), refused).is_err());
    assert_eq!(noted(), [""; 0]);
    let id = net.server.spawn(Actor::default());
    net.settle();
    net.server.despawn(id).unwrap();
    net.settle();
    let told = noted();
    for step in ["pre_spawn", "network_spawn", "post_spawn", "despawn"] {
        let count = |side: &str| {
            let told = told
                .iter()
                .filter(|note| note.starts_with(side) && note.ends_with(step));
            told.count()
        };
        assert_eq!((count("server"), count("client")), (1, 2), "{step}");
    }
}

#[test]
fn callback_knows_its_position_beside_silent_behaviours() {
    let mut net = network(1);
    net.server.spawn((Prop::default(), Actor::default()));
    net.server.spawn(Prop::default());
    net.settle();
    assert_eq!(noted().len(), 6, "of the first object's actor alone");
}

#[test]
fn without_a_handshake_it_is_the_same() {
    let mut net = literal_network();
    noted();
    net.server.spawn(Actor::default());
    net.settle();
    assert_eq!(noted().len(), 6);
}

#[test]
fn an_object_that_is_sent_again_is_not_spawned_again() {
    let mut net = network(1);
    let id = net.server.spawn(Actor::default());
    net.settle();
    noted();
    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    assert_eq!(noted(), [""; 0]);
    assert!(events(&mut net, 0).contains(&ClientEvent::Restored { object: id }));
}
