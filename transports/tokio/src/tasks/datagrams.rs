//! `Datagrams`: the unreliable half of a connection.

use bytes::Bytes;

/// Datagrams beside the stream of a connection: the number of the channel, and the packet.
pub trait Datagrams: Sync {
    /// Sends a datagram, without waiting. Returns `false` if this one or an older one was lost here.
    fn send(&self, datagram: Bytes) -> bool;

    /// Waits for a datagram of the peer. Pending for ever after the end of the connection.
    ///
    /// Cancel-safe.
    fn receive(&self) -> impl Future<Output = Bytes> + Send;
}

/// Connection with a stream alone.
#[derive(Clone, Copy, Debug)]
pub struct NoDatagrams;

impl Datagrams for NoDatagrams {
    fn send(&self, _: Bytes) -> bool {
        false
    }

    async fn receive(&self) -> Bytes {
        std::future::pending().await
    }
}
