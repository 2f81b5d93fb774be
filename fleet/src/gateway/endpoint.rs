//! `Endpoint` for `Gateway`: its clients come over any transport.

use std::time::Duration;

use syncvar_net::{NetworkServer, PacketError, ServerEvent};
use syncvar_runtime::{ConnectionId, Endpoint, PacketLimits, Transmit};

use super::Gateway;
use crate::endpoint::impl_endpoint;

impl_endpoint!(Gateway);
