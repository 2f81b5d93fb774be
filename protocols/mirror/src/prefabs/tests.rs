//! Settings of prefabs and behaviours, combined.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar_runtime::CallKind;
use syncvar_runtime::unstable::call::Class;

use syncvar_runtime::unstable::prefab::Prefab;

use super::*;

#[derive(NetworkBehaviour, Default)]
struct Plain {
    #[sync_var]
    level: SyncVar<i32>,
    #[sync_var]
    items: SyncList<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Purse {
    #[sync_var(read = owner)]
    gold: SyncVar<i32>,
    #[sync_var(read = owner)]
    keys: SyncList<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_direction = client_to_server, send_interval = 0.5)]
struct Aim {
    #[sync_var]
    yaw: SyncVar<f32>,
}

#[derive(NetworkBehaviour, Default)]
struct Mixed {
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var(read = owner)]
    gold: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct HalfAim {
    #[sync_var(write = owner)]
    yaw: SyncVar<f32>,
    #[sync_var]
    zoom: SyncVar<f32>,
}

#[derive(NetworkBehaviour, Default)]
struct Squad {
    #[sync_var(read = group)]
    plan: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
struct Chest {
    #[sync_var(read = server)]
    seed: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
struct Ghost {
    #[sync_var(read = others)]
    mask: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Creature {}

#[network_calls]
impl Creature {
    #[command]
    fn rest(&mut self) {
        let _ = self;
    }
}

#[derive(NetworkBehaviour, Default)]
struct Goblin {
    #[network_behaviour(base)]
    base: Creature,
}

#[network_calls]
impl Goblin {
    #[command]
    fn steal(&mut self, from: NetRef, items: Vec<Item>) {
        let _ = (self, from, items);
    }

    #[command(
        mirror = "System.Void Goblin::CmdChat(System.String,Mirror.NetworkConnectionToClient)"
    )]
    fn chat(&mut self, text: String) {
        let _ = (self, text);
    }

    #[client_rpc]
    fn laugh(&mut self, loud: Option<f32>) {
        let _ = (self, loud);
    }

    #[sync_event]
    fn died();
}

#[derive(SyncValue, Clone, Default, PartialEq)]
struct Item {
    id: u16,
}

#[derive(NetworkBehaviour, Default)]
struct Twins {}

#[network_calls]
impl Twins {
    #[command(mirror = "System.Void Twins::CmdOne()")]
    fn one(&mut self) {
        let _ = self;
    }

    #[client_rpc(mirror = "System.Void Twins::CmdOne()")]
    fn other(&mut self) {
        let _ = self;
    }
}

const PLAYER: &str = "Player";

fn registered<S: BehaviourSet + Default>(components: &[Component]) -> MirrorPrefabs {
    let mut prefab = MirrorPrefab::new(PLAYER, 1001.into());
    for (index, component) in components.iter().enumerate() {
        prefab = prefab.component(index, *component);
    }
    MirrorPrefabs::new().register::<S>(prefab)
}

fn settings<S: BehaviourSet + Default>(components: &[Component]) -> Vec<Settings> {
    let prefabs = registered::<S>(components);
    let entry = prefabs.by_name(PLAYER).expect("it is registered");
    entry.components.clone()
}

#[test]
fn component_defaults_are_mirrors() {
    assert_eq!(settings::<Plain>(&[]), [Settings::default()]);
    assert_eq!(settings::<Creature>(&[]), [Settings::default()]);
}

#[test]
fn policies_of_all_fields_set_the_component() {
    let [purse, aim] = settings::<(Purse, Aim)>(&[])[..] else {
        panic!("there are two")
    };
    assert_eq!(purse.sync_mode, SyncMode::Owner);
    assert_eq!(purse.sync_direction, SyncDirection::ServerToClient);
    assert_eq!(aim.sync_mode, SyncMode::Observers);
    assert_eq!(aim.sync_direction, SyncDirection::ClientToServer);
}

#[test]
fn behaviour_interval_is_kept_unets_default_is_not() {
    let [plain, aim] = settings::<(Plain, Aim)>(&[])[..] else {
        panic!("there are two")
    };
    assert_eq!(plain.sync_interval, Duration::ZERO);
    assert_eq!(aim.sync_interval, Duration::from_millis(500));
}

#[test]
fn prefab_settings_override_the_behaviour() {
    let given = Component::new()
        .sync_mode(SyncMode::Owner)
        .sync_direction(SyncDirection::ServerToClient)
        .sync_method(SyncMethod::Hybrid)
        .sync_interval(Duration::from_secs(1));
    let expected = Settings {
        sync_mode: SyncMode::Owner,
        sync_direction: SyncDirection::ServerToClient,
        sync_method: SyncMethod::Hybrid,
        sync_interval: Duration::from_secs(1),
    };
    assert_eq!(settings::<Aim>(&[given]), [expected]);
    let all = Component::new().sync_mode(SyncMode::Observers);
    assert_eq!(settings::<Mixed>(&[all]), [Settings::default()]);
}

#[test]
fn last_setting_of_a_component_wins() {
    let prefab = MirrorPrefab::new(PLAYER, 1.into())
        .component(0, Component::new().sync_mode(SyncMode::Owner))
        .component(0, Component::new().sync_interval(Duration::from_secs(1)))
        .component(0, Component::new().sync_mode(SyncMode::Observers));
    let prefabs = MirrorPrefabs::new().register::<Plain>(prefab);
    let settings = prefabs.by_name(PLAYER).expect("it is there").components[0];
    assert_eq!(settings.sync_mode, SyncMode::Observers);
    assert_eq!(settings.sync_interval, Duration::from_secs(1));
}

#[test]
fn component_settings_become_bit_masks() {
    let hybrid = Component::new().sync_method(SyncMethod::Hybrid);
    let given = [Component::new(), Component::new(), hybrid];
    let prefabs = registered::<(Plain, Purse, Aim)>(&given);
    let entry = prefabs.by_name(PLAYER).expect("it is there");
    assert_eq!(entry.hybrid, 0b100);
    assert_eq!(entry.all(), 0b111);
    assert_eq!(entry.observers, 0b101);
    assert_eq!(entry.client_to_server, 0b100);
}

#[test]
#[should_panic(expected = "`gold` of `Mixed` is read by the owner alone and `name` is not")]
fn partly_owner_read_behaviour_is_refused() {
    let _ = registered::<Mixed>(&[]);
}

#[test]
#[should_panic(expected = "`yaw` of `HalfAim` is written by the owner and `zoom` is not")]
fn partly_owner_written_behaviour_is_refused() {
    let _ = registered::<HalfAim>(&[]);
}

#[test]
#[should_panic(expected = "`mask` of `Ghost` is read by all but the owner")]
fn field_for_others_is_refused() {
    let _ = registered::<Ghost>(&[]);
}

#[test]
#[should_panic(expected = "`plan` of `Squad` is read by a group")]
fn field_for_a_group_is_refused() {
    let _ = registered::<Squad>(&[]);
}

#[test]
#[should_panic(expected = "`seed` of `Chest` is read by no client")]
fn field_without_a_reader_is_refused() {
    let _ = registered::<Chest>(&[]);
}

#[test]
#[should_panic(expected = "prefab `Player` has 1 behaviours, and none at 1")]
fn settings_of_a_missing_component_are_refused() {
    let _ = registered::<Plain>(&[Component::new(); 2]);
}

#[test]
#[should_panic(expected = "a prefab named `Player` is already registered")]
fn duplicate_prefab_name_is_refused() {
    let _ = registered::<Plain>(&[]).register::<Aim>(MirrorPrefab::scene(PLAYER));
}

#[test]
#[should_panic(expected = "asset id 1001 of prefab `Bot` is already registered")]
fn duplicate_asset_id_is_refused() {
    let _ = registered::<Plain>(&[]).register::<Aim>(MirrorPrefab::new("Bot", 1001.into()));
}

#[test]
#[should_panic(expected = "prefab `Bot` has asset id 0")]
fn asset_id_zero_is_refused() {
    let _ = MirrorPrefabs::new().register::<Aim>(MirrorPrefab::new("Bot", AssetId::NONE));
}

#[test]
fn prefabs_are_found_by_name_asset_id_and_types() {
    let prefabs = registered::<Plain>(&[])
        .register::<Aim>(MirrorPrefab::scene("Turret"))
        .register::<Aim>(MirrorPrefab::scene("Camera"));
    let index = |entry: Option<&PrefabEntry>| entry.map(|entry| entry.index);
    assert_eq!(index(prefabs.by_asset_id(AssetId(1001))), Some(0));
    assert_eq!(index(prefabs.by_asset_id(AssetId::NONE)), None);
    assert_eq!(index(prefabs.by_name("Camera")), Some(2));
    let found = prefabs.core.find(&Aim::default().into_behaviours(), None);
    assert_eq!(found.map(|prefab| prefab.index), Ok(1));
    assert_eq!(index(prefabs.get(2)), Some(2));
    assert!(prefabs.get(3).is_none());
    assert_eq!(prefabs.name(AssetId(1001)), Some(PLAYER));
    assert_eq!(prefabs.asset_id("Turret"), Some(AssetId::NONE));
    let made = prefabs.core.get(0).map(Prefab::make);
    assert!(made.is_some_and(|made| made.behaviour::<Plain>().is_some()));
}

#[test]
fn call_is_named_by_its_declaring_class() {
    let prefab = MirrorPrefab::new(PLAYER, 1.into());
    let prefabs = MirrorPrefabs::new()
        .namespace("Game")
        .class::<Creature>("Zoo.Creature")
        .csharp_name("Item", "Game.Shop+Item")
        .register::<(Plain, Goblin)>(prefab);
    let calls: Vec<_> = prefabs.calls(PLAYER).collect();
    let names: Vec<_> = calls.iter().map(|call| &call.name[..]).collect();
    assert_eq!(
        names,
        [
            "System.Void Zoo.Creature::CmdRest()",
            "System.Void Game.Goblin::CmdSteal(Mirror.NetworkIdentity,Game.Shop/Item[])",
            "System.Void Goblin::CmdChat(System.String,Mirror.NetworkConnectionToClient)",
            "System.Void Game.Goblin::RpcLaugh(System.Nullable`1<System.Single>)",
        ],
        "Mirror has no events"
    );
    assert!(calls.iter().all(|call| call.component == 1));
    assert_eq!(calls[3].kind, CallKind::ClientRpc);
    assert_eq!(calls[3].hash, crate::hash16(names[3]));
    assert_eq!(prefabs.calls("Nobody").count(), 0);
}

#[test]
fn calls_resolve_by_component_and_hash() {
    let prefabs = registered::<(Plain, Goblin)>(&[]);
    let entry = prefabs.by_name(PLAYER).expect("it is there");
    let hash = crate::hash16("System.Void Goblin::RpcLaugh(System.Nullable`1<System.Single>)");
    let place = entry.call(1, hash).expect("it is declared");
    assert_eq!(place.schema.name, "laugh");
    assert_eq!(entry.name_of(&place), Some((1, hash)));
    assert!(entry.call(0, hash).is_none(), "another component");
    assert!(entry.call(64, hash).is_none(), "no component");

    let class = Class::of::<Creature>(None);
    let rest = entry.declared_call(class, 0).expect("it is declared");
    let hash = crate::hash16("System.Void Creature::CmdRest()");
    assert_eq!(entry.name_of(&rest), Some((1, hash)));
    let died = entry.declared_call(Class::of::<Goblin>(None), 3);
    assert_eq!(died.map(|died| entry.name_of(&died)), Some(None));
}

#[test]
#[should_panic(expected = "`System.Void Twins::CmdOne()` of `Twins` have the same hash")]
fn two_calls_of_a_behaviour_with_the_same_hash_are_refused() {
    let _ = registered::<Twins>(&[]);
}
