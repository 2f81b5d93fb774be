//! A game over TCP.

mod conditions;
mod exchange;
mod limits;
mod misbehaviour;
mod reconnect;

use syncvar_testing::sockets::{self, By};
use syncvar_tokio::tcp::Tcp;

type Running = sockets::Running<By<Tcp>>;
