//! Observers, budgets and random worlds.

mod attacks;
mod budgets;
mod convergence;
mod hidden;
mod interest;
mod observers;
mod owner_limits;
#[cfg(feature = "parallel")]
mod parallel;
mod random;
mod seeing;
mod sight;
mod tcp;
mod waiting;
