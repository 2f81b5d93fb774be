//! `ZoneProgram`: the program's own state of objects that move.

use syncvar_net::NetworkServer;
use syncvar_runtime::NetId;

/// Program of a zone: it packs its own state of an object, such as timers and members without `#[sync_var]`, when the object moves.
/// `()` is a program without such state.
pub trait ZoneProgram {
    /// Returns the state of an object that leaves. The object is still in the server.
    fn leave(&mut self, server: &mut NetworkServer, object: NetId) -> Vec<u8> {
        let _ = (server, object);
        Vec::new()
    }

    /// Takes the state of an object that has arrived, or has returned because the receiver has refused it. The object is in the
    /// server, with all fields and its owner.
    fn arrive(&mut self, server: &mut NetworkServer, object: NetId, state: &[u8]) {
        let _ = (server, object, state);
    }
}

impl ZoneProgram for () {}
