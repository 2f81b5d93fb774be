//! Role of the bots: an app for each connection.

use std::io::BufRead;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use bevy::prelude::*;
use bevy_replicon_renet::RenetClient;
use bevy_replicon_renet::netcode::{ClientAuthentication, NetcodeClientTransport};

use crate::Outcome;
use crate::app::{PROTOCOL, Stamp, channels, new_app};
use crate::game::say;
use crate::progress::Progress;
use crate::world::{DELAYS, SEEN, micros};

/// Connections that a thread makes at a time.
const DIALS: usize = 50;

/// Time between two updates without packets.
const REST: Duration = Duration::from_millis(250);

/// Time between two looks at the sockets.
const LOOK: Duration = Duration::from_millis(1);

/// Bots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowd {
    pub(crate) count: u32,
    /// How many of them read nothing any more once they have joined.
    pub(crate) stalled: u32,
    pub(crate) address: SocketAddr,
}

/// A real client.
struct Bot {
    app: App,
    /// Second handle of the socket, to see whether packets wait.
    socket: UdpSocket,
    updated: Instant,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Joining,
    Playing,
    /// Without updates: stalled, or without a connection.
    Still,
}

impl Crowd {
    /// Joins, and says so. Then each line of the input asks for the delays since the last one.
    pub(crate) fn play(self) -> Outcome {
        let progress = Arc::new(Progress::default());
        let threads = thread::available_parallelism()?.get().try_into()?;
        for first in 0..threads {
            let progress = Arc::clone(&progress);
            let numbers = (first..self.count).step_by(usize::try_from(threads)?);
            thread::spawn(move || self.drive(numbers, &progress));
        }
        while !progress.is_complete(self.count) {
            thread::sleep(Duration::from_millis(20));
        }
        say(&progress.joined().to_string())?;
        for line in std::io::stdin().lock().lines() {
            line?;
            progress.report()?;
        }
        Ok(())
    }

    /// Drives the bots of a thread.
    fn drive(self, mut numbers: impl Iterator<Item = u32>, progress: &Progress) {
        let mut bots: Vec<(u32, Bot)> = Vec::new();
        loop {
            let joining = bots.iter().filter(|(_, bot)| bot.state == State::Joining);
            let free = DIALS - joining.count();
            for number in numbers.by_ref().take(free) {
                match Bot::new(self.address, number) {
                    Ok(bot) => bots.push((number, bot)),
                    Err(_) => progress.fail(),
                }
            }
            for (number, bot) in &mut bots {
                let state = bot.state;
                bot.look();
                match (state, bot.state) {
                    (State::Joining, State::Playing) => {
                        progress.join();
                        if *number < self.stalled {
                            bot.state = State::Still;
                        }
                    }
                    (State::Joining, State::Still) => progress.fail(),
                    (State::Playing, State::Still) => progress.lose(),
                    _ => {}
                }
            }
            thread::sleep(LOOK);
        }
    }
}

impl Bot {
    fn new(server_addr: SocketAddr, number: u32) -> Result<Self, Box<dyn std::error::Error>> {
        let mut app = new_app();
        app.add_systems(Update, measure);
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let other = socket.try_clone()?;
        let authentication = ClientAuthentication::Unsecure {
            client_id: u64::from(number),
            protocol_id: PROTOCOL,
            server_addr,
            user_data: None,
        };
        let now = SystemTime::UNIX_EPOCH.elapsed()?;
        let transport = NetcodeClientTransport::new(now, authentication, socket)?;
        let client = RenetClient::new(channels(&app));
        app.insert_resource(client);
        app.insert_resource(transport);
        Ok(Self {
            app,
            socket: other,
            updated: Instant::now(),
            state: State::Joining,
        })
    }

    /// Updates the app if packets wait, or after a rest.
    fn look(&mut self) {
        // The transport has made the socket non-blocking.
        let waits = || self.socket.peek(&mut [0]).is_ok();
        if self.state == State::Still || !(self.updated.elapsed() > REST || waits()) {
            return;
        }
        self.updated = Instant::now();
        self.app.update();
        let world = self.app.world_mut();
        if world.resource::<RenetClient>().is_disconnected() {
            self.state = State::Still;
        } else if self.state == State::Joining {
            let objects = world.query::<&Stamp>().iter(world).count();
            if u32::try_from(objects) == Ok(SEEN) {
                self.state = State::Playing;
            }
        }
    }
}

/// Counts the delays of changed objects.
fn measure(stamps: Query<'_, '_, &Stamp, Changed<Stamp>>) {
    for stamp in &stamps {
        DELAYS.add(micros().saturating_sub(stamp.0));
    }
}
