//! The argument of the programs that run for a time.

/// Returns the value of `--minutes`, or 1.
pub(crate) fn minutes() -> Result<f64, String> {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        return Ok(1.0);
    };
    let value = arguments.next().and_then(|value| value.parse().ok());
    match value {
        Some(minutes) if name == "--minutes" && (0.0..=1e5).contains(&minutes) => Ok(minutes),
        _ => Err(format!("{name} needs a number of minutes")),
    }
}
