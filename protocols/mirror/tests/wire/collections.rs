//! Whatever is done to a collection, every client that reads what Mirror's dialect says of it ends equal
//! to it, whenever it has joined, and what its hooks are told tells the same.

mod dictionary;
mod list;
mod set;
mod world;

use std::fmt::Debug;

use proptest::prelude::*;
use syncvar_runtime::{Encoding, HookField, NetworkReader, NetworkWriter};

/// A collection that can be put to the test.
trait Subject: HookField<Previous: Debug> + Default + PartialEq + Debug {
    /// What can be done to it.
    type Edit: Debug;
    /// What is in it, as a collection of Rust's.
    type Content: PartialEq + Debug;

    fn edit(&mut self, edit: &Self::Edit);
    fn content(&self) -> Self::Content;
    /// Does to the content what a hook has been told.
    fn replay(content: &mut Self::Content, told: Self::Previous);
}

#[derive(Clone, Debug)]
enum Step<E> {
    Edit(E),
    /// What has changed is sent to all clients.
    Send,
    /// A client is given the full state.
    Join,
    /// A client is given the full state once more.
    JoinAgain(usize),
    /// It is to be sent whole.
    SetDirty,
    /// The last observer leaves, and another one comes.
    Leave,
    /// Another collection takes its place, of which that has been made.
    Replace(Vec<E>),
}

fn step<E: Debug + Clone + 'static>(
    edit: impl Strategy<Value = E> + 'static,
) -> impl Strategy<Value = Step<E>> {
    let edit = edit.boxed();
    prop_oneof![
        12 => edit.clone().prop_map(Step::Edit),
        3 => Just(Step::Send),
        3 => Just(Step::Join),
        1 => (0..8_usize).prop_map(Step::JoinAgain),
        1 => Just(Step::SetDirty),
        1 => Just(Step::Leave),
        2 => proptest::collection::vec(edit, 0..4).prop_map(Step::Replace),
    ]
}

struct Client<S: Subject> {
    field: S,
    /// What its hooks have made of the first full state.
    heard: S::Content,
}

impl<S: Subject> Client<S> {
    fn new(server: &S) -> Self {
        let field = S::default();
        let heard = field.content();
        let mut client = Self { field, heard };
        client.join(server);
        client
    }

    fn join(&mut self, server: &S) {
        let bytes = written(|writer| server.write_full(writer));
        let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
        self.field.read_full(&mut reader).expect("a full state");
        reader.finish().expect("all of it");
        self.heard = self.field.content();
    }

    fn read(&mut self, bytes: &[u8]) {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
        let told = self.field.read_delta_with_previous(&mut reader);
        reader.finish().expect("all of it");
        if let Some(told) = told.expect("a change") {
            S::replay(&mut self.heard, told);
        }
    }
}

fn written(write: impl FnOnce(&mut NetworkWriter)) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    write(&mut writer);
    assert!(writer.error().is_none());
    writer.as_bytes().to_vec()
}

fn run<S: Subject>(steps: &[Step<S::Edit>]) {
    let mut server = S::default();
    server.set_log(syncvar::fields::OperationLog::Full { pending: 0 });
    server.set_observed(true);
    let mut clients = vec![Client::new(&server)];
    let mut promised = 0;
    for step in steps.iter().chain([&Step::Send]) {
        match step {
            Step::Edit(edit) => server.edit(edit),
            Step::SetDirty => server.set_dirty(),
            Step::Join | Step::JoinAgain(_) => {
                let before = written(|writer| server.write_delta(writer));
                match step {
                    Step::JoinAgain(which) if !clients.is_empty() => {
                        let which = which % clients.len();
                        clients[which].join(&server);
                    }
                    _ => clients.push(Client::new(&server)),
                }
                written(|writer| {
                    server.write_full(writer);
                    promised = promised.max(writer.take_report().pending);
                });
                let after = written(|writer| server.write_delta(writer));
                assert_eq!(before, after, "a full state changes nothing");
            }
            Step::Leave => {
                clients.clear();
                server.set_observed(false);
                assert!(!server.is_dirty());
                server.set_observed(true);
                promised = 0;
            }
            Step::Replace(edits) => {
                server = S::default();
                for edit in edits {
                    server.edit(edit);
                }
                syncvar::fields::FieldPlace::end_write(&mut server);
                server.set_log(syncvar::fields::OperationLog::Full { pending: promised });
                assert!(server.is_dirty());
            }
            Step::Send => {
                send(&mut server, &mut clients);
                promised = 0;
            }
        }
    }
}

fn send<S: Subject>(server: &mut S, clients: &mut [Client<S>]) {
    let bytes = written(|writer| server.write_delta(writer));
    assert_eq!(server.is_dirty(), bytes != [0; 4]);
    server.clear_dirty();
    assert!(!server.is_dirty());
    for client in clients {
        client.read(&bytes);
        assert_eq!(client.field, *server);
        assert_eq!(client.heard, server.content());
        assert!(!client.field.is_dirty());
    }
}

/// A collection that reads whatever comes neither panics nor becomes larger than it may.
fn read_anything<S: Subject>(start: &[u8], change: &[u8], length: impl Fn(&S) -> usize) {
    let mut field = S::default();
    field.set_log(syncvar::fields::OperationLog::Full { pending: 0 });
    field.set_observed(true);
    let mut reader = NetworkReader::with_encoding(start, Encoding::Mirror).with_max_elements(9);
    let _ = field.read_full(&mut reader);
    let mut reader = NetworkReader::with_encoding(change, Encoding::Mirror).with_max_elements(9);
    let _ = field.read_delta_with_previous(&mut reader.clone());
    let _ = field.read_delta(&mut reader);
    assert!(length(&field) <= 9);
}

/// Bytes that are now and then what a collection can read.
fn nonsense() -> impl Strategy<Value = Vec<u8>> {
    let number = (0..6_u32).prop_map(|number| number.to_le_bytes().to_vec());
    let few = proptest::collection::vec(0..7_u8, 0..4);
    let piece = prop_oneof![number, few, Just(vec![0xff; 4])];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}
