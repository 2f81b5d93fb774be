//! The grid of `syncvar`.

use super::Seeing;
use crate::peer::{Pair, Sent};
use crate::support::grid_world::GridWorld;
use crate::support::outbox::{Packets, receive};
use crate::support::workload::{Change, Server, Unit, Values};

pub(super) struct Syncvar {
    world: GridWorld,
    /// What the last tick sent to the real client.
    inbox: Packets,
}

impl Syncvar {
    pub(super) fn new(world: GridWorld) -> Self {
        Self {
            world,
            inbox: Packets::new(),
        }
    }
}

impl Server for Syncvar {
    fn change(&mut self, object: u32, change: Change) {
        self.world.change(object, change);
    }

    fn tick(&mut self) {
        self.world.tick();
    }
}

impl Pair for Syncvar {
    fn collect(&mut self) -> Sent {
        self.inbox = self.world.outbox.take_packets();
        Sent::all(self.inbox.iter().map(|(_, packet)| &packet[..]))
    }

    fn apply(&mut self) {
        receive(&mut self.world.client, &self.inbox);
    }
}

impl Seeing for Syncvar {
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let (units, client) = (&self.world.units, &self.world.client);
        let pair = |&id| {
            let original = units.server.get::<Unit>(id).expect("it was spawned");
            (original.values(), client.get::<Unit>(id).map(Unit::values))
        };
        units.objects.iter().map(pair).collect()
    }
}
