//! Objects that get another owner: CHECKLIST T44, T45; LESSONS 16, 17, 23.

use syncvar::prelude::*;
use syncvar::{Framing, stats::MessageType};

use syncvar_testing::Crowd;

use crate::ownership::{DIALECTS, crowd, marker};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.1)]
struct Hero {
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    #[sync_var(read = owner, hook = on_secret)]
    secret: SyncVar<String>,
    #[sync_var(read = others)]
    outfit: SyncVar<String>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
    #[sync_var(read = owner)]
    quests: SyncList<String>,
    #[sync_var(write = owner)]
    path: SyncList<u32>,
    told: Vec<String>,
}

impl Hero {
    fn on_name(&mut self, previous: String) {
        self.told.push(previous);
    }

    fn on_secret(&mut self, previous: String) {
        let now = self.secret.to_string();
        self.told.push(format!("{previous} -> {now}"));
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Hero>("hero")
}

fn world(dialect: Framing) -> (Crowd, [ConnectionId; 3], NetId) {
    let mut world = crowd(prefabs, dialect);
    let clients = [world.join(), world.join(), world.join()];
    let hero = Hero {
        name: "Ann".into(),
        secret: marker(1).into(),
        outfit: marker(2).into(),
        quests: [marker(3)].into(),
        ..Hero::default()
    };
    let id = world.owned(hero, clients[0]);
    world.steps(5);
    for client in clients {
        world.events(client);
    }
    (world, clients, id)
}

// checklist: T45
// Lesson 16.
#[test]
fn new_owner_receives_exactly_its_readable_state() {
    for dialect in DIALECTS {
        let (mut world, [first, second, third], id) = world(dialect);
        let sent = |world: &Crowd| [second, third].map(|c| world.bytes[&c].len());
        let before = sent(&world);
        world.server.set_owner(id, Some(second)).unwrap();
        world.step();
        let hero = world.replica::<Hero>(second, id);
        assert_eq!(
            (&**hero.secret, hero.quests.to_vec()),
            (&*marker(1), vec![marker(3)])
        );
        assert_eq!(
            hero.told,
            [format!(" -> {}", marker(1))],
            "and no other hook"
        );
        assert_eq!(sent(&world)[1], before[1], "the third is told nothing");
        assert!(!world.was_sent(third, &marker(1)));
        let events = world.events(second);
        assert!(
            matches!(
                &events[..],
                [ClientEvent::OwnerChanged { owned: true, .. }, ClientEvent::Changed { fields, .. }]
                    if fields.names().eq(["secret", "quests"])
            ),
            "{events:?}"
        );
        let hero = world.replica::<Hero>(first, id);
        assert_eq!(*hero.outfit, marker(2), "what it could not read before");
        assert_eq!(
            hero.told,
            [format!("{} -> ", marker(1))],
            "its secret is gone"
        );

        // From now on.
        let mut hero = world.server.get_mut::<Hero>(id).unwrap();
        hero.secret.set(marker(5));
        hero.outfit.set(marker(6));
        hero.quests.push(marker(5));
        drop(hero);
        world.steps(4);
        assert!(!world.was_sent(first, &marker(5)) && world.was_sent(second, &marker(5)));
        assert_eq!(*world.replica::<Hero>(first, id).secret, "");
        assert_eq!(*world.replica::<Hero>(first, id).outfit, marker(6));
        assert_eq!(
            *world.replica::<Hero>(second, id).outfit,
            marker(2),
            "likewise"
        );
        assert_eq!(world.replica::<Hero>(second, id).quests.len(), 2);
    }
}

/// Written, and then given away before the write has arrived; and after it, in the same tick.
// Lesson 17.
#[test]
fn former_owners_write_counts_only_before_the_change() {
    for dialect in DIALECTS {
        let (mut world, [first, second, third], id) = world(dialect);
        world.client(first).get_mut::<Hero>(id).unwrap().aim.set(5);
        world
            .client(first)
            .get_mut::<Hero>(id)
            .unwrap()
            .path
            .push(5);
        world.now += world.tick;
        world.up();
        world.server.set_owner(id, Some(second)).unwrap();
        world.down();
        for client in [first, second, third] {
            let hero = world.replica::<Hero>(client, id);
            assert_eq!((*hero.aim, hero.path.to_vec()), (5, vec![5]));
        }
        let ignored = world.server.stats().ignored_writes;
        world.client(second).get_mut::<Hero>(id).unwrap().aim.set(6);
        world
            .client(second)
            .get_mut::<Hero>(id)
            .unwrap()
            .path
            .push(6);
        world.server.set_owner(id, None).unwrap();
        world.now += world.tick * 4;
        world.up();
        assert_eq!(world.server.stats().ignored_writes, ignored + 1);
        world.server.set_owner(id, Some(second)).unwrap();
        world.steps(4);
        for client in [first, second, third] {
            let hero = world.replica::<Hero>(client, id);
            assert_eq!((*hero.aim, hero.path.to_vec()), (5, vec![5]));
        }
        // What bears the number of an ownership that has ended does not count for the next one.
        world.client(second).get_mut::<Hero>(id).unwrap().aim.set(7);
        world.server.set_owner(id, None).unwrap();
        world.server.set_owner(id, Some(second)).unwrap();
        world.now += world.tick * 4;
        world.up();
        world.steps(4);
        let value = *world.server.get::<Hero>(id).unwrap().aim;
        assert_eq!(value, 5);
        for client in [first, second, third] {
            assert_eq!(*world.replica::<Hero>(client, id).aim, value);
        }
        world.client(second).get_mut::<Hero>(id).unwrap().aim.set(8);
        world.steps(4);
        for client in [first, second, third] {
            assert_eq!(*world.replica::<Hero>(client, id).aim, 8);
        }
    }
}

// checklist: T44
#[test]
fn owner_change_while_hidden_is_correct_once_shown() {
    for dialect in DIALECTS {
        let (mut world, [first, second, third], id) = world(dialect);
        world.server.hide(id, second).unwrap();
        world.step();
        let sent = world.bytes[&second].len();
        world.server.set_owner(id, Some(second)).unwrap();
        world
            .server
            .get_mut::<Hero>(id)
            .unwrap()
            .secret
            .set(marker(4));
        world.steps(4);
        assert_eq!(world.bytes[&second].len(), sent, "no stray message");
        world.server.show(id, second).unwrap();
        world.step();
        assert!(world.client(second).is_owner(id));
        assert_eq!(*world.replica::<Hero>(second, id).secret, marker(4));
        assert!(!world.was_sent(first, &marker(4)) && !world.was_sent(third, &marker(4)));
        world.client(second).get_mut::<Hero>(id).unwrap().aim.set(3);
        world.steps(4);
        for client in [first, second, third] {
            assert_eq!(*world.replica::<Hero>(client, id).aim, 3);
        }
        // Hidden, and given back meanwhile.
        world.server.hide(id, second).unwrap();
        world.step();
        world.server.set_owner(id, None).unwrap();
        world.server.show(id, second).unwrap();
        world.step();
        assert!(!world.client(second).is_owner(id));
        assert_eq!(*world.replica::<Hero>(second, id).secret, "");
    }
}

#[test]
fn an_owner_that_leaves_has_its_last_write_relayed() {
    for dialect in DIALECTS {
        let (mut world, [first, second, _], id) = world(dialect);
        world.client(first).get_mut::<Hero>(id).unwrap().aim.set(5);
        world
            .client(first)
            .get_mut::<Hero>(id)
            .unwrap()
            .path
            .push(5);
        world.now += world.tick;
        world.up();
        world.server.handle_disconnect(first);
        world.clients.remove(&first);
        world.steps(4);
        let hero = world.replica::<Hero>(second, id);
        assert_eq!((*hero.aim, hero.path.to_vec()), (5, vec![5]));
        world.server.get_mut::<Hero>(id).unwrap().aim.set(9);
        world.steps(4);
        assert_eq!(*world.replica::<Hero>(second, id).aim, 9, "nobody owns it");
    }
}

/// Bytes of a client that does not keep to the rules.
#[test]
fn foreign_or_unreadable_write_changes_no_field() {
    let number = u8::try_from(MessageType::OwnerWrite.number()).unwrap();
    for (rest, valid) in [
        (&[0, 0b1000, 6][..], true),
        // The name, which is the server's, alone and behind a field that may be written.
        (&[0, 0b0001, 1, 0, 65], false),
        (&[0, 0b1001, 1, 0, 65, 7], false),
        (&[0, 0b1000, 8, 0, 0b0001, 1, 0, 65], false),
        // Cut off, behind a value; operations that are not there; no such behaviour, no such field.
        (&[0, 0b10_1000, 9], false),
        (&[0, 0b10_1000, 9, 250, 255, 255, 255], false),
        (&[0, 0b1000, 9, 1, 0b1000, 9], false),
        (&[0, 0b100_1000, 9], false),
    ] {
        let (mut world, [first, second, _], id) = world(Framing::Unet);
        world.client(first).get_mut::<Hero>(id).unwrap().aim.set(5);
        world.steps(4);
        let length = u8::try_from(rest.len() + 2).unwrap();
        let head = [length, 0, number, 0, u8::try_from(id.0).unwrap(), 1];
        let write = [&head[..], rest].concat();
        assert_eq!(
            world.server.handle_packet(second, 0, &write),
            Ok(()),
            "not the owner"
        );
        assert_eq!(world.server.stats().ignored_writes, 1);
        let read = world.server.handle_packet(first, 0, &write);
        assert_eq!(read.is_ok(), valid, "{rest:?}");
        let expected = if valid { 6 } else { 5 };
        let state = |hero: &Hero| (*hero.aim, hero.name.to_string(), hero.path.len());
        let hero = world.server.get::<Hero>(id).unwrap();
        assert_eq!(state(hero), (expected, "Ann".into(), 0), "{rest:?}");
        assert_eq!(
            world.server.stats().ignored_writes,
            if valid { 1 } else { 2 }
        );
        // The owner is told what is, and heard again from there on.
        world.steps(4);
        if valid {
            continue;
        }
        world.client(first).get_mut::<Hero>(id).unwrap().aim.set(7);
        world.steps(4);
        for client in world.clients.values() {
            let hero = client.get::<Hero>(id).unwrap();
            assert_eq!(state(hero), (7, "Ann".into(), 0));
        }
    }
}
