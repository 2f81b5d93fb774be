//! What is sent again, packet by packet: nothing to a former reader, nothing that a snapshot has carried.

use std::time::Duration;

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::{Budget, Channel, ConnectionId, Endpoint};
use syncvar_testing::{Banner, DATAGRAMS, arrive, arrive_at_server};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Vault {
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Mover {
    #[sync_var]
    x: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Drum {
    #[sync_var]
    beat: SyncVar<String>,
    #[sync_var(min_interval = 0.01)]
    roll: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Banner>("banner")
        .register::<Vault>("vault")
        .register::<Mover>("mover")
        .register::<Drum>("drum")
}

/// A server and a client with datagrams, joined.
struct Ends {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
}

impl Ends {
    fn new() -> Self {
        let (mut server, mut client) =
            (NetworkServer::new(prefabs()), NetworkClient::new(prefabs()));
        let connection = Endpoint::handle_connect(&mut server, DATAGRAMS);
        Endpoint::handle_connect(&mut client, DATAGRAMS);
        let mut ends = Self {
            server,
            client,
            connection,
            now: Duration::ZERO,
        };
        (0..10).for_each(|_| _ = ends.exchange(true, true));
        assert!(ends.server.is_ready(connection));
        ends
    }

    /// Updates both ends. Returns the datagrams of the server, which arrive or are lost, as those of the client.
    fn exchange(&mut self, has_down: bool, has_up: bool) -> Vec<Bytes> {
        self.now += Duration::from_millis(34);
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            if packet.delivery == Channel::Reliable || has_up {
                arrive_at_server(&mut self.server, self.connection, &packet).unwrap();
            }
        }
        self.server.update(self.now);
        let mut datagrams = Vec::new();
        while let Some(packet) = self.server.poll_transmit() {
            let (place, bytes) = ((packet.delivery, packet.channel), packet.to_bytes());
            if packet.delivery == Channel::Reliable || has_down {
                arrive(&mut self.client, place, &bytes).unwrap();
            }
            if packet.delivery == Channel::Unreliable {
                datagrams.push(bytes);
            }
        }
        datagrams
    }
}

#[test]
fn withheld_secret_is_not_sent_to_a_former_owner() {
    let mut ends = Ends::new();
    let (connection, banner) = (ends.connection, ends.server.spawn(Banner::default()));
    let owner = Some(connection);
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let vault = ends.server.try_spawn(Vault::default(), options).unwrap();
    ends.exchange(true, true);
    let budget = Some(Budget::new(1));
    ends.server.set_budget(connection, budget).unwrap();
    let mut text = ends.server.get_mut::<Banner>(banner).unwrap();
    text.text.set("x".repeat(100));
    drop(text);
    ends.server.get_mut::<Vault>(vault).unwrap().gold.set(7);
    ends.exchange(true, true);
    assert_eq!(ends.client.get::<Vault>(vault).unwrap().gold, 0, "it waits");
    ends.server.set_owner(vault, None).unwrap();
    for _ in 0..200 {
        ends.exchange(true, true);
        assert_eq!(ends.client.get::<Vault>(vault).unwrap().gold, 0);
    }
    assert_eq!(ends.server.connection_stats(connection).unwrap().backlog, 0);
}

#[test]
fn snapshot_makes_the_repair_of_its_fields_obsolete() {
    let mut ends = Ends::new();
    let [mover, other] = [(); 2].map(|()| ends.server.spawn(Mover::default()));
    ends.exchange(true, true);
    ends.server.get_mut::<Mover>(mover).unwrap().x.set(7);
    assert_eq!(ends.exchange(false, true).len(), 1, "lost");
    ends.server.hide(mover, ends.connection).unwrap();
    ends.exchange(true, true);
    ends.server.show(mover, ends.connection).unwrap();
    let mut is_lost = false;
    for step in 1..100 {
        ends.server.get_mut::<Mover>(other).unwrap().x.set(step);
        ends.exchange(true, true);
        let losses = ends.server.losses(ends.connection).unwrap().unwrap();
        is_lost |= losses.loss > 0.0;
        assert_eq!(losses.repaired, 0);
    }
    assert!(is_lost);
    assert_eq!(ends.client.get::<Mover>(mover).unwrap().x, 7);
}

/// The next datagram repeats the changes without an acknowledgement, except fields with a rule.
#[test]
fn fields_with_rules_are_not_repeated() {
    let mut ends = Ends::new();
    let drum = ends.server.spawn(Drum::default());
    let other = ends.server.spawn(Mover::default());
    ends.exchange(true, true);
    let count = |ends: &mut Ends, text: &str| {
        let datagrams = (1..4).flat_map(|x| {
            // The copy travels with another change.
            ends.server.get_mut::<Mover>(other).unwrap().x.set(x);
            ends.exchange(true, false)
        });
        let with_text =
            |datagram: &Bytes| datagram.windows(text.len()).any(|it| it == text.as_bytes());
        datagrams.filter(with_text).count()
    };
    ends.server
        .get_mut::<Drum>(drum)
        .unwrap()
        .beat
        .set("boom".into());
    assert_eq!(count(&mut ends, "boom"), 2);
    ends.server
        .get_mut::<Drum>(drum)
        .unwrap()
        .roll
        .set("rattle".into());
    assert_eq!(count(&mut ends, "rattle"), 1);
}
