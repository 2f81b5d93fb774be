//! Bytes of three attackers for a server with a healthy client.

use std::time::Duration;

use crate::packet::Packet;
use crate::protocol::Protocol;
use crate::script::{Script, Step};
use crate::world::{Recording, World};

/// Ticks after which the replicas must be equal.
const SETTLE: usize = 6;

/// First operation with inputs of an attacker.
pub const INPUTS: u8 = 240;

/// Runs an input.
///
/// # Panics
///
/// When the server exceeds a limit, or does not serve the healthy client.
pub fn run<P: Protocol>(bytes: &[u8]) {
    let recording = Recording::of::<P>();
    let mut world = World::<P>::default();
    for step in Script::new(bytes) {
        take(&mut world, step, recording);
    }
    for _ in 0..SETTLE {
        world.step();
    }
    assert!(
        world.is_connected,
        "{}: the healthy client was disconnected",
        P::NAME
    );
    let connection = P::connection(&world.server, world.connections[3]);
    let expected = P::expected(&world.server, connection);
    assert_eq!(
        P::replicas(&world.healthy),
        expected,
        "{}: server and replicas",
        P::NAME
    );
    P::check(&world.server, &world.healthy, connection);
}

fn take<P: Protocol>(world: &mut World<P>, mut step: Step<'_>, recording: &Recording) {
    let attacker = usize::from(step.op % 4) % 3;
    let legal = |index: u8| {
        let packets = &recording.up;
        packets[usize::from(index) % packets.len()].clone()
    };
    if step.op >= INPUTS {
        let channel = step.byte() % 2;
        let messages = P::inputs(&world.server, step);
        return world.receive_message(attacker, channel, &messages);
    }
    match step.op / 4 % 15 {
        0 => world.receive(attacker, &Packet::new(P::LIMITS, 0, step.bytes)),
        1 => world.receive(attacker, &Packet::new(P::LIMITS, 1, step.bytes)),
        2 | 3 => {
            let kind = step.byte();
            let message = P::message(kind & 0x7f, step.bytes);
            world.receive_message(attacker, kind >> 7, &message);
        }
        4 | 5 => {
            let mut packet = legal(step.byte());
            step.patch(&mut packet.bytes);
            world.receive(attacker, &packet);
        }
        6 => {
            let mut packet = legal(step.byte());
            packet.bytes.truncate(usize::from(step.byte()));
            packet.bytes.extend_from_slice(step.bytes);
            world.receive(attacker, &packet);
        }
        12 => {
            let kind = step.byte();
            world.receive_message(attacker, 0, &P::message(kind, &step.run()));
        }
        13 => {
            let session = step.byte().max(1);
            if let Some(request) = P::returning(session, step.bytes) {
                world.return_to(attacker, &request);
            }
        }
        14 if P::HAS_SESSIONS => world.cut(),
        7 => world.change(step),
        8 => P::write(&mut world.healthy, step),
        9 => world.reconnect(attacker),
        10 => {
            let seconds = u64::from(step.byte());
            world.advance(Duration::from_secs(seconds * seconds));
            world.step();
        }
        _ => world.step(),
    }
}
