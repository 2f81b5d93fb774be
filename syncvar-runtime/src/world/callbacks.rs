//! `Callbacks`: the runner of hooks, lifecycle callbacks and calls.

/// Runner of hooks, lifecycle callbacks and calls of behaviours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Callbacks {
    /// The server or client runs them on the behaviours of its objects.
    #[default]
    Run,
    /// No callback runs, for programs that own their data elsewhere. Calls become events
    /// (`ServerEvent::Called`, `ClientEvent::Called`), which `run_call` runs on the program's own
    /// values. `NetworkClient::drain_received` reports received fields.
    Events,
}
