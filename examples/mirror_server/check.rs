//! Three bots join, by Telepathy, KCP and WebSocket; in the end all replicas must be equal to the server's objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::mirror::MirrorClient;
use syncvar::mirror::components::{
    AnimatorTrigger, NetworkAnimator, NetworkTransformReliable, animator_hash,
};
use syncvar::mirror::{MirrorHost, MirrorPeer, TransportOptions};
use syncvar::prelude::*;
use syncvar::websocket::{WebPort, WebSocketClient};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::objects::{Aim, Door, Monster, Player, SCENE_DOOR, Wallet, prefabs};

/// Playing time of the bots: a little longer than the script.
const PLAY: Duration = Duration::from_secs(3);

/// Frame of the bots.
const FRAME: Duration = Duration::from_millis(16);

/// Runs the server and the bots, and compares them.
pub(crate) async fn run() -> io::Result<ExitCode> {
    let (mut world, server) = crate::new_world();
    let host = MirrorHost::telepathy("127.0.0.1:0", server).await?;
    let host = host.and_kcp("127.0.0.1:0").await?;
    let port = WebPort::new().mirror();
    let host = host.and_websocket("127.0.0.1:0", port).await?;
    let [telepathy, kcp, websocket] = host.local_addrs()?[..] else {
        return Ok(ExitCode::FAILURE);
    };
    let (stop, mut stopped) = oneshot::channel();
    let (sender, state) = oneshot::channel();
    let mut sender = Some(sender);
    let server = tokio::spawn(host.run(move |server, now| {
        if stopped.try_recv().is_err() {
            return world.tick(server, now);
        }
        // The state before the players leave, which happens when the server stops.
        if let Some(sender) = sender.take() {
            let _ = sender.send(server.identities().map(describe).collect());
        }
        ControlFlow::Break(())
    }));

    let ada = tokio::spawn(Bot::play(telepathy, Wire::Telepathy));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let bob = tokio::spawn(Bot::play(kcp, Wire::Kcp));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let cleo = tokio::spawn(Bot::play(websocket, Wire::WebSocket));
    let bots = [ada.await??, bob.await??, cleo.await??];
    let _ = stop.send(());
    let world: Vec<Described> = state.await.map_err(io::Error::other)?;
    server.await?;

    let compare = |bot: &Bot| compare(&world, bot.peer.client()) & bot.has_seen_motion();
    let same = bots.iter().filter(|bot| compare(bot)).count() == bots.len();
    println!(
        "{}",
        if same {
            "Every replica has what it may have, and nothing else."
        } else {
            "The replicas are NOT what they should be."
        }
    );
    Ok(if same {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Transport of a bot.
enum Wire {
    Telepathy,
    Kcp,
    WebSocket,
}

/// A bot after its game, and the motions on the way.
struct Bot {
    peer: MirrorPeer,
    /// Different places of the platform.
    places: Vec<f32>,
    triggers: Vec<AnimatorTrigger>,
}

impl Bot {
    /// Runs a bot that joins, chats, takes damage, aims, and watches the platform and the windmill.
    async fn play(addr: SocketAddr, wire: Wire) -> io::Result<Self> {
        let mut client = MirrorClient::new(prefabs());
        let added = client.add_scene_object(SCENE_DOOR, Door::default());
        added.map_err(io::Error::other)?;
        let peer = match wire {
            Wire::Telepathy => MirrorPeer::telepathy(addr, client).await?,
            Wire::Kcp => MirrorPeer::kcp(addr, client).await?,
            Wire::WebSocket => {
                let url = WebSocketClient::new(&format!("ws://{addr}"));
                url.connect_mirror(client, TransportOptions::mirror())
                    .await?
            }
        };
        let mut bot = Self {
            peer,
            places: Vec::new(),
            triggers: Vec::new(),
        };
        let end = Instant::now() + PLAY;
        let mut greeted = false;
        while Instant::now() < end {
            let frame = Instant::now() + FRAME;
            while let Ok(Some(_)) = timeout_at(frame, bot.peer.next_event()).await {}
            bot.watch();
            let client = bot.peer.client_mut();
            if let Some(player) = client.local_player()
                && !std::mem::replace(&mut greeted, true)
            {
                let said = client.calls::<Player>(player).chat("hello".into());
                said.map_err(io::Error::other)?;
                let hurt = client.calls::<Player>(player).damage(7);
                hurt.map_err(io::Error::other)?;
                if let Ok(mut aim) = client.get_mut::<Aim>(player) {
                    aim.yaw.set(1.5);
                    aim.firing.set(true);
                }
            }
        }
        Ok(bot)
    }

    /// Looks at the platform and the windmill.
    fn watch(&mut self) {
        let client = self.peer.client_mut();
        let ids: Vec<NetId> = client.identities().map(NetworkIdentity::net_id).collect();
        for id in ids {
            if let Some(platform) = client.get::<NetworkTransformReliable>(id)
                && self.places.last() != Some(&platform.position.x)
            {
                self.places.push(platform.position.x);
            }
            if let Ok(mut windmill) = client.get_mut::<NetworkAnimator>(id) {
                self.triggers.extend(windmill.poll_trigger());
            }
        }
    }

    /// Returns `true` if the platform has moved steadily, and the windmill has creaked once.
    fn has_seen_motion(&self) -> bool {
        let steps = self.places.windows(2).map(|pair| pair[1] - pair[0]);
        let smooth = steps.clone().filter(|step| (0.0..0.5).contains(step));
        let is_smooth = smooth.count() == steps.count() && self.places.len() > 10;
        if !is_smooth {
            println!("the platform jumped: {:?}", self.places);
        }
        let creaked = self.triggers == [AnimatorTrigger::Set(animator_hash("Creak"))];
        if !creaked {
            println!("the windmill did not creak once: {:?}", self.triggers);
        }
        println!("A platform moved in {} steps.", self.places.len());
        is_smooth && creaked
    }
}

/// An object, as text.
struct Described {
    id: NetId,
    /// Public fields.
    open: String,
    /// Fields for the owner alone.
    owners: Option<String>,
}

fn describe(object: NetworkIdentity<'_>) -> Described {
    let mut open = Vec::new();
    if let Some(player) = object.behaviour::<Player>() {
        let (name, health) = (&player.name, &player.health);
        let (position, inventory) = (&player.position, player.inventory.to_vec());
        open.push(format!("{name} {health} {position:?} {inventory:?}"));
    }
    if let Some(aim) = object.behaviour::<Aim>() {
        open.push(format!("aims at {}, fires: {}", aim.yaw, aim.firing));
    }
    if let Some(monster) = object.behaviour::<Monster>() {
        let (kind, hp, color) = (&monster.kind, &monster.hp, &monster.color);
        let tags: BTreeSet<_> = monster.tags.iter().collect();
        let buffs: BTreeMap<_, _> = monster.buffs.iter().collect();
        let loot = monster.loot.to_vec();
        open.push(format!(
            "{kind:?} {hp} {color:?} {tags:?} {buffs:?} {loot:?}"
        ));
    }
    if let Some(door) = object.behaviour::<Door>() {
        open.push(format!("open: {}", door.open));
    }
    if let Some(platform) = object.behaviour::<NetworkTransformReliable>() {
        open.push(format!("at {:.2}", platform.position.x));
    }
    if let Some(windmill) = object.behaviour::<NetworkAnimator>() {
        let (parameters, speed) = (windmill.parameters(), windmill.speed);
        let layers = windmill
            .layers()
            .iter()
            .map(|it| (it.state.hash, it.weight));
        let layers: Vec<_> = layers.collect();
        open.push(format!("{parameters:?} {layers:?} at speed {speed}"));
    }
    let wallet = object.behaviour::<Wallet>();
    Described {
        id: object.net_id(),
        open: open.join(", "),
        owners: wallet.map(|wallet| format!("{} gold", wallet.gold)),
    }
}

/// Returns `true` if a client's replicas equal the server's objects; owner fields count for owned objects only.
fn compare(world: &[Described], client: &MirrorClient) -> bool {
    let mut same = world.len() == client.object_count();
    // A wallet of another player has the value of the prefab.
    let stranger = Some(format!("{} gold", Wallet::default().gold));
    for object in world {
        let Some(replica) = client.identity(object.id).map(describe) else {
            println!("{} is missing", object.id);
            same = false;
            continue;
        };
        let is_own = client.local_player() == Some(object.id);
        let owners = if is_own { &object.owners } else { &stranger };
        let owners = object.owners.as_ref().and(owners.as_ref());
        if replica.open != object.open || replica.owners.as_ref() != owners {
            println!(
                "{} is not the same: {} and {}",
                object.id, object.open, replica.open
            );
            same = false;
        }
    }
    let player = client.local_player();
    if let Some(player) = player.and_then(|id| client.get::<Player>(id)) {
        println!("{} has seen:", player.name);
        for line in &player.seen {
            println!("  {line}");
        }
    }
    same
}
