//! A lying client: its server stands, and the other clients notice nothing.

use syncvar::{DisconnectReason, limits::LimitExceeded};
use syncvar_testing::cases;

use super::*;

/// Most bytes for a client in one step: all objects in full, repairs and headers.
const MOST_BYTES: usize = 16 * 1024;

/// Lie in one step of a client.
#[derive(Clone, Debug)]
enum Lie {
    /// None: the packets of an honest client.
    Truth,
    /// No packet.
    Silence,
    /// An acknowledgement beside the truth, some times.
    Ack {
        newest: i16,
        handled: i16,
        missing: Vec<u8>,
        times: u8,
    },
    /// A datagram with any header and messages.
    Datagram((u8, [u16; 3], [u8; 2]), Vec<u8>),
    /// Any bytes as a datagram.
    Bytes(Vec<u8>),
    /// A true packet, repeated with a change.
    Changed { byte: usize, to: u8 },
}

fn lies() -> impl Strategy<Value = Vec<Lie>> {
    let missing = prop_oneof![
        Just(Vec::new()),
        Just(vec![255; 8]),
        prop::collection::vec(any::<u8>(), 0..=8),
    ];
    let near = prop_oneof![4 => -70_i16..4, 1 => any::<i16>()];
    let ack =
        (near.clone(), near, missing, 1_u8..5).prop_map(|(newest, handled, missing, times)| {
            Lie::Ack {
                newest,
                handled,
                missing,
                times,
            }
        });
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    let lie = prop_oneof![
        2 => Just(Lie::Truth),
        1 => Just(Lie::Silence),
        4 => ack,
        2 => (numbers(), bytes.clone()).prop_map(|(numbers, rest)| Lie::Datagram(numbers, rest)),
        1 => bytes.prop_map(Lie::Bytes),
        2 => (0_usize..30, any::<u8>()).prop_map(|(byte, to)| Lie::Changed { byte, to }),
    ];
    prop::collection::vec(lie, 1..120)
}

/// True numbers of the last acknowledgement in the packets of a client.
fn last_ack(sent: &[ClientPacket]) -> Option<(u16, u16)> {
    let acks = sent.iter().filter_map(|packet| match packet.bytes[..] {
        [0x10, a, b, c, d, ..] if packet.delivery == Channel::Unreliable => {
            Some((u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])))
        }
        _ => None,
    });
    acks.last()
}

impl World {
    /// Tells a lie with the liar's connection. `told`: the numbers of its last true acknowledgement.
    fn lie(&mut self, lie: &Lie, told: &mut (u16, u16)) {
        if let Some(numbers) = last_ack(&self.liar.sent) {
            *told = numbers;
        }
        let forged = match lie {
            Lie::Truth => return self.deliver_of_liar(),
            Lie::Silence => return,
            Lie::Ack {
                newest,
                handled,
                missing,
                times,
            } => {
                let newest = told.0.wrapping_add_signed(*newest);
                let handled = told.1.wrapping_add_signed(*handled);
                let ack = ack(newest, handled, missing);
                vec![header(0x10, [0; 3], [0; 2], &ack); usize::from(*times)]
            }
            Lie::Datagram((flags, numbers, parts), rest) => {
                let header = header(*flags, *numbers, *parts, &rest[..rest.len().min(6)]);
                vec![[&header[..], rest].concat()]
            }
            Lie::Bytes(bytes) => vec![bytes.clone()],
            Lie::Changed { byte, to } => {
                let datagrams = self.liar.sent.iter();
                let datagrams = datagrams.filter(|sent| sent.delivery == Channel::Unreliable);
                let changed = datagrams.map(|sent| {
                    let mut bytes = sent.bytes.to_vec();
                    if let Some(byte) = bytes.get_mut(*byte) {
                        *byte = *to;
                    }
                    bytes
                });
                changed.collect()
            }
        };
        for datagram in forged {
            let _ = self
                .server
                .handle_datagram(self.liar.connection, 1, &datagram);
        }
    }

    /// Checks the memory and the bytes for the liar.
    fn assert_bounds(&self) {
        assert!(self.liar.bytes <= MOST_BYTES, "{} bytes", self.liar.bytes);
        if let Ok(Some(losses)) = self.server.losses(self.liar.connection) {
            let objects = self.ids.len();
            assert!(losses.flying <= 256, "{losses:?}");
            assert!(
                losses.backlog <= objects && losses.shown <= objects,
                "{losses:?}"
            );
        }
    }

    /// Plays a world in which the third client tells these lies. Returns the hashes of all packets to
    /// the honest clients, and whether the liar is still connected.
    fn play(seed: u64, lies: &[Lie], is_owner: bool) -> ([u64; 2], bool) {
        let mut world = Self::new(seed);
        let turret = world.ids[0];
        if is_owner {
            let owner = Some(world.liar.connection);
            world.server.set_owner(turret, owner).unwrap();
        }
        let mut told = (0, 0);
        for (number, lie) in (0..).zip(lies) {
            world.write();
            if is_owner && world.liar.client.is_owner(turret) {
                let client = &mut world.liar.client;
                client.get_mut::<Unit>(turret).unwrap().aim.set(number);
                // The server may have ended the connection.
                let _ = client.calls::<Unit>(turret).shoot(number);
            }
            world.step();
            world.lie(lie, &mut told);
            world.assert_bounds();
        }
        let heard = world.honest.each_ref().map(|end| end.heard.finish());
        let stands = world.server.is_connected(world.liar.connection);
        world.settle();
        world.assert_honest_are_equal();
        (heard, stands)
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn lying_owner_harms_no_other_client(seed: u64, lies in lies()) {
        World::play(seed, &lies, true);
    }

    #[test]
    fn lies_of_a_client_change_no_byte_for_others(seed: u64, lies in lies()) {
        let (heard, stands) = World::play(seed, &lies, false);
        let truth = vec![Lie::Truth; lies.len()];
        let (expected, _) = World::play(seed, &truth, false);
        // Without the liar, the objects have other observers.
        if stands {
            prop_assert_eq!(heard, expected);
        }
    }
}

/// A hundred impossible acknowledgements within a minute.
#[test]
fn impossible_acknowledgements_end_their_connection_alone() {
    let mut world = World::new(1);
    let liar = world.liar.connection;
    let impossible = header(0x10, [0; 3], [0; 2], &ack(1, 60_000, &[]));
    for _ in 0..99 {
        let _ = world.server.handle_datagram(liar, 1, &impossible);
    }
    world.step();
    world.deliver_of_liar();
    assert_eq!(world.server.losses(liar).unwrap().unwrap().bad_acks, 99);
    assert!(world.server.is_connected(liar));
    let _ = world.server.handle_datagram(liar, 1, &impossible);
    let mut events = std::iter::from_fn(|| world.server.poll_event());
    let ended = events.find_map(|event| match event {
        ServerEvent::Disconnected {
            connection, reason, ..
        } => Some((connection, reason)),
        _ => None,
    });
    let reason = DisconnectReason::Limit(LimitExceeded::Misbehaviour);
    assert_eq!(ended, Some((liar, reason)));
    world.write();
    world.settle();
    world.assert_honest_are_equal();
}

/// Impossible acknowledgements of which few fall into one minute are passed over.
#[test]
fn rare_impossible_acknowledgements_are_passed_over() {
    let mut world = World::new(2);
    let liar = world.liar.connection;
    let impossible = header(0x10, [0; 3], [0; 2], &ack(1, 60_000, &[]));
    for _ in 0..300 {
        for _ in 0..31 {
            world.step();
            world.deliver_of_liar();
        }
        let _ = world.server.handle_datagram(liar, 1, &impossible);
    }
    assert!(world.server.is_connected(liar));
    let losses = world.server.losses(liar).unwrap().unwrap();
    assert!(losses.bad_acks >= 60, "{losses:?}");
}

/// A client that acknowledges what it has lost stays behind; it costs the server nothing.
#[test]
fn client_that_acknowledges_everything_is_repaired_nothing() {
    let mut world = World::new(3);
    let liar = world.liar.connection;
    let before = world.server.losses(liar).unwrap().unwrap().repaired;
    for _ in 0..100 {
        world.write();
        world.step();
        for packet in &world.liar.sent {
            let mut packet = packet.clone();
            if let [0x10, rest @ ..] = &packet.bytes[..]
                && packet.delivery == Channel::Unreliable
            {
                packet.bytes = [&[0x10], &rest[..4], &[0]].concat().into();
            }
            arrive_at_server(&mut world.server, liar, &packet).unwrap();
        }
    }
    let losses = world.server.losses(liar).unwrap().unwrap();
    assert_eq!((losses.repaired, losses.bad_acks), (before, 0));
    assert!(losses.loss == 0.0 && losses.backlog == 0, "{losses:?}");
}

/// A client that denies what arrived is repaired within the limit, and detached if it is mute.
#[test]
fn client_that_denies_everything_has_bounded_repairs() {
    let mut world = World::new(4);
    let liar = world.liar.connection;
    let mut told = (0, 0);
    let deny = Lie::Ack {
        newest: 0,
        handled: 0,
        missing: vec![255; 8],
        times: 1,
    };
    let mut most = 0;
    for step in 0..300 {
        world.write();
        world.step();
        // The newest datagram is acknowledged now and then: a mute client would be detached.
        let lie = if step % 8 == 0 { &deny } else { &Lie::Silence };
        world.lie(lie, &mut told);
        world.assert_bounds();
        most = most.max(world.liar.bytes);
    }
    // A frame of 40 objects, and 4 datagrams of repairs.
    assert!(most < 4 * 1200 + 2400, "{most} bytes");
    let losses = world.server.losses(liar).unwrap().unwrap();
    assert!(losses.repaired > 0 && losses.loss > 0.5, "{losses:?}");
    world.settle();
    world.assert_honest_are_equal();
}

#[test]
fn mute_client_costs_a_probe_every_two_seconds() {
    let mut world = World::new(5);
    let liar = world.liar.connection;
    for _ in 0..60 {
        world.write();
        world.step();
    }
    let losses = world.server.losses(liar).unwrap().unwrap();
    assert!(
        losses.detached_for.is_some() && losses.flying == 0,
        "{losses:?}"
    );
    let mut bytes = 0;
    // Less than the 30 seconds after which the connection ends.
    for _ in 0..600 {
        world.write();
        world.step();
        bytes += world.liar.bytes;
    }
    assert!(bytes <= 15 * 40, "{bytes} bytes in 20 s");
    let losses = world.server.losses(liar).unwrap().unwrap();
    assert!(losses.backlog == 0 && losses.flying <= 16, "{losses:?}");
    world.settle();
    world.assert_honest_are_equal();
}
