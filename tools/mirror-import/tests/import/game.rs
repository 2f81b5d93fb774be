// Structs, calls, prefabs and scenes of a Unity project, written by `mirror-import`. Do not edit: the next import overwrites it.
// Methods of the game replace the empty ones: `fn on_cmd_fire(&mut self, ctx: &mut CallContext<'_>, ..)` in an
// `impl` block of the behaviour.
//
// 28 places were not read:
// - Assets/Prefabs/Props/Shop.prefab:3: prefab `Shop` is not registered: its component 0 is not read
// - Assets/Prefabs/Props/Shop.prefab:33: component 0 of prefab `Shop` is not read: its script, with the GUID fedcba9876543210fedcba9876543210, is not in the project
// - Assets/Prefabs/Units/Puppet.prefab:3: prefab `Puppet` is not registered: its component 0 is not read
// - Assets/Prefabs/Units/Puppet.prefab:34: component 0 of prefab `Puppet` is not read: its `animator` is not set
// - Assets/Prefabs/Vehicles/Car.prefab:70: value of `held` in this component is not read
// - Assets/Prefabs/Vehicles/Tower.prefab:3: prefab `Tower` is not registered: its component 0 is not read
// - Assets/Prefabs/Vehicles/Tower.prefab:33: component 0 of prefab `Tower` is not read: built-in component RemoteStatistics
// - Assets/Scenes/Arena.unity:172: object `New door` of the scene is left out: it has no `sceneId`: save the scene in Unity's editor
// - Assets/Scenes/Arena.unity:217: object `Copied door` of the scene is left out: its `sceneId` is that of the object in line 116
// - Assets/Scripts/Core/Player.cs:7: local fields of `Player` are left out: `hurt` (AudioClip)
// - Assets/Scripts/World/Boat.cs:7: `[SyncVar` is in a part that `#if SAILS && (MIRROR_57_0_OR_NEWER || !UNITY_SERVER)` leaves out; `--define SYMBOL` defines its symbols
// - Assets/Scripts/World/Broken.cs:8: syntax error
// - Assets/Scripts/World/Car.cs:6: local fields of `Game.World.Car` are left out: `body` (Rigidbody)
// - Assets/Scripts/World/Unread.cs:17: `Game.World.Shop.cash` is not read: `Game.World.Money` has a writer of its own; `--type Game.World.Money=PATH` names its Rust type
// - Assets/Scripts/World/Unread.cs:18: `Game.World.Shop.mystery` is not read: type `Mystery` is not known
// - Assets/Scripts/World/Unread.cs:19: `Game.World.Shop.grid` is not read: `int[,]` has several dimensions, which Mirror refuses
// - Assets/Scripts/World/Unread.cs:20: `Game.World.Shop.sold` is not read: it is static, which Mirror refuses
// - Assets/Scripts/World/Unread.cs:21: hook `OnMissing` of `open` is not read: `Game.World.Shop` has no such method with two parameters
// - Assets/Scripts/World/Unread.cs:23: `Game.World.Shop.CmdBuy` is not read: it returns a value, which Mirror refuses
// - Assets/Scripts/World/Unread.cs:24: `Game.World.Shop.CmdFind` is not read: it is generic, which Mirror refuses
// - Assets/Scripts/World/Unread.cs:25: `Game.World.Shop.CmdSell` is not read: parameter `what`: type `Mystery` is not known
// - Assets/Scripts/World/Unread.cs:26: `Game.World.Shop.RpcSold` is not read: parameter `price` is optional or a reference, which Mirror refuses
// - Assets/Scripts/World/Unread.cs:31: initial value of `frames` is not read; it is that of `Default`
// - Assets/Scripts/World/Unread.cs:33: `Game.World.Recorder` decides its bytes itself, in `OnSerialize`, which is not read
// - Assets/Scripts/World/Unread.cs:39: `Game.World.Glider` is not read: its base class `NetworkTransformReliable` is a built-in component
// - Assets/Scripts/World/Unread.cs:40: `Game.World.Orphan` is not read: its base class `Lost.Library.Thing` is not found
// - Assets/Scripts/World/Unread.cs:41: `Game.World.Plain` is not read: it is not a NetworkBehaviour
// - Assets/Scripts/World/Unread.cs:42: `Game.World.Counter`1.count` is not read: Mirror counts the bits of a generic base class twice

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(dead_code, unreachable_pub, unused_imports, unused_qualifications, unused_variables)]
#![allow(non_camel_case_types, non_upper_case_globals, clippy::all, clippy::pedantic)]

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar::behaviour::BehaviourList;
use syncvar::mirror::{
    AssetId, Component, MirrorMessage, MirrorPrefab, MirrorPrefabs, SyncDirection, SyncMethod, SyncMode,
};
use syncvar::prelude::*;
use syncvar::values::{
    Color, Color32, Decimal, LayerMask, Matrix4x4, OaDate, Plane, Quaternion, Ray, Rect, Vector2, Vector2Int, Vector3,
    Vector3Int, Vector4,
};

/// Returns the prefabs and messages of the project.
pub fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register_with(MirrorPrefab::new("Crate", AssetId(1012)), crate_)
        .register_with(MirrorPrefab::new("Door", AssetId(1003)), door)
        .register_with(MirrorPrefab::new("Rock", AssetId(66777178)), rock)
        // .register_with(MirrorPrefab::new("Shop", AssetId(4044436368)), shop)
        .register_with(MirrorPrefab::new("Zone", AssetId(77)), zone)
        .register_with(MirrorPrefab::new("Boss", AssetId(2809098574))
            .component(0, Component::new().sync_interval(Duration::from_micros(250000)))
        , boss)
        .register_with(MirrorPrefab::new("Combo", AssetId(3000)), combo)
        .register_with(MirrorPrefab::new("Elite", AssetId(1010))
            .component(0, Component::new().sync_direction(SyncDirection::ClientToServer).sync_interval(Duration::from_micros(50000)))
            .component(1, Component::new().sync_direction(SyncDirection::ClientToServer))
        , elite)
        .register_with(MirrorPrefab::new("Hero", AssetId(1009))
            .component(0, Component::new().sync_direction(SyncDirection::ClientToServer).sync_interval(Duration::from_micros(50000)))
            .component(1, Component::new().sync_direction(SyncDirection::ClientToServer))
        , hero)
        .register_with(MirrorPrefab::new("Monster", AssetId(1002)), monster)
        .register_with(MirrorPrefab::new("Player", AssetId(1001))
            .component(1, Component::new().sync_mode(SyncMode::Owner))
            .component(2, Component::new().sync_direction(SyncDirection::ClientToServer))
        , player)
        // .register_with(MirrorPrefab::new("Puppet", AssetId(1013)), puppet)
        .register_with(MirrorPrefab::new("Car", AssetId(600047753))
            .component(0, Component::new().sync_interval(Duration::from_micros(100000)))
            .component(1, Component::new().sync_mode(SyncMode::Owner))
        , car)
        .register_with(MirrorPrefab::new("Raft", AssetId(1011))
            .component(0, Component::new().sync_interval(Duration::from_micros(100000)))
        , raft)
        // .register_with(MirrorPrefab::new("Tower", AssetId(4014416721)), tower)
        .register_with(MirrorPrefab::scene("Assets/Scenes/Arena/arena_gate"), arena_gate)
        .register_with(MirrorPrefab::scene("Assets/Scenes/Arena/arena_raft")
            .component(0, Component::new().sync_interval(Duration::from_micros(200000)))
        , arena_raft)
        .message::<GlobalMsg>()
}

/// Returns the behaviours of the prefab `Crate`, Assets/Prefabs/Props/Crate.prefab.
pub fn crate_() -> syncvar::mirror::components::NetworkRigidbodyReliable {
    syncvar::mirror::components::NetworkRigidbodyReliable::default()
}

/// Returns the behaviours of the prefab `Door`, Assets/Prefabs/Props/Door.prefab.
pub fn door() -> Door {
    Door::default()
}

/// Returns the behaviours of the prefab `Rock`, Assets/Prefabs/Props/Rock.prefab.
pub fn rock() -> BehaviourList {
    BehaviourList::new()
}

// Prefab `Shop`, Assets/Prefabs/Props/Shop.prefab, is not registered: its component 0 is not read.
// pub fn shop() -> ((), Clock) {
//     ((), Clock::default())
// }

/// Returns the behaviours of the prefab `Zone`, Assets/Prefabs/Props/Zone.prefab.
pub fn zone() -> Zone {
    Zone { radius: 25.0, levels: Vec::from([3, 4]), ..Zone::default() }
}

/// Returns the behaviours of the prefab `Boss`, Assets/Prefabs/Units/Boss.prefab.
pub fn boss() -> (Monster, Turret) {
    (Monster { hp: 900.into(), ..Monster::default() }, Turret::default())
}

/// Returns the behaviours of the prefab `Combo`, Assets/Prefabs/Units/Combo.prefab.
pub fn combo() -> (InhLeaf, SyncObjs) {
    (InhLeaf::default(), SyncObjs::default())
}

/// Returns the behaviours of the prefab `Elite`, Assets/Prefabs/Units/Elite.prefab.
pub fn elite() -> (syncvar::mirror::components::NetworkTransformUnreliable, syncvar::mirror::components::NetworkAnimator, syncvar::mirror::components::NetworkTransformReliable) {
    (syncvar::mirror::components::NetworkTransformUnreliable::new(syncvar::mirror::components::TransformSettings { target: syncvar::mirror::components::TransformTarget::Child, coordinate_space: syncvar::mirror::components::CoordinateSpace::World, interpolate_scale: false, position_sensitivity: 0.05, ..Default::default() }), hero_animator(), syncvar::mirror::components::NetworkTransformReliable::new(syncvar::mirror::components::TransformSettings { target: syncvar::mirror::components::TransformTarget::Child, sync_scale: true, compress_rotation: false, position_precision: 0.001, ..Default::default() }).at(syncvar::mirror::components::Pose { position: Vector3::new(0.5, 1.25, 0.0), rotation: Quaternion::new(0.0, 0.7071068, 0.0, 0.7071068), ..Default::default() }))
}

/// Returns the behaviours of the prefab `Hero`, Assets/Prefabs/Units/Hero.prefab.
pub fn hero() -> (syncvar::mirror::components::NetworkTransformUnreliable, syncvar::mirror::components::NetworkAnimator, syncvar::mirror::components::NetworkTransformReliable) {
    (syncvar::mirror::components::NetworkTransformUnreliable::new(syncvar::mirror::components::TransformSettings { interpolate_scale: false, position_sensitivity: 0.05, ..Default::default() }), hero_animator(), syncvar::mirror::components::NetworkTransformReliable::new(syncvar::mirror::components::TransformSettings { target: syncvar::mirror::components::TransformTarget::Child, sync_scale: true, compress_rotation: false, position_precision: 0.001, ..Default::default() }).at(syncvar::mirror::components::Pose { position: Vector3::new(0.5, 1.25, 0.0), rotation: Quaternion::new(0.0, 0.7071068, 0.0, 0.7071068), ..Default::default() }))
}

/// Returns the behaviours of the prefab `Monster`, Assets/Prefabs/Units/Monster.prefab.
pub fn monster() -> Monster {
    Monster::default()
}

/// Returns the behaviours of the prefab `Player`, Assets/Prefabs/Units/Player.prefab.
pub fn player() -> (Player, Wallet, Aim) {
    (Player { run_speed: 6.25, ..Player::default() }, Wallet::default(), Aim::default())
}

// Prefab `Puppet`, Assets/Prefabs/Units/Puppet.prefab, is not registered: its component 0 is not read.
// pub fn puppet() -> () {
//     ()
// }

/// Returns the behaviours of the prefab `Car`, Assets/Prefabs/Vehicles/Car.prefab.
pub fn car() -> (Car, Health, Inventory) {
    (Car { base: Vehicle { fuel: 12.5.into(), ..Vehicle::default() }, speed: Default::default(), r#type: 2.into(), wheels: 3, paint: Color::new(0.0, 0.5, 1.0, 1.0), ..Car::default() }, Health { per_second: 2.0, label: "a\tb: c".to_owned(), current: 30.into(), ..Health::default() }, Inventory { base: ContainerOfItemsItem { capacity: 40, ..ContainerOfItemsItem::default() }, ..Inventory::default() })
}

/// Returns the behaviours of the prefab `Raft`, Assets/Prefabs/Vehicles/Raft.prefab.
pub fn raft() -> syncvar::mirror::components::NetworkTransformHybrid {
    syncvar::mirror::components::NetworkTransformHybrid::new(syncvar::mirror::components::TransformSettings { timeline_offset: false, rotation_precision: 0.005, ..Default::default() })
}

// Prefab `Tower`, Assets/Prefabs/Vehicles/Tower.prefab, is not registered: its component 0 is not read.
// pub fn tower() -> ((), Turret) {
//     ((), Turret::default())
// }

/// Returns the behaviours of the scene's object `Assets/Scenes/Arena/arena_gate`, Assets/Scenes/Arena.unity.
pub fn arena_gate() -> Door {
    Door { open: true.into(), ..Door::default() }
}

/// Returns the behaviours of the scene's object `Assets/Scenes/Arena/arena_gate1`, Assets/Scenes/Arena.unity.
pub fn arena_gate1() -> Door {
    Door::default()
}

/// Returns the behaviours of the scene's object `Assets/Scenes/Arena/arena_raft`, Assets/Scenes/Arena.unity.
pub fn arena_raft() -> syncvar::mirror::components::NetworkTransformHybrid {
    syncvar::mirror::components::NetworkTransformHybrid::new(syncvar::mirror::components::TransformSettings { timeline_offset: false, rotation_precision: 0.005, ..Default::default() })
}

/// Ids of the objects of the scene Assets/Scenes/Arena.unity.
pub mod arena {
    use syncvar::mirror::SceneId;

    /// `Gate`.
    pub const GATE: SceneId = SceneId(0x0540741f9abcdef0);
    /// `Gate (1)`.
    pub const GATE1: SceneId = SceneId(0x0540741f12345679);
    /// `Back door`.
    pub const BACK_DOOR: SceneId = SceneId(0x0540741f0000004d);
    /// `Raft`.
    pub const RAFT: SceneId = SceneId(0x0540741f0000004e);
}

/// Spawns the objects of the scene Assets/Scenes/Arena.unity, in the order of their constants.
pub fn spawn_arena(
    server: &mut syncvar::mirror::MirrorServer,
) -> Result<Vec<syncvar::NetId>, syncvar::mirror::MirrorSpawnError> {
    let mut ids = Vec::new();
    ids.push(server.spawn_scene_object(arena::GATE, arena_gate(), syncvar::mirror::MirrorSpawnOptions {
        prefab: Some("Assets/Scenes/Arena/arena_gate".to_owned()), position: Vector3::new(7.0, 0.0, -7.5), rotation: Some(Quaternion::new(0.0, 1.0, 0.0, 0.0)), scale: Some(Vector3::new(2.0, 1.0, 1.0)), ..Default::default()
    })?);
    ids.push(server.spawn_scene_object(arena::GATE1, arena_gate1(), syncvar::mirror::MirrorSpawnOptions {
        prefab: Some("Assets/Scenes/Arena/arena_gate".to_owned()), position: Vector3::new(1.0, 0.0, 0.0), ..Default::default()
    })?);
    ids.push(server.spawn_scene_object(arena::BACK_DOOR, door(), syncvar::mirror::MirrorSpawnOptions {
        prefab: Some("Door".to_owned()), position: Vector3::new(4.0, 0.5, 0.0), ..Default::default()
    })?);
    ids.push(server.spawn_scene_object(arena::RAFT, arena_raft(), syncvar::mirror::MirrorSpawnOptions {
        prefab: Some("Assets/Scenes/Arena/arena_raft".to_owned()), position: Vector3::new(-3.0, 0.0, 0.0), ..Default::default()
    })?);
    Ok(ids)
}

/// Adds the objects of the scene Assets/Scenes/Arena.unity to a client that has loaded it.
pub fn add_arena(
    client: &mut syncvar::mirror::MirrorClient,
) -> Result<(), syncvar::mirror::SceneObjectError> {
    client.add_scene_object(arena::GATE, arena_gate())?;
    client.add_scene_object(arena::GATE1, arena_gate1())?;
    client.add_scene_object(arena::BACK_DOOR, door())?;
    client.add_scene_object(arena::RAFT, arena_raft())?;
    Ok(())
}

/// Parameters of Assets/Animations/Hero.controller: positions, and hashes of triggers.
pub mod hero_animator {
    /// `Speed`.
    pub const SPEED: usize = 0;
    /// `Jump`.
    pub const JUMP: i32 = 125937960;
    /// `Weapon Id`.
    pub const WEAPON_ID: usize = 2;
    /// `Grounded`.
    pub const GROUNDED: usize = 3;
}

/// Returns an animator with the parameters and layers of Assets/Animations/Hero.controller.
pub fn hero_animator() -> syncvar::mirror::components::NetworkAnimator {
    syncvar::mirror::components::NetworkAnimator::new(
        [
            syncvar::mirror::components::AnimatorValue::Float(0.5),
            syncvar::mirror::components::AnimatorValue::Trigger,
            syncvar::mirror::components::AnimatorValue::Int(2),
            syncvar::mirror::components::AnimatorValue::Bool(true),
        ],
        [
            syncvar::mirror::components::AnimatorLayer::new(syncvar::mirror::components::AnimatorState { hash: syncvar::mirror::components::animator_hash("Base Layer.Ground.Idle"), normalized_time: 0.0 }),
            syncvar::mirror::components::AnimatorLayer { weight: 0.75, ..syncvar::mirror::components::AnimatorLayer::new(Default::default()) },
        ],
    )
}

/// `Aim`, Assets/Scripts/Core/Aim.cs.
#[derive(NetworkBehaviour, Default)]
pub struct Aim {
    #[sync_var(hook = on_yaw)]
    pub yaw: SyncVar<f32>,
    #[sync_var(hook = on_firing)]
    pub firing: SyncVar<bool>,
}

/// Empty hooks and calls of `Aim`.
trait AimMethods: Sized {
    /// Hook `OnYaw`.
    fn on_yaw(&mut self, previous: f32) {}
    /// Hook `OnFiring`.
    fn on_firing(&mut self, previous: bool) {}
}

impl AimMethods for Aim {}

/// `BeforeError`, Assets/Scripts/World/Broken.cs.
#[derive(NetworkBehaviour, Default)]
pub struct BeforeError {
    #[sync_var]
    pub a: SyncVar<i32>,
}

/// `Broken`, Assets/Scripts/World/Broken.cs.
///
/// Incomplete: syntax error at Assets/Scripts/World/Broken.cs:8. No prefab with it is registered.
#[derive(NetworkBehaviour)]
pub struct Broken {
    #[sync_var]
    pub good: SyncVar<i32>,
    #[sync_var]
    pub unnamed: SyncVar<i32>,
}

impl Default for Broken {
    fn default() -> Self {
        Self {
            good: Default::default(),
            unnamed: 3.into(),
        }
    }
}

/// `Door`, Assets/Scripts/Core/Door.cs.
#[derive(NetworkBehaviour, Default)]
pub struct Door {
    #[sync_var(hook = on_open)]
    pub open: SyncVar<bool>,
}

#[network_calls]
impl Door {
    #[command(requires_ownership = false, mirror = "System.Void Door::CmdToggle()")]
    pub fn cmd_toggle(&mut self, ctx: &mut CallContext<'_>) {
        Self::on_cmd_toggle(self, ctx);
    }
}

/// Empty hooks and calls of `Door`.
trait DoorMethods: Sized {
    /// Hook `OnOpen`.
    fn on_open(&mut self, previous: bool) {}
    /// Body of `cmd_toggle`.
    fn on_cmd_toggle(&mut self, ctx: &mut CallContext<'_>) {}
}

impl DoorMethods for Door {}

/// `Game.Combat.Health`, Assets/Scripts/Combat/Health.cs.
#[derive(NetworkBehaviour)]
pub struct Health {
    pub per_second: f32,
    pub label: String,
    pub carried: f32,
    #[sync_var(hook = on_changed)]
    pub current: SyncVar<i32>,
    #[sync_var(hook = on_changed)]
    pub maximum: SyncVar<i32>,
    #[sync_var(hook = on_changed_2)]
    pub status: SyncVar<Status>,
    #[sync_var]
    pub team: SyncVar<Team>,
    #[sync_var]
    pub slot: SyncVar<Slot>,
    #[sync_var]
    pub worst: SyncVar<Option<StackedEffect>>,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            per_second: 0.25,
            label: "hp:\tA".to_owned(),
            carried: Default::default(),
            current: 100.into(),
            maximum: 100.into(),
            status: Status(3).into(),
            team: Team::Blue.into(),
            slot: Slot::Second.into(),
            worst: Default::default(),
        }
    }
}

#[network_calls]
impl Health {
    #[command(channel = 1, mirror = "System.Void Game.Combat.Health::CmdHit(Game.Combat.Hit,System.Collections.Generic.List`1<System.Int32>,System.Int32[])")]
    pub fn cmd_hit(&mut self, ctx: &mut CallContext<'_>, hit: Hit, parts: Vec<i32>, counts: Vec<i32>) {
        Self::on_cmd_hit(self, ctx, hit, parts, counts);
    }

    #[command(mirror = "System.Void Game.Combat.Health::CmdHit(Game.Combat.Hit)")]
    pub fn cmd_hit_2(&mut self, ctx: &mut CallContext<'_>, hit: Hit) {
        Self::on_cmd_hit_2(self, ctx, hit);
    }

    #[client_rpc(channel = 1, mirror = "System.Void Game.Combat.Health::RpcHit(Game.Combat.Hit,Game.Combat.Effect,Game.Combat.Health/Nested)")]
    pub fn rpc_hit(&mut self, ctx: &mut CallContext<'_>, hit: Hit, effect: Option<Effect>, nested: Nested) {
        Self::on_rpc_hit(self, ctx, hit, effect, nested);
    }

    #[target_rpc(mirror = "System.Void Game.Combat.Health::TargetHeal(Mirror.NetworkConnectionToClient,System.Byte[],System.Nullable`1<UnityEngine.Vector3>)")]
    pub fn target_heal(&mut self, ctx: &mut CallContext<'_>, blob: Vec<u8>, at: Option<Vector3>) {
        Self::on_target_heal(self, ctx, blob, at);
    }
}

/// Empty hooks and calls of `Health`.
trait HealthMethods: Sized {
    /// Hook `OnChanged`.
    fn on_changed(&mut self, previous: i32) {}
    /// Hook `OnChanged`.
    fn on_changed_2(&mut self, previous: Status) {}
    /// Body of `cmd_hit`.
    fn on_cmd_hit(&mut self, ctx: &mut CallContext<'_>, hit: Hit, parts: Vec<i32>, counts: Vec<i32>) {}
    /// Body of `cmd_hit_2`.
    fn on_cmd_hit_2(&mut self, ctx: &mut CallContext<'_>, hit: Hit) {}
    /// Body of `rpc_hit`.
    fn on_rpc_hit(&mut self, ctx: &mut CallContext<'_>, hit: Hit, effect: Option<Effect>, nested: Nested) {}
    /// Body of `target_heal`.
    fn on_target_heal(&mut self, ctx: &mut CallContext<'_>, blob: Vec<u8>, at: Option<Vector3>) {}
}

impl HealthMethods for Health {}

/// `Game.Combat.Turret`, Assets/Scripts/Combat/Turret.cs.
#[derive(NetworkBehaviour)]
pub struct Turret {
    #[sync_var]
    pub prey: SyncVar<BehaviourRef<Health>>,
    #[sync_var]
    pub anything: SyncVar<BehaviourRef<AnyBehaviour>>,
    #[sync_var]
    pub barrel: SyncVar<NetRef>,
    #[sync_var]
    pub muzzle: SyncVar<NetRef>,
    #[sync_var]
    pub side: SyncVar<Team>,
    #[sync_var]
    pub letter: SyncVar<char>,
    #[sync_var]
    pub range: SyncVar<f64>,
    #[sync_var]
    pub rotation: SyncVar<Quaternion>,
    #[sync_var]
    pub cell: SyncVar<Vector2Int>,
    #[sync_var]
    pub id: SyncVar<[u8; 16]>,
    #[sync_var]
    pub never: SyncVar<f32>,
}

impl Default for Turret {
    fn default() -> Self {
        Self {
            prey: Default::default(),
            anything: Default::default(),
            barrel: Default::default(),
            muzzle: Default::default(),
            side: Team::Red.into(),
            letter: 'x'.into(),
            range: 100.0.into(),
            rotation: Quaternion::new(0.0, 0.0, 0.0, 1.0).into(),
            cell: Vector2Int::new(3, -4).into(),
            id: Default::default(),
            never: f32::INFINITY.into(),
        }
    }
}

#[network_calls]
impl Turret {
    #[client_rpc(mirror = "System.Void Game.Combat.Turret::RpcAim(Game.Combat.Health,UnityEngine.GameObject,Mirror.NetworkIdentity,System.UInt16[])")]
    pub fn rpc_aim(&mut self, ctx: &mut CallContext<'_>, prey: BehaviourRef<Health>, barrel: NetRef, who: NetRef, angles: Vec<u16>) {
        Self::on_rpc_aim(self, ctx, prey, barrel, who, angles);
    }
}

/// Empty hooks and calls of `Turret`.
trait TurretMethods: Sized {
    /// Body of `rpc_aim`.
    fn on_rpc_aim(&mut self, ctx: &mut CallContext<'_>, prey: BehaviourRef<Health>, barrel: NetRef, who: NetRef, angles: Vec<u16>) {}
}

impl TurretMethods for Turret {}

/// `Game.Items.Backpack`, Assets/Scripts/Items/Inventory.cs.
#[derive(NetworkBehaviour)]
pub struct Backpack {
    #[network_behaviour(base)]
    pub base: Inventory,
    #[sync_var]
    pub weight: SyncVar<f32>,
}

impl Default for Backpack {
    fn default() -> Self {
        Self {
            base: Inventory::default(),
            weight: 1.75.into(),
        }
    }
}

#[network_calls]
impl Backpack {
    #[command(mirror = "System.Void Game.Items.Backpack::CmdDrop(System.Int32)")]
    pub fn cmd_drop_of_backpack(&mut self, ctx: &mut CallContext<'_>, slot: i32) {
        Self::on_cmd_drop_of_backpack(self, ctx, slot);
    }
}

/// Empty hooks and calls of `Backpack`.
trait BackpackMethods: Sized {
    /// Body of `cmd_drop_of_backpack`.
    fn on_cmd_drop_of_backpack(&mut self, ctx: &mut CallContext<'_>, slot: i32) {}
}

impl BackpackMethods for Backpack {}

/// `Game.Items.Container`1<Game.Items.Item>`, Assets/Scripts/Items/Inventory.cs.
#[derive(NetworkBehaviour)]
pub struct ContainerOfItemsItem {
    #[sync_var]
    pub content: SyncList<ItemsItem>,
    pub capacity: i32,
}

impl Default for ContainerOfItemsItem {
    fn default() -> Self {
        Self {
            content: Default::default(),
            capacity: 16,
        }
    }
}

/// `Game.Items.Inventory`, Assets/Scripts/Items/Inventory.cs.
#[derive(NetworkBehaviour)]
pub struct Inventory {
    #[network_behaviour(base)]
    pub base: ContainerOfItemsItem,
    #[sync_var]
    pub placed: SyncDictionary<Key, ItemsItem>,
    #[sync_var]
    pub effects: SyncDictionary<Rarity, Vec<Option<Effect>>>,
    #[sync_var]
    pub scores: SyncList<f32>,
    #[sync_var]
    pub slots: SyncList<i32>,
    #[sync_var]
    pub held: SyncVar<ItemsItem>,
    #[sync_var]
    pub spare: SyncVar<Option<ItemsItem>>,
    #[sync_var]
    pub seen: SyncVar<BTreeSet<i32>>,
}

impl Default for Inventory {
    fn default() -> Self {
        Self {
            base: ContainerOfItemsItem::default(),
            placed: Default::default(),
            effects: Default::default(),
            scores: Default::default(),
            slots: [1, 2, 3].into_iter().collect(),
            held: Default::default(),
            spare: Default::default(),
            seen: Default::default(),
        }
    }
}

#[network_calls]
impl Inventory {
    #[command(mirror = "System.Void Game.Items.Inventory::CmdPlace(Game.Items.Key,Game.Items.Item)")]
    pub fn cmd_place(&mut self, ctx: &mut CallContext<'_>, key: Key, item: ItemsItem) {
        Self::on_cmd_place(self, ctx, key, item);
    }

    #[command(mirror = "System.Void Game.Items.Inventory::CmdDrop(System.Int32)")]
    pub fn cmd_drop(&mut self, ctx: &mut CallContext<'_>, slot: i32) {
        Self::on_cmd_drop(self, ctx, slot);
    }
}

/// Empty hooks and calls of `Inventory`.
trait InventoryMethods: Sized {
    /// Body of `cmd_place`.
    fn on_cmd_place(&mut self, ctx: &mut CallContext<'_>, key: Key, item: ItemsItem) {}
    /// Body of `cmd_drop`.
    fn on_cmd_drop(&mut self, ctx: &mut CallContext<'_>, slot: i32) {}
}

impl InventoryMethods for Inventory {}

/// `Game.World.Boat`, Assets/Scripts/World/Boat.cs.
#[derive(NetworkBehaviour)]
pub struct Boat {
    #[network_behaviour(base)]
    pub base: Vehicle,
    #[sync_var]
    pub oars: SyncVar<i32>,
}

impl Default for Boat {
    fn default() -> Self {
        Self {
            base: Vehicle::default(),
            oars: 2.into(),
        }
    }
}

#[network_calls]
impl Boat {
    #[client_rpc(mirror = "System.Void Game.World.Boat::RpcSink()")]
    pub fn rpc_sink(&mut self, ctx: &mut CallContext<'_>) {
        Self::on_rpc_sink(self, ctx);
    }
}

/// Empty hooks and calls of `Boat`.
trait BoatMethods: Sized {
    /// Body of `rpc_sink`.
    fn on_rpc_sink(&mut self, ctx: &mut CallContext<'_>) {}
}

impl BoatMethods for Boat {}

/// `Game.World.Car`, Assets/Scripts/World/Car.cs.
#[derive(NetworkBehaviour)]
pub struct Car {
    #[network_behaviour(base)]
    pub base: Vehicle,
    #[sync_var]
    pub speed: SyncVar<f32>,
    #[sync_var]
    pub lock: SyncVar<bool>,
    #[sync_var]
    pub r#type: SyncVar<i32>,
    pub wheels: i32,
    pub paint: Color,
}

impl Default for Car {
    fn default() -> Self {
        Self {
            base: Vehicle::default(),
            speed: 3.0.into(),
            lock: true.into(),
            r#type: Default::default(),
            wheels: 4,
            paint: Color::new(1.0, 0.0, 0.0, 1.0),
        }
    }
}

/// `Game.World.Champion`, Assets/Scripts/World/Guest.cs.
#[derive(NetworkBehaviour)]
pub struct Champion {
    #[network_behaviour(base)]
    pub base: Guest,
    #[sync_var]
    pub titles: SyncVar<i32>,
}

impl Default for Champion {
    fn default() -> Self {
        Self {
            base: Guest::default(),
            titles: 1.into(),
        }
    }
}

impl AsRef<syncvar::mirror::room::NetworkRoomPlayer> for Champion {
    fn as_ref(&self) -> &syncvar::mirror::room::NetworkRoomPlayer {
        self.base.as_ref()
    }
}

impl AsMut<syncvar::mirror::room::NetworkRoomPlayer> for Champion {
    fn as_mut(&mut self) -> &mut syncvar::mirror::room::NetworkRoomPlayer {
        self.base.as_mut()
    }
}

/// `Game.World.Clock`, Assets/Scripts/World/Clock.cs.
#[derive(NetworkBehaviour)]
pub struct Clock {
    #[sync_var]
    pub started: SyncVar<OaDate>,
    #[sync_var]
    pub price: SyncVar<Decimal>,
    #[sync_var]
    pub seed: SyncVar<Vec<u8>>,
    #[sync_var]
    pub names: SyncVar<Vec<String>>,
    #[sync_var]
    pub zone: SyncVar<i8>,
    #[sync_var]
    pub year: SyncVar<u16>,
    #[sync_var]
    pub ticks: SyncVar<u32>,
    #[sync_var]
    pub prize: SyncVar<ClockItem>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            started: Default::default(),
            price: Default::default(),
            seed: Default::default(),
            names: Vec::from(["a".to_owned(), "b".to_owned()]).into(),
            zone: (-1).into(),
            year: 2026.into(),
            ticks: 4294967295.into(),
            prize: Default::default(),
        }
    }
}

/// `Game.World.Counter`1<System.String>`, Assets/Scripts/World/Unread.cs.
///
/// Incomplete: field `count` is not read. No prefab with it is registered.
#[derive(NetworkBehaviour, Default)]
pub struct CounterOfString {
    #[sync_var]
    pub count: SyncVar<i32>,
}

/// `Game.World.Guest`, Assets/Scripts/World/Guest.cs.
#[derive(NetworkBehaviour)]
pub struct Guest {
    #[network_behaviour(base)]
    pub base: syncvar::mirror::room::NetworkRoomPlayer,
    #[sync_var]
    pub shirt: SyncVar<Color32>,
    #[sync_var]
    pub hat: SyncVar<Color32>,
    #[sync_var]
    pub skin: SyncVar<Color>,
    #[sync_var]
    pub glow: SyncVar<Vector4>,
    #[sync_var]
    pub flat: SyncVar<Vector3>,
    #[sync_var]
    pub grid: SyncVar<Vector2>,
    #[sync_var]
    pub spot: SyncVar<Vector3>,
    #[sync_var]
    pub nose: SyncVar<Vector2>,
    #[sync_var]
    pub mask: SyncVar<u32>,
    #[sync_var]
    pub layers: SyncVar<u32>,
    #[sync_var]
    pub wide: SyncVar<u64>,
    #[sync_var]
    pub lowest: SyncVar<i32>,
    #[sync_var]
    pub rest: SyncVar<u8>,
    #[sync_var]
    pub turn: SyncVar<f64>,
    #[sync_var]
    pub angle: SyncVar<f32>,
    #[sync_var]
    pub half: SyncVar<f32>,
    #[sync_var]
    pub fruit: SyncVar<Fruit>,
    #[sync_var]
    pub fig: SyncVar<Fruit>,
    #[sync_var]
    pub pear: SyncVar<Fruit>,
    #[sync_var]
    pub basket: SyncVar<Option<Basket>>,
    #[sync_var]
    pub full: SyncVar<Option<Basket>>,
    #[sync_var]
    pub pile: SyncList<String>,
    #[sync_var]
    pub ledger: SyncDictionary<i32, Fruit>,
    #[sync_var]
    pub fruits: SyncList<Fruit>,
}

impl Default for Guest {
    fn default() -> Self {
        Self {
            base: syncvar::mirror::room::NetworkRoomPlayer::default(),
            shirt: Color32::new(255, 255, 255, 255).into(),
            hat: Color32::new(128, 128, 128, 255).into(),
            skin: Color::new(1.0, 0.2, 0.0, 1.0).into(),
            glow: Vector4::new(1.0, 0.0, 0.0, 1.0).into(),
            flat: Vector3::new(1.0, 2.0, 0.0).into(),
            grid: Vector2::new(1.0, 0.0).into(),
            spot: Vector3::new(0.0, 2.0, 0.0).into(),
            nose: Vector2::new(0.75, 0.5).into(),
            mask: 4294967295.into(),
            layers: 4294967287.into(),
            wide: 4294967295.into(),
            lowest: (-2147483648).into(),
            rest: 255.into(),
            turn: 1.5707963267948966.into(),
            angle: 1.5707964.into(),
            half: 0.5.into(),
            fruit: Fruit { count: 3, name: "apple".to_owned(), ..Default::default() }.into(),
            fig: Fruit { count: 2, name: "fig".to_owned(), ..Default::default() }.into(),
            pear: Fruit { name: "pear".to_owned(), ..Default::default() }.into(),
            basket: Some(Basket { size: 9, ..Default::default() }).into(),
            full: Some(Basket { size: 5, best: Fruit { count: 1, name: "fig".to_owned(), ..Default::default() }, ..Default::default() }).into(),
            pile: Default::default(),
            ledger: Default::default(),
            fruits: Default::default(),
        }
    }
}

impl AsRef<syncvar::mirror::room::NetworkRoomPlayer> for Guest {
    fn as_ref(&self) -> &syncvar::mirror::room::NetworkRoomPlayer {
        self.base.as_ref()
    }
}

impl AsMut<syncvar::mirror::room::NetworkRoomPlayer> for Guest {
    fn as_mut(&mut self) -> &mut syncvar::mirror::room::NetworkRoomPlayer {
        self.base.as_mut()
    }
}

#[network_calls]
impl Guest {
    #[command(mirror = "System.Void Game.World.Guest::CmdRename(System.String)")]
    pub fn cmd_rename(&mut self, ctx: &mut CallContext<'_>, name: String) {
        Self::on_cmd_rename(self, ctx, name);
    }
}

/// Empty hooks and calls of `Guest`.
trait GuestMethods: Sized {
    /// Body of `cmd_rename`.
    fn on_cmd_rename(&mut self, ctx: &mut CallContext<'_>, name: String) {}
}

impl GuestMethods for Guest {}

/// `Game.World.Kills`, Assets/Scripts/World/Unread.cs.
///
/// Incomplete: its base class `Counter<string>` is incomplete. No prefab with it is registered.
#[derive(NetworkBehaviour, Default)]
pub struct Kills {
    #[network_behaviour(base)]
    pub base: CounterOfString,
    #[sync_var]
    pub best: SyncVar<i32>,
}

/// `Game.World.Recorder`, Assets/Scripts/World/Unread.cs.
///
/// Incomplete: `Game.World.Recorder` decides its bytes itself, in `OnSerialize`, which is not read. No prefab with it is registered.
#[derive(NetworkBehaviour, Default)]
pub struct Recorder {
    #[sync_var]
    pub frames: SyncVar<i32>,
}

/// `Game.World.Shop`, Assets/Scripts/World/Unread.cs.
///
/// Incomplete: field `cash` is not read. No prefab with it is registered.
///
/// Incomplete: field `mystery` is not read. No prefab with it is registered.
///
/// Incomplete: field `grid` is not read. No prefab with it is registered.
///
/// Incomplete: field `sold` is not read. No prefab with it is registered.
#[derive(NetworkBehaviour, Default)]
pub struct Shop {
    #[sync_var]
    pub open: SyncVar<i32>,
}

/// `Game.World.Vehicle`, Assets/Scripts/World/Vehicles.cs.
#[derive(NetworkBehaviour)]
pub struct Vehicle {
    #[sync_var(hook = on_fuel)]
    pub fuel: SyncVar<f32>,
    #[sync_var]
    pub driver: SyncVar<NetRef>,
}

impl Default for Vehicle {
    fn default() -> Self {
        Self {
            fuel: 50.0.into(),
            driver: Default::default(),
        }
    }
}

#[network_calls]
impl Vehicle {
    #[command(requires_ownership = false, mirror = "System.Void Game.World.Vehicle::CmdEnter(Mirror.NetworkConnectionToClient)")]
    pub fn cmd_enter(&mut self, ctx: &mut CallContext<'_>) {
        Self::on_cmd_enter(self, ctx);
    }
}

/// Empty hooks and calls of `Vehicle`.
trait VehicleMethods: Sized {
    /// Hook `OnFuel`.
    fn on_fuel(&mut self, previous: f32) {}
    /// Body of `cmd_enter`.
    fn on_cmd_enter(&mut self, ctx: &mut CallContext<'_>) {}
}

impl VehicleMethods for Vehicle {}

/// `Game.World.Zone`, Assets/Scripts/World/Zone.cs.
#[derive(NetworkBehaviour)]
pub struct Zone {
    pub radius: f32,
    pub levels: Vec<i32>,
}

impl Default for Zone {
    fn default() -> Self {
        Self {
            radius: 10.0,
            levels: Vec::from([1, 2]),
        }
    }
}

/// `InhBase`, Assets/Scripts/Core/Inheritance.cs.
#[derive(NetworkBehaviour)]
pub struct InhBase {
    #[sync_var]
    pub base_a: SyncVar<i32>,
    #[sync_var]
    pub base_b: SyncVar<String>,
    #[sync_var]
    pub base_list: SyncList<i32>,
}

impl Default for InhBase {
    fn default() -> Self {
        Self {
            base_a: 1.into(),
            base_b: "b".to_owned().into(),
            base_list: Default::default(),
        }
    }
}

/// `InhLeaf`, Assets/Scripts/Core/InhLeaf.cs.
#[derive(NetworkBehaviour)]
pub struct InhLeaf {
    #[network_behaviour(base)]
    pub base: InhMid,
    #[sync_var]
    pub leaf_a: SyncVar<u8>,
    #[sync_var]
    pub leaf_b: SyncVar<i64>,
    #[sync_var]
    pub leaf_dict: SyncDictionary<i32, String>,
}

impl Default for InhLeaf {
    fn default() -> Self {
        Self {
            base: InhMid::default(),
            leaf_a: 7.into(),
            leaf_b: (-1).into(),
            leaf_dict: Default::default(),
        }
    }
}

/// `InhMid`, Assets/Scripts/Core/Inheritance.cs.
#[derive(NetworkBehaviour)]
pub struct InhMid {
    #[network_behaviour(base)]
    pub base: InhMidEmpty,
    #[sync_var]
    pub mid: SyncVar<f32>,
    #[sync_var]
    pub mid_set: SyncHashSet<String>,
}

impl Default for InhMid {
    fn default() -> Self {
        Self {
            base: InhMidEmpty::default(),
            mid: 0.5.into(),
            mid_set: Default::default(),
        }
    }
}

/// `InhMidEmpty`, Assets/Scripts/Core/Inheritance.cs.
#[derive(NetworkBehaviour, Default)]
pub struct InhMidEmpty {
    #[network_behaviour(base)]
    pub base: InhBase,
}

/// `Monster`, Assets/Scripts/Core/Monster.cs.
#[derive(NetworkBehaviour)]
pub struct Monster {
    #[sync_var(hook = on_kind)]
    pub kind: SyncVar<MonsterKind>,
    #[sync_var(hook = on_hp)]
    pub hp: SyncVar<i16>,
    #[sync_var(hook = on_target)]
    pub target: SyncVar<NetRef>,
    #[sync_var]
    pub bounty: SyncVar<Option<i32>>,
    #[sync_var]
    pub color: SyncVar<Color32>,
    #[sync_var]
    pub buffs: SyncDictionary<i32, String>,
    #[sync_var]
    pub tags: SyncHashSet<String>,
    #[sync_var]
    pub loot: SyncList<LootItem>,
}

impl Default for Monster {
    fn default() -> Self {
        Self {
            kind: Default::default(),
            hp: 50.into(),
            target: Default::default(),
            bounty: Default::default(),
            color: Color32::new(1, 2, 3, 255).into(),
            buffs: Default::default(),
            tags: Default::default(),
            loot: Default::default(),
        }
    }
}

#[network_calls]
impl Monster {
    #[client_rpc(mirror = "System.Void Monster::RpcRoar(System.Int32,UnityEngine.Vector3)")]
    pub fn rpc_roar(&mut self, ctx: &mut CallContext<'_>, volume: i32, at: Vector3) {
        Self::on_rpc_roar(self, ctx, volume, at);
    }
}

/// Empty hooks and calls of `Monster`.
trait MonsterMethods: Sized {
    /// Hook `OnKind`.
    fn on_kind(&mut self, previous: MonsterKind) {}
    /// Hook `OnHp`.
    fn on_hp(&mut self, previous: i16) {}
    /// Hook `OnTarget`.
    fn on_target(&mut self, previous: NetRef) {}
    /// Body of `rpc_roar`.
    fn on_rpc_roar(&mut self, ctx: &mut CallContext<'_>, volume: i32, at: Vector3) {}
}

impl MonsterMethods for Monster {}

/// `Player`, Assets/Scripts/Core/Player.cs.
#[derive(NetworkBehaviour)]
pub struct Player {
    #[sync_var(hook = on_player_name)]
    pub player_name: SyncVar<String>,
    #[sync_var(hook = on_health)]
    pub health: SyncVar<i32>,
    #[sync_var]
    pub position: SyncVar<Vector3>,
    #[sync_var]
    pub inventory: SyncList<i32>,
    pub run_speed: f32,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            player_name: "unnamed".to_owned().into(),
            health: 100.into(),
            position: Default::default(),
            inventory: Default::default(),
            run_speed: 4.5,
        }
    }
}

#[network_calls]
impl Player {
    #[command(mirror = "System.Void Player::CmdDamage(System.Int32)")]
    pub fn cmd_damage(&mut self, ctx: &mut CallContext<'_>, amount: i32) {
        Self::on_cmd_damage(self, ctx, amount);
    }

    #[command(requires_ownership = false, mirror = "System.Void Player::CmdChat(System.String,Mirror.NetworkConnectionToClient)")]
    pub fn cmd_chat(&mut self, ctx: &mut CallContext<'_>, text: String) {
        Self::on_cmd_chat(self, ctx, text);
    }

    #[command(mirror = "System.Void Player::CmdPickup(System.Int32,System.Int32)")]
    pub fn cmd_pickup(&mut self, ctx: &mut CallContext<'_>, item: i32, index: i32) {
        Self::on_cmd_pickup(self, ctx, item, index);
    }

    #[client_rpc(mirror = "System.Void Player::RpcChat(System.String,System.String)")]
    pub fn rpc_chat(&mut self, ctx: &mut CallContext<'_>, name: String, text: String) {
        Self::on_rpc_chat(self, ctx, name, text);
    }

    #[client_rpc(target = owner, mirror = "System.Void Player::TargetNotify(System.String)")]
    pub fn target_notify(&mut self, ctx: &mut CallContext<'_>, text: String) {
        Self::on_target_notify(self, ctx, text);
    }

    #[client_rpc(target = not_owner, mirror = "System.Void Player::RpcOthers(System.Int32)")]
    pub fn rpc_others(&mut self, ctx: &mut CallContext<'_>, number: i32) {
        Self::on_rpc_others(self, ctx, number);
    }
}

/// Empty hooks and calls of `Player`.
trait PlayerMethods: Sized {
    /// Hook `OnPlayerName`.
    fn on_player_name(&mut self, previous: String) {}
    /// Hook `OnHealth`.
    fn on_health(&mut self, previous: i32) {}
    /// Body of `cmd_damage`.
    fn on_cmd_damage(&mut self, ctx: &mut CallContext<'_>, amount: i32) {}
    /// Body of `cmd_chat`.
    fn on_cmd_chat(&mut self, ctx: &mut CallContext<'_>, text: String) {}
    /// Body of `cmd_pickup`.
    fn on_cmd_pickup(&mut self, ctx: &mut CallContext<'_>, item: i32, index: i32) {}
    /// Body of `rpc_chat`.
    fn on_rpc_chat(&mut self, ctx: &mut CallContext<'_>, name: String, text: String) {}
    /// Body of `target_notify`.
    fn on_target_notify(&mut self, ctx: &mut CallContext<'_>, text: String) {}
    /// Body of `rpc_others`.
    fn on_rpc_others(&mut self, ctx: &mut CallContext<'_>, number: i32) {}
}

impl PlayerMethods for Player {}

/// `SyncObjs`, Assets/Scripts/Core/SyncObjs.cs.
#[derive(NetworkBehaviour)]
pub struct SyncObjs {
    #[sync_var]
    pub ints: SyncList<i32>,
    #[sync_var]
    pub strings: SyncList<String>,
    #[sync_var]
    pub items: SyncList<Item>,
    #[sync_var]
    pub dict: SyncDictionary<i32, String>,
    #[sync_var]
    pub hset: SyncHashSet<String>,
    #[sync_var]
    pub sset: SyncSortedSet<i32>,
    #[sync_var]
    pub after: SyncVar<i32>,
}

impl Default for SyncObjs {
    fn default() -> Self {
        Self {
            ints: Default::default(),
            strings: Default::default(),
            items: Default::default(),
            dict: Default::default(),
            hset: Default::default(),
            sset: Default::default(),
            after: 42.into(),
        }
    }
}

/// `Wallet`, Assets/Scripts/Core/Wallet.cs.
#[derive(NetworkBehaviour)]
pub struct Wallet {
    #[sync_var(hook = on_gold)]
    pub gold: SyncVar<i32>,
    #[sync_var]
    pub secret: SyncVar<u64>,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            gold: 10.into(),
            secret: 1.into(),
        }
    }
}

/// Empty hooks and calls of `Wallet`.
trait WalletMethods: Sized {
    /// Hook `OnGold`.
    fn on_gold(&mut self, previous: i32) {}
}

impl WalletMethods for Wallet {}

/// Target of a reference to a component of any class: only the object and the position are known.
#[derive(NetworkBehaviour, Default)]
pub struct AnyBehaviour {}

/// `Game.Combat.Effect`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Effect {
    pub name: String,
    pub seconds: f32,
}

/// `Game.Combat.Health/Nested`, Assets/Scripts/Combat/Health.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Nested {
    pub slot: Slot,
    pub tint: Color,
}

/// `Game.Combat.Hit`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Hit {
    pub amount: i32,
    pub from: Team,
    pub effects: Status,
    pub at: Vector3,
}

/// `Game.Combat.Slot`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub i64);

impl Slot {
    pub const First: Self = Self(1);
    pub const Second: Self = Self(2);
}

/// `Game.Combat.StackedEffect`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct StackedEffect {
    pub stacks: i32,
    pub name: String,
    pub seconds: f32,
}

/// `Game.Combat.Status`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(pub u16);

impl Status {
    pub const None: Self = Self(0);
    pub const Burning: Self = Self(1);
    pub const Frozen: Self = Self(2);
    pub const Stunned: Self = Self(18);
}

/// `Game.Combat.Team`, Assets/Scripts/Combat/Types.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
pub enum Team {
    #[default]
    None = 0,
    Red = 10,
    Blue = 11,
}

impl Team {
    pub const Azure: Self = Self::Blue;
}

/// `Game.Items.Item`, Assets/Scripts/Items/Inventory.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemsItem {
    pub id: i32,
    pub rarity: Rarity,
    pub runes: Vec<String>,
}

/// `Game.Items.Item/Rarity`, Assets/Scripts/Items/Inventory.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Rarity {
    #[default]
    Common = 0,
    Rare = -1,
}

/// `Game.Items.Key`, Assets/Scripts/Items/Inventory.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub x: i32,
    pub y: i32,
    pub zone: String,
}

/// `Game.World.Basket`, Assets/Scripts/World/Guest.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Basket {
    pub size: i32,
    pub best: Fruit,
}

/// `Game.World.Clock/Day`, Assets/Scripts/World/Clock.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
pub enum Day {
    #[default]
    Monday = 0,
    Sunday = 6,
}

/// `Game.World.Clock/Item`, Assets/Scripts/World/Clock.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockItem {
    pub day: Day,
    pub won: bool,
}

/// `Game.World.Fruit`, Assets/Scripts/World/Guest.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fruit {
    pub count: i32,
    pub name: String,
}

/// `GlobalMsg`, Assets/Scripts/Core/GlobalMsg.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct GlobalMsg {
    pub a: i32,
    pub item: Item,
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}

/// `Item`, Assets/Scripts/Core/GlobalMsg.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Item {
    pub id: i32,
    pub name: String,
    pub weight: f32,
}

/// `LootItem`, Assets/Scripts/Core/Monster.cs.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct LootItem {
    pub item: i32,
    pub label: Option<String>,
    pub chance: f32,
}

/// `MonsterKind`, Assets/Scripts/Core/Monster.cs.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MonsterKind {
    #[default]
    Goblin = 0,
    Orc = 1,
    Dragon = 2,
}
