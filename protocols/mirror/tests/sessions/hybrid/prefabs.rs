//! Which components can be hybrid.

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{behaviour::FieldVisitor, schema::FieldSchema};

#[derive(NetworkBehaviour, Default)]
struct Bag {
    #[sync_var]
    gold: SyncVar<i32>,
    #[sync_var]
    items: SyncList<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(sync_method = hybrid)]
struct Chest {
    #[network_behaviour(base)]
    base: Bag,
}

/// Counts what it is told.
#[derive(Default)]
struct Steps<const VALUES: bool>;

impl<const VALUES: bool> NetworkBehaviour for Steps<VALUES> {
    type Previous = ();
    const SCHEMA: syncvar::schema::BehaviourSchema = syncvar::schema::BehaviourSchema {
        name: "Steps",
        base: None,
        fields: &[FieldSchema::new("steps", <u8 as SyncValue>::SCHEMA).resendable(VALUES)],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        0
    }
    fn visit(&mut self, (): &mut (), _: &mut impl FieldVisitor) {}
}

fn hybrid(name: &str) -> MirrorPrefab {
    let component = Component::new().sync_method(SyncMethod::Hybrid);
    MirrorPrefab::new(name, 1.into()).component(0, component)
}

#[test]
#[should_panic(
    expected = "`items` of `Bag` is a collection, and a component with collections cannot be hybrid"
)]
fn a_component_with_a_collection_is_refused() {
    let _ = MirrorPrefabs::new().register::<Bag>(hybrid("bag"));
}

#[test]
#[should_panic(expected = "`items` of `Chest` is a collection")]
fn hybrid_component_whose_base_has_a_collection_is_refused() {
    let _ = MirrorPrefabs::new().register::<Chest>(MirrorPrefab::new("chest", 1.into()));
}

#[test]
#[should_panic(
    expected = "`Steps` cannot be hybrid, because its changes are not marked as repeatable"
)]
fn hybrid_component_with_unrepeatable_changes_is_refused() {
    let _ = MirrorPrefabs::new().register::<Steps<false>>(hybrid("steps"));
}

#[test]
fn prefab_settings_override_those_of_the_struct() {
    let reliable = Component::new().sync_method(SyncMethod::Reliable);
    let chest = MirrorPrefab::new("chest", 1.into()).component(0, reliable);
    let prefabs = MirrorPrefabs::new()
        .register::<Chest>(chest)
        .register::<Steps<true>>(
            MirrorPrefab::new("steps", 2.into())
                .component(0, Component::new().sync_method(SyncMethod::Hybrid)),
        );
    assert!(prefabs.asset_id("steps").is_some());
    assert_eq!(Bag::INFO.delivery, SyncMethod::Reliable);
    assert_eq!(Chest::INFO.delivery, SyncMethod::Hybrid);
}

#[derive(NetworkBehaviour, Default)]
struct Checked {
    #[sync_var(write = owner, check = is_positive)]
    x: SyncVar<i32>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "signature of a check"
)]
impl Checked {
    fn is_positive(&self, _former: &i32, new: &i32, _elapsed_ticks: u32) -> bool {
        *new > 0
    }
}

#[test]
#[should_panic(expected = "`x` of `Checked` has a `check`, which Mirror does not support")]
fn check_is_refused() {
    let _ = MirrorPrefabs::new().register::<Checked>(MirrorPrefab::new("checked", 7.into()));
}
