//! Controllers of animators: parameters, and layers with their first states.

use std::collections::BTreeMap;

use super::Yaml;
use super::yaml::Document;

/// Unity's numbers of classes.
const CONTROLLER: u32 = 91;
const OVERRIDE: u32 = 221;
const STATE: u32 = 1102;
const STATE_MACHINE: u32 = 1107;
/// Classes of the documents that a controller consists of.
pub(super) const CLASSES: &[u32] = &[CONTROLLER, OVERRIDE, STATE, STATE_MACHINE];
/// Deepest nesting of state machines.
const MAX_DEPTH: usize = 48;

/// A controller of animators.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) layers: Vec<Layer>,
}

/// A parameter and its default.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) default: ParameterDefault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ParameterDefault {
    Int(i32),
    Float(f32),
    Bool(bool),
    Trigger,
}

/// A layer.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Full path of its first state: `Base Layer.Idle`.
    pub(crate) state: Option<String>,
    pub(crate) weight: f32,
}

/// Returns the GUID of the controller that the file overrides.
pub(super) fn overridden(documents: &[Document]) -> Option<&str> {
    let document = documents.iter().find(|it| it.class == OVERRIDE)?;
    document.value.get("m_Controller")?.guid()
}

/// Returns the controller of a file. `None` if a parameter or layer is not readable.
pub(super) fn read(documents: &[Document]) -> Option<Controller> {
    let controller = &documents.iter().find(|it| it.class == CONTROLLER)?.value;
    let by_id: BTreeMap<i64, &Yaml> = documents.iter().map(|it| (it.id, &it.value)).collect();
    let items = |key| controller.get(key).map_or(&[][..], Yaml::list);
    let parameters = items("m_AnimatorParameters").iter().map(parameter);
    let layers = items("m_AnimatorLayers");
    let layer = |(index, value)| layer(&by_id, layers, index, value);
    Some(Controller {
        parameters: parameters.collect::<Option<_>>()?,
        layers: layers
            .iter()
            .enumerate()
            .map(layer)
            .collect::<Option<_>>()?,
    })
}

fn parameter(value: &Yaml) -> Option<Parameter> {
    let text = |key| value.get(key)?.text();
    let default = match text("m_Type")? {
        "1" => ParameterDefault::Float(text("m_DefaultFloat")?.parse().ok()?),
        "3" => ParameterDefault::Int(text("m_DefaultInt")?.parse().ok()?),
        "4" => ParameterDefault::Bool(text("m_DefaultBool")? != "0"),
        "9" => ParameterDefault::Trigger,
        _ => return None,
    };
    Some(Parameter {
        name: text("m_Name")?.to_owned(),
        default,
    })
}

fn layer(
    by_id: &BTreeMap<i64, &Yaml>,
    layers: &[Yaml],
    index: usize,
    value: &Yaml,
) -> Option<Layer> {
    let weight = match index {
        // The first layer is always whole, and its weight is written as 0.
        0 => 1.0,
        _ => value.get("m_DefaultWeight")?.text()?.parse().ok()?,
    };
    // A synced layer has the states of its source layer.
    let synced = value.get("m_SyncedLayerIndex").and_then(Yaml::text);
    let synced = synced.and_then(|index| layers.get(index.parse::<usize>().ok()?));
    let states = synced.unwrap_or(value);
    let machine = states.get("m_StateMachine")?.file_id();
    let machine = machine.and_then(|id| by_id.get(&id));
    let state = machine.and_then(|machine| {
        let first = machine.get("m_DefaultState")?.file_id()?;
        let path = states.get("m_Name")?.text()?;
        state_path(by_id, machine, first, path, 0)
    });
    Some(Layer { state, weight })
}

/// Returns the full path of a state of a state machine with this path.
fn state_path(
    by_id: &BTreeMap<i64, &Yaml>,
    machine: &Yaml,
    state: i64,
    path: &str,
    depth: usize,
) -> Option<String> {
    let ids = |list: &str, key: &'static str| {
        let items = machine.get(list).map_or(&[][..], Yaml::list);
        let ids = items
            .iter()
            .filter_map(move |item| item.get(key)?.file_id());
        ids.collect::<Vec<_>>()
    };
    let name = |value: &Yaml| Some(value.get("m_Name")?.text()?.to_owned());
    if ids("m_ChildStates", "m_State").contains(&state) {
        return Some(format!("{path}.{}", name(by_id.get(&state)?)?));
    }
    if depth > MAX_DEPTH {
        return None;
    }
    let machines = ids("m_ChildStateMachines", "m_StateMachine");
    machines.into_iter().find_map(|id| {
        let machine = by_id.get(&id)?;
        let path = format!("{path}.{}", name(machine)?);
        state_path(by_id, machine, state, &path, depth + 1)
    })
}
