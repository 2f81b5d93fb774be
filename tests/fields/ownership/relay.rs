//! Writes of owners to long lists, on their way to the other clients.

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::Framing;
use syncvar::prelude::*;
use syncvar_testing::cases;

use syncvar_testing::Crowd;

use crate::ownership::{DIALECTS, crowd};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Map {
    #[sync_var(write = owner)]
    tiles: SyncList<u32>,
    #[sync_var(write = owner, server_override)]
    orders: SyncList<u32>,
    #[sync_var(write = owner)]
    names: SyncDictionary<u8, String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Map>("map")
}

/// Returns a world with the owner of a map and an observer.
fn world(framing: Framing, tiles: usize) -> (Crowd, [ConnectionId; 2], NetId) {
    let mut world = crowd(prefabs, framing);
    let clients = [world.join(), world.join()];
    let mut map = Map::default();
    map.tiles.extend((0..).take(tiles));
    let id = world.owned(map, clients[0]);
    world.steps(2);
    (world, clients, id)
}

fn write(world: &mut Crowd, client: ConnectionId, id: NetId, edit: impl FnOnce(&mut Map)) {
    let client = world.clients.get_mut(&client).unwrap();
    edit(&mut client.get_mut::<Map>(id).unwrap());
}

/// Runs two steps. Returns the bytes that a client has received in them.
fn received(world: &mut Crowd, client: ConnectionId) -> usize {
    let bytes = |world: &Crowd| world.bytes.get(&client).map_or(0, Vec::len);
    let before = bytes(world);
    world.steps(2);
    bytes(world) - before
}

fn assert_equal(world: &Crowd, id: NetId) {
    let state = |map: &Map| (map.tiles.to_vec(), map.orders.to_vec(), map.names.clone());
    let expected = state(world.server.get::<Map>(id).unwrap());
    for (connection, client) in &world.clients {
        let map = client.get::<Map>(id).unwrap();
        assert!(state(map) == expected, "{connection}");
    }
}

#[test]
fn relayed_bytes_follow_the_size_of_an_owners_write() {
    for framing in DIALECTS {
        let (mut world, [owner, observer], id) = world(framing, 20_000);
        let idle = received(&mut world, observer);
        let mut edit = |edit: fn(&mut SyncList<u32>)| {
            write(&mut world, owner, id, |map| edit(&mut map.tiles));
            let bytes = received(&mut world, observer);
            assert_equal(&world, id);
            bytes - idle
        };
        assert!(edit(|tiles| tiles.push(7)) < 40);
        assert!(edit(|tiles| _ = tiles.set(9_000, 1)) < 40);
        assert!(edit(|tiles| tiles.insert(3, 5)) < 40);
        assert!(edit(|tiles| _ = tiles.remove(10_000)) < 40);
        assert!(edit(|tiles| tiles.truncate(15_000)) < 40);
        assert!(edit(|tiles| tiles.retain(|tile| tile % 5_000 != 1)) < 60);
        assert!(edit(|tiles| _ = tiles.splice(5..8, [1, 2])) < 60);
        // A rewrite goes on as a whole.
        assert!(edit(|tiles| tiles.for_each_mut(|tile| *tile += 1)) > 15_000);
        assert!(edit(SyncList::clear) < 40);
    }
}

#[test]
fn writes_of_one_tick_go_on_in_their_order() {
    let (mut world, [owner, observer], id) = world(Framing::Compact, 5_000);
    for number in 0..4 {
        write(&mut world, owner, id, |map| {
            map.tiles.insert(number, 100);
            map.tiles.set(4_000, 200);
            map.tiles.remove(0);
        });
        world.up();
    }
    assert!(received(&mut world, observer) < 150);
    assert_equal(&world, id);
}

#[test]
fn operations_of_a_refused_write_do_not_go_on() {
    for pending in [false, true] {
        let mut config = ServerConfig::default();
        config.limits.max_elements = 5_100;
        let mut world = Crowd::new(prefabs, config);
        let [owner, observer] = [world.join(), world.join()];
        let mut map = Map::default();
        map.tiles.extend(0..5_000);
        let id = world.owned(map, owner);
        world.steps(2);
        if pending {
            write(&mut world, owner, id, |map| map.tiles.push(1));
            world.up();
        }
        write(&mut world, owner, id, |map| {
            map.tiles.push(2);
            map.orders.extend(0..6_000);
        });
        world.up();
        let expected = 5_000 + usize::from(pending);
        assert_eq!(world.server.get::<Map>(id).unwrap().tiles.len(), expected);
        let bytes = received(&mut world, observer);
        assert!(pending || bytes < 40, "{bytes}");
        world.steps(2);
        write(&mut world, owner, id, |map| map.tiles.push(3));
        let bytes = received(&mut world, observer);
        assert!(bytes < 40, "{bytes}");
        assert_equal(&world, id);
    }
}

#[test]
fn operations_do_not_return_to_an_owner_whose_list_the_server_has_corrected() {
    let (mut world, [owner, _], id) = world(Framing::Compact, 0);
    let mut map = world.server.get_mut::<Map>(id).unwrap();
    map.orders.extend(0..200);
    drop(map);
    world.steps(3);
    for number in 0..3 {
        write(&mut world, owner, id, |map| map.orders.push(number));
        world.steps(2);
        assert_equal(&world, id);
    }
    // Both in one tick.
    write(&mut world, owner, id, |map| map.orders.push(8));
    world.up();
    world.server.get_mut::<Map>(id).unwrap().orders.push(9);
    world.steps(3);
    assert_equal(&world, id);
}

/// One step of a random world.
#[derive(Clone, Debug)]
enum Step {
    Edit(u8, usize, u32),
    ServerEdit(u8, usize, u32),
    /// The owner's packets reach the server.
    Up,
    /// The server updates.
    Both,
    Join,
    Owner(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let edit = || (0..9_u8, 0..200_usize, any::<u32>());
    prop_oneof![
        8 => edit().prop_map(|(kind, index, value)| Step::Edit(kind, index, value)),
        1 => edit().prop_map(|(kind, index, value)| Step::ServerEdit(kind, index, value)),
        3 => Just(Step::Up),
        3 => Just(Step::Both),
        1 => Just(Step::Join),
        1 => any::<bool>().prop_map(Step::Owner),
    ]
}

fn edit(list: &mut SyncList<u32>, kind: u8, index: usize, value: u32) {
    let place = if list.is_empty() {
        0
    } else {
        index % list.len()
    };
    match kind {
        0 => list.push(value),
        1 => list.insert(place, value),
        2 if !list.is_empty() => _ = list.remove(place),
        3 if !list.is_empty() => _ = list.set(place, value),
        4 => list.truncate(place),
        5 => list.retain(|it| it % 7 != value % 7),
        6 => _ = list.splice(place..(place + 3).min(list.len()), [value; 2]),
        7 if index < 10 => list.clear(),
        _ => list.extend((0..40).map(|it| it + value % 9)),
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn random_writes_of_an_owner_reach_all_clients(steps in vec(step(), 1..60), unet: bool) {
        let (mut world, [owner, other], id) = world(DIALECTS[usize::from(!unet)], 60);
        let mut writer = Some(owner);
        for step in steps {
            match step {
                Step::Edit(kind, index, value) => {
                    let owner = writer.unwrap_or(owner);
                    write(&mut world, owner, id, |map| {
                        let field = if value % 4 == 0 { &mut map.orders } else { &mut map.tiles };
                        edit(field, kind, index, value);
                        map.names.insert(kind, value.to_string());
                    });
                }
                Step::ServerEdit(kind, index, value) => {
                    let mut map = world.server.get_mut::<Map>(id).unwrap();
                    edit(&mut map.orders, kind, index, value);
                }
                Step::Up => world.up(),
                Step::Both => world.step(),
                Step::Join if world.clients.len() < 6 => {
                    world.join();
                }
                Step::Join => {}
                Step::Owner(first) => {
                    writer = first.then_some(owner).or(Some(other));
                    world.server.set_owner(id, writer).unwrap();
                }
            }
        }
        world.steps(6);
        assert_equal(&world, id);
    }
}
