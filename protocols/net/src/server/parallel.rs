//! The changes of a run, encoded on several threads.
//!
//! The objects are cut into shares, which whatever thread is free takes one after another. Each is
//! written just as one thread writes all of them, but into buffers of its own; what was written is then
//! put together in order.

use crate::BehaviourStats;
use crate::Framing;
use crate::object::Outputs;
use crate::object::position;
use crate::object::{ChangeSink, Encoded, Outcome};
use crate::object::{Job, Pool};
use crate::object::{Note, Notes};
use crate::packet::Segments;

/// Threads are not equally fast: what was changed lately is in one processor's cache. The last share
/// that a slow one takes is all that the others wait for.
const SHARES_PER_THREAD: usize = 8;

/// A share of fewer objects is not worth having.
const LEAST_SHARE: usize = 256;

/// What the shares of a run are written to, again and again.
#[derive(Debug, Default)]
pub(super) struct Shares {
    all: Vec<Share>,
}

/// What one share is written to.
#[derive(Debug, Default)]
struct Share {
    /// A buffer for each channel, in either dialect.
    unet: Vec<Segments>,
    compact: Vec<Segments>,
    stats: Vec<BehaviourStats>,
    outcome: Outcome,
    notes: Notes,
}

impl Shares {
    /// Has the objects of a run write what they have to send, if there are enough of them and more
    /// than one thread. Returns those that are still to be written: none, or all.
    pub(super) fn write<'a>(
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
    /// Where what is for a sink is written instead, empty whatever became of it before.
    fn sink<'a>(&'a mut self, whole: &ChangeSink<'a>) -> ChangeSink<'a> {
        self.stats.clear();
        reserve_apart(&mut self.stats, whole.stats.len());
        self.stats.resize_with(whole.stats.len(), nameless);
        self.outcome.left.clear();
        self.outcome.errors.clear();
        self.notes.clear();
        ChangeSink {
            now: whole.now,
            channels: whole.channels,
            reliable: whole.reliable,
            unreliable: whole.unreliable,
            audience: whole.audience,
            outputs: Outputs::new(
                buffers(&mut self.unet, Framing::Unet, &whole.outputs),
                buffers(&mut self.compact, Framing::Compact, &whole.outputs),
            ),
            stats: &mut self.stats,
            encoded: Encoded::default(),
            outcome: &mut self.outcome,
            notes: whole.notes.as_ref().map(|_| &mut self.notes),
        }
    }

    /// Gives a sink what has been written, and what is to be said about it.
    fn hand_over(&mut self, sink: &mut ChangeSink<'_>) {
        let Outputs { first, second } = &mut sink.outputs;
        for outputs in [first, second] {
            for (channel, output) in (0_u8..).zip(outputs.iter_mut()) {
                let framing = Framing::of(output);
                let own = match framing {
                    Framing::Unet => &mut self.unet,
                    Framing::Compact => &mut self.compact,
                };
                // A note for each message, if there are any.
                let notes = self.notes.list.iter_mut();
                let mut notes = notes.filter(|note| note.channel == channel);
                let written = output.append_updates(&mut own[usize::from(channel)], |changes| {
                    if let Some(places) = notes.next().and_then(|note| note.changes.as_mut()) {
                        places[Notes::place(framing.form())] = changes;
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
        if let Some(notes) = sink.notes.as_deref_mut() {
            let start = position(&notes.masks);
            notes.masks.append(&mut self.notes.masks);
            let own = self.notes.list.drain(..);
            notes.list.extend(own.map(|note| Note {
                masks: note.masks.start + start..note.masks.end + start,
                ..note
            }));
        }
    }
}

/// Empty buffers for every channel of a dialect, if it is spoken.
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

/// Makes room for so many elements, and for some more which nobody touches: two threads that write to
/// the same line of their caches slow each other down.
fn reserve_apart<T>(list: &mut Vec<T>, count: usize) {
    const LINES: usize = 128;
    if list.capacity() < count {
        list.reserve_exact(count - list.len() + LINES.div_ceil(size_of::<T>()));
    }
}

/// Counters for a behaviour, whichever it is.
fn nameless() -> BehaviourStats {
    BehaviourStats::new("", "")
}
