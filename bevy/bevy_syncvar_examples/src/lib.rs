//! Shared parts of the examples: roles, links, and lines of text in the place of a window.
//!
//! ```sh
//! cargo run --bin tic_tac_toe                        # both ends in one process, with a script
//! cargo run --bin tic_tac_toe -- server 0.0.0.0:7777
//! cargo run --bin tic_tac_toe -- client 127.0.0.1:7777
//! ```

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, thread};

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::MemoryListener;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::transport::{Host, Peer, TransportOptions};
use bevy_time::TimeUpdateStrategy;

/// Time of a frame.
const FRAME: Duration = Duration::from_millis(16);

/// Makes an app of an example around the plugin of its end.
pub struct Example {
    /// The server.
    pub server: fn(ServerPlugin) -> App,
    /// A client.
    pub client: fn(ClientPlugin) -> App,
    /// Lines that the players of the script type: one in a frame, in order.
    pub script: &'static [(usize, &'static str)],
    /// Whether the server has a player, too: the first one.
    pub is_host: bool,
}

/// Lines that the player of an app has typed.
#[derive(Resource, Default)]
pub struct Lines {
    script: VecDeque<String>,
    typed: Option<Mutex<Receiver<String>>>,
}

impl Lines {
    /// Returns the next line, of the script or of the terminal.
    pub fn take(&mut self) -> Option<String> {
        if let Some(line) = self.script.pop_front() {
            return Some(line);
        }
        let typed = self.typed.as_ref()?;
        let typed = typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed.try_recv().ok()
    }

    /// Reads the lines of the terminal.
    fn of_terminal() -> Self {
        let (sender, typed) = mpsc::channel();
        thread::spawn(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            typed: Some(Mutex::new(typed)),
            ..Self::default()
        }
    }
}

/// Lines that an app has shown.
#[derive(Resource, Default)]
pub struct Screen(pub Vec<String>);

impl Screen {
    /// Shows a line.
    pub fn show(&mut self, line: impl Into<String>) {
        let line = line.into();
        println!("{line}");
        self.0.push(line);
    }
}

impl Example {
    /// Runs the example in the role of the arguments.
    ///
    /// # Errors
    ///
    /// When the arguments are wrong, or the address is taken.
    pub fn main(&self) -> io::Result<()> {
        let arguments: Vec<String> = env::args().skip(1).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match arguments[..] {
            [] => {
                self.play();
                Ok(())
            }
            ["server", addr] => {
                let mut host = Host::new(TransportOptions::default());
                host.listen_tcp(addr)?;
                let mut plugin = ServerPlugin::new(host);
                plugin.is_host = self.is_host;
                run((self.server)(plugin))
            }
            ["client", addr] => {
                let addr = addr.to_owned();
                run((self.client)(ClientPlugin::open(move |client| {
                    Peer::tcp(addr, client, TransportOptions::default())
                })))
            }
            _ => Err(io::Error::other("usage: [server ADDR | client ADDR]")),
        }
    }

    /// Plays the script in memory. Returns the lines of each player.
    pub fn play(&self) -> Vec<Vec<String>> {
        let listener = MemoryListener::default();
        let players = self.script.iter().map(|(player, _)| player + 1).max();
        let clients = players.unwrap_or(1) - usize::from(self.is_host);
        let links: Vec<_> = (0..clients).map(|_| listener.link()).collect();
        let mut plugin = ServerPlugin::new(listener);
        plugin.is_host = self.is_host;
        let mut apps = vec![(self.server)(plugin)];
        let clients = links.into_iter();
        apps.extend(clients.map(|link| (self.client)(ClientPlugin::new(link))));
        for app in &mut apps {
            app.init_resource::<Lines>().init_resource::<Screen>();
            // Virtual time, for an example with a clock.
            app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
        }
        let frames = |apps: &mut [App], count: usize| {
            for _ in 0..count {
                apps.iter_mut().for_each(App::update);
            }
        };
        frames(&mut apps, 20);
        for (player, line) in self.script {
            let app = player + usize::from(!self.is_host);
            let mut typed = apps[app].world_mut().resource_mut::<Lines>();
            typed.script.push_back((*line).to_owned());
            frames(&mut apps, 8);
        }
        frames(&mut apps, 20);
        let players = apps.iter_mut().skip(usize::from(!self.is_host));
        players
            .map(|app| app.world_mut().resource::<Screen>().0.clone())
            .collect()
    }
}

/// Runs an app for a player at a terminal.
fn run(mut app: App) -> ! {
    app.insert_resource(Lines::of_terminal())
        .init_resource::<Screen>();
    loop {
        app.update();
        thread::sleep(FRAME);
    }
}
