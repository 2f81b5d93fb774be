//! A client that knows the layouts by heart and nothing of this library but the reader: what it has seen
//! of the objects of these tests.

use std::collections::BTreeMap;

use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::Message;
use syncvar::{
    Channel, NetId,
    wire::{Encoding, NetworkReader},
};

/// What a client has of a `(Chest, Wallet, Aim)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Replica {
    pub(crate) flags: u8,
    pub(crate) gold: i32,
    pub(crate) items: Vec<i32>,
    /// How many operations on the items have been in its full state and are still to come.
    ahead: u32,
    pub(crate) secret: Option<i32>,
    pub(crate) yaw: i32,
}

/// What a client has seen.
#[derive(Debug, Default)]
pub(crate) struct Watcher {
    pub(crate) objects: BTreeMap<NetId, Replica>,
    /// What has come, each as a word.
    pub(crate) log: Vec<String>,
    bursting: bool,
    /// Of each channel.
    times: [f64; 2],
}

fn size_of<T>(read: impl FnOnce(&mut NetworkReader<'_>) -> T, reader: &mut NetworkReader<'_>) -> T {
    let safety = reader.read_u8().unwrap();
    let before = reader.remaining();
    let value = read(reader);
    assert_eq!(
        (before - reader.remaining()) & 0xff,
        usize::from(safety),
        "the safety byte"
    );
    value
}

impl Replica {
    fn apply(&mut self, payload: &[u8], initial: bool) {
        let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror);
        let reader = &mut reader;
        let mask = reader.read_var_u64().unwrap();
        assert!(mask != 0 && mask < 8, "components {mask:b}");
        if mask & 1 != 0 {
            size_of(|reader| self.apply_chest(reader, initial), reader);
        }
        if mask & 2 != 0 {
            let secret = size_of(|reader| read_number(reader, initial), reader);
            self.secret = secret.or(self.secret);
        }
        if mask & 4 != 0 {
            let yaw = size_of(|reader| read_number(reader, initial), reader);
            self.yaw = yaw.unwrap_or(self.yaw);
        }
        assert_eq!(reader.remaining(), 0, "bytes are left over");
    }

    fn apply_chest(&mut self, reader: &mut NetworkReader<'_>, initial: bool) {
        if initial {
            let count = reader.read_u32().unwrap();
            self.items = (0..count).map(|_| reader.read().unwrap()).collect();
            self.ahead = reader.read_u32().unwrap();
            self.gold = reader.read().unwrap();
            return;
        }
        let collections = reader.read_u64().unwrap();
        assert!(collections < 2, "collections {collections:b}");
        if collections == 1 {
            for _ in 0..reader.read_u32().unwrap() {
                self.operate(reader);
            }
        }
        if reader.read_var_u64().unwrap() & 1 != 0 {
            self.gold = reader.read().unwrap();
        }
    }

    fn operate(&mut self, reader: &mut NetworkReader<'_>) {
        let operation = reader.read_u8().unwrap();
        let index = match operation {
            1..=3 => reader.read_u32().unwrap() as usize,
            _ => 0,
        };
        let item = match operation {
            0..=2 => reader.read().unwrap(),
            _ => 0,
        };
        if self.ahead > 0 {
            self.ahead -= 1;
            return;
        }
        match operation {
            0 => self.items.push(item),
            1 => self.items[index] = item,
            2 => self.items.insert(index, item),
            3 => {
                self.items.remove(index);
            }
            4 => self.items.clear(),
            other => panic!("operation {other}"),
        }
    }
}

/// The one variable of a component without collections.
fn read_number(reader: &mut NetworkReader<'_>, initial: bool) -> Option<i32> {
    if !initial {
        assert_eq!(reader.read_u64().unwrap(), 0);
        if reader.read_var_u64().unwrap() & 1 == 0 {
            return None;
        }
    }
    Some(reader.read().unwrap())
}

impl Watcher {
    /// Takes what the transport has brought.
    pub(crate) fn take(&mut self, channel: Channel, batch: &[u8]) {
        let messages = Unbatcher::new(batch).unwrap();
        let time = &mut self.times[usize::from(channel == Channel::Unreliable)];
        assert!(messages.time() >= *time, "time goes back");
        *time = messages.time();
        for message in messages {
            let message = Message::decode(message.unwrap()).unwrap();
            self.handle(&message);
        }
    }

    fn handle(&mut self, message: &Message<'_>) {
        let word = match message {
            Message::TimeSnapshot(_) | Message::Ping(_) => return,
            Message::ObjectSpawnStarted(_) => {
                assert!(!self.bursting);
                self.bursting = true;
                "started".to_string()
            }
            Message::ObjectSpawnFinished(_) => {
                assert!(self.bursting);
                self.bursting = false;
                "finished".to_string()
            }
            Message::Spawn(spawn) => {
                let object = self.objects.entry(spawn.net_id).or_default();
                *object = Replica {
                    flags: spawn.flags.0,
                    ..Replica::default()
                };
                object.apply(spawn.payload.unwrap(), true);
                format!("spawn {} {}", spawn.net_id.0, spawn.flags.0)
            }
            Message::ChangeOwner(change) => {
                let object = self
                    .objects
                    .get_mut(&change.net_id)
                    .expect("it has been spawned");
                object.flags = change.flags.0;
                format!("owner {} {}", change.net_id.0, change.flags.0)
            }
            Message::ObjectDestroy(gone) => {
                self.objects.remove(&gone.net_id).expect("it was there");
                format!("destroy {}", gone.net_id.0)
            }
            Message::ObjectHide(gone) => {
                self.objects.remove(&gone.net_id).expect("it was there");
                format!("hide {}", gone.net_id.0)
            }
            Message::EntityState(state) => {
                let object = self
                    .objects
                    .get_mut(&state.net_id)
                    .expect("it has been spawned");
                object.apply(state.payload.unwrap(), false);
                format!("state {}", state.net_id.0)
            }
            Message::Rpc(rpc) => format!("rpc {}", rpc.net_id.0),
            Message::NotReady(_) => "not ready".to_string(),
            Message::Pong(_) => "pong".to_string(),
            Message::Scene(scene) => format!("scene {}", scene.scene_name.unwrap()),
            Message::Other { id, .. } => format!("other {id}"),
            other => panic!("a server does not send {other:?}"),
        };
        self.log.push(word);
    }

    pub(crate) fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}
