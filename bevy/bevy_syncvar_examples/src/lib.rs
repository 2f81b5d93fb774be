//! Shared parts of the examples: roles, links, and a screen in the place of a window.
//!
//! ```sh
//! cargo run --bin tic_tac_toe                        # both ends in one process, with a script
//! cargo run --bin tic_tac_toe -- server 0.0.0.0:7777
//! cargo run --bin tic_tac_toe -- client 127.0.0.1:7777
//! ```
//!
//! In a browser an example is a client: `page/build shooter`, then a server with the folder of the page.

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod terminal;

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bevy_app::{App, ScheduleRunnerPlugin};
use bevy_ecs::prelude::*;
use bevy_syncvar::MemoryListener;
use bevy_syncvar::prelude::*;
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
    /// Returns the next line, of the script, the terminal or the keyboard of a page.
    pub fn take(&mut self) -> Option<String> {
        if let Some(line) = self.script.pop_front() {
            return Some(line);
        }
        let typed = self.typed.as_ref()?;
        let typed = typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed.try_recv().ok()
    }

    /// Makes the lines that arrive from a player.
    fn typed(typed: Receiver<String>) -> Self {
        Self {
            typed: Some(Mutex::new(typed)),
            ..Self::default()
        }
    }
}

/// Lines that an app has shown, and the picture of its frame, for a page.
#[derive(Resource, Default)]
pub struct Screen {
    lines: Vec<String>,
    /// Dots of the picture: the place, whether it is large, whether it is the player's own.
    pub picture: Vec<([f32; 2], bool, bool)>,
}

impl Screen {
    /// Shows a line.
    pub fn show(&mut self, line: impl Into<String>) {
        let line = line.into();
        println!("{line}");
        self.lines.push(line);
    }
}

impl Example {
    /// Runs the example in the role of the arguments; in a page, as a client.
    ///
    /// # Errors
    ///
    /// When the arguments are wrong, or the address is taken.
    pub fn main(&self) -> io::Result<()> {
        #[cfg(target_arch = "wasm32")]
        return page::main(self);
        #[cfg(not(target_arch = "wasm32"))]
        return terminal::main(self);
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
            .map(|app| app.world_mut().resource::<Screen>().lines.clone())
            .collect()
    }
}

/// Runs an app for a player with a keyboard.
fn run(mut app: App, typed: Receiver<String>) {
    app.insert_resource(Lines::typed(typed))
        .init_resource::<Screen>()
        .add_plugins(ScheduleRunnerPlugin::run_loop(FRAME));
    app.run();
}
