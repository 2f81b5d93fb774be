//! A pool's objects shared out among threads.

use std::sync::Mutex;

use rayon::slice::ParallelSliceMut;

use super::{ChangeSink, Job, write_batches};
use crate::object::Slots;

/// A row of a pool that one thread has for itself, if there is such a row.
type Lent<'a, S> = Option<&'a mut Option<S>>;

/// Has the objects of a run write what they have to send, to each sink a share of them. A thread that
/// is free takes the next share.
pub(super) fn write_changes_to_all<S: Slots>(
    rows: &mut [Option<S>],
    jobs: &[Job],
    sinks: Vec<ChangeSink<'_>>,
) {
    let share = jobs.len().div_ceil(sinks.len().max(1)).max(1);
    let mut rows = lend(rows, jobs);
    let shares = jobs.chunks(share).zip(rows.chunks_mut(share)).zip(sinks);
    let shares = Mutex::new(shares);
    let next = || shares.lock().ok()?.next();
    let write = || {
        // Each sink is moved to the thread's own stack, apart from the others.
        while let Some(((jobs, rows), mut sink)) = next() {
            write_batches(rows, jobs, &mut sink, |rows, place, _| {
                rows.get_mut(place)?.as_deref_mut()?.as_mut()
            });
        }
    };
    // This thread writes too: it need not wait until others wake up, and has at hand what it changed.
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| write());
        }
        write();
    });
}

/// The rows of jobs, in the order of the jobs. None is looked into: that is left to the threads.
fn lend<'a, S: Send>(rows: &'a mut [Option<S>], jobs: &[Job]) -> Vec<Lent<'a, S>> {
    let mut rest = rows.iter_mut();
    let mut passed = 0;
    let mut take = |row: u32| {
        let skipped = (row as usize).checked_sub(passed)?;
        passed += skipped + 1;
        rest.nth(skipped)
    };
    if jobs.is_sorted_by_key(|job| job.row) {
        return jobs.iter().map(|job| take(job.row)).collect();
    }
    // Rows that are used again are in no order.
    let places = jobs.iter().zip(0_u32..);
    let mut order: Vec<(u32, u32)> = places.map(|(job, place)| (job.row, place)).collect();
    order.par_sort_unstable();
    let mut lent: Vec<_> = jobs.iter().map(|_| None).collect();
    for (row, place) in order {
        lent[place as usize] = take(row);
    }
    lent
}
