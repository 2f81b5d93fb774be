//! `Endpoint` for `Relay`: its spectators come over any transport.

use std::time::Duration;

use syncvar_net::{NetworkServer, PacketError, ServerEvent};
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use super::Relay;
use crate::endpoint::impl_endpoint;

impl_endpoint!(Relay);
