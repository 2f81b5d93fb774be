//! Hooks with a context, on a client and for an owner's write on the server.

use syncvar::mirror::{
    MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerEvent,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

/// Log of the hooks of an end.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Tank {
    #[sync_var(hook = on_armour)]
    armour: SyncVar<i32>,
    log: Vec<String>,
}

impl Tank {
    fn on_armour(&mut self, previous: i32, ctx: &mut NetworkContext<'_>) {
        let (id, owner) = (ctx.net_id(), ctx.is_owner());
        assert_eq!((ctx.prefab(), ctx.tick()), ("Tank", None));
        assert!(ctx.side::<MirrorClient>().is_some() && ctx.is_client());
        self.log
            .push(format!("{id} {previous} -> {} {owner}", self.armour));
        assert!(*self.armour != 13, "bad luck");
        if owner && *self.armour == 1 {
            ctx.calls::<Self>(id)
                .cmd_repair(50)
                .expect("the owner's command");
        }
    }
}

#[network_calls]
impl Tank {
    #[command]
    fn cmd_repair(&mut self, armour: i32) {
        self.armour.set(armour);
    }
}

/// Written by the owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_direction = client_to_server)]
struct Turret {
    #[sync_var(hook = on_angle)]
    angle: SyncVar<i32>,
    log: Vec<String>,
}

impl Turret {
    fn on_angle(&mut self, previous: i32, ctx: &mut NetworkContext<'_>) {
        let (id, owner) = (ctx.net_id(), ctx.owner());
        self.log
            .push(format!("{id} {previous} -> {} {owner:?}", self.angle));
        if let Some(server) = ctx.side::<MirrorServer>() {
            server.spawn(Turret::default());
        }
        assert!(*self.angle != 13, "bad luck");
    }
}

fn prefabs() -> MirrorPrefabs {
    let mut prefabs = MirrorPrefabs::new();
    prefabs = prefabs
        .register::<(Tank, Turret)>(MirrorPrefab::new("Tank", syncvar::mirror::AssetId(1)))
        .register::<Turret>(MirrorPrefab::new("Turret", syncvar::mirror::AssetId(2)));
    prefabs
}

fn network() -> MirrorNetwork {
    MirrorNetwork::new(
        MirrorServer::new(prefabs()),
        || MirrorClient::new(prefabs()),
    )
}

#[test]
fn hook_of_a_client_reads_its_object_and_calls_the_server() {
    let mut net = network();
    let (owner, tank) = net.join((Tank::default(), Turret::default()));
    net.frames(3);
    net.client_events(owner);
    net.server.get_mut::<Tank>(tank).unwrap().armour.set(1);
    net.frames(10);
    let lines = [(0, 1), (1, 50)].map(|(old, new)| format!("{tank} {old} -> {new} true"));
    assert_eq!(net.seen::<Tank>(owner, tank).log, lines);
    net.server.get_mut::<Tank>(tank).unwrap().armour.set(13);
    net.frames(10);
    let events = net.client_events(owner).into_iter();
    let told: Vec<_> = events
        .filter_map(|event| match event {
            MirrorClientEvent::HookFailed(failure) => Some(failure.message),
            MirrorClientEvent::Changed { fields, .. } => Some(fields.names().collect()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["armour", "armour", "bad luck", "armour"]);
}

#[test]
fn hook_of_a_write_has_the_server() {
    let mut net = network();
    let (owner, tank) = net.join((Tank::default(), Turret::default()));
    net.frames(3);
    net.events();
    for angle in [5, 13] {
        let mut turret = net.client(owner).get_mut::<Turret>(tank).unwrap();
        turret.angle.set(angle);
        drop(turret);
        net.frames(10);
    }
    let lines =
        [(0, 5), (5, 13)].map(|(old, new)| format!("{tank} {old} -> {new} {:?}", Some(owner)));
    assert_eq!(net.server.get::<Turret>(tank).unwrap().log, lines);
    assert_eq!(
        net.server.identities().count(),
        3,
        "each hook has spawned one"
    );
    let failed = |event: &MirrorServerEvent| matches!(event, MirrorServerEvent::HookFailed { .. });
    assert_eq!(net.events().iter().filter(|event| failed(event)).count(), 1);
}
