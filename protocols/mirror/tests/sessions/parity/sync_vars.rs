//! `SyncVarAttributeTest`, `SyncVarAttributeHookTest`, `SyncVarHookDeferralTests`, and the references of
//! `NetworkBehaviourTests`.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::mirror::{Component, MirrorPrefab, MirrorPrefabs};
use syncvar::prelude::*;

use super::game::{Hero, Purse, tell, told, whole};
use super::world::{world, world_of};
use syncvar_testing::mirror::MirrorNetwork;

/// A world with one client, whose player has been seen.
fn joined() -> (MirrorNetwork, ConnectionId, NetId) {
    let mut world = world();
    let (client, player) = world.join(whole());
    told();
    (world, client, player)
}

fn hero(world: &mut MirrorNetwork, id: NetId) -> syncvar::mirror::MirrorBehaviourMut<'_, Hero> {
    world.server.get_mut(id).unwrap()
}

// Hook_CalledWhenSyncingChangedValued, Hook_OnlyCalledOnClientd, UpdateAfterSpawn_HooksFireImmediately.
#[test]
fn hook_runs_on_the_client_and_sees_both_values() {
    let (mut world, _, player) = joined();
    hero(&mut world, player).health.set(42);
    assert_eq!(told(), [""; 0], "a server has no hooks");
    world.frame();
    assert_eq!(told(), ["hook health 100 -> 42"]);
}

// Hook_NotCalledWhenSyncingSameValued.
#[test]
fn a_value_that_the_client_has_already_calls_no_hook() {
    let (mut world, client, player) = joined();
    { world.client(client).get_mut::<Hero>(player) }
        .unwrap()
        .health
        .set(42);
    hero(&mut world, player).health.set(42);
    world.frame();
    assert_eq!(told(), [""; 0]);
    assert_eq!(world.seen::<Hero>(client, player).health, 42);
}

// GameObjectHook_HookCalledWhenSyncingChangedValued, NetworkIdentityHook_HookCalledWhenSyncingChangedValued,
// NetworkBehaviourHook_HookCalledWhenSyncingChangedValued, SyncIdentity, SyncTransform, SyncsGameobject,
// SyncsBehaviour, SetSyncVarGameObjectWithValidObject, SetSyncVarNetworkIdentityWithValidObject,
// GetSyncVarGameObjectOnServer, GetSyncVarGameObjectOnClient, GetSyncVarNetworkIdentityOnServer,
// GetSyncVarNetworkIdentityOnClient.
#[test]
fn reference_resolves_on_each_side_and_runs_its_hook() {
    let (mut world, client, player) = joined();
    let target = world.server.spawn(whole());
    world.frame();
    told();
    let to = NetRef::to(&world.server, target).unwrap();
    let purse = BehaviourRef::<Purse>::to(&world.server, target).unwrap();
    hero(&mut world, player).target.set(to);
    hero(&mut world, player).purse.set(purse);
    let on_server = to.behaviour::<Hero>(&world.server).unwrap();
    assert_eq!(on_server.health, 100);
    world.frame();
    let none = NetRef::NONE;
    assert_eq!(
        told(),
        [
            format!("hook target {none:?} -> {to:?}"),
            "hook purse -> 1".into()
        ]
    );
    let seen = world.seen::<Hero>(client, player);
    let (to, purse) = (*seen.target, *seen.purse);
    let client = world.client(client);
    assert_eq!(to.try_get(client).unwrap().net_id(), target);
    assert_eq!(to.behaviour::<Hero>(client).unwrap().health, 100);
    assert_eq!(purse.try_get(client).unwrap().coins, 0);
}

// SyncsMultipleBehaviour, SyncVarCacheNetidForBehaviour.
#[test]
fn behaviours_of_one_type_are_referred_to_by_position() {
    let (mut world, client, player) = joined();
    let mut three = (Purse::default(), Hero::with(1), Purse::default());
    three.0.coins.set(5);
    three.2.coins.set(6);
    let target = world.server.spawn(three);
    for (index, coins) in [(0, 5), (2, 6)] {
        let purse = BehaviourRef::<Purse>::at(&world.server, target, index).unwrap();
        assert_eq!(purse.try_get(&world.server).unwrap().coins, coins);
        hero(&mut world, player).purse.set(purse);
        world.frame();
        let purse = *world.seen::<Hero>(client, player).purse;
        assert_eq!((purse.index(), purse.is_none()), (index, false));
        assert!(purse.try_get(world.client(client)).is_some());
    }
}

// SyncVarCacheNetidForGameObject, SyncVarCacheNetidForIdentity: null while the target is not there.
#[test]
fn reference_is_empty_while_its_object_is_hidden() {
    let (mut world, client, player) = joined();
    let target = world.server.spawn(Hero::with(9));
    hero(&mut world, player).target.set(NetRef::from(target));
    world.frame();
    told();
    for is_there in [true, false, true] {
        if is_there {
            world.server.restore(target, client).unwrap();
        } else {
            world.server.hide(target, client).unwrap();
        }
        world.frame();
        let to = *world.seen::<Hero>(client, player).target;
        assert_eq!(to.id(), target, "it says whom it means all the time");
        let client = world.client(client);
        assert_eq!(to.try_get(client).is_some(), is_there);
    }
    let hooks = told().into_iter().filter(|line| line.contains("target"));
    assert_eq!(hooks.count(), 0, "it was the same all the time");
}

// SetSyncVarGameObjectNull, SetSyncVarNetworkIdentityNull, GetSyncVarGameObjectOnServerNull,
// GetSyncVarGameObjectOnClientNull, GetSyncVarNetworkIdentityOnServerNull, GetSyncVarNetworkIdentityOnClientNull.
#[test]
fn null_reference_is_null_on_both_sides() {
    let (mut world, client, player) = joined();
    hero(&mut world, player).target.set(NetRef::from(player));
    world.frame();
    hero(&mut world, player).target.set(NetRef::NONE);
    world.frame();
    let on_server = *world.server.get::<Hero>(player).unwrap().target;
    let on_client = *world.seen::<Hero>(client, player).target;
    assert!(on_server.is_none() && on_client.is_none());
    assert!(on_server.try_get(&world.server).is_none());
    assert!(on_client.try_get(world.client(client)).is_none());
}

// SyncVarGameObjectEqualNull, SyncVarGameObjectEqualZeroNetIdNullIsTrue, SyncVarGameObjectEqualValidGOWithSameNetId,
// SyncVarGameObjectEqualValidGOWithDifferentNetId, and the same of SyncVarNetworkIdentityEqual.
#[test]
fn references_are_the_same_if_they_mean_the_same_object() {
    let (mut world, _, player) = joined();
    let target = world.server.spawn(Hero::with(9));
    world.frame();
    let mut set = |to: NetRef| {
        hero(&mut world, player).target.set(to);
        world.state_bytes() > 0
    };
    let to = NetRef::from(target);
    assert!(!set(NetRef::NONE), "it was none");
    assert!(!set(NetRef::from(NetId(0))), "that is none");
    assert!(set(to), "another one");
    assert!(!set(to), "the same");
    assert!(set(NetRef::from(player)), "another one");
    assert!(set(NetRef::NONE), "none");
}

// SyncVarGameObjectGetterOnServerBeforeSpawn, SyncVarNetworkIdentityGetterOnServerBeforeSpawn,
// SyncVarNetworkBehaviourGetterOnServerBeforeSpawn.
#[test]
fn a_reference_can_be_put_in_before_its_holder_is_spawned() {
    let (mut world, client, player) = joined();
    let mut holder = Hero::with(1);
    let purse = BehaviourRef::<Purse>::to(&world.server, player).unwrap();
    holder.target.set(NetRef::from(player));
    holder.purse.set(purse);
    let to = *holder.target;
    assert!(to.behaviour::<Hero>(&world.server).is_some());
    let holder = world.server.spawn(holder);
    world.frame();
    let seen = world.seen::<Hero>(client, holder);
    assert_eq!((seen.target.id(), seen.purse.index()), (player, 1));
}

/// A struct in a variable, and hooks of a class and of those that are derived from it.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    floor: i32,
    room: i32,
}

#[derive(NetworkBehaviour, Default)]
struct Base {
    #[sync_var(hook = on_place)]
    place: SyncVar<Place>,
    #[sync_var(hook = on_name)]
    name: SyncVar<i32>,
}

impl Base {
    fn on_place(&mut self, previous: Place) {
        tell(format!("place {previous:?} -> {:?}", *self.place));
    }

    fn on_name(&mut self, _: i32) {
        tell(format!("name {} in {}", *self.name, self.place.room));
    }
}

#[derive(NetworkBehaviour, Default)]
struct Middle {
    #[network_behaviour(base)]
    base: Base,
    #[sync_var]
    more: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Leaf {
    #[network_behaviour(base)]
    base: Middle,
    #[sync_var(hook = on_most)]
    most: SyncVar<i32>,
}

impl Leaf {
    fn on_most(&mut self, _: i32) {
        tell(format!("most {} name {}", *self.most, *self.base.base.name));
    }
}

fn classes() -> MirrorPrefabs {
    let slow = Component::new().sync_interval(Duration::from_millis(50));
    MirrorPrefabs::new()
        .register::<Leaf>(MirrorPrefab::new("leaf", 1.into()))
        .register::<Base>(MirrorPrefab::new("slow", 2.into()).component(0, slow))
}

// VirtualHook_HookCalledWhenSyncingChangedValued, ImerHook_Ldflda_Uses_Correct_SyncVard,
// DavidHook_SetSyncVarStructsValued, MultipleHooksOnSameObject_FireInOrder, DeepInheritanceSyncVarDirtyBitUniqueness,
// DeeplyNested.
#[test]
fn hooks_of_all_classes_run_in_field_order_after_all_fields() {
    let mut world = world_of(classes);
    let (client, leaf) = world.join(Leaf::default());
    told();
    let mut object = world.server.get_mut::<Leaf>(leaf).unwrap();
    object.most.set(4);
    object.base.more.set(3);
    object.base.base.name.set(2);
    object.base.base.place.set(Place { floor: 0, room: 1 });
    drop(object);
    world.frame();
    assert_eq!(
        told(),
        [
            "place Place { floor: 0, room: 0 } -> Place { floor: 0, room: 1 }",
            "name 2 in 1",
            "most 4 name 2"
        ]
    );
    assert_eq!(world.seen::<Leaf>(client, leaf).base.more, 3);
    for (field, expected) in ["place", "name", "more", "most"]
        .into_iter()
        .zip([1, 2, 4, 8])
    {
        let mut object = Leaf::default();
        match field {
            "place" => object.base.base.place.set(Place { floor: 1, room: 0 }),
            "name" => object.base.base.name.set(1),
            "more" => object.base.more.set(1),
            _ => object.most.set(1),
        };
        assert_eq!(object.sync_var_dirty_bits(), expected, "{field}");
    }
}

// TestSettingStruct.
#[test]
fn struct_is_sent_when_different_and_not_when_equal() {
    let mut world = world_of(classes);
    let (_, leaf) = world.join(Leaf::default());
    let mut set = |floor, room| {
        let mut leaf = world.server.get_mut::<Leaf>(leaf).unwrap();
        leaf.base.base.place.set(Place { floor, room });
        drop(leaf);
        world.state_bytes() > 0
    };
    assert!(!set(0, 0));
    assert!(set(0, 2));
    assert!(!set(0, 2));
}

// TestSyncIntervalAndClearAllComponents, IsDirty, ClearAllDirtyBits_UpdatesLastSyncTime_ByDefault.
#[test]
fn a_component_with_an_interval_is_sent_when_that_is_over() {
    let mut world = world_of(classes);
    let (_, object) = world.join(Base::default());
    world.frames(3);
    let mut sent = |value| {
        world
            .server
            .get_mut::<Base>(object)
            .unwrap()
            .name
            .set(value);
        world.state_bytes() > 0
    };
    // A frame is 20 ms, and the interval is 50 ms.
    assert_eq!(
        [1, 2, 3, 4, 5, 6, 7].map(&mut sent),
        [true, false, false, true, false, false, true]
    );
}

// CrossReferences_HooksCanAccessAllTargets, GameObject_CrossReferences_HooksCanAccessTargets,
// NetworkBehaviour_CrossReferences_HooksCanAccessTargets. As in Mirror, those that come later in the burst do
// not have their state yet.
#[test]
fn callbacks_of_a_burst_see_all_of_its_objects() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(lifecycle)]
    struct Link {
        #[sync_var(hook = on_next)]
        next: SyncVar<NetRef>,
        #[sync_var]
        part: SyncVar<BehaviourRef<Link>>,
    }

    impl Link {
        fn on_next(&mut self, _: NetRef) {
            tell(format!("next {}", self.next.id().0));
        }
    }

    impl NetworkLifecycle for Link {
        fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
            if ctx.is_client() && !self.next.is_none() {
                let next: &Self = self.next.behaviour(ctx).expect("it is there");
                assert!(self.part.try_get(ctx).is_some());
                tell(format!("{} sees {}", ctx.net_id().0, next.next.id().0));
            }
            Ok(())
        }
    }

    let prefabs = || MirrorPrefabs::new().register::<Link>(MirrorPrefab::new("link", 1.into()));
    let mut world = world_of(prefabs);
    let links = [(); 3].map(|()| world.server.spawn(Link::default()));
    for (at, link) in links.into_iter().enumerate() {
        let next = links[(at + 1) % 3];
        let part = BehaviourRef::to(&world.server, next).unwrap();
        let mut link = world.server.get_mut::<Link>(link).unwrap();
        link.next.set(NetRef::from(next));
        link.part.set(part);
    }
    told();
    world.join(Link::default());
    let told = told();
    assert_eq!(
        told.iter().filter(|line| line.starts_with("next")).count(),
        3
    );
    let seen: Vec<_> = told.iter().filter(|line| line.contains("sees")).collect();
    assert_eq!(seen, ["1 sees 0", "2 sees 0", "3 sees 2"]);
}
