//! Comparison of the figures with their targets.

use crate::Table;

/// A figure and its target.
struct Target {
    name: String,
    /// `None` without the measured row.
    figure: Option<f64>,
    limit: f64,
}

/// Returns the ratio of the times of two rows in a column.
fn ratio(table: &Table, column: usize, row: &str, to: &str) -> Option<f64> {
    let time = |name| Some(table.row(name)?.figures.get(column)?.micros);
    Some(time(row)? / time(to)?)
}

/// Returns the most allocations of a row for each changed object.
fn allocations(table: &Table, row: &str) -> Option<f64> {
    let figures = table.row(row)?.figures.iter();
    let most = figures.map(|figures| figures.allocations).max()?;
    let changed = u32::try_from(crate::OBJECTS / crate::CHANGED).ok()?;
    Some(f64::from(u32::try_from(most).ok()?) / f64::from(changed))
}

fn bytes(table: &Table, row: &str) -> Option<f64> {
    let bytes = table.row(row)?.bytes_per_object();
    i32::try_from(bytes).ok().map(f64::from)
}

fn idle(table: &Table, row: &str) -> Option<f64> {
    let time = |name| Some(table.row(name)?.figures.first()?.micros);
    Some(time(row)? - time("no plugin")?)
}

/// Prints the targets of the plugin beside the figures.
pub(crate) fn print(many: &Table, one: &Table, client: &Table, idle_server: &Table) {
    let mut targets = Vec::new();
    let mut add = |name: String, figure: Option<f64>, limit: f64| {
        targets.push(Target {
            name,
            figure,
            limit,
        });
    };
    for (column, fields, bundle) in [(0, "one field", 1.8), (1, "all fields", 1.5)] {
        for (row, limit) in [("bundle", bundle), ("any set", 2.5)] {
            let name = format!("server, 100 clients, {fields}: {row} / engine-free");
            add(name, ratio(many, column, row, "engine-free"), limit);
            let name = format!("server, 100 clients, {fields}: {row} / bevy_replicon");
            add(name, ratio(many, column, row, "bevy_replicon"), 0.01);
            for (table, end) in [(one, "server"), (client, "client")] {
                let name = format!("{end}, 1 client, {fields}: {row} / bevy_replicon");
                add(name, ratio(table, column, row, "bevy_replicon"), 1.0);
            }
        }
    }
    for row in ["bundle", "any set"] {
        let name = format!("bytes of an object, server, 100 clients: {row}");
        add(name, bytes(many, row), 600.0);
        let name = format!("bytes of an object, both ends: {row}");
        add(name, bytes(client, row), 1000.0);
        for (table, end) in [(many, "server, 100 clients"), (client, "client")] {
            let name = format!("allocations for a changed object, {end}: {row}");
            add(name, allocations(table, row), 0.1);
        }
    }
    for (row, types) in [("1 type", 1.0), ("16 types", 16.0)] {
        let name = format!("idle, {row}: µs more than without the plugin");
        add(name, idle(idle_server, row), 3.0 + 0.2 * types);
    }
    println!("\n| target | measured | at most | |");
    println!("|---|---|---|---|");
    for target in targets {
        let Some(figure) = target.figure else {
            continue;
        };
        let verdict = if figure <= target.limit {
            "met"
        } else {
            "missed"
        };
        println!(
            "| {} | {figure:.3} | {} | {verdict} |",
            target.name, target.limit
        );
    }
}
