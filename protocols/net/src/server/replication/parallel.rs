//! Deltas of a run, encoded on several threads.
//!
//! The objects are divided into shares, and idle threads take one after another. Each share has
//! separate buffers, which are joined in order.

use syncvar_runtime::BehaviourStats;
use syncvar_runtime::unstable::object::{
    ChangeSink, Encoded, Job, Outcome, Outputs, Pool, SinkLog, WriteLog, WriteRecord, mask_count,
};
use syncvar_runtime::unstable::packet::Segments;

use crate::Framing;

/// Threads differ in speed, because recent writes are in one processor's cache. All wait for the
/// last share of the slowest.
const SHARES_PER_THREAD: usize = 8;

/// Minimum number of objects in a share.
const LEAST_SHARE: usize = 256;

/// Outputs of the shares of a run, reused.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    all: Vec<Share>,
}

/// Outputs of a share.
#[derive(Debug, Default)]
struct Share {
    /// Buffers for each channel, per framing.
    unet: Vec<Segments>,
    compact: Vec<Segments>,
    stats: Vec<BehaviourStats>,
    outcome: Outcome,
    log: WriteLog,
}

impl Shares {
    /// Writes the deltas of a run in shares, if it is long enough and the pool has several threads.
    /// Returns the remaining jobs: none or all.
    pub(crate) fn write<'a>(
        &mut self,
        jobs: &'a [Job],
        from: usize,
        pool: &mut dyn Pool,
        sink: &mut ChangeSink<'_>,
    ) -> &'a [Job] {
        if jobs.len() < from.max(1) {
            return jobs;
        }
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return jobs;
        }
        let most = (threads * SHARES_PER_THREAD).min(jobs.len() / LEAST_SHARE);
        let count = most.max(threads);
        if self.all.len() < count {
            self.all.resize_with(count, Share::default);
        }
        let shares = &mut self.all[..count];
        let sinks = shares.iter_mut().map(|share| share.sink(sink));
        pool.write_changes_to_all(jobs, sinks.collect());
        for share in shares {
            share.hand_over(sink);
        }
        &[]
    }
}

impl Share {
    /// Returns a sink with empty outputs.
    fn sink<'a>(&'a mut self, whole: &ChangeSink<'a>) -> ChangeSink<'a> {
        self.stats.clear();
        reserve_apart(&mut self.stats, whole.stats.len());
        self.stats.resize_with(whole.stats.len(), nameless);
        self.outcome.left.clear();
        self.outcome.errors.clear();
        self.log.clear();
        ChangeSink {
            rules: whole.rules,
            audience: whole.audience,
            outputs: Outputs::new(
                buffers(&mut self.unet, Framing::Unet, &whole.outputs),
                buffers(&mut self.compact, Framing::Compact, &whole.outputs),
            ),
            stats: &mut self.stats,
            encoded: Encoded::default(),
            outcome: &mut self.outcome,
            log: whole.log.as_ref().map(|log| SinkLog {
                writes: &mut self.log,
                has_reliable: log.has_reliable,
            }),
        }
    }

    /// Appends the outputs to a sink.
    fn hand_over(&mut self, sink: &mut ChangeSink<'_>) {
        let Outputs { first, second } = &mut sink.outputs;
        for outputs in [first, second] {
            for (channel, output) in (0_u8..).zip(outputs.iter_mut()) {
                let framing = Framing::of(output);
                let own = match framing {
                    Framing::Unet => &mut self.unet,
                    Framing::Compact => &mut self.compact,
                };
                // One record for each message, if the log is active.
                let log = self.log.records.iter_mut();
                let mut log = log.filter(|note| note.channel == channel);
                let written = output.append_updates(&mut own[usize::from(channel)], |changes| {
                    if let Some(places) = log.next().and_then(|note| note.changes.as_mut()) {
                        places[WriteLog::index(framing.form())] = changes;
                    }
                });
                sink.encoded.of(framing.form()).add_all(written);
            }
        }
        for (whole, own) in sink.stats.iter_mut().zip(&self.stats) {
            whole.delta.add_all(own.delta);
        }
        sink.outcome.left.append(&mut self.outcome.left);
        sink.outcome.errors.append(&mut self.outcome.errors);
        if let Some(log) = sink.log.as_mut().map(|log| &mut *log.writes) {
            let start = mask_count(&log.masks);
            log.masks.append(&mut self.log.masks);
            let own = self.log.records.drain(..);
            log.records.extend(own.map(|note| WriteRecord {
                masks: note.masks.start + start..note.masks.end + start,
                ..note
            }));
        }
    }
}

/// Returns empty buffers for every channel of a framing, if the audience has it.
fn buffers<'a>(
    own: &'a mut Vec<Segments>,
    framing: Framing,
    whole: &Outputs<'_>,
) -> &'a mut [Segments] {
    let spoken = [&*whole.first, &*whole.second].into_iter();
    let mut spoken = spoken.filter(|of| of.first().is_some_and(|one| Framing::of(one) == framing));
    let channels = spoken.next().map_or(0, <[_]>::len);
    if own.len() < channels {
        reserve_apart(own, channels);
        own.resize_with(channels, || framing.segments(usize::MAX));
    }
    let buffers = &mut own[..channels];
    buffers.iter_mut().for_each(Segments::clear);
    buffers
}

/// Reserves room for these elements and unused space behind them. Two threads that write to one
/// cache line slow each other down.
fn reserve_apart<T>(list: &mut Vec<T>, count: usize) {
    const LINES: usize = 128;
    if list.capacity() < count {
        list.reserve_exact(count - list.len() + LINES.div_ceil(size_of::<T>()));
    }
}

/// Returns counters without names.
fn nameless() -> BehaviourStats {
    BehaviourStats::new("", "")
}
