//! Fields that a group reads.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::{FieldVisitor, Optional};
use syncvar::error::ObjectError;
use syncvar::prelude::*;
use syncvar::schema::{BehaviourSchema, FieldPolicy, FieldSchema, Readers, Role};
use syncvar::stats::{MessageType, UnsentReason};
use syncvar::wire::{NetworkReader, NetworkWriter};
use syncvar::{Budget, interest::Tag};
use syncvar_testing::ClientMessages as _;

use syncvar_testing::Crowd;

use crate::ownership::{DIALECTS, crowd, marker};

const RED: Tag = Tag(1);
const BLUE: Tag = Tag(2);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Tank {
    #[sync_var]
    heading: SyncVar<u32>,
    #[sync_var(read = group, hook = on_order)]
    order: SyncVar<String>,
    #[sync_var(read = group)]
    route: SyncList<String>,
    #[sync_var(read = owner)]
    key: SyncVar<String>,
    #[sync_var(read = others)]
    paint: SyncVar<String>,
    #[sync_var(read = group, write = owner)]
    wish: SyncVar<String>,
    #[sync_var(read = group, initial_only)]
    callsign: SyncVar<String>,
    told: Vec<String>,
}

impl Tank {
    fn on_order(&mut self, previous: String) {
        self.told.push(format!("{previous} -> {}", *self.order));
    }
}

/// A class with fields of a group behind a base with such fields.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Command {
    #[network_behaviour(base)]
    base: Tank,
    #[sync_var]
    rank: SyncVar<u32>,
    #[sync_var(read = group)]
    code: SyncVar<String>,
}

/// A class with a field that waits.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Radio {
    #[sync_var(read = group, min_interval = 1.0)]
    station: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Tank>("tank")
        .register::<(Command, Tank)>("command")
        .register::<Radio>("radio")
}

fn tank() -> Tank {
    Tank {
        order: marker(1).into(),
        route: [marker(2)].into_iter().collect(),
        ..Tank::default()
    }
}

/// Owner, a member of the group, and one outside of it, with a tank of the group.
fn world(dialect: syncvar::Framing) -> (Crowd, [ConnectionId; 3], NetId) {
    let mut world = crowd(prefabs, dialect);
    let connections = [(); 3].map(|()| world.join());
    let id = world.owned(tank(), connections[0]);
    world.server.set_group(id, Some(RED)).unwrap();
    world.server.join_group(connections[1], RED).unwrap();
    world.step();
    (world, connections, id)
}

fn order(world: &Crowd, connection: ConnectionId, id: NetId) -> (&str, Vec<String>) {
    let tank = world.replica::<Tank>(connection, id);
    (&tank.order, tank.route.to_vec())
}

fn write(world: &mut Crowd, id: NetId, number: u8) {
    let mut tank = world.server.get_mut::<Tank>(id).unwrap();
    tank.order.set(marker(number));
    tank.route.push(marker(number));
    tank.heading += 1;
}

fn none() -> (&'static str, Vec<String>) {
    ("", vec![])
}

#[test]
fn group_fields_reach_the_owner_and_the_members_only() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, other], id) = world(dialect);
        write(&mut world, id, 3);
        world.step();
        let known = (&*marker(3), vec![marker(2), marker(3)]);
        for reader in [owner, member] {
            assert_eq!(order(&world, reader, id), known);
        }
        assert_eq!(order(&world, other, id), none());
        for connection in [owner, member, other] {
            assert_eq!(*world.replica::<Tank>(connection, id).heading, 1);
        }
        for number in 1..=3 {
            assert!(!world.was_sent(other, &marker(number)));
        }
        assert!(world.server.is_idle());
    }
}

/// Owner, group and others each have fields of their own, changed in one tick.
#[test]
fn each_role_receives_its_fields_of_one_change() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, other], id) = world(dialect);
        let mut tank = world.server.get_mut::<Tank>(id).unwrap();
        tank.key.set(marker(10));
        tank.paint.set(marker(11));
        tank.order.set(marker(12));
        drop(tank);
        world.step();
        for (connection, sent) in [
            (owner, [true, false, true]),
            (member, [false, true, true]),
            (other, [false, true, false]),
        ] {
            let was_sent = [10, 11, 12].map(|number| world.was_sent(connection, &marker(number)));
            assert_eq!(was_sent, sent, "{connection}");
        }
    }
}

#[test]
fn joining_member_receives_the_present_values_once() {
    for dialect in DIALECTS {
        let (mut world, [_, member, other], id) = world(dialect);
        write(&mut world, id, 3);
        world.server.join_group(other, RED).unwrap();
        write(&mut world, id, 4);
        world.step();
        let known = (&*marker(4), vec![marker(2), marker(3), marker(4)]);
        assert_eq!(order(&world, other, id), known);
        assert_eq!(order(&world, member, id), known);
        let told = &world.replica::<Tank>(other, id).told;
        let expected = [
            format!(" -> {}", marker(3)),
            format!("{} -> {}", marker(3), marker(4)),
        ];
        assert_eq!(*told, expected);
        assert!(world.server.is_idle());
    }
}

#[test]
fn leaving_member_loses_the_values_with_hook_and_event() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, _], id) = world(dialect);
        world.events(member);
        write(&mut world, id, 3);
        world.server.leave_group(member, RED).unwrap();
        write(&mut world, id, 4);
        world.step();
        assert_eq!(order(&world, member, id), none());
        assert_eq!(*world.replica::<Tank>(member, id).heading, 2);
        assert!(world.was_sent(member, &marker(3)), "written before");
        assert!(!world.was_sent(member, &marker(4)), "written afterwards");
        let told = world.replica::<Tank>(member, id).told.clone();
        assert_eq!(told.last().unwrap(), &format!("{} -> ", marker(3)));
        let lost = world.events(member).into_iter().any(|event| {
            let changed = event.changed::<Tank>();
            changed.is_some_and(|changed| changed.names().eq(["order", "route"]))
        });
        assert!(lost);
        assert_eq!(*world.replica::<Tank>(owner, id).order, marker(4));
    }
}

#[test]
fn another_group_of_the_object_changes_its_readers() {
    for dialect in DIALECTS {
        let (mut world, [owner, red, blue], id) = world(dialect);
        world.server.join_group(blue, BLUE).unwrap();
        write(&mut world, id, 3);
        world.server.set_group(id, Some(BLUE)).unwrap();
        write(&mut world, id, 4);
        world.step();
        let known = (&*marker(4), vec![marker(2), marker(3), marker(4)]);
        assert_eq!(order(&world, red, id), none());
        assert_eq!(order(&world, blue, id), known);
        assert!(!world.was_sent(red, &marker(4)));
        world.server.set_group(id, None).unwrap();
        world.step();
        assert_eq!(order(&world, blue, id), none());
        assert_eq!(order(&world, owner, id), known);
        assert_eq!(world.server.group(id), None);
    }
}

/// Object and connection change their group in one tick, so that the reader stays one.
#[test]
fn reader_through_another_group_misses_no_change() {
    for dialect in DIALECTS {
        for budget in [None, Some(Budget::new(40))] {
            let (mut world, [_, member, _], id) = world(dialect);
            world.server.set_budget(member, budget).unwrap();
            world.server.join_group(member, BLUE).unwrap();
            write(&mut world, id, 3);
            world.server.set_group(id, Some(BLUE)).unwrap();
            world.server.leave_group(member, RED).unwrap();
            write(&mut world, id, 4);
            world.steps(20);
            let known = (&*marker(4), vec![marker(2), marker(3), marker(4)]);
            assert_eq!(order(&world, member, id), known);
            let told = &world.replica::<Tank>(member, id).told;
            assert!(!told.iter().any(|it| it.ends_with("-> ")), "{told:?}");
        }
    }
}

#[test]
fn late_joiners_receive_the_snapshot_of_their_role() {
    for dialect in DIALECTS {
        let (mut world, [..], id) = world(dialect);
        let command = (Command::default(), tank());
        let command = world.server.spawn(command);
        world.server.set_group(command, Some(RED)).unwrap();
        let mut own = world.server.get_mut::<Command>(command).unwrap();
        own.code.set(marker(5));
        own.base.order.set(marker(6));
        own.rank.set(7);
        drop(own);
        world.step();
        // Two join in one update.
        let [inside, outside] = [(); 2].map(|()| {
            let connection = world.server.handle_connect();
            let mut client = NetworkClient::new(prefabs());
            client.handle_connect();
            world.clients.insert(connection, client);
            connection
        });
        world.server.join_group(inside, RED).unwrap();
        world.steps(3);
        assert_eq!(order(&world, inside, id).0, marker(1));
        assert_eq!(order(&world, outside, id), none());
        for (connection, texts) in [
            (inside, [marker(5), marker(6)]),
            (outside, [(); 2].map(|()| String::new())),
        ] {
            let replica = world.replica::<Command>(connection, command);
            assert_eq!(*replica.rank, 7);
            assert_eq!([&**replica.code, &**replica.base.order], texts);
        }
        assert_eq!(order(&world, inside, command).0, marker(1));
        for number in [1, 5, 6] {
            assert!(!world.was_sent(outside, &marker(number)));
        }
    }
}

#[test]
fn shown_object_has_the_fields_of_the_role() {
    for dialect in DIALECTS {
        let (mut world, connections, id) = world(dialect);
        for connection in connections {
            world.server.hide(id, connection).unwrap();
        }
        world.step();
        for connection in connections {
            world.server.show(id, connection).unwrap();
        }
        world.step();
        let [owner, member, other] = connections;
        let known = (&*marker(1), vec![marker(2)]);
        for reader in [owner, member] {
            assert_eq!(order(&world, reader, id), known);
        }
        assert_eq!(order(&world, other, id), none());
        assert!(!world.was_sent(other, &marker(1)));
    }
}

#[test]
fn owner_outside_of_the_group_reads_its_fields_until_it_loses_the_object() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, other], id) = world(dialect);
        world.server.set_owner(id, Some(member)).unwrap();
        world.step();
        assert_eq!(order(&world, owner, id), none());
        assert_eq!(order(&world, member, id).0, marker(1));
        world.server.set_owner(id, Some(other)).unwrap();
        world.step();
        let known = (&*marker(1), vec![marker(2)]);
        assert_eq!(order(&world, other, id), known, "owner");
        assert_eq!(order(&world, member, id), known, "still a member");
        assert_eq!(world.replica::<Tank>(member, id).told.len(), 0);
        write(&mut world, id, 3);
        world.step();
        assert_eq!(order(&world, member, id).0, marker(3), "still a member");
        assert_eq!(order(&world, other, id).0, marker(3), "owner");
        assert_eq!(order(&world, owner, id), none());
    }
}

#[test]
fn write_of_the_owner_reaches_the_members_only() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, other], id) = world(dialect);
        let mut tank = world.client(owner).get_mut::<Tank>(id).unwrap();
        tank.wish.set(marker(8));
        drop(tank);
        world.steps(3);
        assert_eq!(world.server.get::<Tank>(id).unwrap().wish, marker(8));
        assert_eq!(world.replica::<Tank>(member, id).wish, marker(8));
        assert!(!world.was_sent(other, &marker(8)));
        assert!(!world.was_sent(owner, &marker(8)), "it has the value");
    }
}

#[test]
fn members_of_a_group_can_be_listed() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Tank>("tank"));
    let clients = [(); 3].map(|()| net.connect());
    net.settle();
    let [ann, bob, cid] = clients.map(|client| net.connection(client));
    for (connection, group) in [(cid, RED), (ann, RED), (ann, BLUE), (bob, BLUE)] {
        net.server.join_group(connection, group).unwrap();
    }
    assert!(net.server.members_of(RED).eq([ann, cid]));
    assert!(net.server.groups_of(ann).eq([RED, BLUE]));
    net.server.leave_group(ann, BLUE).unwrap();
    net.server.disconnect(cid, "");
    assert!(net.server.members_of(RED).eq([ann]));
    assert!(net.server.members_of(BLUE).eq([bob]));
    assert_eq!(net.server.members_of(Tag(7)).count(), 0);
}

#[test]
fn initial_only_field_reaches_new_members() {
    for dialect in DIALECTS {
        let (mut world, [_, member, other], id) = world(dialect);
        world
            .server
            .get_mut::<Tank>(id)
            .unwrap()
            .callsign
            .set(marker(9));
        world.step();
        assert_eq!(world.replica::<Tank>(member, id).callsign, "");
        world.server.join_group(other, RED).unwrap();
        world.step();
        assert_eq!(world.replica::<Tank>(other, id).callsign, marker(9));
    }
}

#[test]
fn budgets_do_not_carry_group_fields_to_others() {
    for dialect in DIALECTS {
        let (mut world, [owner, member, other], _) = world(dialect);
        for connection in [owner, member, other] {
            let budget = Some(Budget::new(30));
            world.server.set_budget(connection, budget).unwrap();
        }
        let ids: Vec<_> = (0..6)
            .map(|_| world.owned(Tank::default(), owner))
            .collect();
        for id in &ids {
            world.server.set_group(*id, Some(RED)).unwrap();
        }
        for round in 10..30 {
            for id in &ids {
                write(&mut world, *id, round);
            }
            world.step();
        }
        // One leaves with a backlog.
        world.server.join_group(other, BLUE).unwrap();
        world.server.set_group(ids[0], Some(BLUE)).unwrap();
        write(&mut world, ids[0], 31);
        world.steps(1000);
        assert!(world.server.is_idle());
        for id in &ids {
            let expected = world.server.get::<Tank>(*id).unwrap();
            let expected = (expected.order.as_str(), expected.route.to_vec());
            assert_eq!(order(&world, owner, *id), expected);
            let (gains, loses) = if *id == ids[0] {
                (other, member)
            } else {
                (member, other)
            };
            assert_eq!(order(&world, gains, *id), expected);
            assert_eq!(order(&world, loses, *id), none());
            let heading = *world.replica::<Tank>(other, *id).heading;
            assert_eq!(heading, *world.server.get::<Tank>(*id).unwrap().heading);
        }
        assert!(!world.was_sent(member, &marker(31)));
    }
}

/// The values in a message that an outsider with a budget receives do not tell of the others' fields.
#[test]
fn outsider_with_a_budget_receives_no_byte_for_a_group_field() {
    for dialect in DIALECTS {
        let (mut world, [_, _, other], id) = world(dialect);
        world
            .server
            .set_budget(other, Some(Budget::new(500)))
            .unwrap();
        world.step();
        let before = world.bytes[&other].len();
        world
            .server
            .get_mut::<Tank>(id)
            .unwrap()
            .order
            .set(marker(4));
        world.steps(3);
        assert_eq!(world.bytes[&other].len(), before);
    }
}

#[test]
fn waiting_change_is_sent_to_new_members_and_explained() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let [member, late] = [(); 2].map(|()| world.join());
        let id = world.server.spawn(Radio::default());
        world.step();
        world.server.get_mut::<Radio>(id).unwrap().station.set(1);
        let unsent = world.server.why_not_sent(id).unwrap();
        assert_eq!(unsent[0].reason, UnsentReason::NoReader);
        world.server.set_group(id, Some(RED)).unwrap();
        world.server.join_group(member, RED).unwrap();
        world.step();
        assert_eq!(world.replica::<Radio>(member, id).station, 1);
        world.server.get_mut::<Radio>(id).unwrap().station.set(2);
        world.step();
        let unsent = world.server.why_not_sent(id).unwrap();
        assert!(matches!(unsent[0].reason, UnsentReason::Throttled { .. }));
        world.server.join_group(late, RED).unwrap();
        world.step();
        assert_eq!(world.replica::<Radio>(late, id).station, 2);
        world.steps(40);
        assert_eq!(world.replica::<Radio>(member, id).station, 2);
    }
}

#[test]
fn group_of_a_checked_out_object_changes_after_the_callback() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Flag {
        #[sync_var(read = group)]
        note: SyncVar<String>,
    }
    #[network_calls]
    impl Flag {
        #[command(requires_ownership = false)]
        fn take(&mut self, ctx: &mut CallContext<'_>, joins: bool) {
            let (id, sender) = (ctx.net_id(), ctx.sender().unwrap());
            let server = ctx.server().unwrap();
            server.set_group(id, joins.then_some(RED)).unwrap();
            server.join_group(sender, RED).unwrap();
        }
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Flag>("flag"));
    let id = net.server.spawn(Flag {
        note: "north".to_owned().into(),
    });
    net.settle();
    for (joins, note) in [(true, "north"), (false, ""), (true, "north")] {
        net.client_mut(0).calls::<Flag>(id).take(joins).unwrap();
        net.settle();
        assert_eq!(net.client(0).get::<Flag>(id).unwrap().note, note);
        net.assert_replicas_equal();
    }
}

#[test]
fn closed_connection_leaves_its_groups_and_a_removed_object_its_own() {
    let (mut world, [_, member, _], id) = world(DIALECTS[1]);
    assert!(world.server.is_in_group(member, RED));
    world.server.handle_disconnect(member);
    world.clients.remove(&member);
    world.steps(2);
    assert!(!world.server.is_in_group(member, RED));
    assert_eq!(
        world.server.join_group(member, RED),
        Err(ObjectError::NotConnected(member))
    );
    world.server.despawn(id).unwrap();
    assert_eq!(world.server.group(id), None);
    assert_eq!(
        world.server.set_group(id, Some(RED)),
        Err(ObjectError::NoSuchObject(id))
    );
}

/// A poisoned replica ignores the loss; the snapshot that repairs it has the role of the time.
#[test]
fn repaired_replica_has_the_fields_of_its_present_role() {
    for dialect in DIALECTS {
        let (mut world, [_, member, _], id) = world(dialect);
        let broken: &[u8] = match dialect {
            syncvar::Framing::Unet => &[2, 0, 8, 0, 1, 0xff],
            syncvar::Framing::Compact => &[3, 0, 22, 0, 1, 1, 0xff],
        };
        let _ = world.client(member).handle_messages(0, broken);
        let events = world.events(member);
        assert!(
            events
                .iter()
                .any(|it| matches!(it, ClientEvent::Poisoned { .. })),
            "{events:?}"
        );
        world.server.leave_group(member, RED).unwrap();
        world.steps(5);
        assert_eq!(order(&world, member, id), none());
        let told = &world.replica::<Tank>(member, id).told;
        assert_eq!(told.last().unwrap(), &format!("{} -> ", marker(1)));
        world.server.join_group(member, RED).unwrap();
        world.steps(2);
        assert_eq!(order(&world, member, id).0, marker(1));
    }
}

/// The snapshots of many members and outsiders that join together are encoded once for each role.
#[test]
fn joiners_of_one_role_share_the_snapshot() {
    for count in [1, 20] {
        let mut world = crowd(prefabs, DIALECTS[1]);
        let id = world.server.spawn(tank());
        world.server.set_group(id, Some(RED)).unwrap();
        world.step();
        let joiners: Vec<_> = (0..2 * count)
            .map(|number| {
                let connection = world.server.handle_connect();
                if number % 2 == 0 {
                    world.server.join_group(connection, RED).unwrap();
                }
                let mut client = NetworkClient::new(prefabs());
                client.handle_connect();
                world.clients.insert(connection, client);
                connection
            })
            .collect();
        world.steps(3);
        let encoded = world.server.stats().encoded(MessageType::SpawnBatch);
        assert_eq!(encoded.messages, 2, "{count}");
        for (number, connection) in joiners.into_iter().enumerate() {
            let text = if number % 2 == 0 {
                marker(1)
            } else {
                String::new()
            };
            assert_eq!(order(&world, connection, id).0, text);
        }
    }
}

/// The fields of a group in a behaviour that comes and goes.
#[test]
fn optional_behaviour_has_fields_of_a_group() {
    #[derive(NetworkBehaviour, Default)]
    struct Scanner {
        #[sync_var(read = group)]
        range: SyncVar<u32>,
    }
    for dialect in DIALECTS {
        let prefabs = || Prefabs::new().register::<Optional<Scanner>>("scanner");
        let mut world = crowd(prefabs, dialect);
        let [member, other] = [(); 2].map(|()| world.join());
        let id = world.server.spawn(Optional::<Scanner>::default());
        world.server.set_group(id, Some(RED)).unwrap();
        world.server.join_group(member, RED).unwrap();
        world.steps(4);
        let scanner = Scanner { range: 7.into() };
        let mut optional = world.server.get_mut::<Optional<Scanner>>(id).unwrap();
        optional.set(Some(scanner));
        drop(optional);
        world.steps(4);
        let late = world.join();
        let range = |world: &Crowd, connection| {
            let scanner = world.replica::<Optional<Scanner>>(connection, id).as_ref();
            *scanner.expect("it is present").range
        };
        assert_eq!(range(&world, member), 7);
        assert_eq!([other, late].map(|it| range(&world, it)), [0, 0]);
        world.server.join_group(late, RED).unwrap();
        world.server.leave_group(member, RED).unwrap();
        world.steps(4);
        assert_eq!([member, late].map(|it| range(&world, it)), [0, 7]);
    }
}

/// A behaviour by hand, without `on_serialize`, has the bytes of the derive.
#[test]
fn behaviour_by_hand_has_the_bytes_of_each_role() {
    #[derive(Default)]
    struct ByHand {
        heading: SyncVar<u32>,
        order: SyncVar<u32>,
    }
    impl NetworkBehaviour for ByHand {
        type Previous = ();
        const SCHEMA: BehaviourSchema = BehaviourSchema {
            name: "ByHand",
            base: None,
            fields: &[
                FieldSchema::of::<SyncVar<u32>>("heading"),
                FieldSchema::of::<SyncVar<u32>>("order").policy(FieldPolicy {
                    readers: Readers::Group,
                    ..FieldPolicy::DEFAULT
                }),
            ],
        };
        fn sync_var_dirty_bits(&self) -> u64 {
            u64::from(self.heading.is_dirty()) | u64::from(self.order.is_dirty()) << 1
        }
        fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
            visitor.field(1, "ByHand.heading", &mut self.heading);
            visitor.field(2, "ByHand.order", &mut self.order);
        }
    }
    #[derive(NetworkBehaviour, Default)]
    struct Derived {
        #[sync_var]
        heading: SyncVar<u32>,
        #[sync_var(read = group)]
        order: SyncVar<u32>,
    }
    fn bytes(behaviour: &mut impl NetworkBehaviour, role: Role) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        let context = writer.context().with_role(role);
        writer.with_context(context, |writer| behaviour.on_serialize(writer, true));
        writer.as_bytes().to_vec()
    }
    let mut by_hand = ByHand {
        heading: 4.into(),
        order: 5.into(),
    };
    let mut derived = Derived {
        heading: 4.into(),
        order: 5.into(),
    };
    for (role, expected) in [
        (Role::Observer, &[0, 4][..]),
        (Role::Owner, &[1, 4, 5]),
        (Role::Member, &[2, 4, 5]),
    ] {
        assert_eq!(bytes(&mut by_hand, role), expected);
        assert_eq!(bytes(&mut derived, role), expected);
        let mut replica = ByHand::default();
        let mut reader = NetworkReader::new(expected);
        replica.on_deserialize(&mut reader, true).unwrap();
        reader.finish().unwrap();
        assert_eq!(*replica.order != 0, role.reads_group());
    }
    for message in [&[3, 4, 5][..], &[]] {
        let mut reader = NetworkReader::new(message);
        assert!(ByHand::default().on_deserialize(&mut reader, true).is_err());
        let mut reader = NetworkReader::new(message);
        assert!(
            Derived::default()
                .on_deserialize(&mut reader, true)
                .is_err()
        );
    }
}

#[test]
fn host_reads_the_values_of_the_server() {
    let mut server = NetworkServer::new(prefabs());
    let me = server.connect_local();
    let id = server.spawn(tank());
    server.set_group(id, Some(RED)).unwrap();
    server.join_group(me, RED).unwrap();
    server.update(Duration::from_millis(50));
    server.leave_group(me, RED).unwrap();
    server.update(Duration::from_millis(100));
    let local = server.local_client().unwrap();
    assert_eq!(local.get::<Tank>(id).unwrap().order, marker(1));
}

#[test]
fn assigned_values_travel_to_the_group() {
    let (mut world, [_, member, other], id) = world(DIALECTS[1]);
    let mut tank = world.server.get_mut::<Tank>(id).unwrap();
    tank.assign(Tank {
        order: marker(20).into(),
        ..Tank::default()
    });
    drop(tank);
    world.step();
    assert_eq!(order(&world, member, id), (&*marker(20), vec![]));
    assert_eq!(order(&world, other, id), none());
}

#[test]
fn read_policy_of_a_group_is_part_of_the_schema() {
    let text = |schema: BehaviourSchema| schema.fields[0].to_string();
    assert_eq!(text(Radio::SCHEMA), "u32, read by the owner and its group");
}
