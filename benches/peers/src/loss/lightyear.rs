//! lightyear: each packet may be lost; all connections have the losses of the first client.

use super::{Losses, Lossy};
use crate::grid::Size;
use crate::peer::{Pair, Peer, Sent};
use crate::peers::Lightyear;
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

/// The peer, and the fate of the client's packets in this tick.
pub(crate) struct LossyLightyear {
    peer: Lightyear,
    loses_answers: bool,
}

impl Server for LossyLightyear {
    fn change(&mut self, object: u32, change: Change) {
        self.peer.change(object, change);
    }

    fn tick(&mut self) {
        self.peer.tick();
    }
}

impl Lossy for LossyLightyear {
    const NAME: &str = Lightyear::NAME;
    const HAS_COPIES: bool = true;

    fn new(size: Size, random: &mut Random) -> Self {
        Self {
            peer: Peer::new(size.objects, size.clients, random),
            loses_answers: false,
        }
    }

    fn carry(&mut self, losses: &mut Losses) -> Sent {
        let sent = self.peer.collect_unless(|| losses.loses());
        self.peer.apply();
        self.loses_answers = losses.loses();
        sent
    }

    fn acknowledge(&mut self) {
        let loses = self.loses_answers;
        self.peer.acknowledge_unless(|| loses);
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        self.peer.replicas()
    }
}
