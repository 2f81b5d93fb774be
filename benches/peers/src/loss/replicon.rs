//! `bevy_replicon`: changes may be lost; acknowledgements travel on its reliable channel, and all connections
//! have the losses of the first client.

use super::{Losses, Lossy};
use crate::grid::Size;
use crate::peer::{Pair, Peer, Sent};
use crate::peers::Replicon;
use crate::support::random::Random;
use crate::support::workload::Values;

impl Lossy for Replicon {
    const NAME: &str = <Self as Peer>::NAME;
    const HAS_COPIES: bool = true;

    fn new(size: Size, random: &mut Random) -> Self {
        Peer::new(size.objects, size.clients, random)
    }

    fn carry(&mut self, losses: &mut Losses) -> Sent {
        let sent = self.collect_unless(|| losses.loses());
        self.apply();
        sent
    }

    fn acknowledge(&mut self) {
        Pair::acknowledge(self);
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        Peer::replicas(self)
    }
}
