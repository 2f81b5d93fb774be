//! Observers, budgets and random worlds.

mod budgets;
mod convergence;
mod hidden;
mod interest;
mod observers;
#[cfg(feature = "parallel")]
mod parallel;
mod random;
mod sight;
#[path = "../support/mod.rs"]
mod support;
mod tcp;
mod waiting;
