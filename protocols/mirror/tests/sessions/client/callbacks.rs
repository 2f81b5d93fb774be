//! What a callback can do: it has the whole client at hand.

use std::time::Duration;

use syncvar::Channel;
use syncvar::behaviour::LifecycleCallback;
use syncvar::mirror::message::SpawnFlags;
use syncvar::mirror::{AssetId, MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs};
use syncvar::prelude::*;

use crate::client::game::{self, Door, log};
use crate::client::server::{MINE, World, batch, changes, finished, full, spawn, started, state};

const SCOUT: AssetId = AssetId(7);

/// Does as its orders say, when it is spawned.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
struct Scout {
    #[sync_var(hook = on_order)]
    order: SyncVar<u8>,
}

impl Scout {
    fn on_order(&mut self, _: u8) {
        log(format!("order {}", *self.order));
        assert!(*self.order != 99, "a hook that panics");
    }
}

#[network_calls]
impl Scout {
    #[command]
    fn cmd_report(&mut self, order: u8) {
        unreachable!("a client does not run {order}");
    }
}

impl NetworkLifecycle for Scout {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let (id, order) = (ctx.net_id(), *self.order);
        assert!(ctx.is_client() && !ctx.is_server() && !ctx.is_host());
        assert!(ctx.client().is_none() && ctx.server().is_none());
        assert_eq!(
            (ctx.prefab(), ctx.owner(), ctx.parent()),
            ("Scout", None, None)
        );
        assert!(ctx.side::<NetworkClient>().is_none());
        let own = ctx.get::<Self>(id).is_some();
        assert!(!own, "it is being called");
        match order {
            1 => log(format!(
                "of 6: {:?}",
                ctx.get::<Self>(NetId(6)).map(|it| *it.order)
            )),
            3 => ctx.side::<MirrorClient>().unwrap().disconnect(),
            4 => {
                let mut scout = Self::default();
                scout.order.set(7);
                let batch = batch(9.0, &[state(id.0, &changes(scout))]);
                let client = ctx.side::<MirrorClient>().unwrap();
                client.handle_packet(Channel::Reliable, &batch)?;
                log("handed in");
            }
            5 => return Err("no".into()),
            6 => panic!("never"),
            _ => {}
        }
        Ok(())
    }

    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        assert!(ctx.is_owner());
        let (id, order) = (ctx.net_id(), *self.order);
        let client = ctx.side::<MirrorClient>().unwrap();
        client.calls::<Self>(id).cmd_report(order)?;
        Ok(())
    }

    fn on_network_session_synchronized(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        log(format!("synchronized {}", ctx.net_id().0));
        Ok(())
    }
}

fn world() -> World {
    let prefabs = MirrorPrefabs::new()
        .register::<Scout>(MirrorPrefab::new("Scout", SCOUT))
        .register::<Door>(MirrorPrefab::scene("Door"));
    World::with(MirrorClient::new(prefabs))
}

fn scout(id: u32, order: u8) -> bytes::Bytes {
    let scout = Scout {
        order: order.into(),
    };
    spawn(id, SCOUT, SpawnFlags::NONE, &full(scout))
}

#[test]
fn callbacks_run_once_all_objects_of_a_burst_exist() {
    let mut world = world();
    world.give(&[started(), scout(5, 1), scout(6, 2), finished()]);
    assert_eq!(
        game::called(),
        [
            "order 1",
            "of 6: Some(0)", // there, and as its prefab makes it
            "order 2",
            "synchronized 5",
            "synchronized 6"
        ]
    );
    world.give(&[scout(7, 1), started(), finished()]);
    assert_eq!(game::called(), ["order 1", "of 6: Some(2)"]);
}

#[test]
fn a_callback_can_call_the_server() {
    let mut world = world();
    world.frame();
    let mine = Scout { order: 9.into() };
    world.give(&[started(), spawn(5, SCOUT, MINE, &full(mine)), finished()]);
    assert_eq!(world.frame().len(), 1);
}

#[test]
fn a_callback_can_leave_the_server() {
    let mut world = world();
    world.give(&[started(), scout(5, 3), scout(6, 2), finished(), scout(8, 2)]);
    assert!(!world.client.is_connected());
    assert_eq!(world.client.object_count(), 0);
    assert_eq!(game::called(), ["order 3"]);
    let despawned = world
        .events()
        .into_iter()
        .filter(|event| matches!(event, MirrorClientEvent::Despawned { .. }));
    assert_eq!(despawned.count(), 1);
}

#[test]
fn messages_during_a_callback_are_deferred() {
    let mut world = world();
    world.give(&[started(), finished()]);
    game::called();
    world.give(&[scout(5, 4)]);
    assert_eq!(game::called(), ["order 4", "handed in", "order 7"]);
    assert_eq!(*world.client.get::<Scout>(NetId(5)).unwrap().order, 7);
}

#[test]
fn failing_callback_does_not_stop_the_rest() {
    let mut world = world();
    world.give(&[started(), scout(5, 5), scout(6, 6), scout(7, 2), finished()]);
    assert_eq!(world.client.object_count(), 3);
    let failures: Vec<_> = { world.events().into_iter() }
        .filter_map(|event| match event {
            MirrorClientEvent::CallbackFailed(failure) => {
                Some((failure.object.0, failure.callback, failure.message))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        failures,
        [
            (5, LifecycleCallback::Spawn, "no".to_string()),
            (6, LifecycleCallback::Spawn, "never".to_string())
        ]
    );
}

#[test]
fn panicking_hook_is_reported_and_does_not_stop_the_rest() {
    let mut world = world();
    world.give(&[started(), scout(5, 99), finished()]);
    world.client.update(Duration::from_secs(1));
    assert_eq!(*world.client.get::<Scout>(NetId(5)).unwrap().order, 99);
    let failed = world.events().into_iter().find_map(|event| match event {
        MirrorClientEvent::HookFailed(failure) => Some(failure.message),
        _ => None,
    });
    assert_eq!(failed.as_deref(), Some("a hook that panics"));
}
