//! `FrameTransport`: a transport in the loop of a program; `OpenedLater`: one that is opened with its end.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::Endpoint;

/// A transport of an end, for a program with a loop: the two halves of a frame, of any transport behind one type.
///
/// An engine holds a `Box<dyn FrameTransport<NetworkServer>>` or a `Box<dyn FrameTransport<NetworkClient>>`, and calls
/// [`receive`](Self::receive), the end's `update` and [`transmit`](Self::transmit) in each frame. `Host`, `Peer` and
/// `WebPeer` implement it.
///
/// ```
/// use std::error::Error;
/// use std::time::Duration;
/// use syncvar::{FrameTransport, PacketLimits, prelude::*};
///
/// /// A link that carries nothing.
/// struct Silent {
///     is_connected: bool,
/// }
///
/// impl<E: syncvar::Endpoint> FrameTransport<E> for Silent {
///     fn receive(&mut self, end: &mut E, _: Duration) -> Result<(), Box<dyn Error + Send + Sync>> {
///         if !self.is_connected {
///             end.handle_connect(PacketLimits::STREAM);
///             self.is_connected = true;
///         }
///         Ok(())
///     }
///     fn transmit(&mut self, end: &mut E, _: Duration) {
///         while end.poll_transmit().is_some() {}
///     }
///     fn is_over(&self) -> bool {
///         false
///     }
/// }
///
/// let mut client = NetworkClient::new(Prefabs::new());
/// let mut transport: Box<dyn FrameTransport<NetworkClient>> = Box::new(Silent { is_connected: false });
/// for frame in 0..3 {
///     let now = Duration::from_millis(16 * frame);
///     transport.receive(&mut client, now)?;
///     client.update(now);
///     transport.transmit(&mut client, now);
/// }
/// # Ok::<(), Box<dyn Error + Send + Sync>>(())
/// ```
pub trait FrameTransport<E: Endpoint>: Send {
    /// Begins a frame: passes the packets since the last frame to the end. Does not wait. `now` is the time of the loop,
    /// since any fixed moment: the time that the end's `update` takes.
    ///
    /// # Errors
    ///
    /// When the connection of a client fails or is over, once; the events of the client say so, too. Also for a
    /// malformed packet. The program goes on with its frames until [`is_over`](Self::is_over). A server
    /// handles the errors of its connections.
    fn receive(&mut self, end: &mut E, now: Duration) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Ends a frame: sends the packets of the end's update. Does not wait.
    fn transmit(&mut self, end: &mut E, now: Duration);

    /// Returns whether the transport receives no further packets: no connection of a client follows. A server's
    /// transport is never over.
    fn is_over(&self) -> bool;
}

/// A transport that is opened at the first [`receive`](FrameTransport::receive), with the end: for a program that
/// chooses the transport before it makes the end, such as a plugin of an engine. The checks of `Peer::tcp` and its kind, which look at
/// the settings of the client, are then errors of that frame.
/// `OpenedLater::new(|client: &NetworkClient| Peer::tcp(addr, client, options))`.
#[derive(Debug)]
pub struct OpenedLater<T, F> {
    /// `None` from the first frame on.
    open: Option<F>,
    /// `None` before the first frame, and if it could not be opened.
    transport: Option<T>,
}

impl<T, F> OpenedLater<T, F> {
    /// Creates a transport that the function opens.
    pub const fn new(open: F) -> Self {
        Self {
            open: Some(open),
            transport: None,
        }
    }
}

impl<E, T, F> FrameTransport<E> for OpenedLater<T, F>
where
    E: Endpoint,
    T: FrameTransport<E>,
    F: FnOnce(&E) -> io::Result<T> + Send,
{
    fn receive(&mut self, end: &mut E, now: Duration) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(open) = self.open.take() {
            self.transport = Some(open(end)?);
        }
        let transport = self.transport.as_mut();
        transport.map_or(Ok(()), |transport| transport.receive(end, now))
    }

    fn transmit(&mut self, end: &mut E, now: Duration) {
        if let Some(transport) = &mut self.transport {
            transport.transmit(end, now);
        }
    }

    fn is_over(&self) -> bool {
        let transport = self.transport.as_ref();
        self.open.is_none() && transport.is_none_or(FrameTransport::is_over)
    }
}
