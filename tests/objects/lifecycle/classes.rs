//! Callbacks and bases; callbacks of behaviours written by hand, and of generic ones.

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    behaviour::{BehaviourInfo, FieldVisitor, HasLifecycle},
    schema::BehaviourSchema,
};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
struct Creature {
    #[sync_var]
    health: SyncVar<i32>,
    spawned: u32,
    despawned: u32,
}

impl NetworkLifecycle for Creature {
    fn on_network_spawn(&mut self, _ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.spawned += 1;
        Ok(())
    }
    fn on_network_post_spawn(&mut self, _ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.health.set(10);
        Ok(())
    }
}

/// Has no callbacks of its own.
#[derive(NetworkBehaviour, Default)]
struct Orc {
    #[network_behaviour(base)]
    base: Creature,
    #[sync_var]
    rage: SyncVar<i32>,
}

/// Has its own.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
struct Boss {
    #[network_behaviour(base)]
    base: Orc,
    announced: bool,
}

impl NetworkLifecycle for Boss {
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.announced = true;
        self.base.base.on_network_spawn(ctx)
    }
}

/// Notes the callbacks.
#[derive(Default)]
struct ByHand(Vec<&'static str>);

impl NetworkBehaviour for ByHand {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "ByHand",
        base: None,
        fields: &[],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.lifecycle::<Self>();

    fn sync_var_dirty_bits(&self) -> u64 {
        0
    }
    fn visit(&mut self, (): &mut (), _: &mut impl FieldVisitor) {}
}

impl HasLifecycle for ByHand {}

impl NetworkLifecycle for ByHand {
    fn on_network_pre_spawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.0.push("on_network_pre_spawn");
        Ok(())
    }
    fn on_network_spawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.0.push("on_network_spawn");
        Ok(())
    }
    fn on_network_post_spawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.0.push("on_network_post_spawn");
        Ok(())
    }
}

/// Has a parameter.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle)]
struct Holder<T: Default> {
    #[sync_var]
    held: SyncVar<T>,
    told: bool,
}

impl<T: SyncValue + Default> NetworkLifecycle for Holder<T> {
    fn on_network_spawn(&mut self, _ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.told = true;
        Ok(())
    }
}

fn network() -> MemoryNetwork {
    MemoryNetwork::pair(|| {
        Prefabs::new()
            .register::<Orc>("orc")
            .register::<Boss>("boss")
            .register::<ByHand>("by hand")
            .register::<Holder<u8>>("holder")
    })
}

#[test]
fn a_class_without_callbacks_has_those_of_its_base() {
    let mut net = network();
    let id = net.server.spawn(Orc::default());
    net.settle();
    for orc in [net.server.get::<Orc>(id), net.client(0).get::<Orc>(id)] {
        let orc = orc.unwrap();
        assert_eq!((orc.base.spawned, *orc.base.health, *orc.rage), (1, 10, 0));
    }
}

#[test]
fn class_callbacks_replace_those_of_its_bases() {
    let mut net = network();
    let id = net.server.spawn(Boss::default());
    let boss = net.server.get::<Boss>(id).unwrap();
    assert!(boss.announced);
    assert_eq!(boss.base.base.spawned, 1, "called");
    assert_eq!(*boss.base.base.health, 0, "not called");
    assert_eq!(boss.base.base.despawned, 0);
}

#[test]
fn handwritten_behaviour_receives_its_callbacks() {
    let mut net = network();
    let id = net.server.spawn(ByHand::default());
    let told = &net.server.get::<ByHand>(id).unwrap().0;
    assert_eq!(
        told[..],
        [
            "on_network_pre_spawn",
            "on_network_spawn",
            "on_network_post_spawn"
        ]
    );
}

#[test]
fn generic_behaviour_receives_callbacks() {
    let mut net = network();
    let id = net.server.spawn(Holder {
        held: 3_u8.into(),
        told: false,
    });
    net.settle();
    let holder = net.client(0).get::<Holder<u8>>(id).unwrap();
    assert!(holder.told && *holder.held == 3);
}
