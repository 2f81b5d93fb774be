//! A field of a class of the recordings.

use syncvar::{
    unet::ListHash,
    wire::{NetworkReader, NetworkWriter},
};

use super::cell::Cell;
use super::list_cell;
use super::rule::Rule;
use super::subject::Subject;
use syncvar_testing::golden::{Json, Node};

pub(crate) struct Field {
    /// As the recorder has it.
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) declared_in: String,
    /// The dirty bit that UNet gives it.
    pub(crate) recorded_bit: u64,
    /// The dirty bit that ours has.
    pub(crate) bit: u64,
    pub(crate) has_hook: bool,
    /// What a new object has.
    pub(crate) default: Json,
    /// The position among the cells of a subject, which may have more.
    pub(crate) cell: usize,
}

impl Field {
    /// `recordings` are lists of steps in which the field's default is looked for.
    pub(crate) fn from_json(json: &Json, recordings: [&[Json]; 2]) -> Self {
        let text = |key| json.at(key).text().to_string();
        let recorded_bit = 1_u64.checked_shl(json.at("bit").number());
        let recorded_bit = recorded_bit.expect("a bit of a 64-bit mask");
        let name = json.at("name").text();
        let default = |steps| default_value(name, recorded_bit, steps);
        let default = recordings.into_iter().find_map(default);
        Self {
            default: default.cloned().unwrap_or(Json::Null),
            name: text("name"),
            kind: text("type"),
            declared_in: text("declared_in"),
            recorded_bit,
            bit: 0,
            has_hook: json.get("hook").is_some(),
            cell: 0,
        }
    }

    /// What stands for the field in UNet's list messages.
    pub(crate) fn list_hash(&self) -> ListHash {
        let (_, class) = self
            .declared_in
            .rsplit_once('.')
            .unwrap_or(("", &self.declared_in));
        ListHash::of(class, &self.name)
    }

    /// A field like it, with its value on an object.
    pub(crate) fn copy_of_list(&self, subject: &dyn Subject) -> Option<Box<dyn Cell>> {
        let mut copy = list_cell::find(&self.kind)?;
        let bytes = self.write(subject);
        let read = copy.read(&mut NetworkReader::new(&bytes));
        read.expect("what was just written");
        Some(copy)
    }

    /// Does what the payload of one of UNet's list messages says.
    pub(crate) fn operate(&self, subject: &mut dyn Subject, payload: &[u8]) -> Result<(), String> {
        subject.cells_mut()[self.cell].1.operate(payload)
    }

    pub(crate) fn assign(&self, subject: &mut dyn Subject, value: &Json) -> Result<(), Rule> {
        let mut cells = subject.cells_mut();
        cells[self.cell].1.assign(value)
    }

    /// Stores a value without making the field dirty. One that Rust does not have is left out; the
    /// step that it comes from says so by its rule.
    pub(crate) fn store(&self, subject: &mut dyn Subject, value: &Json) {
        let mut cells = subject.cells_mut();
        let _ = cells[self.cell].1.store(value);
    }

    /// The field's value as text.
    pub(crate) fn show(&self, subject: &dyn Subject) -> String {
        subject.cells()[self.cell].1.show()
    }

    /// The field's value on the wire.
    pub(crate) fn write(&self, subject: &dyn Subject) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        subject.cells()[self.cell].1.write(&mut writer);
        writer.as_bytes().to_vec()
    }

    /// Whether the field's type is a reference to an object.
    pub(crate) fn is_reference(&self) -> bool {
        ["GameObject", "NetworkIdentity", "Transform"].contains(&self.kind.as_str())
    }
}

/// What a new object has in a field: what it still has after an update without it (and without
/// hooks, which may write to other fields), or after a first step without it.
fn default_value<'a>(name: &str, bit: u64, steps: &'a [Json]) -> Option<&'a Json> {
    let mut updates = steps.iter().filter_map(|step| {
        let is_sent = step.at("dirty_mask").number::<u64>() & bit != 0;
        step.get("apply_delta_to_fresh").filter(|_| !is_sent)
    });
    let calls_hooks = |fresh: &Json| {
        fresh
            .get("hook_log")
            .is_some_and(|log| !log.items().is_empty())
    };
    let untouched = updates.find(|fresh| !calls_hooks(fresh));
    let first = steps
        .first()
        .filter(|step| step.at("set").get(name).is_none());
    untouched.or(first)?.at("state").get(name)
}
