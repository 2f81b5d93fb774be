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

    /// Returns whether a chunk with this number travels behind a header.
    #[inline]
    pub(crate) fn apply(&self, chunk: u64) -> bool {
        self.from.is_some_and(|from| chunk >= from)
    }
}
