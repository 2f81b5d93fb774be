//! `Stage`: a server and its clients.

/// A server and its clients.
pub(crate) trait Stage {
    /// Name for the output.
    fn name(&self) -> &'static str;

    /// Runs random operations. Returns their number.
    fn churn(&mut self) -> Result<u64, String>;

    /// Lets all packets arrive, and compares the replicas and the counters with the server.
    fn check(&mut self) -> Result<(), String>;

    /// Despawns all objects but those of the scene.
    fn clear(&mut self) -> Result<(), String>;

    /// Returns the number of ids that the server has used.
    fn ids(&self) -> u64;
}

/// Fails with a sentence if a condition does not hold.
pub(crate) fn ensure(condition: bool, sentence: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(sentence()) }
}
