//! A running server that records: cars on a square, 30 ticks per second of the clock of the machine.
//!
//! `cargo run -p syncvar-log --example broadcast -- FILE [SECONDS] [ROTATION]`: a further file each ROTATION seconds. A page follows it:
//! `syncvar replay FILE --delay 10`.

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use syncvar::NetworkTime;
use syncvar::log::{Recorder, RecorderOptions};
use syncvar::prelude::*;

const CARS: u32 = 8;

/// Length of a side of the square, in metres and in ticks.
const SIDE: u32 = 90;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Car {
    #[sync_var]
    position: SyncVar<Vector2>,
    #[sync_var]
    lap: SyncVar<u32>,
}

/// Returns the place of a car on its square.
fn place(way: u32) -> Vector2 {
    let along = f32::from(u16::try_from(way % SIDE).unwrap_or_default());
    let side = 90.0;
    match way / SIDE % 4 {
        0 => Vector2::new(along, 0.0),
        1 => Vector2::new(side, along),
        2 => Vector2::new(side - along, side),
        _ => Vector2::new(0.0, side - along),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a file is needed")?;
    let seconds: u32 = arguments.next().map_or(Ok(60), |it| it.parse())?;
    let rotation = arguments.next().map(|it| it.parse()).transpose()?;
    let mut server = NetworkServer::new(Prefabs::new().register::<Car>("car"));
    let cars: Vec<_> = (0..CARS).map(|_| server.spawn(Car::default())).collect();
    let options = RecorderOptions {
        keyframe_interval: Duration::from_secs(4),
        chunk_interval: Duration::from_millis(500),
        max_file_time: rotation.map_or(Duration::MAX, Duration::from_secs),
        ..RecorderOptions::default()
    };
    let mut recorder = Recorder::create(&path, &mut server, options)?;
    let begin = Instant::now();
    for tick in 1..=seconds * 30 {
        for (number, id) in (0..).zip(&cars) {
            let way = tick + 30 * number;
            let mut car = server.get_mut::<Car>(*id)?;
            car.position.set(place(way));
            car.lap.set(way / (4 * SIDE));
        }
        if tick % 300 == 0 {
            recorder.mark(&mut server, "ten seconds", tick / 300);
        }
        let now = NetworkTime::of_tick(tick.into(), 30).time;
        std::thread::sleep(now.saturating_sub(begin.elapsed()));
        server.update(now);
        recorder.update(&mut server);
        if tick == 30 {
            // The file has its first chunk, or gets it within a moment.
            println!("{path}");
            std::io::stdout().flush()?;
        }
    }
    recorder.finish()?;
    Ok(())
}
