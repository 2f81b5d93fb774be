//! Servers that are not Mirror's and do something odd: what the recorded client of Mirror made of each, ours
//! makes of it. What they sent was not recorded; it is put together here from what is said about it.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use syncvar::mirror::message::{NetworkPongMessage, SpawnFlags, TimeSnapshotMessage};
use syncvar::mirror::{MirrorClient, MirrorError};
use syncvar::prelude::*;
use syncvar::{Channel, values::Vector3, wire::NetworkWriter};

use crate::client::calls::rpc;
use crate::client::game::{self, Aim, Door, Kind, Monster, Player, Wallet};
use crate::client::recorded::{once_in_a_row, recorded_calls};
use crate::client::server::{
    MINE, MONSTER, PLAYER, World, batch, destroy, finished, full, message, owner, spawn,
    spawn_door, started, state,
};

const ME: NetId = NetId(7);

struct Server {
    world: World,
    variant: String,
    /// What the client has said, but for times.
    said: Vec<String>,
}

impl Server {
    fn give(&mut self, messages: &[Bytes]) -> Result<(), MirrorError> {
        let batch = batch(self.world.now.as_secs_f64(), messages);
        self.world.client.handle_packet(Channel::Reliable, &batch)
    }

    /// A tenth of a second: the client is told the time, and that its ping has come, unless it is not to be.
    fn frame(&mut self) {
        let said = self.world.frame();
        self.said.extend(said.iter().map(hex::encode));
        let now = self.world.now.as_secs_f64();
        let mut times = Vec::new();
        if self.variant != "nosnap" {
            times.push(message(&TimeSnapshotMessage { scaled_time: now }));
        }
        if self.variant != "nopong" {
            times.push(message(&NetworkPongMessage {
                local_time: now - 0.02,
                prediction_error_unadjusted: 0.0,
                prediction_error_adjusted: 0.0,
            }));
        }
        let times = batch(now, &times);
        let client = &mut self.world.client;
        client.handle_packet(Channel::Unreliable, &times).unwrap();
    }

    fn client(&mut self) -> &mut MirrorClient {
        &mut self.world.client
    }

    /// What all of them do first, a second long.
    fn begin(&mut self) {
        self.burst();
        if self.client().calls::<Player>(ME).cmd_damage(7).is_ok() {
            self.frame();
            self.give(&[health(93)]).unwrap();
        }
        self.give(&[state(9, &monster_change())]).unwrap();
        self.frame();
        let chat = [text("rusty"), text("echo hey")].concat();
        let name = "System.Void Player::RpcChat(System.String,System.String)";
        self.give(&[rpc(7, 0, name, &chat)]).unwrap();
        if let Ok(mut aim) = self.client().get_mut::<Aim>(ME) {
            aim.yaw.set(2.0);
            aim.firing.set(true);
        }
        self.frame();
        let mut second = Monster::default();
        (second.kind, second.hp) = (Kind::Orc.into(), 5.into());
        second.target = NetRef::from(NetId(9)).into();
        self.give(&[spawn(11, MONSTER, SpawnFlags::NONE, &full(second))])
            .unwrap();
        self.frame();
        self.give(&[owner(11, SpawnFlags::IS_OWNER)]).unwrap();
        self.frame();
        self.give(&[destroy(9)]).unwrap();
        self.give(&[destroy(11)]).unwrap();
        self.frame();
    }

    /// The objects that are there.
    fn burst(&mut self) {
        let mut monster = Monster::default();
        (monster.kind, monster.hp) = (Kind::Dragon.into(), 70.into());
        monster.target = NetRef::from(NetId(11)).into();
        monster.buffs = [(5, Some("old".to_string()))].into();
        monster.tags = [Some("t1".to_string()), Some("t2".to_string())].into();
        let door = Door { open: true.into() };
        let mut player = Player {
            player_name: Some("rusty".to_string()).into(),
            position: Vector3::new(0.0, 1.0, 0.0).into(),
            ..Player::default()
        };
        player.inventory = [3, -4].into();
        let wallet = Wallet {
            gold: 55.into(),
            secret: 1_099_511_627_776.into(),
        };
        let mut burst = vec![
            started(),
            spawn(9, MONSTER, SpawnFlags::NONE, &full(monster)),
            spawn_door(1, &full(door)),
            spawn(7, PLAYER, MINE, &full((player, wallet, Aim::default()))),
        ];
        if self.variant != "nofinish" {
            burst.push(finished());
        }
        self.give(&burst).unwrap();
        self.frame();
    }

    /// What is odd about this one.
    fn odd(&mut self) -> Result<(), MirrorError> {
        match self.variant.as_str() {
            "unknownid" => self.give(&[Bytes::from_static(&[0x39, 0x30])]),
            "badsize" => {
                let batch = [&[0; 8][..], &[100]].concat();
                self.client().handle_packet(Channel::Reliable, &batch)
            }
            "shortmsg" => self.give(&[Bytes::from_static(&[1])]),
            "emptybatch" => self.give(&[]),
            "aoidup" => {
                let mut third = Monster::default();
                (third.kind, third.hp) = (Kind::Orc.into(), 5.into());
                let values = [&[1, 11, 0, 0, 0, 0, 0, 0, 0, 0, 2][..], &[5, 0]].concat();
                let spawn = spawn(12, MONSTER, SpawnFlags::NONE, &full(third));
                self.give(&[spawn, state(12, &values)])
            }
            "trailing" => self.give(&[[&health(50)[..], &[0xde, 0xad]].concat().into()]),
            "badcomp" => {
                let player = [0, 0, 0, 0, 0, 0, 0, 0, 2, 100];
                let wallet = [0, 0, 0, 0, 0, 0, 0, 0, 1, 154];
                let payload = [&[3, 11][..], &player, &[0xff, 10], &wallet].concat();
                self.give(&[state(7, &payload)])
            }
            "unknownnet" => self.give(&[state(4444, &[1, 0])]),
            "dupspawn" => {
                let mut player = Player {
                    player_name: Some("again".to_string()).into(),
                    health: 1.into(),
                    position: Vector3::new(0.0, 1.0, 0.0).into(),
                    ..Player::default()
                };
                player.inventory = [8].into();
                let wallet = Wallet {
                    gold: 5.into(),
                    secret: 1.into(),
                };
                let payload = full((player, wallet, Aim::default()));
                self.give(&[spawn(7, PLAYER, MINE, &payload)])
            }
            "badrpc" => {
                let call = syncvar::mirror::message::RpcMessage {
                    net_id: ME,
                    component_index: 0,
                    function_hash: 1,
                    payload: Some(&[]),
                };
                self.give(&[message(&call)])
            }
            _ => Ok(()),
        }
    }
}

fn text(text: &str) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(syncvar::wire::Encoding::Mirror);
    writer.write(&text.to_string());
    writer.as_bytes().to_vec()
}

/// The health of the player, which is the second of its variables.
fn health(health: u8) -> Bytes {
    state(7, &[1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2 * health])
}

/// One buff more, and another gone; a tag gone; and other hit points.
fn monster_change() -> Vec<u8> {
    let buffs = [&[2, 0, 0, 0, 0, 12][..], &text("new"), &[2, 10]].concat();
    let tags = [&[1, 0, 0, 0, 1][..], &text("t1")].concat();
    let change = [&[3, 0, 0, 0, 0, 0, 0, 0][..], &buffs, &tags, &[2, 69, 0]].concat();
    let size = u8::try_from(change.len()).unwrap();
    [&[1, size][..], &change].concat()
}

fn recorded() -> Vec<Value> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data");
    let text = std::fs::read(data.join("foreign_server.json")).unwrap();
    let json: Value = serde_json::from_slice(&text).unwrap();
    json["cases"].as_array().unwrap().clone()
}

#[test]
fn odd_servers_have_the_same_effect_as_on_mirrors_client() {
    let cases = recorded();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let variant = case["variant"].as_str().unwrap();
        let (world, said) = (World::new(), Vec::new());
        let mut server = Server {
            world,
            variant: variant.into(),
            said,
        };
        server.begin();
        let odd = server.odd();
        let closed = case["client_closed"].as_bool().unwrap();
        assert_eq!(odd.is_err(), closed, "{variant}");
        assert_eq!(server.client().poll_close(), closed, "{variant}");
        if !closed {
            if server.client().calls::<Player>(ME).cmd_damage(1).is_ok() {
                server.frame();
                server.give(&[health(92)]).unwrap();
            }
            server.frame();
            if variant == "nofinish" {
                assert_eq!(server.client().object_count(), 0);
            } else {
                let (ids, player) = final_state(&case).unwrap();
                let expected = (ids, picked(&player));
                assert_eq!(our_state(server.client()), expected, "{variant}");
            }
            let client = server.client();
            assert_eq!(client.network_time().is_none(), variant == "nosnap");
            assert_eq!(client.rtt() == Duration::ZERO, variant == "nopong");
            assert!(client.is_connected() && client.is_ready());
        }
        let stats = server.client().stats();
        assert_eq!(stats.mismatches, u64::from(variant == "badcomp"));
        assert_eq!(stats.unknown_calls, u64::from(variant == "badrpc"));
        if variant != "nofinish" {
            assert_eq!(stats.unknown_objects, u64::from(variant == "unknownnet"));
            // As the recorded server has noted it.
            let said = server.said.concat();
            for part in ["d4980700b552020e", "040e0000000000000000030000004001"] {
                assert!(said.contains(part), "{variant}: {said}");
            }
        }
        server.client().handle_disconnect();
        let calls = once_in_a_row(game::called());
        let mut expected = once_in_a_row(recorded_calls(&case["client_log"]));
        // An object that waits for the end of a burst is told that it is owned, and has no number.
        expected.retain(|call| call != "OnStartAuthority 0.0");
        assert_eq!(calls, expected, "{variant}");
    }

    /// What a recorded client knew in the end: of the player, and which objects there were.
    fn final_state(case: &Value) -> Option<(Vec<u64>, Value)> {
        let log = case["client_log"].as_array().unwrap();
        let objects = log.iter().find(|entry| entry["ev"] == "final")?["objects"].as_array()?;
        let ids = objects.iter().filter_map(|object| object["netId"].as_u64());
        let player = objects.iter().find(|object| object["netId"] == 7)?;
        Some((ids.collect(), player["components"].clone()))
    }

    /// The same of ours.
    fn our_state(client: &MirrorClient) -> (Vec<u64>, Value) {
        let ids = client.identities().map(|object| object.net_id().0.into());
        let player: &Player = client.get(ME).unwrap();
        let wallet: &Wallet = client.get(ME).unwrap();
        let aim: &Aim = client.get(ME).unwrap();
        let player = serde_json::json!([
            player.player_name.as_deref(),
            *player.health,
            &player.inventory[..],
            *wallet.gold,
            wallet.secret.to_string(),
            aim.yaw.to_string(),
            *aim.firing,
        ]);
        (ids.collect(), player)
    }

    fn picked(components: &Value) -> Value {
        let [player, wallet, aim] = [0, 1, 2].map(|index| &components[index]["syncvars"]);
        serde_json::json!([
            player["playerName"],
            player["health"],
            components[0]["syncobjects"]["inventory"],
            wallet["gold"],
            wallet["secret"],
            aim["yaw"]["f32"],
            aim["firing"],
        ])
    }
}
