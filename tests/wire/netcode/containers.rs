//! Containers: those that there are, one of one's own, and a type that travels by a codec.

use std::fmt::Debug;

use syncvar::prelude::*;
use syncvar::{
    SyncField,
    schema::TypeSchema,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError},
};

/// What a container has been asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    WriteFull,
    WriteDelta,
    ReadFull,
    ReadDelta,
}

/// A value that writes down how it travels, with marks around it that the reader looks for.
#[derive(Default, Debug)]
struct Witness {
    value: u32,
    dirty: bool,
    calls: std::sync::Arc<std::sync::Mutex<Vec<Call>>>,
}

impl Witness {
    fn set(&mut self, value: u32) {
        (self.value, self.dirty) = (value, true);
    }

    fn called(&self, call: Call) {
        self.calls.lock().unwrap().push(call);
    }

    /// What has been called since this was last asked.
    fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    fn write(&self, writer: &mut NetworkWriter, mark: &[u8]) {
        writer.write_bytes(mark);
        writer.write(&self.value);
        writer.write_bytes(mark);
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>, mark: &[u8]) -> Result<(), ReadError> {
        assert_eq!(reader.read_bytes(mark.len())?, mark);
        self.value = reader.read()?;
        assert_eq!(reader.read_bytes(mark.len())?, mark);
        Ok(())
    }
}

impl SyncField for Witness {
    const SCHEMA: TypeSchema = TypeSchema::Named("Witness");

    fn is_dirty(&self) -> bool {
        self.dirty
    }
    fn set_dirty(&mut self) {
        self.dirty = true;
    }
    fn clear_dirty(&mut self) {
        self.dirty = false;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        self.called(Call::WriteFull);
        self.write(writer, b"full");
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        self.called(Call::WriteDelta);
        self.write(writer, b"delta");
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.called(Call::ReadFull);
        self.read(reader, b"full")
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.called(Call::ReadDelta);
        self.read(reader, b"delta")
    }
}

/// T30, N28: whole with the spawn, as a change afterwards, and all of the buffer is read.
#[test]
fn a_container_of_ones_own_is_written_and_read_to_the_last_byte() {
    /// With something before it and after it, which come out wrong if it reads too little or too much.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Court {
        #[sync_var]
        before: SyncVar<u64>,
        #[sync_var]
        witness: Witness,
        #[sync_var]
        after: SyncVar<String>,
    }

    impl Court {
        fn state(&self) -> (u64, u32, &str) {
            (*self.before, self.witness.value, &self.after)
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Court>("court"));
    net.settle();
    let mut court = Court::default();
    court.before.set(u64::MAX);
    court.witness.set(300);
    court.after.set("after".into());
    let id = net.server.spawn(court);
    net.settle();
    let calls = |net: &MemoryNetwork| {
        let server = net.server.get::<Court>(id).unwrap().witness.calls();
        (
            server,
            net.client(0).get::<Court>(id).unwrap().witness.calls(),
        )
    };
    assert_eq!(calls(&net), (vec![Call::WriteFull], vec![Call::ReadFull]));
    let court = net.client(0).get::<Court>(id).unwrap();
    assert_eq!(court.state(), (u64::MAX, 300, "after"));

    let mut court = net.server.get_mut::<Court>(id).unwrap();
    court.witness.set(70_000);
    court.after.push('!');
    drop(court);
    net.settle();
    assert_eq!(calls(&net), (vec![Call::WriteDelta], vec![Call::ReadDelta]));
    let court = net.client(0).get::<Court>(id).unwrap();
    assert_eq!(court.state(), (u64::MAX, 70_000, "after!"));
    let events = syncvar_testing::events(net.client_mut(0));
    let poisoned = events.filter(|event| matches!(event, ClientEvent::Poisoned { .. }));
    assert_eq!(poisoned.count(), 0);
}

/// N29: the containers that there are do what one of one's own does, through the same trait.
#[test]
fn variables_and_collections_are_containers_like_any_other() {
    composes::<SyncVar<String>>(|text, round| assert!(text.set(round.to_string())));
    composes::<SyncList<String>>(|list, round| list.push(round.to_string()));
    composes::<SyncDictionary<String, bool>>(|map, round| {
        map.insert(round.to_string(), true);
    });
    composes::<SyncHashSet<String>>(|set, round| assert!(set.insert(round.to_string())));
    composes::<SyncSortedSet<String>>(|set, round| assert!(set.insert(round.to_string())));

    /// Full state, change, and what is clean in between, of whatever is a container.
    fn composes<F: SyncField + Default + Debug + PartialEq>(change: impl Fn(&mut F, usize)) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let (mut server, mut client) = (F::default(), F::default());
            assert!(!server.is_dirty());
            change(&mut server, 1);
            assert!(server.is_dirty());
            let mut writer = NetworkWriter::with_encoding(dialect);
            server.write_full(&mut writer);
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
            client.read_full(&mut reader).unwrap();
            reader.finish().unwrap();
            server.clear_dirty();
            server.set_observed(true);
            assert_eq!((server.is_dirty(), client.is_dirty()), (false, false));
            assert_eq!(client, server);

            change(&mut server, 2);
            assert!(server.is_dirty());
            assert_ne!(client, server);
            let mut writer = NetworkWriter::with_encoding(dialect);
            server.write_delta(&mut writer);
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
            client.read_delta(&mut reader).unwrap();
            reader.finish().unwrap();
            server.clear_dirty();
            assert!(!server.is_dirty());
            assert_eq!(client, server);
        }
    }
}
