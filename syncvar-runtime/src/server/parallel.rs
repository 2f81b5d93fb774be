//! `Crew`: threads that encode the changes of a run together.
//!
//! Each of them writes its share of the objects just as one thread writes all of them, but into buffers
//! of its own. What they have written is then put together in order.

use super::audience::Outputs;
use super::budget::position;
use super::notes::{Note, Notes};
use super::sink::{Encoded, Outcome, Sink};
use crate::Dialect;
use crate::identity::{Job, Pool};
use crate::segments::Segments;
use crate::stats::{BehaviourStats, Counter};

/// The members of a crew, whose buffers are used again and again.
#[derive(Debug, Default)]
pub(super) struct Crew {
    members: Vec<Member>,
}

/// What a thread writes to.
#[derive(Debug, Default)]
struct Member {
    /// A buffer for each channel, in either dialect.
    unet: Vec<Segments>,
    compact: Vec<Segments>,
    stats: Vec<BehaviourStats>,
    outcome: Outcome,
    notes: Notes,
}

impl Crew {
    /// Has the objects of a run write what they have to send, if there are enough of them and more
    /// than one thread. Returns those that are still to be written: none, or all.
    pub(super) fn write<'a>(
        &mut self,
        jobs: &'a [Job],
        from: usize,
        pool: &mut dyn Pool,
        sink: &mut Sink<'_>,
    ) -> &'a [Job] {
        if jobs.len() < from.max(1) {
            return jobs;
        }
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return jobs;
        }
        self.members.resize_with(threads, Member::default);
        let sinks = self.members.iter_mut().map(|member| member.sink(sink));
        pool.write_changes_to_all(jobs, &mut sinks.collect::<Vec<_>>());
        for member in &mut self.members {
            member.hand_over(sink);
        }
        &[]
    }
}

impl Member {
    /// Where this thread writes what is for a sink, all of it empty whatever became of it before.
    fn sink<'a>(&'a mut self, whole: &Sink<'a>) -> Sink<'a> {
        self.stats.clear();
        self.stats.resize_with(whole.stats.len(), nameless);
        self.outcome.left.clear();
        self.outcome.errors.clear();
        self.notes.clear();
        Sink {
            now: whole.now,
            channels: whole.channels,
            packet_size: whole.packet_size,
            audience: whole.audience,
            outputs: Outputs::new(
                buffers(&mut self.unet, Dialect::Unet, &whole.outputs),
                buffers(&mut self.compact, Dialect::Compact, &whole.outputs),
            ),
            stats: &mut self.stats,
            encoded: Encoded::default(),
            outcome: &mut self.outcome,
            notes: whole.notes.as_ref().map(|_| &mut self.notes),
        }
    }

    /// Gives a sink what this thread has written, and what is to be said about it.
    fn hand_over(&mut self, sink: &mut Sink<'_>) {
        let Outputs { first, second } = &mut sink.outputs;
        for outputs in [first, second] {
            for (channel, output) in (0_u8..).zip(outputs.iter_mut()) {
                let dialect = output.dialect();
                let own = match dialect {
                    Dialect::Unet => &mut self.unet,
                    Dialect::Compact => &mut self.compact,
                };
                // A note for each message, if there are any.
                let notes = self.notes.list.iter_mut();
                let mut notes = notes.filter(|note| note.channel == channel);
                let written = output.append_updates(&mut own[usize::from(channel)], |changes| {
                    if let Some(note) = notes.next() {
                        note.changes[Notes::place(dialect)] = changes;
                    }
                });
                sink.encoded.add_all(dialect, written);
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
    dialect: Dialect,
    whole: &Outputs<'_>,
) -> &'a mut [Segments] {
    let spoken = [&*whole.first, &*whole.second].into_iter();
    let mut spoken = spoken.filter(|of| of.first().is_some_and(|one| one.dialect() == dialect));
    let channels = spoken.next().map_or(0, <[_]>::len);
    if own.len() < channels {
        own.resize_with(channels, || Segments::with_dialect(usize::MAX, dialect));
    }
    let buffers = &mut own[..channels];
    buffers.iter_mut().for_each(Segments::clear);
    buffers
}

/// Counters for a behaviour, whichever it is.
fn nameless() -> BehaviourStats {
    BehaviourStats {
        prefab: String::new(),
        behaviour: String::new(),
        full: Counter::default(),
        delta: Counter::default(),
    }
}
