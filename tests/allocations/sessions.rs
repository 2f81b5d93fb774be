//! Memory of sessions whose clients are away.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Channel, ServerConfig};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Chest {
    #[sync_var]
    contents: SyncVar<String>,
}

fn token() -> [u8; 16] {
    [7; 16]
}

#[test]
fn session_that_cannot_resume_keeps_no_packets() {
    let config = ServerConfig {
        reconnect_grace: Duration::from_mins(10),
        session_tokens: Some(token),
        channels: vec![Channel::Reliable],
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<Chest>("chest");
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    let client = net.connect();
    let chest = net.server.spawn(Chest::default());
    net.settle();
    let connection = net.connection(client);
    let fill = |net: &mut MemoryNetwork, count: u32| {
        for number in 0..count {
            let text = number.to_string().repeat(1000);
            net.server
                .get_mut::<Chest>(chest)
                .unwrap()
                .contents
                .set(text);
            net.step();
            while net.client_mut(client).poll_event().is_some() {}
        }
    };
    let kept = measure(|| fill(&mut net, 200)).bytes_current;
    assert!(kept > 200_000, "packets of {kept} bytes for a return");
    net.cut(client);
    let lost = measure(|| fill(&mut net, 200)).bytes_current;
    assert!(net.server.is_away(connection) && !net.server.is_ready(connection));
    assert!(
        kept + lost < 20_000,
        "{} bytes of lost packets",
        kept + lost
    );
    net.reconnect(client);
    net.settle();
    let returned = ClientEvent::Returned { resumed: false };
    assert!(std::iter::from_fn(|| net.client_mut(client).poll_event()).any(|it| it == returned));
    assert_eq!(net.connection(client), connection);
}
