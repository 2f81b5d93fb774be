//! Fields that no client receives.

use std::time::Duration;

use syncvar::behaviour::Optional;
use syncvar::prelude::*;
use syncvar::schema::Schema;
use syncvar::{ServerConfig, interest::Tag, testing::Conditions};

use crate::ownership::{DIALECTS, crowd, marker};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Vault {
    #[sync_var(read = server)]
    code: SyncVar<String>,
    #[sync_var]
    open: SyncVar<u32>,
    #[sync_var(read = server)]
    visitors: SyncList<String>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
    #[sync_var(read = group)]
    plan: SyncVar<u32>,
}

/// A class with a field of the server alone, below one without.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Safe {
    #[network_behaviour(base)]
    base: Vault,
    #[sync_var(read = server)]
    maker: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Alarm {
    #[sync_var]
    volume: SyncVar<u32>,
    #[sync_var(read = server)]
    wire: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Vault>("vault")
        .register::<(Safe, Alarm)>("safe")
        .register::<(Vault, Optional<Safe>)>("extended")
}

fn vault() -> Vault {
    Vault {
        code: marker(1).into(),
        ..Vault::default()
    }
}

fn safe() -> Safe {
    Safe {
        base: vault(),
        maker: marker(2).into(),
    }
}

fn alarm() -> Alarm {
    Alarm {
        wire: marker(3).into(),
        ..Alarm::default()
    }
}

/// Adds the optional behaviour of an object.
fn extend(server: &mut NetworkServer, id: NetId) {
    let mut extension = server.get_mut::<Optional<Safe>>(id).unwrap();
    extension.set(Some(safe()));
}

/// Changes each field of an object.
fn change(server: &mut NetworkServer, id: NetId, number: u8) {
    if let Ok(mut vault) = server.get_mut::<Vault>(id) {
        change_vault(&mut vault, number);
    }
    if let Ok(mut safe) = server.get_mut::<Safe>(id) {
        change_vault(&mut safe.base, number);
        safe.maker.set(marker(number));
    }
    if let Ok(mut alarm) = server.get_mut::<Alarm>(id) {
        alarm.volume += 1;
        alarm.wire.set(marker(number));
    }
}

fn change_vault(vault: &mut Vault, number: u8) {
    vault.code.set(marker(number));
    vault.visitors.push(marker(number));
    vault.open += 1;
    vault.gold += 1;
    vault.plan += 1;
}

/// Searched in every byte of all connections and of the recording.
#[test]
fn no_value_of_the_server_leaves_the_server() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        world.server.start_recording();
        let (owner, member) = (world.join(), world.join());
        world.server.join_group(member, Tag(1)).unwrap();
        let mut ids = vec![
            world.owned(vault(), owner),
            world.owned((safe(), alarm()), owner),
        ];
        let extended = (vault(), Optional::<Safe>::default());
        ids.push(world.owned(extended, owner));
        for id in &ids {
            world.server.set_group(*id, Some(Tag(1))).unwrap();
        }
        let mut records = Vec::new();
        for number in 4..20 {
            world.step();
            for id in &ids {
                change(&mut world.server, *id, number);
            }
            match number {
                8 => drop(world.join()),
                10 => world.server.set_owner(ids[1], Some(member)).unwrap(),
                12 => world.server.hide(ids[0], member).unwrap(),
                14 => world.server.show(ids[0], member).unwrap(),
                15 => extend(&mut world.server, ids[2]),
                16 => world.server.request_keyframe(),
                17 => world.server.leave_group(member, Tag(1)).unwrap(),
                _ => {}
            }
            let last = world.server.records_after(0);
            records.extend(last.flat_map(|record| record.as_bytes().to_vec()));
        }
        world.step();
        let sent = world.clients.keys().copied().collect::<Vec<_>>();
        let text = "marker-";
        for connection in sent {
            assert!(!world.was_sent(connection, text), "{connection:?}");
        }
        assert!(
            !records
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        );
        let replica = world.replica::<Vault>(owner, ids[0]);
        assert_eq!((*replica.open, *replica.gold, *replica.plan), (16, 16, 16));
        assert_eq!((&**replica.code, replica.visitors.len()), ("", 0));
        let server = world.server.get::<Vault>(ids[0]).unwrap();
        assert_eq!((&**server.code, server.visitors.len()), (&*marker(19), 16));
        assert!(world.server.is_idle());
    }
}

/// A change of such a field alone costs no packet.
#[test]
fn change_without_a_reader_sends_nothing() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let client = world.join();
        let id = world.server.spawn(vault());
        world.step();
        world.forget();
        world
            .server
            .get_mut::<Vault>(id)
            .unwrap()
            .code
            .set(marker(9));
        world.server.update(Duration::from_secs(100));
        assert!(world.server.poll_transmit().is_none());
        assert!(world.server.is_idle());
        assert_eq!(world.replica::<Vault>(client, id).open, 0);
    }
}

#[test]
fn schema_names_the_field_and_clients_without_it_join() {
    mod old {
        use syncvar::prelude::*;

        #[derive(NetworkBehaviour, Default)]
        pub(super) struct Vault {
            #[sync_var]
            pub(super) open: SyncVar<u32>,
        }
    }
    let text = Prefabs::new()
        .register::<Vault>("vault")
        .schema()
        .to_string();
    assert!(
        text.contains("      code: String, read by the server\n"),
        "{text}"
    );
    let parsed = Schema::parse(&text).unwrap();
    assert_eq!(parsed.to_string(), text);

    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Vault>("vault"));
    let old = NetworkClient::new(Prefabs::new().register::<old::Vault>("vault"));
    let (old, viewer) = (
        net.connect_client(old),
        net.connect_client(NetworkClient::learning()),
    );
    let id = net.server.spawn(vault());
    net.settle();
    change(&mut net.server, id, 5);
    net.settle();
    assert_eq!(net.client(old).get::<old::Vault>(id).unwrap().open, 1);
    let learned = net.client(viewer).untyped_behaviours(id).next().unwrap();
    let fields: Vec<_> = learned
        .fields()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    assert_eq!(
        fields,
        ["code \"\"", "open 1", "visitors []", "gold 0", "plan 0"]
    );
}

#[test]
fn server_of_values_keeps_the_field_for_itself() {
    let schema = prefabs().schema();
    let text = schema.to_string();
    let server = move || Prefabs::from_schema(&Schema::parse(&text).unwrap()).unwrap();
    let mut net =
        MemoryNetwork::with_config(server, ServerConfig::default(), Conditions::default());
    let viewer = net.connect_client(NetworkClient::learning());
    let id = net
        .server
        .spawn_prefab("vault", SpawnOptions::default())
        .unwrap();
    net.server
        .set_value(id, "Vault", "code", marker(1))
        .unwrap();
    net.settle();
    net.server
        .set_value(id, "Vault", "code", marker(2))
        .unwrap();
    net.server.set_value(id, "Vault", "open", 3_u32).unwrap();
    net.settle();
    let learned = net.client(viewer).untyped_behaviours(id).next().unwrap();
    let fields: Vec<_> = learned
        .fields()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    assert_eq!(fields[..2], ["code \"\"", "open 3"]);
}
