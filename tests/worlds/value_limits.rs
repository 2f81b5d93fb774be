//! Limits of values, in all four ends: each is reached by one write, and not by a write of half its size.

use serde::{Deserialize, Serialize};
use syncvar::limits::Limits;
use syncvar::mirror::{
    AssetId, MirrorClient, MirrorClientConfig, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy,
};
use syncvar::prelude::*;
use syncvar::stats::RefusedInput;
use syncvar::testing::Conditions;
use syncvar::values::Postcard;
use syncvar::{ClientConfig, Framing, ServerConfig};
use syncvar_testing::mirror::{MirrorNetwork, Refusals};

/// Value that contains itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Chain(Option<Box<Chain>>);

impl Chain {
    fn of_depth(depth: usize) -> Self {
        (0..depth).fold(Self(None), |chain, _| Self(Some(Box::new(chain))))
    }
}

/// Fields that the owner of the object writes, or the server without one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_direction = client_to_server)]
struct Pile {
    #[sync_var]
    numbers: SyncVar<Vec<u16>>,
    #[sync_var]
    list: SyncList<u64>,
    #[sync_var]
    map: SyncDictionary<u32, u64>,
    #[sync_var]
    set: SyncHashSet<u32>,
    #[sync_var]
    sorted: SyncSortedSet<u32>,
    #[sync_var]
    slots: SyncVar<Vec<Option<[u64; 16]>>>,
    #[sync_var]
    wide: SyncList<Option<[u64; 16]>>,
    #[sync_var]
    long: SyncList<[u64; 16]>,
    #[sync_var]
    chain: SyncVar<Postcard<Chain>>,
    #[sync_var]
    text: SyncVar<String>,
}

impl Pile {
    fn new() -> Self {
        Self {
            long: vec![[0; 16]; LONG].into(),
            ..Self::default()
        }
    }

    /// Returns the sizes of all fields.
    fn state(&self) -> [usize; 10] {
        let mut depth = 0;
        let mut chain = &self.chain.0.0;
        while let Some(next) = chain {
            (depth, chain) = (depth + 1, &next.0);
        }
        [
            self.numbers.len(),
            self.list.len(),
            self.map.len(),
            self.set.len(),
            self.sorted.len(),
            self.slots.len(),
            self.wide.len(),
            self.long.len(),
            depth,
            self.text.len(),
        ]
    }
}

/// Limit, and a write that reaches it.
struct Row {
    name: &'static str,
    kind: Kind,
    /// Writes a number of elements, levels or bytes.
    write: fn(&mut Pile, usize),
    /// Size of an honest write, at most half of the smallest size beyond the limit in any end.
    half: usize,
    /// Size of a write beyond the limit in each end.
    beyond: usize,
}

/// Setting of a limit, and its counter.
type Kind = (fn(&mut Limits), fn(&RefusedInput) -> u64);

const ELEMENTS: Kind = (
    |limits| limits.max_elements = 100,
    |refused| refused.elements,
);
const MEMORY: Kind = (
    |limits| (limits.max_memory, limits.memory_per_byte) = (20_000, 0),
    |refused| refused.memory,
);
const MEMORY_OF_BYTES: Kind = (
    |limits| (limits.max_memory, limits.memory_per_byte) = (20_000, 125),
    |refused| refused.memory,
);
const WORK: Kind = (
    |limits| (limits.max_work, limits.work_per_byte) = (120_000, 0),
    |refused| refused.work,
);
const WORK_OF_BYTES: Kind = (
    |limits| (limits.max_work, limits.work_per_byte) = (50_000, 100),
    |refused| refused.work,
);
const DEPTH: Kind = (|limits| limits.max_depth = 20, |refused| refused.depth);
const OWNER_MEMORY: Kind = (
    |limits| limits.max_owner_memory = 2000,
    |refused| refused.memory,
);

const fn row(
    name: &'static str,
    kind: Kind,
    [half, beyond]: [usize; 2],
    write: fn(&mut Pile, usize),
) -> Row {
    Row {
        name,
        kind,
        write,
        half,
        beyond,
    }
}

/// Elements of [`Pile::long`] at first.
const LONG: usize = 90;

fn keys(count: usize) -> impl Iterator<Item = u32> {
    (0..).take(count)
}

fn insert_at_both_ends(pile: &mut Pile, size: usize) {
    for number in 0..size / 2 {
        pile.long.insert(number, [1; 16]);
        pile.long.insert(pile.long.len() - number, [2; 16]);
    }
}

const ROWS: &[Row] = &[
    row(
        "elements of a sequence",
        ELEMENTS,
        [50, 101],
        |pile, size| {
            pile.numbers.set(vec![7; size]);
        },
    ),
    row("elements of a list", ELEMENTS, [50, 101], |pile, size| {
        pile.list.extend(vec![7; size]);
    }),
    row(
        "elements of a dictionary",
        ELEMENTS,
        [50, 101],
        |pile, size| {
            pile.map.extend(keys(size).map(|key| (key, 7)));
        },
    ),
    row("elements of a set", ELEMENTS, [50, 101], |pile, size| {
        pile.set.extend(keys(size));
    }),
    row(
        "elements of a sorted set",
        ELEMENTS,
        [50, 101],
        |pile, size| {
            pile.sorted.extend(keys(size));
        },
    ),
    row("memory of a sequence", MEMORY, [100, 200], |pile, size| {
        pile.slots.set(vec![None; size]);
    }),
    row("memory of a list", MEMORY, [35, 150], |pile, size| {
        pile.wide.extend(vec![None; size]);
    }),
    row(
        "memory for each byte",
        MEMORY_OF_BYTES,
        [1500, 3000],
        |pile, size| {
            pile.slots.set(vec![None; size]);
        },
    ),
    row("work of a sequence", WORK, [4000, 8000], |pile, size| {
        pile.numbers.set(vec![7; size]);
    }),
    row("work of insertions", WORK, [10, 60], insert_at_both_ends),
    row(
        "work for each byte",
        WORK_OF_BYTES,
        [10, 60],
        insert_at_both_ends,
    ),
    row("depth", DEPTH, [11, 22], |pile, size| {
        pile.chain.set(Postcard(Chain::of_depth(size)));
    }),
];

const OWNER_ROWS: &[Row] = &[row(
    "memory of an owner",
    OWNER_MEMORY,
    [1500, 3000],
    |pile, size| {
        pile.text.set("x".repeat(size));
    },
)];

/// Result of a write.
struct Outcome {
    /// Counter of the limit at the end that has it.
    refused: u64,
    /// States at the writer and at the reader.
    written: [usize; 10],
    read: [usize; 10],
}

/// End with the limits.
#[derive(Clone, Copy, Debug)]
enum End {
    Server(Framing),
    Client(Framing),
    MirrorServer,
    MirrorClient,
}

const SERVERS: [End; 3] = [
    End::Server(Framing::Unet),
    End::Server(Framing::Compact),
    End::MirrorServer,
];
const CLIENTS: [End; 3] = [
    End::Client(Framing::Unet),
    End::Client(Framing::Compact),
    End::MirrorClient,
];

impl End {
    fn run(self, row: &Row, size: usize) -> Outcome {
        match self {
            Self::Server(framing) | Self::Client(framing) => self.run_net(framing, row, size),
            Self::MirrorServer | Self::MirrorClient => self.run_mirror(row, size),
        }
    }

    fn run_net(self, framing: Framing, row: &Row, size: usize) -> Outcome {
        let mut config = ServerConfig::default();
        let mut client = ClientConfig {
            framing,
            ..ClientConfig::default()
        };
        match self {
            Self::Server(_) => (row.kind.0)(&mut config.limits),
            _ => (row.kind.0)(&mut client.limits),
        }
        let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
        let id = net.server.spawn(Pile::new());
        let client = net.connect_client(NetworkClient::with_config(prefabs(), client));
        net.settle();
        let refused = match self {
            Self::Server(_) => {
                let owner = net.connection(client);
                net.server.set_owner(id, Some(owner)).unwrap();
                net.settle();
                let mut pile = net.client_mut(client).get_mut::<Pile>(id).unwrap();
                (row.write)(&mut pile, size);
                drop(pile);
                let written = net.client(client).get::<Pile>(id).unwrap().state();
                net.settle();
                let read = net.server.get::<Pile>(id).unwrap().state();
                return Outcome {
                    refused: (row.kind.1)(&net.server.stats().refused),
                    written,
                    read,
                };
            }
            _ => {
                let mut pile = net.server.get_mut::<Pile>(id).unwrap();
                (row.write)(&mut pile, size);
                drop(pile);
                net.settle();
                (row.kind.1)(&net.client(client).stats().refused)
            }
        };
        Outcome {
            refused,
            written: net.server.get::<Pile>(id).unwrap().state(),
            read: net.client(client).get::<Pile>(id).unwrap().state(),
        }
    }

    fn run_mirror(self, row: &Row, size: usize) -> Outcome {
        let mut config = MirrorServerConfig::default();
        let mut client = MirrorClientConfig::default();
        config.spawn_policy = SpawnPolicy::WhenReady;
        match self {
            Self::MirrorServer => (row.kind.0)(&mut config.limits),
            _ => (row.kind.0)(&mut client.limits),
        }
        let server = MirrorServer::with_config(mirror_prefabs(), config);
        let mut net = MirrorNetwork::new(server, move || {
            MirrorClient::with_config(mirror_prefabs(), client.clone())
        });
        net.refusals = Refusals::Allowed;
        let id = net.server.spawn(Pile::new());
        let connection = net.connect();
        net.frames(3);
        let is_server = matches!(self, Self::MirrorServer);
        let written = if is_server {
            net.server.set_owner(id, Some(connection)).unwrap();
            net.frames(3);
            let mut pile = net.client(connection).get_mut::<Pile>(id).unwrap();
            (row.write)(&mut pile, size);
            pile.state()
        } else {
            let mut pile = net.server.get_mut::<Pile>(id).unwrap();
            (row.write)(&mut pile, size);
            pile.state()
        };
        net.frames(3);
        let client = { net.clients.get(&connection) }.or(net.closed.get(&connection));
        let client = client.unwrap();
        let stats = if is_server {
            net.server.stats().refused
        } else {
            client.stats().refused
        };
        let read = if is_server {
            net.server.get::<Pile>(id)
        } else {
            client.get(id)
        };
        Outcome {
            refused: (row.kind.1)(&stats),
            written,
            read: read.map(Pile::state).unwrap_or_default(),
        }
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Pile>("pile")
}

fn mirror_prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<Pile>(MirrorPrefab::new("pile", AssetId(1001)))
}

fn assert_reached(end: End, row: &Row) {
    let outcome = end.run(row, row.beyond);
    let name = row.name;
    assert!(outcome.refused > 0, "{end:?}: {name} is not reached");
    // A client asks for a snapshot, which may be within the limit. A server of Mirror ends the connection.
    let unchanged = match end {
        End::Server(_) => Pile::new().state(),
        End::MirrorServer => Default::default(),
        End::Client(_) | End::MirrorClient => return,
    };
    assert_eq!(outcome.read, unchanged, "{end:?}: {name}");
}

fn assert_not_met(end: End, row: &Row) {
    let outcome = end.run(row, row.half);
    let name = row.name;
    assert_eq!(outcome.refused, 0, "{end:?}: {name} is met by half of it");
    assert_eq!(outcome.read, outcome.written, "{end:?}: {name}");
}

#[test]
fn writes_of_owners_beyond_a_limit_are_refused() {
    for end in SERVERS {
        for row in ROWS.iter().chain(OWNER_ROWS) {
            assert_reached(end, row);
        }
    }
}

#[test]
fn writes_of_owners_at_half_a_limit_arrive() {
    for end in SERVERS {
        for row in ROWS.iter().chain(OWNER_ROWS) {
            assert_not_met(end, row);
        }
    }
}

#[test]
fn changes_of_a_server_beyond_a_limit_are_refused() {
    for end in CLIENTS {
        for row in ROWS {
            assert_reached(end, row);
        }
    }
}

#[test]
fn changes_of_a_server_at_half_a_limit_arrive() {
    for end in CLIENTS {
        for row in ROWS {
            assert_not_met(end, row);
        }
    }
}

#[test]
fn owners_share_the_total_work_of_an_update() {
    let (refused, written) = writes_of_four_owners(4000);
    assert!(refused > 0, "{written:?}");
    assert_eq!(written[0], 4000);
    assert!(written.contains(&0));
    // Half of the total.
    assert_eq!(writes_of_four_owners(1000), (0, [1000; 4]));

    /// Lets four owners write a number of elements in one update. Returns the refused writes, and the written
    /// lengths.
    fn writes_of_four_owners(size: usize) -> (u64, [usize; 4]) {
        let mut config = ServerConfig::default();
        let limits = &mut config.limits;
        (limits.max_work, limits.work_per_byte) = (1_000_000, 0);
        limits.max_total_work = 200_000;
        let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
        let owned = [(); 4].map(|()| (net.connect(), net.server.spawn(Pile::default())));
        net.settle();
        for (client, id) in owned {
            let connection = net.connection(client);
            net.server.set_owner(id, Some(connection)).unwrap();
        }
        net.settle();
        for (client, id) in owned {
            let mut pile = net.client_mut(client).get_mut::<Pile>(id).unwrap();
            pile.numbers.set(vec![7; size]);
        }
        net.settle();
        let written = owned.map(|(_, id)| net.server.get::<Pile>(id).unwrap().numbers.len());
        (net.server.stats().refused.work, written)
    }
}
