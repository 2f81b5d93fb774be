//! Objects: identity, life cycle, calls and the host.

mod calls;
mod clock;
mod connections;
mod context_hooks;
mod engine;
mod event_readers;
mod field_ticks;
mod host;
mod inputs;
mod iteration;
mod late_join;
mod lifecycle;
mod many_behaviours;
mod messages;
mod motion;
mod optional;
mod owned_elsewhere;
mod parenting;
mod players;
mod prediction;
mod reasons;
mod references;
mod scene;
mod spawning;
mod together;
