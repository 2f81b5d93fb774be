//! Messages in packets: which share one, how large it gets, and which bytes it has.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;

use syncvar_testing::{Compass, Door, prefabs};

const SECOND: Duration = Duration::from_secs(1);

/// A server as UNet's, with a connection that is ready.
fn server(packet_size: usize) -> NetworkServer {
    server_of(prefabs(), packet_size)
}

fn server_of(prefabs: Prefabs, packet_size: usize) -> NetworkServer {
    let config = ServerConfig {
        compare_schemas: false,
        packet_size,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    packets(&mut server, SECOND);
    server
}

/// The packets of an update: channel and bytes.
fn packets(server: &mut NetworkServer, now: Duration) -> Vec<(u8, String)> {
    server.update(now);
    let mut packets = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        packets.push((transmit.channel, hex::encode(transmit.to_bytes())));
    }
    packets
}

/// T69: messages of one update share a packet, with exactly these bytes.
#[test]
fn messages_of_one_update_share_a_packet() {
    let mut server = server(1200);
    let doors: Vec<_> = (0..3).map(|_| server.spawn(Door::default())).collect();
    packets(&mut server, SECOND * 2);
    for door in doors {
        server.get_mut::<Door>(door).unwrap().open.set(true);
    }
    // Three bytes of message number 8: object, mask, value.
    let bytes = "03000800010101".to_owned() + "03000800020101" + "03000800030101";
    assert_eq!(packets(&mut server, SECOND * 3), [(0, bytes)]);
}

/// T69: as many as fit; one that does not begins another packet, and order is kept.
#[test]
fn a_packet_is_full_when_the_next_message_does_not_fit() {
    for (packet_size, expected) in [(64, [9, 1]), (69, [9, 1]), (70, [10, 0])] {
        let mut server = server(packet_size);
        let doors: Vec<_> = (0..10).map(|_| server.spawn(Door::default())).collect();
        packets(&mut server, SECOND * 2);
        for door in doors {
            server.get_mut::<Door>(door).unwrap().open.set(true);
        }
        let packets = packets(&mut server, SECOND * 3);
        let messages = packets.iter().map(|(_, bytes)| bytes.len() / 2 / 7);
        let expected = expected.into_iter().filter(|messages| *messages > 0);
        assert!(messages.eq(expected), "{packet_size}: {packets:?}");
        let all: String = packets.into_iter().map(|(_, bytes)| bytes).collect();
        let in_order = (1..=10).map(|id| format!("03000800{id:02x}0101"));
        assert_eq!(all, in_order.collect::<String>());
    }
}

/// T69: what is delivered in another way begins another packet.
#[test]
fn each_channel_has_separate_packets() {
    let mut server = server(1200);
    let vanes: Vec<_> = (0..2)
        .map(|_| server.spawn((Door::default(), Compass::default())))
        .collect();
    packets(&mut server, SECOND * 2);
    for vane in vanes {
        server.get_mut::<Door>(vane).unwrap().open.set(true);
        server.get_mut::<Compass>(vane).unwrap().heading.set(1.0);
    }
    let reliable = "03000800010101".to_owned() + "03000800020101";
    let unreliable = "0600080001010000803f".to_owned() + "0600080002010000803f";
    let expected = [(0, reliable), (1, unreliable)];
    assert_eq!(packets(&mut server, SECOND * 3), expected);
}

/// M22: the rules of UNet's document, all at once: a full state without masks, bases first; then a
/// change as a mask for each level and the values of its bits, a zero for what is clean, a message for
/// each object, and one packet for all of them.
#[test]
fn bases_siblings_and_objects_share_a_packet_as_in_unet() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Creature {
        #[sync_var]
        hp: SyncVar<i32>,
        #[sync_var]
        name: SyncVar<String>,
    }
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Orc {
        #[network_behaviour(base)]
        creature: Creature,
        #[sync_var]
        rage: SyncVar<i32>,
    }
    let prefabs = Prefabs::new().register::<(Door, Orc)>("guarded door");
    let mut server = server_of(prefabs, 1200);
    let mut spawn = || {
        let orc = Orc {
            creature: Creature {
                hp: 240.into(),
                name: "ab".into(),
            },
            rage: 7.into(),
        };
        server.spawn((Door::default(), orc))
    };
    let ids = [spawn(), spawn()];
    let spawned = packets(&mut server, SECOND * 2);
    assert_eq!(spawned.len(), 1);
    // How long the states are; the door; hp, name; rage.
    let state = "0700".to_owned() + "00" + "f002006162" + "07";
    assert_eq!(spawned[0].1.matches(&state).count(), 2, "{spawned:?}");

    server.get_mut::<Orc>(ids[0]).unwrap().rage.set(-1);
    server.get_mut::<Door>(ids[1]).unwrap().open.set(true);
    let mut orc = server.get_mut::<Orc>(ids[1]).unwrap();
    orc.creature.name.push('x');
    orc.creature.hp.set(300);
    drop(orc);
    // Header and object; the door; the base's level; its own.
    let first = "09000800".to_owned() + "01" + "00" + "04" + "04fbffffffff";
    let second = "0c000800".to_owned() + "02" + "0101" + "03f13c0300616278" + "03";
    let expected = [(0, first + &second)];
    assert_eq!(packets(&mut server, SECOND * 3), expected);
    assert_eq!(packets(&mut server, SECOND * 4), []);
}
