//! A game over UDP.

mod conditions;
mod exchange;
mod limits;
mod loss;
mod relay;

use syncvar_testing::sockets::{self, By, Settings};
use syncvar_tokio::udp::{TransportOptions, Udp};

type Running = sockets::Running<By<Udp>>;

/// Returns settings with 200 ticks per second.
fn settings(options: TransportOptions) -> Settings {
    let mut settings = Settings::from(options);
    settings.config.tick_rate = 200;
    settings
}
