//! Leaps of the caller's clock.

use std::time::Duration;

use syncvar::limits::{Limits, LossSettings};
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Budget, ClientConfig, Endpoint, ServerConfig};
use syncvar_testing::{DATAGRAMS, Door, arrive, arrive_at_server, prefabs};

#[test]
fn changes_are_sent_after_a_leap_of_the_clock() {
    let leaps = [
        vec![Duration::MAX],
        vec![Duration::from_hours(1), Duration::from_secs(1)],
        vec![Duration::MAX, Duration::ZERO, Duration::MAX],
    ];
    for leaps in leaps {
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        let connection = server.handle_connect();
        let door = server.spawn(Door::default());
        let ends = (&mut server, &mut client);
        for second in 1..4 {
            is_open_after(
                (ends.0, ends.1),
                connection,
                door,
                Duration::from_secs(second),
            );
        }
        let expected = leaps.iter().filter(|leap| **leap == Duration::MAX).count();
        for leap in leaps {
            is_open_after((ends.0, ends.1), connection, door, leap);
        }
        ends.0
            .get_mut::<Door>(door)
            .expect("the door")
            .open
            .set(true);
        let times = (1..4).map(|second| Duration::from_secs(4000 + second));
        let mut seen = times.map(|now| is_open_after((ends.0, ends.1), connection, door, now));
        assert!(seen.any(|open| open));
        drop(seen);
        let leaped = std::iter::from_fn(|| server.poll_event())
            .filter(|event| matches!(event, ServerEvent::ClockLeap { .. }));
        assert_eq!(leaped.count(), expected);
        let leaped = syncvar_testing::events(&mut client)
            .filter(|event| matches!(event, ClientEvent::ClockLeap { .. }));
        assert_eq!(leaped.count(), expected);
    }

    /// Carries the packets of one update each, and returns whether the door is open on the client.
    fn is_open_after(
        (server, client): (&mut NetworkServer, &mut NetworkClient),
        connection: ConnectionId,
        door: NetId,
        now: Duration,
    ) -> bool {
        client.update(now);
        while let Some(packet) = client.poll_transmit() {
            let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
            handled.expect("a valid packet");
        }
        server.update(now);
        while let Some(packet) = server.poll_transmit() {
            let handled = client.handle_packet(packet.channel, &packet.to_bytes());
            handled.expect("a valid packet");
        }
        client.get::<Door>(door).is_some_and(|door| *door.open)
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable)]
struct Mover {
    #[sync_var(interpolate = linear, history = 0.5, hook = on_place)]
    place: SyncVar<f32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u8>,
    hooks: u32,
}

#[network_calls]
impl Mover {
    fn on_place(&mut self, _: f32) {
        self.hooks += 1;
    }

    #[command(rate = 1.0)]
    fn shoot(&mut self, ctx: &mut CallContext<'_>) {
        let (id, sender) = (ctx.net_id(), ctx.sender());
        if let Some((server, sender)) = ctx.server().zip(sender) {
            server.rewind(sender, |past| {
                let _ = past.view::<Self>(id).map(|view| view.get(Self::PLACE));
                past.time()
            });
        }
    }
}

/// Settings with the longest times that a program can set.
fn patient() -> (ServerConfig, ClientConfig) {
    let longest = Duration::MAX;
    let limits = Limits {
        join_timeout: longest,
        ..Limits::default()
    };
    let mut loss = LossSettings::default();
    for time in [
        &mut loss.ack_interval,
        &mut loss.record_time,
        &mut loss.stall_after,
        &mut loss.max_probe_interval,
        &mut loss.idle_timeout,
    ] {
        *time = longest;
    }
    let server = ServerConfig {
        send_interval: Some(longest),
        reconnect_grace: longest,
        session_tokens: Some(|| [7; 16]),
        limits: limits.clone(),
        loss,
        ..ServerConfig::default()
    };
    let client = ClientConfig {
        send_interval: Some(longest),
        gather_time: Some(longest),
        max_view_delay: longest,
        correction_time: longest,
        early_message_timeout: longest,
        ping_interval: longest,
        limits,
        loss,
        ..ClientConfig::default()
    };
    (server, client)
}

/// Runs a world of datagrams in which the own times of both ends are these. The last of them is reached in small steps.
fn runs(times: &[Duration], (server, client): (ServerConfig, ClientConfig)) {
    let prefabs = || Prefabs::new().register::<Mover>("mover").input::<u8>();
    let mut server = NetworkServer::with_config(prefabs(), server);
    let mut client = NetworkClient::with_config(prefabs(), client);
    Endpoint::handle_connect(&mut client, DATAGRAMS);
    let connection = Endpoint::handle_connect(&mut server, DATAGRAMS);
    let mover = server.spawn(Mover::default());
    server
        .set_budget(connection, Some(Budget::new(64)))
        .unwrap();
    for (round, now) in times.iter().enumerate() {
        client.set_input(&7_u8).unwrap();
        client.update(*now);
        let _ = client.calls::<Mover>(mover).shoot();
        let _ = client
            .get_mut::<Mover>(mover)
            .map(|mut mover| mover.aim.set(9));
        client.show_view(*now);
        let _ = client
            .view_at::<Mover>(mover, *now)
            .map(|view| view.get(Mover::PLACE));
        while let Some(packet) = client.poll_transmit() {
            let _ = arrive_at_server(&mut server, connection, &packet);
        }
        for tick in server.ticks_until(*now) {
            server.input::<u8>(connection, tick);
        }
        if round == times.len() / 2 {
            Endpoint::handle_disconnect(&mut client, ConnectionId::SERVER);
            Endpoint::handle_disconnect(&mut server, connection);
        }
        let _ = server.set_owner(mover, Some(connection));
        let place = f32::from(u8::try_from(round).unwrap());
        server.get_mut::<Mover>(mover).unwrap().place.set(place);
        server.update(*now);
        while let Some(packet) = server.poll_transmit() {
            let (place, bytes) = ((packet.delivery, packet.channel), packet.to_bytes());
            let _ = arrive(&mut client, place, &bytes);
        }
    }
}

#[test]
fn times_at_the_end_of_durations_do_not_panic() {
    let step = Duration::from_millis(40);
    let from = |begin: Duration| (0..50).map(move |at| begin.saturating_add(step * at));
    let begins = [
        Duration::ZERO,
        Duration::MAX.checked_sub(step * 25).unwrap(),
        Duration::from_secs(u64::MAX / 2),
        Duration::from_hours(24 * 365 * 500),
    ];
    for begin in begins {
        let times: Vec<_> = from(begin).collect();
        runs(&times, (ServerConfig::default(), ClientConfig::default()));
        runs(&times, patient());
        // From the begin on, in steps that the ends accept.
        let years = (0..120).map(|year| Duration::from_hours(24 * 365 * 50) * year);
        let times: Vec<_> = years.chain(from(begin)).collect();
        runs(&times, (ServerConfig::default(), ClientConfig::default()));
        runs(&times, patient());
    }
}

#[test]
fn longest_times_of_a_link_do_not_panic() {
    let longest = Conditions {
        delay: Duration::MAX,
        jitter: Duration::MAX,
        loss: 0.5,
        duplicate: 1.0,
        reorder: 1.0,
        bandwidth: Some(1),
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    net.set_link(0, longest);
    let door = net.server.spawn(Door::default());
    net.settle();
    assert!(
        net.client(0).get::<Door>(door).is_none(),
        "it never arrives"
    );
}

#[test]
fn a_fixed_step_of_an_engine_is_one_tick() {
    for tick_rate in [20, 30, 60, 64, 100, 128, 144] {
        let config = ServerConfig {
            tick_rate,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(Prefabs::new(), config);
        let step = Duration::from_secs(1) / tick_rate;
        server.update(step);
        for number in 2..20_000_u32 {
            let now = step * number;
            let ticks = server.ticks_until(now);
            assert_eq!(ticks.end - ticks.start, 1, "{tick_rate} Hz, step {number}");
            server.update(now);
        }
    }
}
