//! Draws the picture of the README: the server and a client of the quickstart, tick by tick.
//!
//! ```text
//! cargo run --example picture               # writes guide/src/quickstart.svg
//! cargo run --example picture -- --check    # fails if the file differs
//! ```

#[path = "quickstart/player.rs"]
mod player;

use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs, io};

use syncvar::prelude::*;
use syncvar::stats::MessageType;

use player::{Player, place};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/guide/src/quickstart.svg");

/// Height of a tick in the picture, in pixels.
const ROW: usize = 62;

/// Height of a further hook.
const LINE: usize = 19;

/// One tick of the game.
struct Tick {
    action: &'static str,
    server: String,
    bytes: u64,
    hooks: Vec<String>,
    client: String,
}

impl Tick {
    /// Lines of hooks beyond the first.
    fn further_lines(&self) -> usize {
        self.hooks.len().saturating_sub(1)
    }

    fn height(&self) -> usize {
        ROW + LINE * self.further_lines()
    }
}

fn main() -> io::Result<ExitCode> {
    let picture = draw(&play());
    if env::args().any(|argument| argument == "--check") {
        let is_current = fs::read_to_string(FILE)? == picture;
        println!(
            "{FILE} is {}",
            if is_current {
                "up to date"
            } else {
                "out of date"
            }
        );
        return Ok(if is_current {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    fs::write(FILE, picture)?;
    println!("wrote {FILE}");
    Ok(ExitCode::SUCCESS)
}

/// Runs the game in virtual time: a spawn, then each action of the quickstart.
fn play() -> Vec<Tick> {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    net.tick = Duration::from_millis(500);
    net.settle();
    let ada = net.server.spawn(Player::new("Ada", 100));
    let mut ticks = vec![tick(&mut net, ada, "spawn(Player::new(\"Ada\", 100))")];
    for step in 0..6 {
        let action = match net.server.get_mut::<Player>(ada) {
            Ok(mut player) => player.act(step),
            Err(_) => "",
        };
        let statement = action.rsplit(": ").next().unwrap_or(action);
        ticks.push(tick(&mut net, ada, statement));
    }
    ticks
}

/// Runs one tick and records both ends.
fn tick(net: &mut MemoryNetwork, ada: NetId, action: &'static str) -> Tick {
    let before = sent(net);
    net.step();
    let bytes = sent(net) - before;
    let replica = net.client_mut(0).get_mut::<Player>(ada);
    let hooks = replica.map(|mut player| player.seen.split_off(0));
    Tick {
        action,
        server: net.server.get(ada).map(fields).unwrap_or_default(),
        bytes,
        hooks: hooks.unwrap_or_default(),
        client: net.client(0).get(ada).map(fields).unwrap_or_default(),
    }
}

/// Returns the bytes of all snapshots and deltas so far.
fn sent(net: &MemoryNetwork) -> u64 {
    let stats = net.server.stats();
    let kinds = [MessageType::SpawnBatch, MessageType::UpdateBatch];
    kinds.iter().map(|kind| stats.encoded(*kind).bytes).sum()
}

fn fields(player: &Player) -> String {
    let position = place(&player.position);
    format!("{}  {}  {position}", player.name, player.health)
}

/// Draws the picture as SVG.
fn draw(ticks: &[Tick]) -> String {
    let height = 74 + ticks.iter().map(Tick::height).sum::<usize>();
    let mut canvas = Canvas::new(height);
    let mut y = 56;
    for (number, tick) in ticks.iter().enumerate() {
        draw_tick(&mut canvas, number, y, tick);
        y += tick.height();
    }
    canvas.finish()
}

/// Draws one row: the action, the arrow with its bytes, the hooks.
fn draw_tick(canvas: &mut Canvas, number: usize, y: usize, tick: &Tick) {
    canvas.text(22, y + 26, "#b3aca0", &number.to_string());
    canvas.card(48, y, [296, 52], ["#fff4e8", "#f0d5b8"]);
    canvas.text(60, y + 21, "#4a2a0e", tick.action);
    canvas.text(60, y + 40, "#a8835f", &tick.server);
    if tick.bytes == 0 {
        canvas.text(394, y + 31, "#b3aca0", "no packet");
    } else {
        canvas.text(394, y + 20, "#57524b", &format!("{:2} bytes", tick.bytes));
        canvas.arrow(352, 504, y + 29);
    }
    let further = LINE * tick.further_lines();
    canvas.card(514, y, [346, 52 + further], ["#eaf4fc", "#bfdcf2"]);
    for (line, hook) in tick.hooks.iter().enumerate() {
        canvas.text(
            526,
            y + 21 + LINE * line,
            "#0f3c60",
            &format!("hook: {hook}"),
        );
    }
    if tick.hooks.is_empty() {
        let event = if number == 0 { "spawned" } else { "no hook" };
        canvas.text(526, y + 21, "#7d98ad", event);
    }
    canvas.text(526, y + 40 + further, "#6f93b0", &tick.client);
}

/// An SVG image under construction.
struct Canvas(String);

impl Canvas {
    fn new(height: usize) -> Self {
        Self(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">
<rect x="1" y="1" width="878" height="{}" rx="12" fill="#fbfaf7" stroke="#d9d4c7"/>
<g font-family="system-ui, Helvetica, Arial, sans-serif" font-size="15" font-weight="600">
<text x="60" y="36" fill="#8a4b16">server</text>
<text x="412" y="36" fill="#77716a">wire</text>
<text x="526" y="36" fill="#1d5c8f">client</text>
</g>
"##,
            height - 2
        ))
    }

    fn card(&mut self, x: usize, y: usize, [width, height]: [usize; 2], [fill, edge]: [&str; 2]) {
        self.line(&format!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{fill}" stroke="{edge}"/>"#
        ));
    }

    fn arrow(&mut self, from: usize, to: usize, y: usize) {
        self.line(&format!(
            r##"<path d="M{from} {y}H{to}m-7 -5l7 5l-7 5" fill="none" stroke="#8f887d" stroke-width="1.6"/>"##
        ));
    }

    fn text(&mut self, x: usize, y: usize, color: &str, words: &str) {
        let words = words.replace("->", "→");
        self.line(&format!(
            r#"<text x="{x}" y="{y}" fill="{color}" xml:space="preserve">{words}</text>"#
        ));
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn finish(mut self) -> String {
        self.line("</svg>");
        self.0
    }
}
