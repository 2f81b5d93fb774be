//! Section 4: remote calls and events.

use syncvar::prelude::*;
use syncvar::{Framing, PacketLimits, ServerConfig};
use syncvar_testing::{Pair, client, spawn_with_id};

use crate::examples::{Examples, packets};

#[derive(NetworkBehaviour, Default)]
struct Gun;

#[network_calls]
impl Gun {
    #[command(requires_ownership = false, rate = 1.0)]
    fn fire(&mut self, _at: i32) {}
    #[client_rpc]
    fn reload(&mut self, _rounds: u8) {}
    #[target_rpc]
    fn hush(&mut self, _text: String) {}
    #[sync_event]
    fn burst(_at: i32);
}

#[test]
pub(crate) fn calls_are_written_as_documented() -> Examples {
    let reload = |pair: &mut Pair, id| pair.server.calls::<Gun>(id).reload(7).expect("a call");
    let second = |pair: &mut Pair, id| {
        let calls = pair.server.calls_at::<Gun>(id, 1);
        calls.reload(7).expect("a call");
    };
    let mut examples = vec![
        ("Rpc #300 `reload(7)`", sent(Framing::Unet, 300, reload)),
        ("Call #300 `reload(7)`", sent(Framing::Compact, 300, reload)),
        (
            "Call #5 `reload(7)` on the first",
            sent(Framing::Compact, 5, reload),
        ),
        (
            "Call #5 `reload(7)` on the second",
            sent(Framing::Compact, 5, second),
        ),
    ];
    let fire: fn(&mut Pair, NetId) =
        |pair, id| pair.client.calls::<Gun>(id).fire(-4).expect("a call");
    let hush = |pair: &mut Pair, id| {
        let calls = pair.server.calls::<Gun>(id);
        calls.hush(pair.connection, "a".into()).expect("a call");
    };
    let burst = |pair: &mut Pair, id| pair.server.calls::<Gun>(id).burst(10).expect("a call");
    let mut in_both = |[in_unet, in_compact]: [&'static str; 2], call: fn(&mut Pair, NetId)| {
        examples.push((in_unet, sent(Framing::Unet, 3, call)));
        examples.push((in_compact, sent(Framing::Compact, 3, call)));
    };
    in_both(["Command #3 `fire(-4)`", "Call #3 `fire(-4)`"], fire);
    in_both(["Rpc #3 `hush(\"a\")`", "Call #3 `hush(\"a\")`"], hush);
    in_both(["SyncEvent #3 `burst(10)`", "Call #3 `burst(10)`"], burst);
    examples.push((
        "CommandRefused #300: `fire`, too often, two calls",
        refused_of_three(300, fire),
    ));
    Examples::check(examples)
}

/// Returns the messages of the server after three calls of a client on a gun.
fn refused_of_three(number: u32, fire: fn(&mut Pair, NetId)) -> String {
    let (mut pair, id) = connected(Framing::Compact, number);
    for _ in 0..3 {
        fire(&mut pair, id);
    }
    pair.up();
    pair.update_server();
    let packets = pair.server_packets();
    let messages = packets.iter();
    let messages = messages.map(|packet| hex::encode(syncvar_testing::messages(0, &packet.bytes)));
    messages.collect()
}

/// Returns the messages of both ends after a call on the object with this number: two guns for 5, otherwise one.
fn sent(framing: Framing, number: u32, call: impl FnOnce(&mut Pair, NetId)) -> String {
    let (mut pair, id) = connected(framing, number);
    call(&mut pair, id);
    let mut sent = packets(&mut pair.server);
    for packet in pair.client_packets() {
        let messages = match framing {
            Framing::Compact => syncvar_testing::messages(0, &packet.bytes),
            Framing::Unet => &packet.bytes[..],
        };
        sent.push(hex::encode(messages));
    }
    sent.concat()
}

/// Returns a pair with a spawned object of this number: two guns for 5, otherwise one.
fn connected(framing: Framing, number: u32) -> (Pair, NetId) {
    let prefabs = || {
        Prefabs::new()
            .register::<Gun>("gun")
            .register::<(Gun, Gun)>("guns")
    };
    let config = ServerConfig {
        framing,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let mut pair = Pair::connect(server, client(prefabs(), framing), PacketLimits::STREAM);
    let id = match number {
        5 => spawn_with_id(&mut pair.server, (Gun, Gun), number),
        _ => spawn_with_id(&mut pair.server, Gun, number),
    };
    pair.steps(4);
    pair.client_packets();
    (pair, id)
}
