//! Writes of a pool's objects in batches, whose memory accesses overlap.

use crate::object::change_sink::{ChangeSink, Job};
use crate::object::prefetch::Prefetch;
use crate::object::slots::Slots;

/// Number of objects that are examined or loaded before the first object is written or read. Their memory accesses
/// are then independent, so that the processor performs several at a time.
pub(super) const AHEAD: usize = 128;

/// Writes the pending changes of objects in batches. `row` finds the behaviours of a job's object
/// among `rows`, by the job or by its position.
#[inline]
pub(super) fn write_batches<R: ?Sized, S: Slots>(
    rows: &mut R,
    jobs: &[Job],
    sink: &mut ChangeSink<'_>,
    row: impl for<'r> Fn(&'r mut R, usize, &Job) -> Option<&'r mut S>,
) {
    for (batch, first) in jobs.chunks(AHEAD).zip((0..).step_by(AHEAD)) {
        for (job, place) in batch.iter().zip(first..) {
            if let Some(slots) = row(rows, place, job) {
                slots.visit(0, &mut Prefetch);
            }
        }
        for (job, place) in batch.iter().zip(first..) {
            if let Some(slots) = row(rows, place, job) {
                sink.write(job, slots);
            }
        }
    }
}
