//! Calls that have arrived before their link is lost, while the rest of their tick is missing.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Endpoint, ServerConfig};
use syncvar_testing::{DATAGRAMS, Packet, Pair, token};

/// Behaviour whose changes may be lost.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Bell {
    #[sync_var]
    beat: SyncVar<u32>,
    /// The number of each call, and the beat at that time.
    heard: Vec<(u32, u32)>,
}

#[network_calls]
impl Bell {
    #[client_rpc]
    fn ring(&mut self, number: u32) {
        self.heard.push((number, *self.beat));
    }

    #[client_rpc(after_state)]
    fn chime(&mut self, number: u32) {
        self.heard.push((number, *self.beat));
    }
}

/// Returns a pair with a bell.
fn joined(config: ServerConfig) -> (Pair, NetId) {
    let prefabs = || Prefabs::new().register::<Bell>("bell");
    let mut pair = Pair::joined(prefabs, config, ClientConfig::default(), DATAGRAMS);
    let bell = pair.server.spawn(Bell::default());
    pair.steps(3);
    (pair, bell)
}

/// Sets the beat and calls the bell in one tick, whose datagrams are lost.
fn call(pair: &mut Pair, bell: NetId) {
    pair.server.get_mut::<Bell>(bell).unwrap().beat.set(1);
    pair.server.calls::<Bell>(bell).ring(10).unwrap();
    pair.server.calls::<Bell>(bell).chime(20).unwrap();
    let packets = pair.down_where(|packet| !packet.is_datagram());
    assert!(packets.iter().any(Packet::is_datagram), "the beat is lost");
}

/// Returns what the bell of the client has heard.
fn heard(pair: &Pair, bell: NetId) -> &[(u32, u32)] {
    &pair.client.get::<Bell>(bell).unwrap().heard
}

#[test]
fn calls_run_when_their_session_ends() {
    let (mut pair, bell) = joined(ServerConfig::default());
    call(&mut pair, bell);
    assert_eq!(heard(&pair, bell), [], "they wait for the datagram");
    pair.client.handle_disconnect();
    assert_eq!(heard(&pair, bell), [(10, 0), (20, 0)]);
}

#[test]
fn call_follows_the_state_of_its_tick_over_a_return_with_all_objects() {
    let (mut pair, bell) = joined(ServerConfig {
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(token),
        resume_bytes: 40,
        ..ServerConfig::default()
    });
    call(&mut pair, bell);
    pair.client.handle_disconnect();
    pair.server.handle_disconnect(pair.connection);
    assert_eq!(heard(&pair, bell), [(10, 0)]);
    // More than the server keeps for a resumption.
    for _ in 0..4 {
        (0..9).for_each(|_| _ = pair.server.spawn(Bell::default()));
        pair.update_server();
        pair.server_packets();
    }
    Endpoint::handle_connect(&mut pair.client, DATAGRAMS);
    pair.connection = Endpoint::handle_connect(&mut pair.server, DATAGRAMS);
    pair.steps(6);
    let returned = |event: &ClientEvent| *event == ClientEvent::Returned { resumed: false };
    let events = pair.events();
    assert!(events.iter().any(returned), "{events:?}");
    assert_eq!(heard(&pair, bell), [(10, 0), (20, 1)]);
}
