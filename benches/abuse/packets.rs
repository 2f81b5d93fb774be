//! CPU time of packets that are legal and malicious.

use std::io;
use std::time::Duration;

use syncvar_testing::attacks::{Attack, attacks};

/// Prints the CPU time of each attack, in the milliseconds of this thread.
pub(crate) fn run(selected: &[&str]) -> io::Result<()> {
    println!(
        "| packets of an update | bytes | updates | most ms of a packet | ms of all | sent KB |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, prepare) in attacks() {
        if selected.is_empty() || selected.iter().any(|part| name.contains(part)) {
            let mut attack = prepare();
            let cost = measure(&mut attack)?;
            println!(
                "| {name} | {} | {} | {:.1} | {:.1} | {} |",
                attack.len(),
                attack.updates,
                cost.packet.as_secs_f64() * 1e3,
                cost.total.as_secs_f64() * 1e3,
                cost.sent / 1000,
            );
        }
    }
    Ok(())
}

/// Cost of an attack.
#[derive(Debug, Default)]
struct Cost {
    /// Largest time of a packet.
    packet: Duration,
    /// Time of all packets and updates.
    total: Duration,
    /// Bytes that the end has sent.
    sent: usize,
}

fn measure(attack: &mut Attack) -> io::Result<Cost> {
    let mut cost = Cost::default();
    let before = thread_time()?;
    for _ in 0..attack.updates {
        for packet in &attack.packets {
            let start = thread_time()?;
            attack.victim.handle(packet);
            cost.packet = cost.packet.max(thread_time()?.saturating_sub(start));
        }
        cost.sent += attack.victim.update();
    }
    cost.total = thread_time()?.saturating_sub(before);
    Ok(cost)
}

/// Returns the CPU time of this thread.
fn thread_time() -> io::Result<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = times.split_whitespace().next();
    let nanos = nanos.and_then(|nanos| nanos.parse().ok());
    Ok(Duration::from_nanos(nanos.unwrap_or(0)))
}
