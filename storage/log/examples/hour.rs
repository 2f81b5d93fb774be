//! A recorded hour: the size of the file, and the time of seeks.
//!
//! `cargo run --release -p syncvar-log --example hour -- [MOVERS] [SECONDS] [FILE]`: 1 000 objects at 30 ticks per second, of which
//! 100 move, for 3 600 s. FILE stays, such as for `clients/typescript/browsers/replay.mjs`.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use syncvar::codec::Quantized;
use syncvar::log::{Player, Recorder, RecorderOptions};
use syncvar::prelude::*;
use syncvar::records::TickRecord;
use syncvar::testing::Random;
use syncvar::{NetworkTime, ServerConfig};

const OBJECTS: usize = 1_000;
const SEEKS: usize = 1_000;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Mover {
    #[sync_var(with = Quantized<-1000, 1000, 100>)]
    x: SyncVar<f32>,
    #[sync_var(with = Quantized<-1000, 1000, 100>)]
    y: SyncVar<f32>,
    #[sync_var(with = Quantized<-4, 4, 100>)]
    heading: SyncVar<f32>,
    /// Turn in a tick; 0 on a straight way, for two thirds of the time.
    turn: f32,
}

impl Mover {
    /// Drives on, straight or along a curve.
    fn drive(&mut self, random: &mut Random) {
        if self.turn == 0.0 && random.chance(15) {
            self.turn = random.between(-0.05, 0.05);
        } else if random.chance(30) {
            self.turn = 0.0;
        }
        let heading = (*self.heading + self.turn + 3.2).rem_euclid(6.4) - 3.2;
        self.heading.set(heading);
        let (sin, cos) = heading.sin_cos();
        self.x.set((*self.x + 0.2 * cos).clamp(-1000.0, 1000.0));
        self.y.set((*self.y + 0.2 * sin).clamp(-1000.0, 1000.0));
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Mover>("mover")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |default| arguments.next().map_or(Ok(default), |it| it.parse::<u32>());
    let (movers, seconds) = (argument(100)?, argument(3_600)?);
    let kept = arguments.next().map(PathBuf::from);
    let path = kept.clone().unwrap_or_else(|| {
        std::env::temp_dir().join(format!("syncvar-hour-{}.mcap", std::process::id()))
    });
    let bytes = record(&path, movers as usize, seconds * 30)?;
    let size = std::fs::metadata(&path)?.len();
    println!("{movers} of {OBJECTS} objects move for {seconds} s at 30 ticks per second");
    println!("file         {:>8.1} MB", mega(size));
    println!("uncompressed {:>8.1} MB", mega(bytes));
    println!(
        "{:<13}{:>8} {:>8} {:>8}",
        "seeks (ms)", "p50", "p99", "longest"
    );
    let mut client = NetworkClient::new(prefabs());
    seek("typed", &path, &mut client)?;
    let mut client = Player::open(&path)?.untyped_client()?;
    seek("untyped", &path, &mut client)?;
    if kept.is_none() {
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

/// Records a world. Returns the bytes of all records.
fn record(path: &std::path::Path, movers: usize, ticks: u32) -> Result<u64, Box<dyn Error>> {
    let mut server = NetworkServer::with_config(prefabs(), ServerConfig::default());
    let mut random = Random::new(1);
    let ids: Vec<_> = (0..OBJECTS)
        .map(|_| {
            server.spawn(Mover {
                x: random.between(-900.0, 900.0).into(),
                y: random.between(-900.0, 900.0).into(),
                ..Mover::default()
            })
        })
        .collect();
    let mut recorder = Recorder::create(path, &mut server, RecorderOptions::default())?;
    let (mut bytes, mut last) = (0, 0);
    for tick in 1..=ticks {
        for id in &ids[..movers] {
            server.get_mut::<Mover>(*id)?.drive(&mut random);
        }
        server.update(NetworkTime::of_tick(tick.into(), 30).time);
        for record in server.records_after(last) {
            bytes += record.as_bytes().len() as u64;
        }
        last = server
            .records_after(last)
            .last()
            .map_or(last, TickRecord::seq);
        recorder.update(&mut server);
        // The thread may be slower than this loop, which has no ticks to wait for.
        while recorder.poll_event().is_some() {}
        if tick % 64 == 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    recorder.finish()?;
    assert!(recorder.poll_event().is_some(), "the file ends");
    Ok(bytes)
}

/// Measures random seeks.
fn seek(
    name: &str,
    path: &std::path::Path,
    client: &mut NetworkClient,
) -> Result<(), Box<dyn Error>> {
    let mut player = Player::open(path)?;
    let mut random = Random::new(2);
    let mut times = Vec::new();
    for _ in 0..SEEKS {
        let part = f64::from(random.between(0.0, 1.0));
        let time = player.start() + player.duration().mul_f64(part);
        let begin = Instant::now();
        player.seek(client, time)?;
        times.push(begin.elapsed());
        while client.poll_event().is_some() {}
    }
    times.sort();
    let milliseconds = |index: usize| times[index].as_secs_f64() * 1e3;
    let (median, late) = (milliseconds(SEEKS / 2), milliseconds(SEEKS * 99 / 100));
    println!(
        "{name:<13}{median:>8.1} {late:>8.1} {:>8.1}",
        milliseconds(SEEKS - 1)
    );
    Ok(())
}

fn mega(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a size in MB")]
    let bytes = bytes as f64;
    bytes / 1e6
}
