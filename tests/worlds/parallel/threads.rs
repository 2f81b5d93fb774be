//! Which threads write.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    ServerConfig,
    behaviour::FieldVisitor,
    schema::{BehaviourSchema, FieldSchema},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::twins::on_three_threads;

/// How many are being written in which others take part.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Knows which thread has written it, and may wait for another to be written at the same time.
#[derive(Default)]
struct Witness {
    turn: SyncVar<u8>,
    waits: bool,
    met: bool,
    written_by: Option<ThreadId>,
}

impl NetworkBehaviour for Witness {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Witness",
        base: None,
        fields: &[FieldSchema::of::<SyncVar<u8>>("turn")],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.turn.is_dirty().into()
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Witness.turn", &mut self.turn);
    }
    fn on_serialize(&mut self, _: &mut NetworkWriter, initial_state: bool) -> bool {
        if !initial_state {
            self.written_by = Some(thread::current().id());
            WRITING.fetch_add(usize::from(self.waits), Ordering::SeqCst);
            let start = Instant::now();
            while self.waits && !self.met && start.elapsed() < Duration::from_secs(20) {
                self.met = WRITING.load(Ordering::SeqCst) >= 2;
                thread::yield_now();
            }
        }
        true
    }
    fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
        Ok(())
    }
}

/// A server with some witnesses that are all changed and written once, the first two of which wait.
fn witnesses(parallel_from: usize, count: usize, waits: bool) -> (NetworkServer, Vec<NetId>) {
    let config = ServerConfig {
        compare_schemas: false,
        parallel_from,
        ..ServerConfig::default()
    };
    let prefabs = Prefabs::new().register::<Witness>("witness");
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    let spawn = |_| server.spawn(Witness::default());
    let ids: Vec<_> = (0..count).map(spawn).collect();
    server.update(Duration::from_secs(1));
    for id in &ids {
        let mut witness = server.get_mut::<Witness>(*id).unwrap();
        witness.turn.set_dirty();
        witness.waits = waits;
    }
    (server, ids)
}

#[test]
fn configured_number_of_objects_is_written_concurrently() {
    let (mut server, ids) = witnesses(2, 2, true);
    on_three_threads(|| server.update(Duration::from_secs(2)));
    let witness = |id: &NetId| server.get::<Witness>(*id).unwrap();
    assert!(
        ids.iter()
            .all(|id| witness(id).met && !witness(id).turn.is_dirty())
    );
    assert_ne!(witness(&ids[0]).written_by, witness(&ids[1]).written_by);
}

#[test]
fn fewer_are_written_by_the_thread_that_updates() {
    let (mut server, ids) = witnesses(3, 2, false);
    server.update(Duration::from_secs(2));
    for id in ids {
        let witness = server.get::<Witness>(id).unwrap();
        assert_eq!(witness.written_by, Some(thread::current().id()));
    }
}
