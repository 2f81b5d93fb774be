//! Text of the Rust module.

mod behaviours;
mod prefabs;
mod scenes;
mod values;

use std::fmt::Write as _;

use crate::model::Module;
use crate::report::Report;

const HEADER: &str = "\
// Structs, calls, prefabs and scenes of a Unity project, written by `mirror-import`. Do not edit: the next import overwrites it.
// Methods of the game replace the empty ones: `fn on_cmd_fire(&mut self, ctx: &mut CallContext<'_>, ..)` in an
// `impl` block of the behaviour.
";

const ATTRIBUTES: &str = "
#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(dead_code, unreachable_pub, unused_imports, unused_qualifications, unused_variables)]
#![allow(non_camel_case_types, non_upper_case_globals, clippy::all, clippy::pedantic)]

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar::behaviour::BehaviourList;
use syncvar::mirror::{
    AssetId, Component, MirrorMessage, MirrorPrefab, MirrorPrefabs, SyncDirection, SyncMethod, SyncMode,
};
use syncvar::prelude::*;
use syncvar::values::{
    Color, Color32, Decimal, LayerMask, Matrix4x4, OaDate, Plane, Quaternion, Ray, Rect, Vector2, Vector2Int, Vector3,
    Vector3Int, Vector4,
};
";

/// Target of references to components of any class.
const ANY_BEHAVIOUR: &str = "
/// Target of a reference to a component of any class: only the object and the position are known.
#[derive(NetworkBehaviour, Default)]
pub struct AnyBehaviour {}
";

/// Returns the text of a module.
pub(crate) fn text(module: &Module, report: &Report) -> String {
    let mut text = HEADER.to_owned();
    text += "//\n";
    match report.len() {
        0 => text += "// Everything was read.\n",
        1 => text += "// 1 place was not read:\n",
        places => {
            let _ = writeln!(text, "// {places} places were not read:");
        }
    }
    for line in report.lines() {
        let _ = writeln!(text, "// - {line}");
    }
    text += ATTRIBUTES;
    prefabs::write(&mut text, module);
    for scene in &module.scenes {
        scenes::write(&mut text, scene);
    }
    for controller in &module.controllers {
        scenes::controller(&mut text, controller);
    }
    for behaviour in &module.behaviours {
        behaviours::write(&mut text, behaviour);
    }
    if text.contains("<AnyBehaviour>") {
        text += ANY_BEHAVIOUR;
    }
    for value in &module.values {
        values::write(&mut text, value);
    }
    text
}
