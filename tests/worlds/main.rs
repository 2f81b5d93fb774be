//! Observers, budgets and random worlds.

mod attacks;
mod budgets;
mod builds;
mod convergence;
mod cut_calls;
mod freezes;
mod hidden;
mod interest;
mod joining;
mod liars;
mod link_cost;
mod loss;
mod lossy;
mod lossy_owners;
mod observers;
mod owner_limits;
#[cfg(feature = "parallel")]
mod parallel;
mod programs;
mod random;
mod recording;
mod repairs;
mod returning;
mod saving;
mod schedules;
mod second_updates;
mod seeing;
mod sight;
mod simulated;
mod slow_readers;
mod tcp;
mod untyped;
mod value_limits;
mod waiting;
