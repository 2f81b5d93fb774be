//! Content of the imported module.

use syncvar::NetworkBehaviour as _;
use syncvar::mirror::components::{
    AnimatorLayer, AnimatorState, AnimatorValue, CoordinateSpace, TransformSettings,
    TransformTarget, animator_hash,
};
use syncvar::mirror::room::NetworkRoomPlayer;
use syncvar::mirror::{AssetId, SceneId};
use syncvar::values::{Color, Color32, Quaternion, Vector2, Vector3, Vector4};

use super::game::{
    Backpack, Basket, Champion, Fruit, Guest, Team, arena, arena_gate, boss, car, crate_, elite,
    hero, hero_animator, player, prefabs, raft, zone,
};

/// Recorded: `session_deterministic.json`.
#[test]
fn calls_have_the_hashes_of_mirror() {
    let prefabs = prefabs();
    let hash = |prefab, method| {
        let call = prefabs.calls(prefab).find(|call| call.method == method);
        call.map(|call| call.hash)
    };
    assert_eq!(hash("Player", "cmd_damage"), Some(21_173));
    assert_eq!(hash("Player", "cmd_chat"), Some(3889));
    assert_eq!(hash("Player", "target_notify"), Some(18_029));
    assert_eq!(hash("Player", "rpc_others"), Some(62_734));
    assert_eq!(hash("Monster", "rpc_roar"), Some(22_693));
}

#[test]
fn calls_have_full_names_of_nested_generic_and_nullable_types() {
    let prefabs = prefabs();
    let names: Vec<String> = prefabs.calls("Car").map(|call| call.name).collect();
    for name in [
        "System.Void Game.World.Vehicle::CmdEnter(Mirror.NetworkConnectionToClient)",
        "System.Void Game.Combat.Health::CmdHit(Game.Combat.Hit,System.Collections.Generic.List`1<System.Int32>,\
         System.Int32[])",
        "System.Void Game.Combat.Health::CmdHit(Game.Combat.Hit)",
        "System.Void Game.Combat.Health::RpcHit(Game.Combat.Hit,Game.Combat.Effect,Game.Combat.Health/Nested)",
        "System.Void Game.Combat.Health::TargetHeal(Mirror.NetworkConnectionToClient,System.Byte[],\
         System.Nullable`1<UnityEngine.Vector3>)",
    ] {
        assert!(
            names.iter().any(|known| known == name),
            "{name} in {names:#?}"
        );
    }
}

#[test]
fn components_are_in_the_order_of_the_objects_of_a_prefab() {
    // The seat is the first child, though it stands behind the trunk in the file.
    let (car, health, inventory) = car();
    assert_eq!(
        (*car.base.fuel, *car.speed, *car.r#type, car.wheels),
        (12.5, 0.0, 2, 3)
    );
    assert_eq!(
        (*health.current, *health.maximum, health.per_second),
        (30, 100, 2.0)
    );
    assert_eq!(health.label, "a\tb: c");
    assert_eq!(*health.team, Team::Blue);
    assert_eq!(inventory.base.capacity, 40);
    assert_eq!(inventory.slots.to_vec(), [1, 2, 3]);
}

#[test]
fn variants_have_the_components_of_their_source_and_their_own() {
    let (monster, turret) = boss();
    assert_eq!((*monster.hp, *turret.letter), (900, 'x'));
    assert_eq!(player().0.run_speed.to_bits(), 6.25_f32.to_bits());
    assert_eq!(zone().levels, [3, 4]);
}

#[test]
fn asset_ids_come_from_the_guid_or_the_identity() {
    let prefabs = prefabs();
    assert_eq!(prefabs.asset_id("Player"), Some(AssetId(1001)));
    assert_eq!(
        prefabs.asset_id("Zone"),
        Some(AssetId(77)),
        "without a .meta file"
    );
    assert_eq!(
        prefabs.asset_id("Tower"),
        None,
        "with a component that is not read"
    );
    assert_eq!(
        prefabs.asset_id("Decoration"),
        None,
        "without a NetworkIdentity"
    );
}

#[test]
fn constants_of_other_classes_are_initial_values() {
    assert_eq!(Backpack::default().weight.to_bits(), 1.75_f32.to_bits());
}

#[test]
fn transforms_have_the_settings_of_their_prefab() {
    let (body, _, arm) = hero();
    let settings = TransformSettings {
        interpolate_scale: false,
        position_sensitivity: 0.05,
        ..TransformSettings::default()
    };
    assert_eq!(*body.settings(), settings);
    let settings = TransformSettings {
        target: TransformTarget::Child,
        sync_scale: true,
        compress_rotation: false,
        position_precision: 0.001,
        ..TransformSettings::default()
    };
    assert_eq!(*arm.settings(), settings);
    // A child stands where the prefab has placed it.
    assert_eq!(arm.position, Vector3::new(0.5, 1.25, 0.0));
    // The digits of the prefab, a step above half of the root of two.
    let half = f32::from_bits(0x3f35_04f4);
    assert_eq!(arm.rotation, Quaternion::new(0.0, half, 0.0, half));
    let settings = TransformSettings {
        timeline_offset: false,
        rotation_precision: 0.005,
        ..TransformSettings::default()
    };
    assert_eq!(*raft().settings(), settings);
    assert_eq!(*crate_().settings(), TransformSettings::default());
}

#[test]
fn variants_change_references_and_settings_of_components() {
    let (body, animator, _) = elite();
    assert_eq!(body.settings().target, TransformTarget::Child);
    assert_eq!(body.settings().coordinate_space, CoordinateSpace::World);
    // The controller that overrides another one has its parameters.
    assert_eq!(animator.parameters(), hero().1.parameters());
}

#[test]
fn animators_have_the_parameters_and_states_of_their_controller() {
    let (_, animator, _) = hero();
    let parameters = [
        AnimatorValue::Float(0.5),
        AnimatorValue::Trigger,
        AnimatorValue::Int(2),
        AnimatorValue::Bool(true),
    ];
    assert_eq!(animator.parameters(), parameters);
    assert_eq!(hero_animator::WEAPON_ID, 2);
    assert_eq!(hero_animator::JUMP, animator_hash("Jump"));
    let idle = AnimatorState {
        hash: animator_hash("Base Layer.Ground.Idle"),
        normalized_time: 0.0,
    };
    let upper = AnimatorLayer {
        weight: 0.75,
        ..AnimatorLayer::new(AnimatorState::default())
    };
    assert_eq!(animator.layers(), [AnimatorLayer::new(idle), upper]);
}

#[test]
fn scene_ids_are_those_of_the_build() {
    let scene = "Assets/Scenes/Arena.unity";
    assert_eq!(arena::GATE, SceneId::in_scene(scene, 0x9abc_def0));
    // An earlier build has put another scene's hash above the id.
    assert_eq!(arena::GATE1, SceneId::in_scene(scene, 0x1234_5679));
    assert_eq!(arena::BACK_DOOR, SceneId::in_scene(scene, 77));
    assert!(*arena_gate().open);
    let scene_prefab = prefabs().asset_id("Assets/Scenes/Arena/arena_raft");
    assert_eq!(scene_prefab, Some(AssetId::NONE), "its interval differs");
}

/// Values that C# converts without a cast, and those of operators and constructors.
#[test]
fn initial_values_have_the_conversions_of_csharp() {
    let guest = Guest::default();
    assert_eq!(*guest.shirt, Color32::new(255, 255, 255, 255));
    assert_eq!(*guest.hat, Color32::new(128, 128, 128, 255));
    assert_eq!(*guest.skin, Color::new(1.0, 0.2, 0.0, 1.0));
    assert_eq!(*guest.glow, Vector4::new(1.0, 0.0, 0.0, 1.0));
    assert_eq!(*guest.flat, Vector3::new(1.0, 2.0, 0.0));
    assert_eq!(*guest.grid, Vector2::new(1.0, 0.0));
    assert_eq!(*guest.spot, Vector3::new(0.0, 2.0, 0.0));
    assert_eq!(*guest.nose, Vector2::new(0.75, 0.5));
    assert_eq!((*guest.mask, *guest.layers), (u32::MAX, !8));
    assert_eq!((*guest.wide, *guest.lowest), (0xffff_ffff, i32::MIN));
    assert_eq!(*guest.rest, 255);
    assert_eq!(guest.turn.to_bits(), std::f64::consts::FRAC_PI_2.to_bits());
    assert_eq!(guest.angle.to_bits(), std::f32::consts::FRAC_PI_2.to_bits());
    assert_eq!(guest.half.to_bits(), 0.5_f32.to_bits());
}

#[test]
fn constructors_of_structs_are_initial_values() {
    let guest = Guest::default();
    let fruit = |count, name: &str| Fruit {
        count,
        name: name.to_owned(),
    };
    assert_eq!(*guest.fruit, fruit(3, "apple"));
    assert_eq!(*guest.fig, fruit(2, "fig"));
    assert_eq!(*guest.pear, fruit(0, "pear"));
    let size = |basket: &Option<Basket>| basket.as_ref().map(|basket| basket.size);
    assert_eq!((size(&guest.basket), size(&guest.full)), (Some(9), Some(5)));
    let best = guest.full.as_ref().map(|basket| &basket.best);
    assert_eq!(best, Some(&fruit(1, "fig")));
}

#[test]
fn classes_of_room_players_have_the_player_as_their_base() {
    let mut champion = Champion::default();
    let player: &mut NetworkRoomPlayer = champion.as_mut();
    player.index.set(3);
    assert_eq!(*champion.base.base.index, 3);
    let guest: &NetworkRoomPlayer = champion.base.as_ref();
    assert_eq!(*guest.index, 3);
    // Both SyncVars of the player precede those of the class.
    assert_eq!(champion.sync_var_dirty_bits(), 2);
    champion.base.shirt.set(Color32::default());
    assert_eq!(champion.sync_var_dirty_bits(), 2 | 4);
}

#[test]
fn generic_collections_have_the_elements_of_their_arguments() {
    let mut guest = Guest::default();
    guest.pile.push("a".to_owned());
    guest.ledger.insert(1, Fruit::default());
    guest.fruits.push(Fruit::default());
    assert_eq!(
        (guest.pile.len(), guest.ledger.len(), guest.fruits.len()),
        (1, 1, 1)
    );
}
