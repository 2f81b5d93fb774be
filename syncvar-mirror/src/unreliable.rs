//! What has come of an object whose components travel unreliably: Mirror's `SyncMethod.Hybrid`.

/// Which state the changes of an object are counted from, and when the last of them was sent. A baseline
/// has 0 until the first one comes: changes that are counted from what an object was spawned with count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unreliable {
    baseline: u8,
    time: f64,
}

impl Unreliable {
    /// A baseline has come. Mirror does not ask when it was sent.
    pub(crate) const fn begin(&mut self, baseline_tick: u8) {
        self.baseline = baseline_tick;
    }

    /// Whether changes in a batch of this time count: they are counted from the last baseline, and newer
    /// than those that came last.
    pub(crate) fn accept(&mut self, baseline_tick: u8, time: f64) -> bool {
        let counts = baseline_tick == self.baseline && time > self.time;
        if counts {
            self.time = time;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Unreliable;

    #[test]
    fn changes_count_from_the_spawn_on_and_then_from_the_last_baseline() {
        let mut unreliable = Unreliable::default();
        assert!(unreliable.accept(0, 0.1));
        assert!(!unreliable.accept(0, 0.1), "it comes twice");
        assert!(!unreliable.accept(0, 0.05), "it is late");
        assert!(
            !unreliable.accept(1, 0.2),
            "it is counted from what is not there"
        );
        unreliable.begin(1);
        assert!(
            !unreliable.accept(0, 0.3),
            "it is counted from what was before"
        );
        assert!(unreliable.accept(1, 0.2));
        assert!(!unreliable.accept(1, f64::NAN));
        assert!(unreliable.accept(1, 0.3));
    }
}
