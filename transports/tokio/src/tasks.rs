//! Transports whose connections are tasks, for crates that bring their own sockets.
//!
//! A [`Port`] binds a socket, and its [`Acceptor`] yields connections. For each connection a task runs
//! [`Acceptor::serve`]: the handshake, then [`Door::open`], then packets between the socket and the
//! [`Queues`]. [`Host::listen`](crate::Host::listen) takes any port; TCP is one ([`tcp`](crate::tcp)). A client's
//! task has a door, too: [`Peer::by_task`](crate::Peer::by_task).
//!
//! The host brings places and their limits, the rate of new connections, the handshake deadline, the
//! silence after the handshake, fair shares of a tick, and the close timeout. A task has the duties that
//! need its socket:
//!
//! * [`Delivery::send`] waits while the inbox is full: stop reading from the socket meanwhile.
//! * [`Outbox::recv`] returns `None` when this end has closed the connection: send the packets before
//!   it, tell the peer, and discard at most
//!   [`max_linger_bytes`](crate::TransportOptions::max_linger_bytes) of its input until it closes.
//! * [`Delivery::leave`] records that the peer has ended the connection on purpose. Without it the end of the task is a
//!   loss.
//! * A peer that accepts nothing for the [`stall_timeout`](crate::TransportOptions::stall_timeout) is an error of the
//!   kind [`TimedOut`](std::io::ErrorKind::TimedOut), without an inner error. One with an inner error counts as
//!   vanished.
//! * [`Outbox::sent`] reports taken bytes: they count for
//!   [`max_queued_bytes`](crate::TransportOptions::max_queued_bytes).
//!
//! The crate `syncvar-websocket` is an example.

mod acceptor;
mod connection;
mod datagrams;
mod door;
mod fault;
mod inbox;
mod link;
mod listener;
mod origins;
mod outbox;
mod serving;

pub use acceptor::{Acceptor, End, Port};
pub use datagrams::{Datagrams, NoDatagrams};
pub use door::{Door, Queues};
pub use inbox::{Closed, Delivery};
pub use origins::Origins;
pub use outbox::{Outbox, OutgoingPacket};

pub use crate::link::Arrival;

pub(crate) use link::TaskLink;
pub(crate) use listener::TaskListener;
