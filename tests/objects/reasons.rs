//! Results that say why a server or client cannot use an object.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::error::ObjectError;
use syncvar::interest::{GroupTags, SpatialGrid, Tag};
use syncvar::mirror::{AssetId, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};
use syncvar_testing::mirror::MirrorNetwork;

const NOBODY: ConnectionId = ConnectionId(99);
const GONE: NetId = NetId(77);
const HERE: Vector3 = Vector3::new(0.0, 0.0, 0.0);

#[derive(NetworkBehaviour, Default)]
struct Lamp {
    #[sync_var]
    lit: SyncVar<bool>,
    seen: Vec<ObjectError>,
}

#[network_calls]
impl Lamp {
    #[command(requires_ownership = false)]
    fn switch(&mut self, ctx: &mut CallContext<'_>) {
        let id = ctx.net_id();
        let server = ctx.expect_server();
        self.seen.extend(server.get_mut::<Self>(id).err());
        self.seen.extend(server.object_mut(id).err());
        let other = server.spawn(Rock);
        server.despawn(other).unwrap();
        self.seen.extend(server.get_mut::<Rock>(other).err());
        self.lit.update(|lit| *lit = !*lit);
        server.calls::<Self>(id).blink().unwrap();
    }

    #[command(requires_ownership = false)]
    fn confuse(&mut self, ctx: &mut CallContext<'_>) {
        ctx.expect_client();
    }

    #[client_rpc]
    fn blink(&mut self, ctx: &mut CallContext<'_>) {
        let id = ctx.net_id();
        if ctx.is_server() {
            return;
        }
        let client = ctx.expect_client();
        self.seen.extend(client.get_mut::<Self>(id).err());
    }
}

#[derive(NetworkBehaviour, Default)]
struct Rock;

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Lamp>("lamp")
        .register::<Rock>("rock")
}

fn networks() -> [MemoryNetwork; 2] {
    syncvar_testing::networks_of_both_framings(prefabs)
}

fn no_rock(object: NetId) -> ObjectError {
    ObjectError::no_behaviour::<Rock>(object)
}

#[test]
fn get_mut_names_the_reason_on_both_ends() {
    for mut net in networks() {
        let lamp = net.server.spawn(Lamp::default());
        net.settle();
        let (server, gone) = (&mut net.server, ObjectError::NoSuchObject(GONE));
        assert_eq!(server.get_mut::<Rock>(lamp).unwrap_err(), no_rock(lamp));
        assert_eq!(
            server.get_mut_at::<Lamp>(lamp, 1).unwrap_err().to_string(),
            "object #1 has no behaviour objects::reasons::Lamp there"
        );
        assert_eq!(server.get_mut::<Lamp>(GONE).unwrap_err(), gone);
        let client = net.client_mut(0);
        assert_eq!(client.get_mut::<Rock>(lamp).unwrap_err(), no_rock(lamp));
        assert_eq!(
            client.get_mut_at::<Rock>(lamp, 0).unwrap_err(),
            no_rock(lamp)
        );
        assert_eq!(client.get_mut::<Lamp>(GONE).unwrap_err(), gone);
        assert!(NetRef::from(GONE).behaviour_mut::<Lamp, _>(client).is_err());
    }
}

#[test]
fn the_own_object_of_a_call_is_checked_out() {
    for mut net in networks() {
        let lamp = net.server.spawn(Lamp::default());
        net.settle();
        net.client_mut(0).calls::<Lamp>(lamp).switch().unwrap();
        net.settle();
        let out = ObjectError::CheckedOut(lamp);
        let there = &net.server.get::<Lamp>(lamp).unwrap().seen;
        assert_eq!(
            *there,
            [
                out.clone(),
                out.clone(),
                ObjectError::NoSuchObject(NetId(2))
            ]
        );
        assert_eq!(net.client(0).get::<Lamp>(lamp).unwrap().seen, [out]);
    }
}

#[test]
fn a_host_finds_its_own_object_checked_out() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.server.connect_local();
    let lamp = net.server.spawn(Lamp::default());
    net.settle();
    net.client_mut(0).calls::<Lamp>(lamp).switch().unwrap();
    net.settle();
    let seen = net.server.local_client().unwrap().get::<Lamp>(lamp);
    assert_eq!(seen.unwrap().seen[0], ObjectError::CheckedOut(lamp));
}

#[test]
fn an_expected_end_that_is_absent_fails_the_call() {
    let [mut net, _] = networks();
    let lamp = net.server.spawn(Lamp::default());
    net.settle();
    net.client_mut(0).calls::<Lamp>(lamp).confuse().unwrap();
    net.settle();
    let events = std::iter::from_fn(|| net.server.poll_event());
    let failed = events.filter(|event| matches!(event, ServerEvent::CallFailed { .. }));
    assert_eq!(failed.count(), 1);
}

#[test]
fn commands_of_the_server_name_what_is_missing() {
    let mut server = NetworkServer::new(prefabs());
    let (lamp, connection) = (server.spawn(Lamp::default()), server.handle_connect());
    let (gone, unknown) = (
        Err(ObjectError::NoSuchObject(GONE)),
        Err(ObjectError::NotConnected(NOBODY)),
    );
    assert_eq!(server.despawn(GONE), gone);
    assert_eq!(server.set_owner(GONE, None), gone);
    assert_eq!(server.set_owner(lamp, Some(NOBODY)), unknown);
    for view in [
        NetworkServer::show,
        NetworkServer::hide,
        NetworkServer::restore,
    ] {
        assert_eq!(view(&mut server, GONE, connection), gone);
        assert_eq!(view(&mut server, lamp, NOBODY), unknown);
        assert_eq!(view(&mut server, lamp, connection), Ok(()));
    }
    assert_eq!(server.show_to_all(GONE), gone);
    assert_eq!(server.hide_from_all(GONE), gone);
    assert_eq!(server.show_by_interest(GONE), gone);
    assert_eq!(server.set_transform(GONE, HERE, Quaternion::IDENTITY), gone);
    assert_eq!(server.set_priority(GONE, 2.0), gone);
    assert_eq!(server.set_budget(NOBODY, None), unknown);
    assert_eq!(server.set_viewpoint(NOBODY, None), unknown);
    assert_eq!(server.set_returning(NOBODY), unknown);
    assert_eq!(server.set_owner(lamp, Some(connection)), Ok(()));
    assert_eq!(server.owner(lamp), Some(connection));
    assert_eq!(
        server.set_parent(lamp, Some(GONE)).unwrap_err().to_string(),
        "object #77 does not exist here"
    );
}

#[test]
fn interest_management_names_types_objects_and_connections() {
    let tags = GroupTags::new(SpatialGrid::xz(10.0, 20.0));
    let mut server = NetworkServer::with_interest(prefabs(), ServerConfig::default(), tags);
    let error = server.interest_mut::<SpatialGrid>().unwrap_err();
    assert!(error.to_string().contains("GroupTags<"), "{error}");
    let tags: &mut GroupTags<SpatialGrid> = server.interest_mut().unwrap();
    let unknown = Err(ObjectError::NotConnected(NOBODY));
    let gone = Err(ObjectError::NoSuchObject(GONE));
    assert_eq!(tags.join(NOBODY, Tag(1)), unknown);
    assert_eq!(tags.tag(GONE, None), gone);
    assert_eq!(tags.inner_mut().watch(NOBODY, HERE), unknown);
    assert_eq!(tags.inner_mut().follow(NOBODY, GONE), unknown);
    assert_eq!(tags.inner_mut().stop_watching(NOBODY), unknown);
    assert_eq!(tags.inner_mut().show_everywhere(GONE), gone);
    assert_eq!(tags.inner_mut().place_in_grid(GONE), gone);
}

#[test]
fn a_second_despawn_inside_a_callback_finds_no_object() {
    #[derive(NetworkBehaviour, Default)]
    struct Bomb;

    #[network_calls]
    impl Bomb {
        #[command(requires_ownership = false)]
        fn burst(&mut self, ctx: &mut CallContext<'_>) {
            let id = ctx.net_id();
            assert_eq!(ctx.expect_server().despawn(id), Ok(()));
            let again = ctx.expect_server().despawn(id);
            assert_eq!(again, Err(ObjectError::NoSuchObject(id)));
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Bomb>("bomb"));
    let bomb = net.server.spawn(Bomb);
    net.settle();
    net.client_mut(0).calls::<Bomb>(bomb).burst().unwrap();
    net.settle();
    assert_eq!(net.server.object_count(), 0);
    let events = std::iter::from_fn(|| net.server.poll_event());
    assert!(
        !events
            .into_iter()
            .any(|event| matches!(event, ServerEvent::CallFailed { .. }))
    );
}

#[test]
fn mirror_names_the_reasons_too() {
    let prefabs = || MirrorPrefabs::new().register::<Lamp>(MirrorPrefab::new("lamp", AssetId(1)));
    let mut net = MirrorNetwork::new(MirrorServer::new(prefabs()), move || {
        MirrorClient::new(prefabs())
    });
    let (connection, lamp) = net.join(Lamp::default());
    net.advance(Duration::from_millis(100));
    let gone = Err(ObjectError::NoSuchObject(GONE));
    let unknown = Err(ObjectError::NotConnected(NOBODY));
    let server: &mut MirrorServer = &mut net.server;
    assert_eq!(server.get_mut::<Rock>(lamp).unwrap_err(), no_rock(lamp));
    assert_eq!(server.despawn(GONE), gone);
    assert_eq!(server.set_owner(GONE, None), gone);
    assert_eq!(server.set_owner(lamp, Some(NOBODY)), unknown);
    assert_eq!(server.show(GONE, connection), gone);
    assert_eq!(server.hide(lamp, NOBODY), unknown);
    assert_eq!(server.set_transform(GONE, HERE, Quaternion::IDENTITY), gone);
    let error = server.set_dirty(lamp, 1).unwrap_err();
    assert_eq!(error.to_string(), "object #1 has no behaviour at index 1");
    assert!(server.interest_mut::<SpatialGrid>().is_err());
    let client: &mut MirrorClient = net.client(connection);
    assert_eq!(client.get_mut::<Rock>(lamp).unwrap_err(), no_rock(lamp));
    assert_eq!(
        client.get_mut::<Lamp>(GONE).unwrap_err(),
        ObjectError::NoSuchObject(GONE)
    );
}
