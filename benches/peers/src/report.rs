//! `benches/RESULTS.md` and its plots.

mod loss;

use std::fmt::Write;

use syncvar::Framing;

use crate::grid::{Load, Size};
use crate::plot::{Chart, Series};
use crate::rows::{CodecRow, JoinRow, LossRow, Row, SightRow, TickRow};
use crate::support::replication::label;

/// The columns, and how each is called. The floor is the first, for the others are compared to it.
const COLUMNS: [(&str, &str); 5] = [
    ("floor", "floor"),
    ("syncvar", "syncvar"),
    (UNET, UNET),
    ("bevy_replicon", "bevy_replicon 0.45.5"),
    ("lightyear", "lightyear 0.31.0"),
];

/// The other dialect, which is left out of the plots: its lines would lie on those of the first.
const UNET: &str = label(Framing::Unet);

const INTRODUCTION: &str = include_str!("introduction.md");

/// The whole of `RESULTS.md`.
pub(crate) fn results(rows: &[Row]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let ticks: Vec<&TickRow> = rows.iter().filter_map(Row::tick).collect();
    section(&mut text, "In short");
    summary(&mut text, &ticks);
    section(
        &mut text,
        "Server time per tick, and how many times the floor's",
    );
    time_table(&mut text, &ticks, |row| row.send_nanoseconds);
    section(
        &mut text,
        "Client time per tick, and how many times the floor's",
    );
    time_table(&mut text, &ticks, |row| row.apply_nanoseconds);
    section(
        &mut text,
        "Bytes to one client per changed object (per tick, where nothing changes)",
    );
    tick_table(&mut text, &ticks, |row, _| {
        format!("{:.1}", row.bytes / f64::from(row.changed().max(1)))
    });
    section(&mut text, "Allocations of the server per tick");
    tick_table(&mut text, &ticks, |row, _| {
        format!("{:.0}", row.allocations)
    });
    section(
        &mut text,
        "Each of 100 clients sees about 5 % of 10 000 objects",
    );
    let sights: Vec<&SightRow> = rows.iter().filter_map(Row::sight).collect();
    sight_table(&mut text, &sights);
    section(&mut text, "Packets that get lost");
    loss::table(&mut text, rows);
    section(&mut text, "A client joins");
    let joins: Vec<&JoinRow> = rows.iter().filter_map(Row::join).collect();
    join_table(&mut text, &joins);
    section(&mut text, "One object to bytes and back");
    codec_table(&mut text, rows.iter().filter_map(Row::codec));
    text
}

/// The cell that is quoted: a large world in which some of the objects change a little.
fn summary(text: &mut String, rows: &[&TickRow]) {
    let (size, load) = (
        Size {
            objects: 10_000,
            clients: 100,
        },
        Load::new(10, false),
    );
    let cell = |peer| {
        let of_peer = |row: &&&TickRow| row.peer == peer && row.size == size && row.load == load;
        rows.iter().find(of_peer)
    };
    let Some(syncvar) = cell("syncvar") else {
        return;
    };
    text.push_str(
        "10 000 objects, 100 clients, one field of 10 % changed. Ratios are to `syncvar`.\n\n",
    );
    header(
        text,
        &[
            "",
            "server per tick",
            "client per tick",
            "bytes per changed object",
        ],
    );
    for (peer, name) in COLUMNS {
        let Some(row) = cell(peer) else { continue };
        let server = row.send_nanoseconds as f64 / syncvar.send_nanoseconds as f64;
        let client = row.apply_nanoseconds as f64 / syncvar.apply_nanoseconds as f64;
        writeln!(
            text,
            "| {name} | {} ({}) | {} ({}) | {:.1} |",
            time(row.send_nanoseconds),
            times(server),
            time(row.apply_nanoseconds),
            times(client),
            row.bytes / f64::from(row.changed()),
        )
        .expect("a string takes everything");
    }
}

/// Ten thousand objects of which a tenth changes: what more clients cost.
pub(crate) fn cost_by_clients(rows: &[Row]) -> String {
    let chart = Chart {
        title: "One tick of the server: 10 000 objects, one field of 10 % changed".into(),
        x_label: "clients",
        y_label: "time per tick",
        series: series(rows, |size| {
            (size.objects == 10_000).then_some(size.clients as f64)
        }),
    };
    chart.to_svg()
}

/// Ten clients: what more objects cost.
pub(crate) fn cost_by_objects(rows: &[Row]) -> String {
    let chart = Chart {
        title: "One tick of the server: 10 clients, one field of 10 % changed".into(),
        x_label: "objects",
        y_label: "time per tick",
        series: series(rows, |size| {
            (size.clients == 10).then_some(size.objects.into())
        }),
    };
    chart.to_svg()
}

/// A line per peer; `x` says where a size lies, if it is part of the picture.
fn series(rows: &[Row], x: impl Fn(Size) -> Option<f64>) -> Vec<Series> {
    let line = |(peer, _)| {
        let ticks = rows.iter().filter_map(Row::tick);
        let ticks = ticks.filter(|row| row.peer == peer && row.load == Load::new(10, false));
        let points =
            ticks.filter_map(|row| Some((x(row.size)?, row.send_nanoseconds as f64 / 1e3)));
        Series {
            name: String::from(peer),
            points: points.collect(),
        }
    };
    let drawn = COLUMNS.into_iter().filter(|(peer, _)| *peer != UNET);
    drawn.map(line).collect()
}

fn section(text: &mut String, title: &str) {
    write!(text, "\n## {title}\n\n").expect("a string takes everything");
}

fn header(text: &mut String, columns: &[&str]) {
    let rule = vec!["---"; columns.len()];
    for cells in [columns, &rule] {
        writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes everything");
    }
}

/// A line per point of the grid, with times compared to the floor's.
fn time_table(text: &mut String, rows: &[&TickRow], nanoseconds: impl Fn(&TickRow) -> u64) {
    tick_table(text, rows, |row, floor| {
        let time = time(nanoseconds(row));
        if row.peer == floor.peer {
            return time;
        }
        let ratio = nanoseconds(row) as f64 / nanoseconds(floor).max(1) as f64;
        format!("{time} ({})", times(ratio))
    });
}

/// A line per point of the grid; `cell` is given the row of a peer and that of the floor.
fn tick_table(text: &mut String, rows: &[&TickRow], cell: impl Fn(&TickRow, &TickRow) -> String) {
    let names = COLUMNS.map(|(_, name)| name);
    header(
        text,
        &[&["objects", "clients", "changed"][..], &names].concat(),
    );
    for floor in rows.iter().filter(|row| row.peer == "floor") {
        let (size, load) = (floor.size, floor.load);
        let (objects, clients) = (size.objects.to_string(), size.clients.to_string());
        let mut cells = vec![objects, clients, load.label()];
        for (peer, _) in COLUMNS {
            let row = rows
                .iter()
                .find(|row| row.peer == peer && row.size == size && row.load == load);
            cells.push(row.map_or_else(|| "-".into(), |row| cell(row, floor)));
        }
        writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes everything");
    }
}

/// A line per grid, load and peer; ratios are to the floor that knows who sees what.
fn sight_table(text: &mut String, rows: &[&SightRow]) {
    let columns = [
        "grid",
        "changed",
        "peer",
        "server",
        "client",
        "bytes per changed object in view",
        "allocations",
    ];
    header(text, &columns);
    for SightRow {
        cells, tick: floor, ..
    } in rows.iter().filter(|row| row.tick.peer == "floor")
    {
        for (peer, name) in COLUMNS {
            let row = rows.iter().find(|row| {
                (&row.cells, row.tick.load, &row.tick.peer[..]) == (cells, floor.load, peer)
            });
            let Some(SightRow { seen, tick, .. }) = row else {
                continue;
            };
            let changed = *seen as f64 * f64::from(tick.load.percent) / 100.0;
            let server = tick.send_nanoseconds as f64 / floor.send_nanoseconds.max(1) as f64;
            let client = tick.apply_nanoseconds as f64 / floor.apply_nanoseconds.max(1) as f64;
            writeln!(
                text,
                "| {cells} | {} | {name} | {} ({}) | {} ({}) | {:.1} | {:.0} |",
                tick.load.label(),
                time(tick.send_nanoseconds),
                times(server),
                time(tick.apply_nanoseconds),
                times(client),
                tick.bytes / changed,
                tick.allocations,
            )
            .expect("a string takes everything");
        }
    }
}

fn join_table(text: &mut String, rows: &[&JoinRow]) {
    let columns = [
        "objects",
        "clients there",
        "peer",
        "server",
        "client",
        "bytes",
        "packets",
    ];
    header(text, &columns);
    for floor in rows.iter().filter(|row| row.peer == "floor") {
        for row in rows.iter().filter(|row| row.size == floor.size) {
            let Size { objects, clients } = row.size;
            let server = row.send_nanoseconds as f64 / floor.send_nanoseconds.max(1) as f64;
            let client = row.apply_nanoseconds as f64 / floor.apply_nanoseconds.max(1) as f64;
            writeln!(
                text,
                "| {objects} | {clients} | {} | {} ({}) | {} ({}) | {} | {} |",
                row.peer,
                time(row.send_nanoseconds),
                times(server),
                time(row.apply_nanoseconds),
                times(client),
                row.bytes,
                row.packets,
            )
            .expect("a string takes everything");
        }
    }
}

fn codec_table<'a>(text: &mut String, rows: impl Iterator<Item = &'a CodecRow>) {
    header(text, &["codec", "encode", "decode", "bytes", "note"]);
    for row in rows {
        writeln!(
            text,
            "| {} | {:.1} ns | {:.1} ns | {:.1} | {} |",
            row.codec, row.encode_nanoseconds, row.decode_nanoseconds, row.bytes, row.note,
        )
        .expect("a string takes everything");
    }
}

fn time(nanoseconds: u64) -> String {
    let nanoseconds = nanoseconds as f64;
    if nanoseconds < 1e3 {
        format!("{nanoseconds:.0} ns")
    } else if nanoseconds < 1e6 {
        format!("{:.1} µs", nanoseconds / 1e3)
    } else {
        format!("{:.2} ms", nanoseconds / 1e6)
    }
}

fn times(ratio: f64) -> String {
    if ratio < 0.095 {
        format!("{ratio:.2}x")
    } else if ratio < 9.95 {
        format!("{ratio:.1}x")
    } else {
        format!("{ratio:.0}x")
    }
}

impl Row {
    fn tick(&self) -> Option<&TickRow> {
        match self {
            Self::Tick(row) => Some(row),
            _ => None,
        }
    }

    fn join(&self) -> Option<&JoinRow> {
        match self {
            Self::Join(row) => Some(row),
            _ => None,
        }
    }

    fn sight(&self) -> Option<&SightRow> {
        match self {
            Self::Sight(row) => Some(row),
            _ => None,
        }
    }

    fn loss(&self) -> Option<&LossRow> {
        match self {
            Self::Loss(row) => Some(row),
            _ => None,
        }
    }

    fn codec(&self) -> Option<&CodecRow> {
        match self {
            Self::Codec(row) => Some(row),
            _ => None,
        }
    }
}

impl TickRow {
    /// How many objects change in a tick.
    fn changed(&self) -> u32 {
        self.size.objects / 100 * self.load.percent
    }
}
