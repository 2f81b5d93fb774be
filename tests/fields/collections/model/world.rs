//! A server whose objects hold collections, its clients, and the types of `std` beside them.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{Channel, Framing, ServerConfig, testing::Conditions, wire::NetworkWriter};
use syncvar_testing::{ClientMessages as _, ViewChange, client};

use super::subject::{Subject, Watched};

type List = SyncList<u32>;
type Map = SyncDictionary<String, i32>;
type Set = SyncHashSet<i32>;
type Sorted = SyncSortedSet<i32>;

/// One of each, all of them with a hook that checks what it is told.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Content {
    #[sync_var(hook = on_items)]
    items: Watched<List>,
    #[sync_var(hook = on_ammo)]
    ammo: Watched<Map>,
    #[sync_var(hook = on_tags)]
    tags: Watched<Set>,
    #[sync_var(hook = on_scores)]
    scores: Watched<Sorted>,
    /// How many hooks have run.
    hooks: usize,
}

macro_rules! hooks {
    ($($hook:ident: $field:ident, $type:ty;)*) => {
        impl Content {$(
            fn $hook(&mut self, changes: <$type as syncvar::fields::HookField>::Previous) {
                self.hooks += 1;
                self.$field.check(&changes);
            }
        )*}
    };
}

hooks! {
    on_items: items, List;
    on_ammo: ammo, Map;
    on_tags: tags, Set;
    on_scores: scores, Sorted;
}

/// Sent with every update.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Chest {
    #[network_behaviour(base)]
    content: Content,
}

/// Sent with every third update.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.15)]
pub(crate) struct Safe {
    #[network_behaviour(base)]
    content: Content,
}

/// Sent on the second channel, which may be an unreliable one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
pub(crate) struct Basket {
    #[network_behaviour(base)]
    content: Content,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Chest>("chest")
        .register::<Safe>("safe")
        .register::<Basket>("basket")
}

/// What should be in it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    items: <List as Subject>::Model,
    ammo: <Map as Subject>::Model,
    tags: <Set as Subject>::Model,
    scores: <Sorted as Subject>::Model,
}

impl Content {
    fn model(&self) -> Model {
        Model {
            items: self.items.model(),
            ammo: self.ammo.model(),
            tags: self.tags.model(),
            scores: self.scores.model(),
        }
    }

    fn edit(&mut self, model: &mut Model, edit: &Edit) {
        match edit {
            Edit::Items(op) => self.items.act(&mut model.items, op),
            Edit::Ammo(op) => self.ammo.act(&mut model.ammo, op),
            Edit::Tags(op) => self.tags.act(&mut model.tags, op),
            Edit::Scores(op) => self.scores.act(&mut model.scores, op),
        }
    }

    /// A change of everything in it.
    fn change_all(&mut self, model: &mut Model, number: u16) {
        let (item, score) = (u32::from(number), i32::from(number));
        self.items.push(item);
        model.items.push(item);
        self.ammo.insert(format!("n{number}"), score);
        model.ammo.insert(format!("n{number}"), score);
        self.tags.insert(score);
        model.tags.insert(score);
        self.scores.insert(score);
        model.scores.insert(score);
    }
}

/// Something that is done to one of them.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Items(<List as Subject>::Op),
    Ammo(<Map as Subject>::Op),
    Tags(<Set as Subject>::Op),
    Scores(<Sorted as Subject>::Op),
}

/// Something that happens. Numbers choose among what is there.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// All of it while the game has the object.
    Edit(usize, Vec<Edit>),
    View(ViewChange),
    Join,
    /// A change that makes no sense.
    Poison(usize, usize),
    Step,
}

pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => List::op().prop_map(Edit::Items),
        1 => Map::op().prop_map(Edit::Ammo),
        1 => Set::op().prop_map(Edit::Tags),
        1 => Sorted::op().prop_map(Edit::Scores),
    ]
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    use {Action as A, ViewChange as V};
    let number = any::<usize>;
    let budget = prop::option::of(0..80_usize);
    prop_oneof![
        16 => (number(), vec(edit(), 1..6)).prop_map(|(o, edits)| A::Edit(o, edits)),
        2 => (number(), number()).prop_map(|(o, c)| A::View(V::Hide(o, c))),
        3 => (number(), number()).prop_map(|(o, c)| A::View(V::Show(o, c))),
        1 => number().prop_map(|number| A::View(V::HideFromAll(number))),
        1 => number().prop_map(|number| A::View(V::ShowToAll(number))),
        2 => Just(A::Join),
        1 => number().prop_map(|number| A::View(V::Leave(number))),
        1 => number().prop_map(|number| A::View(V::NotReady(number))),
        2 => number().prop_map(|number| A::View(V::Ready(number))),
        1 => (number(), budget).prop_map(|(c, b)| A::View(V::SetBudget(c, b))),
        1 => (number(), number()).prop_map(|(o, c)| A::Poison(o, c)),
        10 => Just(A::Step),
    ]
}

pub(crate) struct World {
    net: MemoryNetwork,
    objects: Vec<(NetId, Model)>,
    poisoned: BTreeSet<usize>,
    last: u16,
}

impl World {
    /// A chest and a safe that everybody sees, a chest that nobody sees, and a basket.
    pub(crate) fn new(second: Channel, link: Conditions) -> Self {
        let mut config = ServerConfig {
            channels: vec![Channel::Reliable, second],
            ..ServerConfig::default()
        };
        // The whole of a basket fits an unreliable packet.
        config.packet_size = if second == Channel::Reliable {
            200
        } else {
            20_000
        };
        // Both ways of writing: a run of one object is written by one thread.
        #[cfg(feature = "parallel")]
        {
            config.parallel_from = 2;
        }
        let mut net = MemoryNetwork::with_config(prefabs, config, link);
        let hidden = SpawnOptions {
            hidden: true,
            ..SpawnOptions::default()
        };
        let unseen = net.server.try_spawn(Chest::default(), hidden).unwrap();
        let ids = [
            net.server.spawn(Chest::default()),
            net.server.spawn(Safe::default()),
            net.server.spawn(Basket::default()),
            unseen,
        ];
        let mut world = Self {
            net,
            objects: ids.map(|id| (id, Model::default())).into(),
            poisoned: BTreeSet::new(),
            last: 1000,
        };
        world.join();
        world
    }

    /// Connects a client. The clients ask for `Compact` and UNet's framing by turns.
    fn join(&mut self) {
        let framing = [Framing::Compact, Framing::Unet][self.net.client_count() % 2];
        self.net.connect_client(client(prefabs(), framing));
    }

    fn id(&self, object: usize) -> NetId {
        self.objects[object % self.objects.len()].0
    }

    fn client(&self, client: usize) -> usize {
        client % self.net.client_count()
    }

    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::Edit(object, edits) => self.with_content(object, |content, model| {
                for edit in &edits {
                    content.edit(model, edit);
                }
            }),
            Action::View(change) => {
                let ids: Vec<_> = self.objects.iter().map(|(id, _)| *id).collect();
                change.apply(&mut self.net, &ids);
            }
            Action::Join if self.net.client_count() < 6 => self.join(),
            Action::Join => {}
            Action::Poison(object, client) => self.poison(object, client),
            Action::Step => {
                self.net.step();
                self.take_events();
            }
        }
    }

    fn with_content(&mut self, object: usize, change: impl FnOnce(&mut Content, &mut Model)) {
        let object = object % self.objects.len();
        let (id, model) = &mut self.objects[object];
        let server = &mut self.net.server;
        if let Ok(mut chest) = server.get_mut::<Chest>(*id) {
            return change(&mut chest.content, model);
        }
        if let Ok(mut safe) = server.get_mut::<Safe>(*id) {
            return change(&mut safe.content, model);
        }
        let mut basket = server.get_mut::<Basket>(*id).expect("one of the three");
        change(&mut basket.content, model);
    }

    /// An update that no server has sent, with fewer operations than it says, so that it can only
    /// poison.
    fn poison(&mut self, object: usize, client: usize) {
        let (id, client) = (self.id(object), self.client(client));
        if !self.net.is_connected(client) || self.net.client(client).identity(id).is_none() {
            return;
        }
        self.poisoned.insert(client);
        let mut writer = NetworkWriter::new();
        let start = writer.start_message(8);
        writer.write(&id);
        writer.write_packed_u32(1);
        writer.write_bytes(&[3, 1, 0, 1]);
        writer.finish_message(start);
        let packet = writer.as_bytes();
        let handled = self.net.client_mut(client).handle_messages(0, packet);
        handled.expect("poison is no error");
    }

    fn take_events(&mut self) {
        for client in 0..self.net.client_count() {
            while let Some(event) = self.net.client_mut(client).poll_event() {
                let is_poison = matches!(event, ClientEvent::Poisoned { .. });
                let expected = !is_poison || self.poisoned.contains(&client);
                assert!(expected, "client {client}: {event:?}");
            }
        }
        while let Some(event) = self.net.server.poll_event() {
            let failed = matches!(event, ServerEvent::SerializeFailed { .. });
            assert!(!failed, "{event:?}");
        }
    }

    /// Lets everything arrive.
    pub(crate) fn settle(&mut self) {
        self.net.settle();
        self.take_events();
    }

    /// Changes everything until that is known everywhere, for on an unreliable channel what is lost is
    /// lost.
    pub(crate) fn change_until_equal(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..80 {
            self.last += 1;
            for object in 0..self.objects.len() {
                let last = self.last;
                self.with_content(object, |content, model| content.change_all(model, last));
            }
            self.settle();
            if self.check().is_ok() {
                break;
            }
        }
        self.check()
    }

    /// Every client that is ready has what it may see, and nothing else.
    pub(crate) fn check(&self) -> Result<(), TestCaseError> {
        let server = &self.net.server;
        for (number, (id, model)) in self.objects.iter().enumerate() {
            for client in 0..self.net.client_count() {
                let connection = self.net.connection(client);
                if !server.is_ready(connection) {
                    continue;
                }
                let client = self.net.client(client);
                let content = None
                    .or(client.get::<Chest>(*id).map(|chest| &chest.content))
                    .or(client.get::<Safe>(*id).map(|safe| &safe.content))
                    .or(client.get::<Basket>(*id).map(|basket| &basket.content));
                let expected = server.is_visible(*id, connection).then_some(model);
                let seen = content.map(Content::model);
                prop_assert_eq!(seen.as_ref(), expected, "object {}", number);
            }
        }
        Ok(())
    }

    /// How many hooks have run on all clients.
    pub(crate) fn hooks(&self) -> usize {
        let (id, _) = self.objects[0];
        let chests = self.net.replicas::<Chest>(id).flatten();
        chests.map(|chest| chest.content.hooks).sum()
    }
}
