//! Writes of a pool's objects on several threads.

use std::sync::Mutex;

use rayon::slice::ParallelSliceMut;

use super::batches::write_batches;
use super::rows::Rows;
use super::{ChangeSink, Job};
use crate::object::Slots;

/// Exclusive access of a thread to a row; `None` without such a row.
type RowAccess<'a, S> = Option<&'a mut Option<S>>;

/// Writes the pending changes of a run of objects: each sink receives a share of them, and each idle
/// thread takes the next share.
pub(super) fn write_changes_to_all<S: Slots>(
    rows: &mut Rows<S>,
    jobs: &[Job],
    sinks: Vec<ChangeSink<'_>>,
) {
    let share = jobs.len().div_ceil(sinks.len().max(1)).max(1);
    let mut rows = rows_of(rows, jobs);
    let shares = jobs.chunks(share).zip(rows.chunks_mut(share)).zip(sinks);
    let shares = Mutex::new(shares);
    let next = || shares.lock().ok()?.next();
    let write = || {
        // Each sink moves to the stack of its thread, which avoids shared cache lines.
        while let Some(((jobs, rows), mut sink)) = next() {
            write_batches(rows, jobs, &mut sink, |rows, place, _| {
                rows.get_mut(place)?.as_deref_mut()?.as_mut()
            });
        }
    };
    // This thread writes too: it starts at once, and its cache holds the recent changes.
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| write());
        }
        write();
    });
}

/// Returns the rows of jobs, in the order of the jobs, without reading them.
fn rows_of<'a, S: Send>(rows: &'a mut Rows<S>, jobs: &[Job]) -> Vec<RowAccess<'a, S>> {
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
    // Reused rows are in no order.
    let places = jobs.iter().zip(0_u32..);
    let mut order: Vec<(u32, u32)> = places.map(|(job, place)| (job.row, place)).collect();
    order.par_sort_unstable();
    let mut found: Vec<_> = jobs.iter().map(|_| None).collect();
    for (row, place) in order {
        found[place as usize] = take(row);
    }
    found
}
