//! Heavy damage to the packets of one client, and its repair by a new snapshot.

use proptest::prelude::*;
use syncvar::Channel;

use super::action::{Action, action};
use super::hostile::spoil;
use super::world::{Kind, World};

/// Returns the length of a packet's header: WIRE.md, section 7.
fn header_length(delivery: Channel, packet: &[u8]) -> usize {
    let flags = packet.first().copied().unwrap_or_default();
    let part = |flag: u8, length: usize| if flags & flag != 0 { length } else { 0 };
    let ticks = packet.iter().skip(1).take_while(|byte| **byte >= 0x80);
    let place = match delivery {
        Channel::Reliable => part(1, ticks.count() + 1) + part(8, 1) + part(0x80, 2),
        Channel::Unreliable => part(1, 4) + part(2, 2) + part(4, 2) + part(8, 2) + part(0x80, 2),
    };
    if flags & 0x10 == 0 {
        return 1 + place;
    }
    let form = packet.get(1 + place + 4).copied().unwrap_or_default();
    1 + place + 5 + usize::from(form & 0x0f)
}

impl World {
    /// Damages waiting packets of the liar. Returns false if damage has ended its connection.
    fn damage(&mut self, changes: &[(usize, (usize, u16))]) -> bool {
        let end = self.liar.and_then(|liar| self.ends.get_mut(&liar));
        let Some(end) = end.filter(|end| end.client.is_connected()) else {
            return false;
        };
        let count = end.down.packets.len();
        for (place, change) in changes.iter().filter(|_| count > 0) {
            let packet = &mut end.down.packets[place % count];
            // A forged tick, sequence or barrier has no remedy either: a transport protects the header.
            let header = if self.kind.literal {
                0
            } else {
                header_length(packet.delivery, &packet.bytes)
            };
            let mut messages = packet.bytes.split_off(header.min(packet.bytes.len()));
            spoil(&mut messages, *change);
            packet.bytes.append(&mut messages);
        }
        true
    }

    /// Sends the liar a new snapshot of all its objects, over a network without damage.
    fn repair(&mut self) {
        self.step();
        if let Some(liar) = self.liar {
            self.server.set_not_ready(liar);
        }
        self.step();
        self.settle();
        self.liar = None;
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(96))]

    #[test]
    fn new_snapshot_repairs_all_damage(
        grid in any::<bool>(),
        literal in prop::bool::weighted(0.2),
        steps in proptest::collection::vec(
            (action(), proptest::collection::vec((any::<usize>(), (any::<usize>(), 0_u16..400)), 0..4)),
            1..60,
        ),
    ) {
        let mut world = World::new(Kind { loss: 0, grid, host: false, liar: true, literal, unet: true });
        (0..3).for_each(|_| world.step());
        for (action, changes) in steps {
            if matches!(action, Action::Leave(_) | Action::Lie(..) | Action::Twist(..)) {
                continue;
            }
            world.act(action);
            world.update();
            // A forged farewell has one remedy: a new connection.
            prop_assume!(world.damage(&changes));
            world.step();
        }
        prop_assume!(world.damage(&[]));
        world.repair();
        world.assert_equal();
    }
}
