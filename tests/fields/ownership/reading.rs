//! Fields that not everyone reads.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{Budget, schema::BehaviourSchema, testing::Conditions};

use crate::ownership::{DIALECTS, crowd, marker};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Base {
    #[sync_var]
    level: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Hero {
    #[network_behaviour(base)]
    base: Base,
    #[sync_var(read = owner, hook = on_secret)]
    secret: SyncVar<String>,
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var(read = others)]
    outfit: SyncVar<String>,
    #[sync_var(read = owner)]
    quests: SyncList<String>,
    #[sync_var(initial_only)]
    birthplace: SyncVar<String>,
    told: Vec<String>,
}

impl Hero {
    fn on_secret(&mut self, previous: String) {
        let now = format!("{previous} -> {}", *self.secret);
        self.told.push(now);
    }

    fn state(&self) -> (u32, &str, &str, &str, Vec<String>) {
        (
            *self.base.level,
            &self.name,
            &self.secret,
            &self.outfit,
            self.quests.to_vec(),
        )
    }
}

/// A class that says nothing of its base's rules.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Knight {
    #[network_behaviour(base)]
    base: Hero,
    #[sync_var]
    shield: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Hero>("hero")
        .register::<Knight>("knight")
        .register::<(Door, Hero, Knight)>("all")
}

fn hero() -> Hero {
    Hero {
        secret: marker(1).into(),
        outfit: marker(2).into(),
        name: "Ann".into(),
        birthplace: "Ys".into(),
        ..Hero::default()
    }
}

/// CHECKLIST N21, N23, T35; LESSONS 21, 22: searched in every byte that a connection is sent.
#[test]
fn owner_only_fields_reach_the_owner_and_others_the_rest() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let (owner, other) = (world.join(), world.join());
        let id = world.owned(hero(), owner);
        world.step();
        assert_eq!(
            world.replica::<Hero>(owner, id).state(),
            (0, "Ann", &*marker(1), "", vec![])
        );
        assert_eq!(
            world.replica::<Hero>(other, id).state(),
            (0, "Ann", "", &*marker(2), vec![])
        );

        let mut hero = world.server.get_mut::<Hero>(id).unwrap();
        hero.secret.set(marker(3));
        hero.outfit.set(marker(4));
        hero.quests.push(marker(5));
        hero.name.set("Bea".into());
        *hero.base.level += 1;
        drop(hero);
        world.step();
        assert_eq!(
            world.replica::<Hero>(owner, id).state(),
            (1, "Bea", &*marker(3), "", vec![marker(5)])
        );
        assert_eq!(
            world.replica::<Hero>(other, id).state(),
            (1, "Bea", "", &*marker(4), vec![])
        );
        // One who joins, or is shown the object again.
        let late = world.join();
        assert_eq!(
            world.replica::<Hero>(late, id).state(),
            (1, "Bea", "", &*marker(4), vec![])
        );
        for connection in [owner, other] {
            world.server.hide(id, connection).unwrap();
        }
        world.step();
        for connection in [owner, other] {
            world.server.show(id, connection).unwrap();
        }
        world.step();
        assert_eq!(
            world.replica::<Hero>(owner, id).state(),
            (1, "Bea", &*marker(3), "", vec![marker(5)])
        );
        for (number, for_owner) in [(1, true), (2, false), (3, true), (4, false), (5, true)] {
            let text = marker(number);
            assert_eq!(world.was_sent(owner, &text), for_owner, "{text}");
            assert_eq!(world.was_sent(other, &text), !for_owner, "{text}");
            assert!(!for_owner || !world.was_sent(late, &text), "{text}");
        }
        assert_eq!(
            world.server.get::<Hero>(id).unwrap().sync_var_dirty_bits(),
            0
        );
    }
}

/// CHECKLIST T35: whatever stands after an owner-only field is still right, on the same object and in
/// a class that is derived.
#[test]
fn private_and_public_changes_of_neighbours_share_an_update() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let (owner, other) = (world.join(), world.join());
        let ids = [(); 5].map(|()| world.owned(hero(), owner));
        world.step();
        let changes = ids.map(|id| (id, format!("hero {id}"), id.0 % 2 == 0));
        for (id, name, is_private) in &changes {
            let mut hero = world.server.get_mut::<Hero>(*id).unwrap();
            hero.name.set(name.clone());
            if *is_private {
                hero.secret.set(marker(7));
            }
        }
        world.step();
        for (id, name, is_private) in &changes {
            let secret = marker(if *is_private { 7 } else { 1 });
            let seen = world.replica::<Hero>(owner, *id);
            assert_eq!(
                (seen.name.as_str(), seen.secret.as_str()),
                (&**name, &*secret)
            );
            let seen = world.replica::<Hero>(other, *id);
            assert_eq!((seen.name.as_str(), seen.secret.as_str()), (&**name, ""));
        }
    }
}

#[test]
fn behaviours_and_derived_classes_after_private_fields_are_read() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let (owner, other) = (world.join(), world.join());
        let knight = Knight {
            base: hero(),
            shield: 5.into(),
        };
        let id = world.owned((Door::default(), hero(), knight), owner);
        world.step();
        for round in 0..4 {
            for (connection, secret) in [(owner, marker(1)), (other, String::new())] {
                let knight = world.replica::<Knight>(connection, id);
                assert_eq!(
                    (*knight.shield, &**knight.base.secret),
                    (5 + round, &*secret)
                );
                assert_eq!(*world.replica::<Hero>(connection, id).secret, secret);
                assert_eq!(world.replica::<Door>(connection, id).open, round % 2 == 1);
                let quests = if connection == owner { round } else { 0 };
                assert_eq!(knight.base.quests.len(), quests as usize);
            }
            let mut knight = world.server.get_mut::<Knight>(id).unwrap();
            knight.shield += 1;
            knight.base.quests.push("q".into());
            drop(knight);
            let mut door = world.server.get_mut::<Door>(id).unwrap();
            door.open.update(|open| *open = !*open);
            drop(door);
            world.step();
        }
        let late = world.join();
        assert_eq!(*world.replica::<Knight>(late, id).shield, 9);
    }
}

/// The owner joins with an object that it owns already, and others join with it.
#[test]
fn joining_owner_receives_its_private_fields() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let early = world.join();
        let id = world.server.spawn(hero());
        let plain = world.server.spawn(hero());
        world.step();
        let owner = world.server.handle_connect();
        world.server.set_owner(id, Some(owner)).unwrap();
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        world.clients.insert(owner, client);
        world.steps(3);
        let state = world.replica::<Hero>(owner, id).state();
        assert_eq!(state, (0, "Ann", &*marker(1), "", vec![]));
        assert_eq!(*world.replica::<Hero>(owner, plain).outfit, marker(2));
        assert!(world.client(owner).is_owner(id));
        assert!(!world.was_sent(early, &marker(1)));
    }
}

#[test]
fn ownerless_private_change_is_clean_after_the_update() {
    let mut world = crowd(prefabs, DIALECTS[1]);
    let other = world.join();
    let id = world.server.spawn(hero());
    world.step();
    let sent = world.bytes[&other].len();
    let mut hero = world.server.get_mut::<Hero>(id).unwrap();
    hero.secret.set(marker(6));
    drop(hero);
    world.step();
    assert_eq!(
        world.server.get::<Hero>(id).unwrap().sync_var_dirty_bits(),
        0
    );
    assert_eq!(world.bytes[&other].len(), sent, "nothing was sent");
    assert!(world.server.is_idle());
}

#[test]
fn an_initial_only_field_is_in_full_states_and_in_no_update() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let first = world.join();
        let id = world.server.spawn(hero());
        world.step();
        world
            .server
            .get_mut::<Hero>(id)
            .unwrap()
            .birthplace
            .set(marker(7));
        world.step();
        assert_eq!(*world.replica::<Hero>(first, id).birthplace, "Ys");
        assert!(world.server.is_idle());
        let second = world.join();
        assert_eq!(*world.replica::<Hero>(second, id).birthplace, marker(7));
        assert!(!world.was_sent(first, &marker(7)));
    }
}

/// A connection with a budget is sent what it may read, and no more, however long it waits.
#[test]
fn budgets_do_not_carry_private_fields_to_others() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let (owner, other) = (world.join(), world.join());
        for connection in [owner, other] {
            world
                .server
                .set_budget(connection, Some(Budget::new(30)))
                .unwrap();
        }
        let ids: Vec<_> = (0..6).map(|_| world.owned(hero(), owner)).collect();
        for round in 10..30 {
            for id in &ids {
                let mut hero = world.server.get_mut::<Hero>(*id).unwrap();
                hero.secret.set(marker(round));
                hero.outfit.set(marker(round + 100));
                hero.quests.push(marker(round));
                *hero.base.level += 1;
            }
            world.step();
        }
        world.steps(1000);
        assert!(world.server.is_idle());
        for id in &ids {
            let expected = world.server.get::<Hero>(*id).unwrap();
            let (level, name, secret, outfit, quests) = expected.state();
            assert_eq!(
                world.replica::<Hero>(owner, *id).state(),
                (level, name, secret, "", quests)
            );
            assert_eq!(
                world.replica::<Hero>(other, *id).state(),
                (level, name, "", outfit, vec![])
            );
        }
        for round in 10..30 {
            assert!(!world.was_sent(other, &marker(round)));
            assert!(!world.was_sent(owner, &marker(round + 100)));
        }
    }
}

#[test]
fn read_policy_is_part_of_the_compared_schema() {
    #[derive(NetworkBehaviour, Default)]
    struct Open {
        #[sync_var]
        gold: SyncVar<u32>,
    }
    #[derive(NetworkBehaviour, Default)]
    struct Closed {
        #[sync_var(read = owner, write = owner)]
        gold: SyncVar<u32>,
    }
    let text = |schema: BehaviourSchema| schema.fields[0].to_string();
    assert_eq!(text(Open::SCHEMA), "u32");
    assert_eq!(
        text(Closed::SCHEMA),
        "u32, read by the owner, written by the owner"
    );
    let _ = (
        Open::default().gold,
        Closed::default().gold,
        Conditions::default(),
    );
}
