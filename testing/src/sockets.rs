//! Servers and clients over loopback sockets: a server in a task, and a game with a board and movers on top.

mod game;
mod remote;
mod running;
mod transport;
mod waiting;

pub use game::{Board, Mover, Objects, counting, filling, idle, prefabs};
pub use remote::{Remote, Tick};
pub use running::{Running, Settings};
pub use transport::{By, TCP, Transport, UDP, anywhere};
pub use waiting::{reaches, read_to_end, soon, wait_for};
