//! Hooks with a context: what they reach, their order, and their failures.

use syncvar::prelude::*;
use syncvar_testing::ClientMessages as _;

/// Log of the hooks of a replica.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Soldier {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
    #[sync_var]
    target: SyncVar<NetId>,
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<u8>,
    #[sync_var(read = owner, hook = on_plan)]
    plan: SyncVar<u8>,
    #[sync_var(write = owner)]
    mood: SyncVar<u8>,
    healed: u32,
    log: Vec<String>,
}

impl Soldier {
    fn on_health(&mut self, previous: i32, ctx: &mut NetworkContext<'_>) {
        let (id, owner) = (ctx.net_id(), ctx.is_owner());
        assert_eq!((ctx.prefab(), ctx.owner()), ("soldier", None));
        assert!(ctx.identity(id).is_none() && ctx.get::<Self>(id).is_none());
        let other = ctx.get::<Self>(*self.target).map(|other| *other.health);
        self.log.push(format!(
            "{id} {previous} -> {} {owner} {other:?}",
            self.health
        ));
        assert!(*self.health != 13, "bad luck");
        if ctx.is_owner() && *self.health == 1 {
            self.mood.set(9);
            ctx.calls::<Self>(id)
                .heal(5)
                .expect("a command of the owner");
        }
    }

    fn on_item(&mut self, change: &ListChange<u8>, ctx: &mut NetworkContext<'_>) {
        self.log.push(format!("{} {change:?}", ctx.net_id()));
    }

    fn on_items(&mut self, changes: &[ListChange<u8>], ctx: &mut NetworkContext<'_>) {
        self.log
            .push(format!("{} {} changes", ctx.net_id(), changes.len()));
    }

    fn on_plan(&self, previous: u8, ctx: &mut NetworkContext<'_>) {
        assert!(ctx.is_owner(), "{previous} -> {}", self.plan);
        assert!(ctx.server().is_none() && ctx.client().is_some());
        assert!(*self.plan != 13, "bad plan");
    }
}

#[network_calls]
impl Soldier {
    #[command]
    fn heal(&mut self, points: u32) {
        self.healed += points;
    }
}

/// Second behaviour of an object. Its hook writes the first one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Flag {
    #[sync_var(hook = on_colour)]
    colour: SyncVar<u8>,
    plain: u32,
}

impl Flag {
    fn on_colour(&mut self, _previous: u8) {
        self.plain += 1;
    }
}

/// Hook of a base with a context.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Lamp {
    #[sync_var(hook = on_lit, initial_hook)]
    lit: SyncVar<bool>,
    seen: Vec<(NetId, bool)>,
}

impl Lamp {
    fn on_lit(&mut self, _previous: bool, ctx: &mut NetworkContext<'_>) {
        self.seen.push((ctx.net_id(), ctx.is_client()));
        assert_eq!(ctx.tick().is_some(), ctx.is_server(), "no pings have run");
        if let Some(server) = ctx.server() {
            server.spawn(Flag::default());
        }
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Lantern {
    #[network_behaviour(base)]
    lamp: Lamp,
    #[sync_var]
    oil: SyncVar<u8>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Soldier>("soldier")
        .register::<(Flag, Soldier, Flag)>("bearer")
        .register::<Lantern>("lantern")
        .register::<Flag>("flag")
}

fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    net.ping_interval = std::time::Duration::ZERO;
    net.connect();
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    net
}

fn soldiers(net: &mut MemoryNetwork) -> [NetId; 2] {
    let ids = [1, 2].map(|_| net.server.spawn(Soldier::default()));
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    ids
}

fn write<R>(net: &mut MemoryNetwork, id: NetId, write: impl FnOnce(&mut Soldier) -> R) {
    write(&mut net.server.get_mut::<Soldier>(id).expect("a soldier"));
}

fn log(net: &MemoryNetwork, id: NetId) -> Vec<String> {
    net.client(0)
        .get::<Soldier>(id)
        .expect("a soldier")
        .log
        .clone()
}

fn told(net: &mut MemoryNetwork) -> Vec<String> {
    let events = syncvar_testing::events(net.client_mut(0));
    let line = |event| match event {
        ClientEvent::Changed {
            object,
            behaviour,
            fields,
        } => {
            let names: Vec<_> = fields.names().collect();
            format!("{object}.{behaviour} {}", names.join(" "))
        }
        ClientEvent::HookFailed(failure) => format!("{} {}", failure.object, failure.message),
        other => format!("{other:?}"),
    };
    events.map(line).collect()
}

#[test]
fn hook_reads_its_object_and_others_of_the_packet() {
    let mut net = network();
    let [first, second] = soldiers(&mut net);
    write(&mut net, first, |soldier| {
        soldier.health.set(5);
        soldier.target.set(second);
    });
    write(&mut net, second, |soldier| soldier.health.set(7));
    net.settle();
    assert_eq!(log(&net, first), [format!("{first} 0 -> 5 false Some(7)")]);
    assert_eq!(log(&net, second), [format!("{second} 0 -> 7 false None")]);
    let lines = [
        format!("{first}.0 health target"),
        format!("{second}.0 health"),
    ];
    assert_eq!(told(&mut net), lines);
}

#[test]
fn hooks_of_a_collection_take_a_context() {
    let mut net = network();
    let [id, _] = soldiers(&mut net);
    write(&mut net, id, |soldier| {
        soldier.items.push(1);
        soldier.items.push(2);
    });
    net.settle();
    let lines = [
        format!("{id} Add {{ index: 0, value: 1 }}"),
        format!("{id} Add {{ index: 1, value: 2 }}"),
        format!("{id} 2 changes"),
    ];
    assert_eq!(log(&net, id), lines);
}

#[test]
fn hook_of_the_owner_writes_and_calls_the_server() {
    let mut net = network();
    let [id, _] = soldiers(&mut net);
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    write(&mut net, id, |soldier| soldier.health.set(1));
    net.settle();
    assert_eq!(log(&net, id), [format!("{id} 0 -> 1 true None")]);
    let soldier = net.server.get::<Soldier>(id).unwrap();
    assert_eq!((soldier.healed, *soldier.mood), (5, 9));
    assert_eq!(
        soldier.log, [""; 0],
        "a server without a local client runs no hook"
    );
}

#[test]
fn hook_of_a_field_for_the_owner_takes_a_context() {
    let mut net = network();
    let [id, _] = soldiers(&mut net);
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    told(&mut net);
    write(&mut net, id, |soldier| soldier.plan.set(13));
    net.settle();
    assert_eq!(
        told(&mut net),
        [format!("{id} bad plan"), format!("{id}.0 plan")]
    );
    assert_eq!(*net.client(0).get::<Soldier>(id).unwrap().plan, 13);
}

#[test]
fn behaviours_of_one_object_run_their_hooks_in_order() {
    let mut net = network();
    let parts = (Flag::default(), Soldier::default(), Flag::default());
    let id = net.server.spawn(parts);
    net.settle();
    told(&mut net);
    net.server.get_mut_at::<Flag>(id, 0).unwrap().colour.set(1);
    net.server.get_mut_at::<Flag>(id, 2).unwrap().colour.set(2);
    let mut soldier = net.server.get_mut::<Soldier>(id).unwrap();
    soldier.items.push(3);
    drop(soldier);
    net.settle();
    let lines = [
        format!("{id}.0 colour"),
        format!("{id}.1 items"),
        format!("{id}.2 colour"),
    ];
    assert_eq!(told(&mut net), lines);
    assert_eq!(log(&net, id).len(), 2);
    for index in [0, 2] {
        let flag = net.client(0).get_at::<Flag>(id, index).unwrap();
        assert_eq!(flag.plain, 1);
    }
}

#[test]
fn panic_is_contained_and_reported_before_the_change() {
    let mut net = network();
    let [first, second] = soldiers(&mut net);
    for id in [first, second] {
        write(&mut net, id, |soldier| soldier.health.set(13));
    }
    net.settle();
    let lines = [first, second].map(|id| [format!("{id} bad luck"), format!("{id}.0 health")]);
    assert_eq!(told(&mut net), lines.concat());
    write(&mut net, first, |soldier| soldier.health.set(14));
    net.settle();
    assert_eq!(log(&net, first).len(), 2);
}

#[test]
fn initial_hook_of_a_base_takes_a_context() {
    let mut net = network();
    let mut lantern = Lantern::default();
    lantern.lamp.lit.set(true);
    let id = net.server.spawn(lantern);
    net.settle();
    let seen = &net.client(0).get::<Lantern>(id).unwrap().lamp.seen;
    assert_eq!(*seen, [(id, true)]);
    assert_eq!(
        told(&mut net),
        [format!("{:?}", ClientEvent::Spawned { object: id })]
    );
}

#[test]
fn hook_of_a_host_has_the_server() {
    let mut net = network();
    net.server.connect_local();
    net.settle();
    let local = |net: &mut MemoryNetwork| {
        let events = std::iter::from_fn(|| net.server.poll_local_event());
        events.collect::<Vec<_>>()
    };
    local(&mut net);
    let mut lantern = Lantern::default();
    lantern.lamp.lit.set(true);
    let id = net.server.spawn(lantern);
    net.settle();
    let seen = net.server.get::<Lantern>(id).unwrap().lamp.seen.clone();
    assert_eq!(seen, [(id, true)]);
    assert_eq!(net.server.object_count(), 2, "it has spawned a flag");
    let spawned = local(&mut net);
    assert_eq!(spawned[0], ClientEvent::Spawned { object: id });
    assert_eq!(spawned.len(), 2);
    net.server
        .get_mut::<Lantern>(id)
        .unwrap()
        .lamp
        .lit
        .set(false);
    net.settle();
    let events = local(&mut net);
    let changed = |event: &&ClientEvent| matches!(event, ClientEvent::Changed { .. });
    assert_eq!(events.iter().filter(changed).count(), 1, "{events:?}");
    assert_eq!(net.server.object_count(), 3);
    net.settle();
    assert_eq!(local(&mut net), []);
    assert_eq!(net.client(0).object_count(), 3);
}

#[test]
fn restored_object_runs_the_hooks_of_changed_fields() {
    let mut net = network();
    let flag = net.server.spawn(Flag::default());
    let lantern = net.server.spawn(Lantern::default());
    net.settle();
    told(&mut net);
    for lit in [true, true] {
        poison(&mut net, flag);
        poison(&mut net, lantern);
        net.server.get_mut::<Flag>(flag).unwrap().colour.set(4);
        let mut guard = net.server.get_mut::<Lantern>(lantern).unwrap();
        guard.lamp.lit.set(lit);
        drop(guard);
        net.settle();
        let restored =
            [flag, lantern].map(|object| format!("{:?}", ClientEvent::Restored { object }));
        let told = told(&mut net);
        assert!(told.ends_with(&restored), "{told:?}");
        assert_eq!(net.client(0).get::<Flag>(flag).unwrap().plain, 1);
        let seen = &net.client(0).get::<Lantern>(lantern).unwrap().lamp.seen;
        assert_eq!(*seen, [(lantern, true)]);
    }

    /// Breaks an object of the client with a delta that ends behind its mask.
    fn poison(net: &mut MemoryNetwork, id: NetId) {
        let id = u8::try_from(id.0).expect("a small id");
        let packet = syncvar_testing::frame(8, &[id, 1]);
        net.client_mut(0)
            .handle_messages(0, &packet)
            .expect("an unreadable object");
    }
}
