//! Headers of the packets of a connection.

use syncvar_runtime::Channel;

use crate::link::stream::StreamTicks;

/// Headers of a connection's packets, from the answer to its Connect on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Headers {
    /// Longest datagram of the transport; `None` if packets of unreliable channels take the stream.
    pub(crate) datagrams: Option<usize>,
    /// Number of the first chunk behind a header; `None` without headers.
    pub(crate) from: Option<u64>,
    pub(crate) sent: StreamTicks,
    /// Tick whose last packet on a stream without datagrams said that changes were withheld. `None` once the last packet of
    /// a later tick has said that nothing is.
    pub(crate) withheld: Option<u32>,
    pub(crate) received: StreamTicks,
    /// Whether a packet of the client on this link had a header: before it has read the answer, its farewell has none.
    pub(crate) begun: bool,
}

impl Headers {
    /// Returns the delivery of a packet on a channel of this kind.
    #[inline]
    pub(crate) fn delivery(&self, kind: Option<&Channel>) -> Channel {
        match kind {
            Some(Channel::Unreliable) if self.from.is_none() || self.datagrams.is_some() => {
                Channel::Unreliable
            }
            _ => Channel::Reliable,
        }
    }

    /// Notes the last packet of a tick on a stream without datagrams, and whether it says that changes were withheld. A
    /// client reports a tick once, so that a second packet of the tick cannot complete it.
    #[inline]
    pub(crate) fn note_end(&mut self, tick: u32, withholds: bool) {
        if withholds {
            self.withheld = Some(tick);
        } else if self.withheld != Some(tick) {
            self.withheld = None;
        }
    }

    /// Returns whether a chunk with this number travels behind a header.
    #[inline]
    pub(crate) fn apply(&self, chunk: u64) -> bool {
        self.from.is_some_and(|from| chunk >= from)
    }
}
