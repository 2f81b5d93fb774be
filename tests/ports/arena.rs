//! The server process of the example `arena` with clients of different builds: a client with changed structs, and an untyped
//! client.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value as Json;
use syncvar::prelude::*;
use syncvar::tcp::TcpClient;
use syncvar::untyped::Value;
use syncvar::values::Vector2;
use syncvar_testing::sockets::{read_to_end, soon};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// The arena's `Fighter` in a later build: a new name, renamed and widened fields in a different order, a new field.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05, was = "Fighter")]
struct Hero {
    #[sync_var]
    mana: SyncVar<u32>,
    #[sync_var(write = owner)]
    stance: SyncVar<Stance>,
    #[sync_var(was = "name", hook = on_title_changed)]
    title: SyncVar<String>,
    #[sync_var]
    health: SyncVar<i64>,
    #[sync_var(read = owner)]
    pack: SyncList<Item>,
    titles: Vec<String>,
    told: Vec<(u8, String)>,
}

#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
enum Item {
    #[default]
    Potion,
    #[sync_value(other)]
    Other,
}

#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
enum Stance {
    #[sync_value(was = "OnGuard")]
    Guarding,
    #[default]
    Open,
}

impl Hero {
    fn on_title_changed(&mut self, _previous: String) {
        self.titles.push(self.title.to_string());
    }
}

#[network_calls]
impl Hero {
    #[command(was = "introduce")]
    fn meet(&mut self, greeting: String, name: String) {
        let _ = (greeting, name);
    }

    #[command]
    fn use_item(&mut self) {}

    #[command]
    fn dance(&mut self) {}

    #[target_rpc]
    fn tell(&mut self, tone: u8, text: String) {
        self.told.push((tone, text));
    }
}

/// The arena's `Body` with its fields in a different order.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05, channel = unreliable)]
struct Body {
    #[sync_var(write = owner)]
    heading: SyncVar<Vector2>,
    #[sync_var]
    position: SyncVar<Vector2>,
}

/// The arena's `Crown` without its `wearer`.
#[derive(NetworkBehaviour, Default)]
struct Crown {
    #[sync_var(write = owner)]
    motto: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    let hero = || Hero {
        mana: 7.into(),
        ..Hero::default()
    };
    Prefabs::new()
        .register_with("hero", move || (Body::default(), hero()))
        .register::<Crown>("crown")
        .prefab_was("hero", &["fighter"])
}

/// The server process of the example, which plays with three bots until it is dropped.
struct Arena {
    addr: SocketAddr,
    _process: Child,
}

impl Arena {
    async fn open() -> Self {
        let test = std::env::current_exe().unwrap();
        let profile: PathBuf = test.ancestors().nth(2).unwrap().into();
        let name = format!("arena{}", std::env::consts::EXE_SUFFIX);
        let mut process = Command::new(profile.join("examples").join(name))
            .arg("127.0.0.1:0")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("`cargo build --all-features --example arena` has built the arena");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = soon(lines.next_line()).await.unwrap().unwrap();
        let url = url::Url::parse(&line).expect("the URL of an arena with the feature `web`");
        Self {
            addr: url.socket_addrs(|| None).unwrap()[0],
            _process: process,
        }
    }

    /// Returns an object of the server.
    async fn object(&self, id: NetId) -> Json {
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        let request = "GET /state.json HTTP/1.1\r\nHost: arena\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = String::from_utf8(read_to_end(&mut stream).await).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let objects: Vec<Json> = serde_json::from_str(body).unwrap();
        let found = objects.into_iter().find(|object| object["id"] == id.0);
        found.unwrap_or_default()
    }

    /// Joins, and waits for the fighter of the client.
    async fn join(&self, client: NetworkClient) -> (TcpClient, NetId) {
        let mut tcp = TcpClient::connect(self.addr, client).await.unwrap();
        let id = soon(async {
            loop {
                let event = tcp.next_event().await.expect("the arena takes the client");
                if let ClientEvent::OwnerChanged { object, .. } = event {
                    return object;
                }
            }
        });
        let id = id.await;
        (tcp, id)
    }

    /// Plays until a client and an object of the server satisfy a check.
    async fn until(
        &self,
        tcp: &mut TcpClient,
        object: NetId,
        check: impl Fn(&NetworkClient, &Json) -> bool,
    ) {
        soon(async {
            while !check(tcp.client(), &self.object(object).await) {
                let pause = Duration::from_millis(20);
                let _ = tokio::time::timeout(pause, tcp.next_event()).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_client_of_another_build_plays_in_the_process_of_the_arena() {
    let arena = Arena::open().await;
    let (mut tcp, me) = Box::pin(arena.join(NetworkClient::new(prefabs()))).await;
    let client = tcp.client_mut();
    let hero = client.get::<Hero>(me).unwrap();
    assert_eq!((*hero.mana, *hero.health), (7, 100));
    assert_eq!(
        hero.pack.to_vec(),
        [Item::Potion, Item::Other, Item::Potion]
    );
    let greeting = "hello".to_string();
    client
        .calls::<Hero>(me)
        .meet(greeting, "Guest".into())
        .unwrap();
    client
        .get_mut::<Hero>(me)
        .unwrap()
        .stance
        .set(Stance::Guarding);
    let north = Vector2::new(0.0, 1.0);
    client.get_mut::<Body>(me).unwrap().heading.set(north);
    let dance = client.calls::<Hero>(me).dance().unwrap_err().to_string();
    assert!(dance.contains("dance"), "{dance}");

    // The northern edge of the arena.
    let arrived = |client: &NetworkClient, server: &Json| {
        let (hero, body) = (client.get::<Hero>(me), client.get::<Body>(me));
        server["name"] == "Guest"
            && server["stance"] == "OnGuard"
            && server["position"]["y"] == 7.0
            && hero.is_some_and(|it| *it.title == "Guest" && *it.stance == Stance::Guarding)
            && body.is_some_and(|it| it.position.y >= 7.0)
    };
    arena.until(&mut tcp, me, arrived).await;
    tcp.client_mut().calls::<Hero>(me).use_item().unwrap();
    let told = |client: &NetworkClient, _: &Json| {
        let hero = client.get::<Hero>(me).unwrap();
        !hero.told.is_empty() && hero.pack.len() == 2
    };
    arena.until(&mut tcp, me, told).await;
    let hero = tcp.client().get::<Hero>(me).unwrap();
    assert_eq!(hero.told, [(0, "the potion tastes of iron".to_string())]);
    assert_eq!(hero.titles, ["Guest"]);

    let crown = tcp.client().identities();
    let crown = { crown }.find(|object| object.prefab() == "crown");
    let crown = crown.unwrap().net_id();
    let same_motto = |client: &NetworkClient, server: &Json| {
        let motto = client.get::<Crown>(crown).unwrap().motto.to_string();
        !motto.is_empty() && server["motto"] == motto
    };
    arena.until(&mut tcp, crown, same_motto).await;
}

#[tokio::test]
async fn a_client_without_types_plays_in_the_process_of_the_arena() {
    let arena = Arena::open().await;
    let (mut tcp, me) = Box::pin(arena.join(NetworkClient::learning())).await;
    let client = tcp.client_mut();
    client
        .call(me, "Fighter", "introduce", &["Ghost".into()])
        .unwrap();
    let on_guard = Value::variant("OnGuard");
    client
        .set_value(me, "Fighter", "stance", on_guard.clone())
        .unwrap();
    let same = |client: &NetworkClient, server: &Json| {
        server["name"] == "Ghost"
            && server["stance"] == "OnGuard"
            && client.value(me, "Fighter", "name") == Some(&"Ghost".into())
            && client.value(me, "Fighter", "stance") == Some(&on_guard)
    };
    arena.until(&mut tcp, me, same).await;
    let pack = tcp.client().value(me, "Fighter", "pack");
    assert_eq!(pack.and_then(Value::as_list).map(<[_]>::len), Some(3));
}
