//! The hooks of a host, done again on a copy, make what the server has.

use proptest::prelude::*;
use syncvar::prelude::*;

/// Writes down every hook.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.12)]
struct Diary {
    #[sync_var(hook = on_number)]
    number: SyncVar<i32>,
    #[sync_var(hook = on_text)]
    text: SyncVar<String>,
    #[sync_var(hook = on_item)]
    items: SyncList<u8>,
    #[sync_var(hook = on_price)]
    prices: SyncDictionary<u8, i32>,
    #[sync_var(hook = on_tag)]
    tags: SyncSortedSet<u8>,
    log: Vec<Told>,
}

#[derive(Clone, Debug, PartialEq)]
enum Told {
    Number(i32, i32),
    Text(String, String),
    Item(ListChange<u8>),
    Price(DictionaryChange<u8, i32>),
    Tag(SetChange<u8>),
}

/// What a diary holds, made of what was told.
#[derive(Clone, Debug, Default, PartialEq)]
struct Copy {
    number: i32,
    text: String,
    items: Vec<u8>,
    prices: std::collections::BTreeMap<u8, i32>,
    tags: std::collections::BTreeSet<u8>,
}

impl Diary {
    fn on_number(&mut self, previous: i32) {
        self.log.push(Told::Number(previous, *self.number));
    }

    fn on_text(&mut self, previous: String) {
        self.log.push(Told::Text(previous, self.text.to_string()));
    }

    fn on_item(&mut self, change: &ListChange<u8>) {
        self.log.push(Told::Item(change.clone()));
    }

    fn on_price(&mut self, change: &DictionaryChange<u8, i32>) {
        self.log.push(Told::Price(change.clone()));
    }

    fn on_tag(&mut self, change: &SetChange<u8>) {
        self.log.push(Told::Tag(change.clone()));
    }

    fn copy(&self) -> Copy {
        Copy {
            number: *self.number,
            text: self.text.to_string(),
            items: self.items.to_vec(),
            prices: self
                .prices
                .iter()
                .map(|(key, value)| (*key, *value))
                .collect(),
            tags: self.tags.iter().copied().collect(),
        }
    }
}

impl Copy {
    fn tell(&mut self, told: Told) {
        match told {
            Told::Number(previous, number) => {
                assert_eq!(std::mem::replace(&mut self.number, number), previous);
                assert_ne!(previous, number);
            }
            Told::Text(previous, text) => {
                assert_ne!(previous, text);
                assert_eq!(std::mem::replace(&mut self.text, text), previous);
            }
            Told::Item(change) => self.tell_item(change),
            Told::Price(change) => match change {
                DictionaryChange::Add { key, value } => {
                    assert_eq!(self.prices.insert(key, value), None);
                }
                DictionaryChange::Set {
                    key,
                    previous,
                    value,
                } => {
                    assert_eq!(self.prices.insert(key, value), Some(previous));
                }
                DictionaryChange::Remove { key, previous } => {
                    assert_eq!(self.prices.remove(&key), Some(previous));
                }
                DictionaryChange::Clear { previous } => {
                    let former = std::mem::take(&mut self.prices);
                    assert_eq!(former, previous.into_iter().collect());
                }
            },
            Told::Tag(change) => match change {
                SetChange::Add { value } => assert!(self.tags.insert(value)),
                SetChange::Remove { value } => assert!(self.tags.remove(&value)),
                SetChange::Clear { previous } => {
                    let former = std::mem::take(&mut self.tags);
                    assert_eq!(former, previous.into_iter().collect());
                }
            },
        }
    }

    fn tell_item(&mut self, change: ListChange<u8>) {
        match change {
            ListChange::Add { index, value } => {
                assert_eq!(index, self.items.len());
                self.items.push(value);
            }
            ListChange::Insert { index, value } => self.items.insert(index, value),
            ListChange::Set {
                index,
                previous,
                value,
            } => {
                assert_eq!(std::mem::replace(&mut self.items[index], value), previous);
            }
            ListChange::RemoveAt { index, previous } => {
                assert_eq!(self.items.remove(index), previous);
            }
            ListChange::Clear { previous } => {
                assert_eq!(std::mem::take(&mut self.items), previous);
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Action {
    Number(i32),
    Text(u8),
    Push(u8),
    Insert(usize, u8),
    RemoveAt(usize),
    SetItem(usize, u8),
    ClearItems,
    Price(u8, Option<i32>),
    Tag(u8, bool),
    ClearTags,
    Replace,
    /// Whether the local client sees the object, and whether the other does.
    Shown(bool, bool),
    Step,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => (0..3).prop_map(Action::Number),
        2 => (0..3_u8).prop_map(Action::Text),
        3 => any::<u8>().prop_map(Action::Push),
        2 => (0..4_usize, any::<u8>()).prop_map(|(at, value)| Action::Insert(at, value)),
        2 => (0..4_usize).prop_map(Action::RemoveAt),
        2 => (0..4_usize, 0..3_u8).prop_map(|(at, value)| Action::SetItem(at, value)),
        1 => Just(Action::ClearItems),
        4 => (0..4_u8, proptest::option::of(0..3)).prop_map(|(key, value)| Action::Price(key, value)),
        4 => (0..4_u8, any::<bool>()).prop_map(|(tag, there)| Action::Tag(tag, there)),
        1 => Just(Action::ClearTags),
        1 => Just(Action::Replace),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(local, other)| Action::Shown(local, other)),
        6 => Just(Action::Step),
    ]
}

fn change(diary: &mut Diary, action: &Action) {
    match *action {
        Action::Number(number) => {
            diary.number.set(number);
        }
        Action::Text(text) => {
            diary.text.set("x".repeat(text.into()));
        }
        Action::Push(value) => diary.items.push(value),
        Action::Insert(at, value) if at <= diary.items.len() => diary.items.insert(at, value),
        Action::RemoveAt(at) if at < diary.items.len() => {
            diary.items.remove(at);
        }
        Action::SetItem(at, value) if at < diary.items.len() => {
            diary.items.set(at, value);
        }
        Action::ClearItems => diary.items.clear(),
        Action::Price(key, Some(value)) => {
            diary.prices.insert(key, value);
        }
        Action::Price(key, None) => {
            diary.prices.remove(&key);
        }
        Action::Tag(tag, true) => {
            diary.tags.insert(tag);
        }
        Action::Tag(tag, false) => {
            diary.tags.remove(&tag);
        }
        Action::ClearTags => diary.tags.clear(),
        Action::Replace => {
            let made = Diary {
                number: 9.into(),
                log: std::mem::take(&mut diary.log),
                ..Diary::default()
            };
            *diary = made;
        }
        _ => {}
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Diary>("diary")
}

proptest! {
    /// M4, lesson 5: hooks and events of a host are those of another client, as far as they come to the
    /// same.
    #[test]
    fn replayed_host_hooks_reproduce_the_servers_state(
        actions in prop::collection::vec(action(), 0..80),
    ) {
        let mut net = MemoryNetwork::pair(prefabs);
        let local = net.server.connect_local();
        let id = net.server.spawn(Diary::default());
        net.settle();
        let mut copies = [Copy::default(), Copy::default()];
        for action in actions.into_iter().chain([Action::Step]) {
            match action {
                Action::Shown(here, there) => {
                    let other = net.connection(0);
                    for (connection, shown) in [(local, here), (other, there)] {
                        if shown {
                            net.server.show(id, connection).unwrap();
                        } else {
                            net.server.hide(id, connection).unwrap();
                        }
                    }
                }
                Action::Step => {
                    net.step();
                    let here = std::mem::take(&mut net.server.get_mut::<Diary>(id).unwrap().log);
                    let server = net.server.get::<Diary>(id).unwrap().copy();
                    for told in here {
 copies[0].tell(told);
}
                    if net.server.is_visible(id, local) {
                        let met = std::iter::from_fn(|| net.server.poll_local_event());
                        if met.fold(false, |met, event| met | matches!(event, ClientEvent::Spawned { .. })) {
                            copies[0] = server.clone();
                        }
                        prop_assert_eq!(&copies[0], &server, "with every update");
                    }
                    let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
                    if let Ok(mut replica) = net.client_mut(0).get_mut::<Diary>(id) {
                        let there = std::mem::take(&mut replica.log);
                        if events.iter().any(|event| matches!(event, ClientEvent::Spawned { .. })) {
                            copies[1] = replica.copy();
                        } else {
                            for told in there {
 copies[1].tell(told);
}
                        }
                    }
                }
                action => change(&mut net.server.get_mut::<Diary>(id).unwrap(), &action),
            }
        }
        net.settle();
        let replica = net.client_mut(0).get_mut::<Diary>(id);
        let there = replica.map(|mut replica| std::mem::take(&mut replica.log));
        if let Ok(there) = there {
            for told in there {
                copies[1].tell(told);
            }
            prop_assert_eq!(&copies[1], &net.server.get::<Diary>(id).unwrap().copy());
        }
    }
}
