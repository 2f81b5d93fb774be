//! Clients on servers of a different build, in both directions: each rule of the guide's table, with compiled types.

mod new;
mod old;

use std::time::Duration;

use syncvar::calls::RefusalReason;
use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::schema::Schema;
use syncvar::testing::Conditions;
use syncvar::values::Vector3;
use syncvar::{ClientConfig, ServerConfig, SpawnOptions};

/// Returns a server of one build with a client of the other.
fn network(server: fn() -> Prefabs, client: fn() -> Prefabs) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(server);
    net.connect_client(NetworkClient::new(client()));
    net.settle();
    net
}

fn events(net: &mut MemoryNetwork) -> Vec<ClientEvent> {
    std::iter::from_fn(|| net.client_mut(0).poll_event()).collect()
}

fn changes(net: &MemoryNetwork) -> Vec<String> {
    let resolution = net.client(0).resolution().iter();
    resolution.map(ToString::to_string).collect()
}

#[test]
fn old_client_sees_the_state_of_a_new_server() {
    let mut net = network(new::prefabs, old::prefabs);
    let mut hero = new::hero();
    hero.base.position.set(Vector3::new(1.0, 2.5, -3.0));
    let id = net.server.spawn(hero);
    net.settle();
    let seen = net.client(0).get::<old::Hero>(id).expect("a hero");
    assert_eq!((*seen.hp, *seen.speed, &**seen.name), (200, 1.5, "Ann"));
    assert_eq!(*seen.base.position, Vector3::new(1.0, 2.5, -3.0));
    assert_eq!(*seen.gait, old::Gait::Walk);
    assert_eq!(
        *seen.level, 9,
        "only the client has it: the value of the prefab"
    );
    assert_eq!(
        seen.items.iter().map(|item| item.id).collect::<Vec<_>>(),
        [7, 8]
    );
    assert_eq!(seen.buffs[&3].time.to_bits(), 2.0_f32.to_bits());
    assert_eq!(*seen.bonus, Some(4));
    assert_eq!(*seen.path, [1, 2]);
}

#[test]
fn old_client_follows_the_changes_of_a_new_server() {
    let mut net = network(new::prefabs, old::prefabs);
    let id = net.server.spawn(new::hero());
    net.settle();
    events(&mut net);
    {
        let mut hero = net.server.get_mut::<new::Hero>(id).unwrap();
        hero.health.set(90);
        hero.gait.set(new::Gait::Run);
        hero.items.push(new::Item { id: 9, count: 1 });
        hero.items.remove(0);
        hero.items[0].count = 5;
        hero.buffs.insert(
            70,
            new::Buff {
                level: 1,
                time: 0.5,
            },
        );
        hero.buffs.remove(&3);
        hero.title.set("Dr".into());
        hero.path.push(300);
    }
    net.settle();
    let seen = net.client(0).get::<old::Hero>(id).unwrap();
    assert_eq!(*seen.hp, 90);
    assert_eq!(seen.hp_changes, [200], "the hook has the previous value");
    assert_eq!(
        *seen.gait,
        old::Gait::Walk,
        "an unknown variant keeps the former value"
    );
    assert_eq!(
        seen.items.iter().map(|item| item.id).collect::<Vec<_>>(),
        [8, 9]
    );
    assert_eq!(
        seen.item_changes, 2,
        "an added and a removed element, and no whole list"
    );
    assert_eq!(
        seen.buffs
            .iter()
            .map(|(key, buff)| (*key, buff.time))
            .collect::<Vec<_>>(),
        [(70, 0.5)]
    );
    assert_eq!(*seen.path, [1, 2, 300]);
    let unfit: Vec<_> = events(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::Unfit { object, fields, .. } => {
                Some((object, fields.names().collect::<Vec<_>>()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(unfit, [(id, vec!["gait"])]);
}

#[test]
fn new_client_follows_an_old_server() {
    let mut net = network(old::prefabs, new::prefabs);
    let id = net.server.spawn(old::hero());
    net.settle();
    {
        let seen = net.client(0).get::<new::Hero>(id).unwrap();
        assert_eq!((*seen.health, &**seen.title), (200, "none"));
        assert_eq!(*seen.gait, new::Gait::Walk);
        assert_eq!(
            seen.items
                .iter()
                .map(|it| (it.id, it.count))
                .collect::<Vec<_>>(),
            [(7, 0), (8, 0)]
        );
        assert_eq!(*seen.bonus, 4);
        assert_eq!(
            *seen.stance,
            new::Stance {
                lean: 3,
                height: 1.75
            },
            "a new member has the value of the prefab"
        );
    }
    {
        let mut hero = net.server.get_mut::<old::Hero>(id).unwrap();
        hero.hp.set(1);
        hero.bonus.set(None);
        hero.items.push(old::Item { id: 1 });
        hero.path.set(vec![5]);
        hero.stance.set(old::Stance { lean: 9 });
    }
    net.settle();
    let seen = net.client(0).get::<new::Hero>(id).unwrap();
    assert_eq!(*seen.health, 1);
    assert_eq!(*seen.bonus, 4, "none keeps the former value");
    assert_eq!(seen.items.len(), 3);
    assert_eq!(seen.path.iter().copied().collect::<Vec<_>>(), [5]);
    assert_eq!(
        *seen.stance,
        new::Stance {
            lean: 9,
            height: 1.75
        }
    );
}

#[test]
fn numbers_that_do_not_fit_keep_the_former_value() {
    let mut net = network(new::prefabs, old::prefabs);
    let mut hero = new::hero();
    hero.health.set(1000);
    let id = net.server.spawn(hero);
    net.settle();
    let seen = |net: &MemoryNetwork| *net.client(0).get::<old::Hero>(id).unwrap().hp;
    assert_eq!(seen(&net), 0, "the value of the prefab");
    net.server.get_mut::<new::Hero>(id).unwrap().health.set(50);
    net.settle();
    assert_eq!(seen(&net), 50);
    net.server.get_mut::<new::Hero>(id).unwrap().health.set(256);
    net.settle();
    assert_eq!(seen(&net), 50);
}

#[test]
fn owners_write_to_a_server_of_another_build() {
    for (server, client) in [
        (old::prefabs as fn() -> _, new::prefabs as fn() -> _),
        (new::prefabs, old::prefabs),
    ] {
        let is_old = server().schema() == old::prefabs().schema();
        let mut net = network(server, client);
        let id = if is_old {
            net.server.spawn(old::hero())
        } else {
            net.server.spawn(new::hero())
        };
        let owner = net.connection(0);
        net.server.set_owner(id, Some(owner)).unwrap();
        net.settle();
        if is_old {
            net.client_mut(0)
                .get_mut::<new::Hero>(id)
                .unwrap()
                .aim
                .set(77);
        } else {
            net.client_mut(0)
                .get_mut::<old::Hero>(id)
                .unwrap()
                .aim
                .set(77);
        }
        net.settle();
        let aim = if is_old {
            i64::from(*net.server.get::<old::Hero>(id).unwrap().aim)
        } else {
            i64::from(*net.server.get::<new::Hero>(id).unwrap().aim)
        };
        assert_eq!(aim, 77);
    }
}

#[test]
fn an_owner_learns_that_its_value_does_not_fit() {
    let mut net = network(old::prefabs, new::prefabs);
    let id = net.server.spawn(old::hero());
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    net.client_mut(0)
        .get_mut::<new::Hero>(id)
        .unwrap()
        .aim
        .set(500);
    net.settle();
    let refused = |event: &ClientEvent| matches!(event, ClientEvent::WriteRefused { object, .. } if *object == id);
    assert!(events(&mut net).iter().any(refused));
    assert_eq!(
        *net.client(0).get::<new::Hero>(id).unwrap().aim,
        0,
        "the server's value is back"
    );
}

#[test]
fn a_refused_value_takes_no_later_write_along() {
    // The later write is made before the request of the snapshot leaves, before the answer arrives, and behind it.
    for steps in 0..8 {
        let link = Conditions {
            delay: Duration::from_millis(50),
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(old::prefabs, ServerConfig::default(), link);
        net.connect_client(NetworkClient::new(new::prefabs()));
        net.settle();
        let id = net.server.spawn(old::hero());
        let owner = net.connection(0);
        net.server.set_owner(id, Some(owner)).unwrap();
        net.settle();
        let aim = |net: &mut MemoryNetwork, value| {
            let mut hero = net.client_mut(0).get_mut::<new::Hero>(id).unwrap();
            hero.aim.set(value);
        };
        aim(&mut net, 500);
        for _ in 0..steps {
            net.step();
        }
        aim(&mut net, 7);
        net.settle();
        assert_eq!(*net.server.get::<old::Hero>(id).unwrap().aim, 7, "{steps}");
        assert_eq!(*net.client(0).get::<new::Hero>(id).unwrap().aim, 7);
    }
}

/// Both texts have the same bytes, so the server's are read without a translation; the owner's are not.
#[test]
fn a_text_of_an_owner_has_the_limit_of_the_server() {
    let prefabs = |text: &str| {
        let fields = format!("    class Sign\n      text: {text}, written by the owner\n");
        let prefab = "prefab sign 01010101010101010101010101010101\n  behaviour Sign, channel 0\n";
        let schema = Schema::parse(&format!("{prefab}{fields}")).unwrap();
        Prefabs::from_schema(&schema).unwrap()
    };
    let mut net = MemoryNetwork::new(move || prefabs("[FixedString; 8]"));
    net.connect_client(NetworkClient::new(prefabs("String")));
    net.settle();
    let id = net.server.spawn_prefab("sign", SpawnOptions::default());
    let id = id.unwrap();
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    for (text, seen) in [("to the 8", "to the 8"), ("to the sea", "to the 8")] {
        let client = net.client_mut(0);
        client.set_value(id, "Sign", "text", text).unwrap();
        net.settle();
        let is_refused = |event: &ClientEvent| matches!(event, ClientEvent::WriteRefused { .. });
        assert_eq!(events(&mut net).iter().any(is_refused), text != seen);
        for value in [
            net.server.value(id, "Sign", "text"),
            net.client(0).value(id, "Sign", "text"),
        ] {
            assert_eq!(value.unwrap().as_str(), Some(seen));
        }
    }
}

#[test]
fn rights_are_those_of_the_server() {
    // The old build lets only the owner read `gold`, the new one everybody.
    let mut net = network(new::prefabs, old::prefabs);
    let id = net.server.spawn(new::hero());
    net.settle();
    let gold = |net: &MemoryNetwork| *net.client(0).get::<old::Hero>(id).unwrap().gold;
    assert_eq!(gold(&net), 30);
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    net.server.set_owner(id, None).unwrap();
    net.settle();
    assert_eq!(
        gold(&net),
        30,
        "a lost ownership resets no field that everybody reads"
    );

    let mut net = network(old::prefabs, new::prefabs);
    let id = net.server.spawn(old::hero());
    net.settle();
    let gold = |net: &MemoryNetwork| *net.client(0).get::<new::Hero>(id).unwrap().gold;
    assert_eq!(gold(&net), 5, "the server sends it to the owner alone");
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    assert_eq!(gold(&net), 30);
    net.server.set_owner(id, None).unwrap();
    net.settle();
    assert_eq!(gold(&net), 5);
}

#[test]
fn calls_find_their_partners_by_name() {
    let mut net = network(new::prefabs, old::prefabs);
    let id = net.server.spawn(new::hero());
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    net.client_mut(0).calls::<old::Hero>(id).shoot(5).unwrap();
    let error = net
        .client_mut(0)
        .calls::<old::Hero>(id)
        .dance()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the build of the server lacks the command `Hero::dance`"
    );
    net.settle();
    assert_eq!(
        net.server.get::<new::Hero>(id).unwrap().fired,
        [(5, 0)],
        "a new argument is 0"
    );
    net.server.calls::<new::Hero>(id).hit(300, 2).unwrap();
    net.server.calls::<new::Hero>(id).hit(200, 2).unwrap();
    net.server.calls::<new::Hero>(id).sing().unwrap();
    net.settle();
    assert_eq!(
        net.client(0).get::<old::Hero>(id).unwrap().hits,
        [200],
        "300 does not fit: the call does not run"
    );
    let failed = |event: &ClientEvent| matches!(event, ClientEvent::CallFailed(_));
    assert_eq!(
        events(&mut net)
            .iter()
            .filter(|event| failed(event))
            .count(),
        1
    );
}

#[test]
fn a_refused_command_has_its_name_in_this_build() {
    let mut net = network(new::prefabs, old::prefabs);
    let id = net.server.spawn(new::hero());
    let owner = net.connection(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    events(&mut net);
    net.client_mut(0).calls::<old::Hero>(id).shoot(5).unwrap();
    net.server.set_owner(id, None).unwrap();
    net.settle();
    let events = events(&mut net).into_iter();
    let refused: Vec<_> = events
        .filter_map(|event| match event {
            ClientEvent::CommandRefused(refused) => Some((refused.command, refused.reason)),
            _ => None,
        })
        .collect();
    let expected = (Some(("Hero", "shoot")), RefusalReason::NotOwner);
    assert_eq!(refused, [expected]);
}

#[test]
fn messages_and_inputs_find_their_partners_by_name() {
    let mut net = network(new::prefabs, old::prefabs);
    net.client_mut(0)
        .send(&old::Chat { text: "hi".into() })
        .unwrap();
    let error = net.client_mut(0).send(&old::Vote(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the build of the server lacks the message `vote`"
    );
    net.client_mut(0).set_input(&old::Move { x: 4 }).unwrap();
    let connection = net.connection(0);
    net.settle();
    for _ in 0..20 {
        net.step();
    }
    let mut chats = Vec::new();
    while let Some(event) = net.server.poll_event() {
        if let ServerEvent::Message { message, .. } = event {
            chats.extend(message.get::<new::Chat>().cloned());
        }
    }
    assert_eq!(
        chats,
        [new::Chat {
            to: None,
            text: "hi".into()
        }]
    );
    let tick = net.server.network_time().tick;
    let input = net.server.input::<new::Move>(connection, tick).get();
    assert_eq!(input, Some(new::Move { jump: false, x: 4 }));
    let chat = new::Chat {
        to: Some(3),
        text: "yo".into(),
    };
    net.server.send_to_ready(&chat).unwrap();
    net.server.send_to_ready(&new::Alert(5)).unwrap();
    net.settle();
    let received = events(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::Message(message) => message.get::<old::Chat>().cloned(),
            _ => None,
        });
    assert_eq!(
        received.collect::<Vec<_>>(),
        [old::Chat { text: "yo".into() }]
    );
}

#[test]
fn objects_of_unknown_prefabs_are_skipped() {
    let mut net = network(new::prefabs, old::prefabs);
    let dragon = net.server.spawn(new::Dragon::default());
    let id = net.server.spawn(new::hero());
    net.settle();
    for heads in 0..10 {
        net.server
            .get_mut::<new::Dragon>(dragon)
            .unwrap()
            .heads
            .set(heads);
        net.server
            .get_mut::<new::Hero>(id)
            .unwrap()
            .health
            .set(heads.into());
        net.settle();
    }
    assert!(net.client(0).identity(dragon).is_none());
    assert_eq!(*net.client(0).get::<old::Hero>(id).unwrap().hp, 9);
    net.server.despawn(dragon).unwrap();
    net.settle();
    let bad = |event: &ClientEvent| {
        matches!(
            event,
            ClientEvent::SpawnFailed { .. }
                | ClientEvent::Poisoned { .. }
                | ClientEvent::EarlyMessagesDropped { .. }
        )
    };
    let events = events(&mut net);
    assert!(!events.iter().any(bad), "{events:?}");
}

#[test]
fn differences_are_told_once() {
    let mut net = network(new::prefabs, old::prefabs);
    let told = events(&mut net)
        .into_iter()
        .filter(|event| matches!(event, ClientEvent::Resolved { .. }));
    assert_eq!(told.count(), 1);
    let changes = changes(&net);
    for expected in [
        "prefab `dragon`: only the server has it",
        "prefab `ghost`: only the client has it",
        "prefab `hero`, behaviour `Hero`, field `health`: its name on the client is `hp`",
        "prefab `hero`, behaviour `Hero`, field `health`: `u32` of the server is converted to `u8`",
        "prefab `hero`, behaviour `Hero`, field `title`: only the server has it",
        "prefab `hero`, behaviour `Hero`, field `level`: only the client has it",
        "prefab `hero`, behaviour `Hero`, call `dance`: only the client has it",
        "message `vote`: only the client has it",
    ] {
        assert!(
            changes.iter().any(|change| change == expected),
            "{expected}\n{changes:#?}"
        );
    }
    let mut equal = network(new::prefabs, new::prefabs);
    assert!(equal.client(0).resolution().is_empty());
    assert!(
        !events(&mut equal)
            .iter()
            .any(|event| matches!(event, ClientEvent::Resolved { .. }))
    );
}

#[test]
fn a_client_leaves_a_server_that_it_cannot_read() {
    let server = || {
        Prefabs::new()
            .message::<u8>("a")
            .message::<String>("b")
            .message::<bool>("c")
    };
    let client = || {
        Prefabs::new()
            .message::<String>("a")
            .message::<u8>("b")
            .message::<bool>("c")
    };
    let mut net = MemoryNetwork::new(server);
    net.connect_client(NetworkClient::new(client()));
    net.settle();
    let refusals: Vec<_> = events(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::Refused { reason } | ClientEvent::Disconnected { reason, .. } => {
                Some(reason.to_string())
            }
            _ => None,
        })
        .collect();
    assert!(
        refusals[0].contains("message `a`: refused: `u8` cannot become `String`"),
        "{refusals:?}"
    );
    assert!(
        refusals[0].contains("message `b`: refused: `String` cannot become `u8`"),
        "every reason: {refusals:?}"
    );
    assert!(
        !server()
            .schema()
            .compare(&client().schema())
            .is_compatible()
    );
    assert_eq!(
        net.server.connections().count(),
        0,
        "the server has never seen the client join"
    );
}

#[test]
fn builds_play_together_over_lossy_links() {
    for seed in 0..20 {
        let link = Conditions {
            loss: 0.2,
            reorder: 0.1,
            seed,
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(new::prefabs, ServerConfig::default(), link);
        let old_client = net.connect_client(NetworkClient::new(old::prefabs()));
        let new_client = net.connect();
        let id = net.server.spawn(new::hero());
        let ship = net.server.spawn(new::Ship::default());
        for step in 0..100_u8 {
            {
                let mut hero = net.server.get_mut::<new::Hero>(id).unwrap();
                hero.health.set(step.into());
                hero.items.push(new::Item {
                    id: step.into(),
                    count: step,
                });
                if step % 3 == 0 {
                    hero.items.remove(0);
                }
                hero.buffs.insert(
                    u16::from(step % 7),
                    new::Buff {
                        level: step,
                        time: step.into(),
                    },
                );
            }
            let mut ship = net.server.get_mut::<new::Ship>(ship).unwrap();
            ship.y.set(step.into());
            ship.x.set(f64::from(step) / 2.0);
            drop(ship);
            net.step();
        }
        net.settle();
        let server = net.server.get::<new::Hero>(id).unwrap();
        let seen = net.client(old_client).get::<old::Hero>(id).unwrap();
        assert_eq!(u32::from(*seen.hp), *server.health);
        assert!(
            seen.items
                .iter()
                .map(|item| u16::from(item.id))
                .eq(server.items.iter().map(|item| item.id)),
            "seed {seed}"
        );
        let buffs = |time: f32, key: u16| (key, time.to_bits());
        let mut theirs: Vec<_> = server
            .buffs
            .iter()
            .map(|(key, buff)| buffs(buff.time, *key))
            .collect();
        let mut ours: Vec<_> = seen
            .buffs
            .iter()
            .map(|(key, buff)| buffs(buff.time, *key))
            .collect();
        theirs.sort_unstable();
        ours.sort_unstable();
        assert_eq!(ours, theirs);
        let (server, seen) = (
            net.server.get::<new::Ship>(ship).unwrap(),
            net.client(old_client).get::<old::Ship>(ship).unwrap(),
        );
        assert_eq!(
            (f64::from(*seen.x), u32::from(*seen.y)),
            (*server.x, *server.y),
            "seed {seed}"
        );
        assert_eq!(
            net.client(new_client).get::<new::Ship>(ship).unwrap().x,
            *server.x
        );
    }
}

#[test]
fn exact_builds_are_a_setting_of_either_end() {
    let mut net = MemoryNetwork::new(new::prefabs);
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(old::prefabs(), config));
    net.settle();
    assert!(!net.client(0).is_connected());
    let config = ServerConfig {
        builds: Builds::Exact,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(new::prefabs, config, Conditions::default());
    net.connect_client(NetworkClient::new(old::prefabs()));
    net.settle();
    assert!(!net.client(0).is_connected());
}

#[test]
fn clients_of_random_builds_see_what_their_types_can_hold() {
    for seed in 0..2_000 {
        if let Err(failure) = syncvar_testing::schemas::check(seed) {
            panic!("seed {seed}: {failure}");
        }
    }
}
