//! What is done to a server, in the words of our scripts.

use std::time::Duration;

use syncvar::{
    NetworkSceneId,
    values::{NetworkHash128, Quaternion, Vector3},
};

use super::recorded::Recorded;
use syncvar_testing::golden::{Json, Node};

#[derive(Clone)]
pub(crate) enum Command {
    /// A connection is there, and not ready.
    Connect(u32),
    /// There is a client in the server's process.
    ConnectLocal(u32),
    /// A connection says that it is ready.
    Ready(u32),
    NotReady(u32),
    Spawn(Spawn),
    Despawn(u32),
    Hide {
        object: u32,
        connection: u32,
    },
    Show {
        object: u32,
        connection: u32,
    },
    Own {
        object: u32,
        connection: Option<u32>,
    },
    /// Makes an object a connection's player of this number.
    Player {
        connection: u32,
        number: i16,
        object: u32,
    },
    /// Assigns to a field.
    Set {
        object: u32,
        behaviour: usize,
        field: String,
        value: Json,
    },
    SetDirtyBit {
        object: u32,
        behaviour: usize,
        dirty_bits: u64,
    },
    /// The server updates: at this time, or when another second has passed.
    Update(Option<Duration>),
    /// Calls clients: `damage`, `magic`, `die`, `hit` or `say`, with numbers behind it; or, as the local
    /// client, the server: `move`.
    Call {
        object: u32,
        call: String,
        numbers: Vec<u32>,
    },
    /// What was sent so far belongs to no step.
    Forget,
}

#[derive(Clone)]
pub(crate) struct Spawn {
    pub(crate) object: u32,
    pub(crate) asset_id: NetworkHash128,
    pub(crate) classes: Vec<String>,
    pub(crate) position: Vector3,
    pub(crate) rotation: Quaternion,
    /// Nobody sees it.
    pub(crate) hidden: bool,
    /// Its number in the scene, if it is part of it.
    pub(crate) scene_id: Option<NetworkSceneId>,
}

impl Command {
    /// Reads a script: commands with a semicolon between them.
    pub(crate) fn parse_all(script: &str) -> Vec<Self> {
        let commands = script
            .split(';')
            .map(str::trim)
            .filter(|command| !command.is_empty());
        commands.map(Self::parse).collect()
    }

    fn parse(command: &str) -> Self {
        let words: Vec<&str> = command.split_whitespace().collect();
        let number = |text: &str| text.parse::<u32>().expect("a number");
        let float = |text: &str| text.parse::<f32>().expect("a number");
        match words[..] {
            ["connect", connection] => Self::Connect(number(connection)),
            ["connect-local", connection] => Self::ConnectLocal(number(connection)),
            ["ready", connection] => Self::Ready(number(connection)),
            ["not-ready", connection] => Self::NotReady(number(connection)),
            [
                "spawn" | "spawn-hidden" | "spawn-scene",
                object,
                asset,
                ref rest @ ..,
            ] => {
                let is_scene = words[0] == "spawn-scene";
                let (classes, place) = match rest {
                    [classes @ .., "at", x, y, z] => (classes, [x, y, z].map(|word| float(word))),
                    classes => (classes, [0.0; 3]),
                };
                let [x, y, z] = place;
                Self::Spawn(Spawn {
                    object: number(object),
                    asset_id: if is_scene {
                        scene_asset_id(NetworkSceneId(number(asset)))
                    } else {
                        asset_id(number(asset))
                    },
                    classes: classes.iter().map(ToString::to_string).collect(),
                    position: Vector3::new(x, y, z),
                    rotation: Quaternion::IDENTITY,
                    hidden: words[0] == "spawn-hidden",
                    scene_id: is_scene.then(|| NetworkSceneId(number(asset))),
                })
            }
            ["despawn", object] => Self::Despawn(number(object)),
            ["hide", object, connection] => Self::Hide {
                object: number(object),
                connection: number(connection),
            },
            ["show", object, connection] => Self::Show {
                object: number(object),
                connection: number(connection),
            },
            ["own", object, connection] => Self::Own {
                object: number(object),
                connection: Some(number(connection)),
            },
            ["disown", object] => Self::Own {
                object: number(object),
                connection: None,
            },
            ["player", connection, place, object] => Self::Player {
                connection: number(connection),
                number: place.parse().expect("a number"),
                object: number(object),
            },
            ["set", object, field, ref value @ ..] => {
                Self::set(number(object), field, &Json::parse(&value.join(" ")))
            }
            ["update"] => Self::Update(None),
            ["update", seconds] => Self::Update(Some(Duration::from_secs(number(seconds).into()))),
            ["forget"] => Self::Forget,
            [
                call @ ("damage" | "magic" | "die" | "hit" | "say" | "move"),
                object,
                ref numbers @ ..,
            ] => Self::Call {
                object: number(object),
                call: call.into(),
                numbers: numbers.iter().map(|word| number(word)).collect(),
            },
            _ => panic!("`{command}` is no command"),
        }
    }

    /// `0.v` is field `v` of the first behaviour; `0.SetDirtyBit` marks fields by hand.
    pub(crate) fn set(object: u32, field: &str, value: &Json) -> Self {
        let (behaviour, field) = field.split_once('.').expect("behaviour.field");
        let behaviour = behaviour.parse().expect("a behaviour's position");
        if field == "SetDirtyBit" {
            return Self::SetDirtyBit {
                object,
                behaviour,
                dirty_bits: value.number(),
            };
        }
        let (field, value) = (field.into(), value.clone());
        Self::Set {
            object,
            behaviour,
            field,
            value,
        }
    }

    /// A spawn that is recorded with all its circumstances.
    pub(crate) fn spawn_from_json(step: &Json) -> Self {
        let classes = step.at("components").items().iter().map(class_name);
        Self::Spawn(Spawn {
            object: step.at("netId").number(),
            asset_id: NetworkHash128::parse(step.at("assetId").text()),
            classes: classes.collect(),
            position: Vector3::from_json(step.at("position")).expect("three floats"),
            rotation: Quaternion::from_json(step.at("rotation")).expect("four floats"),
            hidden: false,
            scene_id: None,
        })
    }
}

/// The class in `"One ch0"`.
pub(crate) fn class_name(component: &Json) -> String {
    let words = component.text().split_whitespace();
    words.take(1).collect()
}

/// What ours calls the prefab of a scene object: UNet's message does not say it.
pub(crate) fn scene_asset_id(scene_id: NetworkSceneId) -> NetworkHash128 {
    NetworkHash128::of(&format!("scene object {}", scene_id.0))
}

/// The recorder numbers its assets: 1 is `a55e7000...0001`, 0 is none.
fn asset_id(number: u32) -> NetworkHash128 {
    match number {
        0 => NetworkHash128::default(),
        _ => NetworkHash128::parse(&format!("a55e7{number:027x}")),
    }
}
