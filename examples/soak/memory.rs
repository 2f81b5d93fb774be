//! Memory that a stage and the process hold.

use std::fmt;

use allocation_counter::measure;

use crate::stage::{Stage, ensure};

/// Growth that the check allows besides a quarter: capacities of queues depend on chance.
const MARGIN: i64 = 256 * 1024;

/// Growth of the process that the check allows besides a half. The system's allocator keeps freed memory.
const RESIDENT_MARGIN: u64 = 16 << 20;

/// A stage with the memory that it holds after each round.
pub(crate) struct Held {
    stage: Box<dyn Stage>,
    operations: u64,
    /// Bytes now, and the most of the warm-up.
    bytes: i64,
    most: i64,
    is_warm: bool,
}

impl Held {
    pub(crate) fn new(stage: impl FnOnce() -> Box<dyn Stage>) -> Self {
        let mut made = None;
        let counted = measure(|| made = Some(stage()));
        Self {
            stage: made.expect("the closure runs once"),
            operations: 0,
            bytes: counted.bytes_current,
            most: 0,
            is_warm: false,
        }
    }

    /// Runs a round and its checks.
    pub(crate) fn round(&mut self) -> Result<(), String> {
        let mut operations = Ok(0);
        let stage = &mut self.stage;
        let counted = measure(|| {
            operations = stage.churn().and_then(|operations| {
                stage.check()?;
                stage.clear()?;
                Ok(operations)
            });
        });
        self.bytes += counted.bytes_current;
        self.operations += operations.map_err(|error| format!("{}: {error}", self.stage.name()))?;
        if !self.is_warm {
            self.most = self.most.max(self.bytes);
        }
        let limit = self.most + self.most / 4 + MARGIN;
        ensure(self.bytes <= limit, || {
            format!("memory grows: {self}, at most {} KB", limit >> 10)
        })
    }

    /// Makes the most memory so far the limit.
    pub(crate) fn end_warm_up(&mut self) {
        self.is_warm = true;
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.stage.name();
        let (operations, ids) = (self.operations, self.stage.ids());
        let kilobytes = self.bytes >> 10;
        write!(
            f,
            "{name}: {operations} operations, {ids} ids, {kilobytes} KB"
        )
    }
}

/// Returns the resident memory of the process in bytes; 0 where the system does not tell.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or(0_u64) << 10
}

/// Compares the resident memory with that of the warm-up.
pub(crate) fn check_resident(baseline: u64) -> Result<(), String> {
    let now = resident();
    ensure(now <= baseline + baseline / 2 + RESIDENT_MARGIN, || {
        format!(
            "the process grows: from {} to {} MB",
            baseline >> 20,
            now >> 20
        )
    })
}
