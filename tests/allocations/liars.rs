//! Memory for peers that lie about their datagrams, or never acknowledge any.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar_testing::{Packet, Pair};

/// Number of objects.
const UNITS: u32 = 200;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
struct Unit {
    #[sync_var]
    x: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

/// Returns a pair with units.
fn joined() -> (Pair, Vec<NetId>) {
    let mut pair = Pair::new(prefabs);
    pair.tick = Duration::from_millis(33);
    let ids: Vec<_> = (0..UNITS)
        .map(|_| pair.server.spawn(Unit::default()))
        .collect();
    (0..30).for_each(|value| step(&mut pair, &ids, value, |_| true));
    assert!(pair.client.object_count() > 0);
    (pair, ids)
}

/// Changes all objects, and delivers the packets; those of the client if `arrives` returns true.
fn step(pair: &mut Pair, ids: &[NetId], value: u32, arrives: impl Fn(&Packet) -> bool) {
    for id in ids {
        pair.server.get_mut::<Unit>(*id).unwrap().x.set(value);
    }
    pair.down();
    pair.up_where(arrives);
    while pair.client.poll_event().is_some() {}
    while pair.server.poll_event().is_some() {}
}

#[test]
fn early_datagrams_have_a_limit_at_the_client() {
    let (mut pair, _) = joined();
    let client = &mut pair.client;
    let memory = measure(|| {
        for number in 0..20_000_u16 {
            // SEQ and AFTER: behind a stream packet that never arrives.
            let [low, high] = number.wrapping_add(40).to_le_bytes();
            let header = [0x05, low, high, low, high, 0x30, 0x75];
            let datagram = [&header[..], &[0x55; 1100]].concat();
            let _ = client.handle_datagram(1, &datagram);
            if number % 64 == 0 {
                while client.poll_event().is_some() {}
            }
        }
        while client.poll_event().is_some() {}
    });
    // 96 KiB of held packets.
    let kept = memory.bytes_current / 1024;
    assert!((64..=192).contains(&kept), "kept {kept} KiB of 20 MB");
}

#[test]
fn client_without_acknowledgements_costs_constant_memory() {
    let (mut pair, ids) = joined();
    let mut held = 0;
    // The stream of the client answers now and then: the server sends datagrams until the silence is too long again.
    let mut highest = |steps: u32| {
        let samples = (0..steps / 20).map(|_| {
            let memory = measure(|| {
                for step in 0..20 {
                    // Pings keep the connection; the acknowledgements in datagrams are lost.
                    self::step(&mut pair, &ids, step, |packet| !packet.is_datagram());
                }
            });
            held += memory.bytes_current / 1024;
            held
        });
        samples.max().unwrap()
    };
    let first = highest(600);
    let later = highest(1200);
    assert!(first <= 512, "{first} KiB");
    assert!(later <= first + 32, "{first} KiB, then {later} KiB");
}
