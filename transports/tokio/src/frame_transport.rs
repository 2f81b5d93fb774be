//! `Host` and `Peer` as a [`FrameTransport`].

use std::error::Error;
use std::time::Duration;

use syncvar_runtime::{Endpoint, FrameTransport};

use crate::{Host, Peer};

impl<E: Endpoint> FrameTransport<E> for Host<E> {
    fn receive(&mut self, end: &mut E, now: Duration) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.receive(end, now);
        Ok(())
    }

    fn transmit(&mut self, end: &mut E, now: Duration) {
        self.transmit(end, now);
    }

    fn is_over(&self) -> bool {
        false
    }
}

impl<E: Endpoint> FrameTransport<E> for Peer {
    fn receive(&mut self, end: &mut E, now: Duration) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.receive(end, now).map_err(Into::into)
    }

    fn transmit(&mut self, end: &mut E, now: Duration) {
        self.transmit(end, now);
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }
}
