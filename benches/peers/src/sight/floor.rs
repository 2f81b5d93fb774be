//! A bit per client and object: every changed object is written once and copied to those who see it.

use super::Seeing;
use crate::peer::{Pair, Sent};
use crate::support::floor::{FloorClient, Sight, SightFloor};
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

pub(super) struct Floor {
    server: SightFloor,
    client: FloorClient,
    /// What the real client sees.
    sight: Sight,
}

impl Floor {
    pub(super) fn new(objects: u32, sights: Vec<Sight>) -> Self {
        let sight = sights[0].clone();
        let server = SightFloor::new(objects, sights, &mut Random::new(1));
        let client = FloorClient {
            replicas: server.values().cloned().collect(),
        };
        Self {
            server,
            client,
            sight,
        }
    }
}

impl Server for Floor {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.server.tick();
    }
}

impl Pair for Floor {
    fn collect(&mut self) -> Sent {
        Sent::all([&self.server.outboxes()[0][..]])
    }

    fn apply(&mut self) {
        let applied = self.client.apply(&self.server.outboxes()[0]);
        applied.expect("the floor reads itself");
    }
}

impl Seeing for Floor {
    /// Its client has values for all numbers; those that it does not see are nothing.
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let originals = self.server.values().cloned();
        let replicas = (0..).zip(&self.client.replicas);
        let seen = replicas.map(|(object, replica)| {
            let sees = self.sight.sees(object);
            sees.then(|| replica.clone())
        });
        originals.zip(seen).collect()
    }
}
