//! `Channel`: what a transport promises.

/// What a channel promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Everything arrives, once and in order; packets may be of any size. The order is kept among all
    /// reliable channels of a connection: the full state of an object goes on channel 0, and its
    /// changes go on the channels of its behaviours.
    Reliable,
    /// A packet may be lost, come twice or out of order; none is larger than the packet size.
    /// State that travels here is not sent again when it is lost.
    Unreliable,
}
