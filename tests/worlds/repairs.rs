//! What is sent again, packet by packet: nothing to a former reader, nothing that a snapshot has carried.

use std::time::Duration;

use syncvar::Budget;
use syncvar::behaviour::Optional;
use syncvar::prelude::*;
use syncvar_testing::{Banner, Packet, Pair, spawn_owned};

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
        .register::<Optional<Mover>>("guest")
}

/// Returns a pair that updates at 30 Hz.
fn joined() -> Pair {
    let mut pair = Pair::new(prefabs);
    pair.tick = Duration::from_millis(34);
    pair
}

/// Runs a tick in which datagrams of the server and of the client arrive or are lost. Returns those of the server.
fn exchange(pair: &mut Pair, has_down: bool, has_up: bool) -> Vec<Packet> {
    pair.up_where(|packet| has_up || !packet.is_datagram());
    let mut packets = pair.down_where(|packet| has_down || !packet.is_datagram());
    packets.retain(Packet::is_datagram);
    packets
}

#[test]
fn withheld_secret_is_not_sent_to_a_former_owner() {
    let mut pair = joined();
    let (connection, banner) = (pair.connection, pair.server.spawn(Banner::default()));
    let vault = spawn_owned(&mut pair.server, Vault::default(), connection);
    exchange(&mut pair, true, true);
    let budget = Some(Budget::new(1));
    pair.server.set_budget(connection, budget).unwrap();
    let mut text = pair.server.get_mut::<Banner>(banner).unwrap();
    text.text.set("x".repeat(100));
    drop(text);
    pair.server.get_mut::<Vault>(vault).unwrap().gold.set(7);
    exchange(&mut pair, true, true);
    assert_eq!(pair.client.get::<Vault>(vault).unwrap().gold, 0, "it waits");
    pair.server.set_owner(vault, None).unwrap();
    for _ in 0..200 {
        exchange(&mut pair, true, true);
        assert_eq!(pair.client.get::<Vault>(vault).unwrap().gold, 0);
    }
    assert_eq!(pair.server.connection_stats(connection).unwrap().backlog, 0);
}

#[test]
fn snapshot_makes_the_repair_of_its_fields_obsolete() {
    let mut pair = joined();
    let [mover, other] = [(); 2].map(|()| pair.server.spawn(Mover::default()));
    exchange(&mut pair, true, true);
    pair.server.get_mut::<Mover>(mover).unwrap().x.set(7);
    assert_eq!(exchange(&mut pair, false, true).len(), 1, "lost");
    // Before the loss is decided.
    pair.server.hide(mover, pair.connection).unwrap();
    pair.update_server_again();
    pair.release_all();
    pair.server.show(mover, pair.connection).unwrap();
    let mut is_lost = false;
    for step in 1..100 {
        pair.server.get_mut::<Mover>(other).unwrap().x.set(step);
        exchange(&mut pair, true, true);
        let losses = pair.server.losses(pair.connection).unwrap().unwrap();
        is_lost |= losses.loss > 0.0;
        assert_eq!(losses.repaired, 0);
    }
    assert!(is_lost);
    assert_eq!(pair.client.get::<Mover>(mover).unwrap().x, 7);
}

/// The repair of a lost addition and the change may have one tick.
#[test]
fn change_in_the_tick_of_a_repaired_addition_arrives() {
    for delay in 0..40 {
        let mut pair = joined();
        let mover = pair.server.spawn(Mover::default());
        let guest = pair.server.spawn(Optional::<Mover>::default());
        exchange(&mut pair, true, true);
        let mut optional = pair.server.get_mut::<Optional<Mover>>(guest).unwrap();
        optional.set(Some(Mover::default()));
        drop(optional);
        assert_eq!(exchange(&mut pair, false, true).len(), 1, "lost");
        for step in 0..80 {
            if step == delay {
                pair.server.get_mut::<Mover>(guest).unwrap().x.set(7);
            }
            *pair.server.get_mut::<Mover>(mover).unwrap().x += 1;
            exchange(&mut pair, true, true);
        }
        let arrived = pair.client.get::<Mover>(guest).unwrap();
        assert_eq!(arrived.x, 7, "after {delay} ticks");
    }
}

/// The next datagram, here that of a mover, repeats what the client has not acknowledged, but for fields with a rule.
#[test]
fn fields_with_rules_are_not_repeated() {
    let mut pair = joined();
    let drum = pair.server.spawn(Drum::default());
    let mover = pair.server.spawn(Mover::default());
    exchange(&mut pair, true, true);
    let count = |pair: &mut Pair, text: &str| {
        let datagrams = (0..3).flat_map(|tick| {
            // Not in the first tick: a chunk with a change of the mover is never repeated.
            if tick > 0 {
                *pair.server.get_mut::<Mover>(mover).unwrap().x += 1;
            }
            exchange(pair, true, false)
        });
        let with_text = |datagram: &Packet| {
            let mut parts = datagram.bytes.windows(text.len());
            parts.any(|part| part == text.as_bytes())
        };
        datagrams.filter(with_text).count()
    };
    pair.server
        .get_mut::<Drum>(drum)
        .unwrap()
        .beat
        .set("boom".into());
    assert_eq!(count(&mut pair, "boom"), 2);
    pair.server
        .get_mut::<Drum>(drum)
        .unwrap()
        .roll
        .set("rattle".into());
    assert_eq!(count(&mut pair, "rattle"), 1);
}
