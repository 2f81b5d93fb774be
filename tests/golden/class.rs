//! A class of the recordings: its fields as the recorder describes them, and how to make one.

use syncvar::NetworkReader;

use super::cell::{Cell, Structs};
use super::classes::{self, Known};
use super::dynamic::Dynamic;
use super::json::Json;
use super::recordings;
use super::rule::Rule;
use super::subject::{Access, Subject};

pub(crate) struct Class {
    pub(crate) fields: Vec<Field>,
    structs: Structs,
    /// The Rust type of that name, if its fields are those of the recording.
    known: Option<Known>,
}

pub(crate) struct Field {
    /// As the recorder has it.
    pub(crate) name: String,
    pub(crate) kind: String,
    declared_in: String,
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

impl Class {
    /// The class, or the rule by which it cannot be made.
    pub(crate) fn from_json(json: &Json, structs: &Structs) -> Result<Self, Rule> {
        let steps = json.at("steps").items();
        let fields = json
            .at("fields")
            .items()
            .iter()
            .map(|field| Field::from_json(field, steps));
        let mut class = Self {
            fields: fields.collect(),
            structs: structs.clone(),
            known: None,
        };
        for field in &class.fields {
            structs.cell(&field.kind)?;
        }
        class.known = classes::find(json.at("class").text()).filter(|known| class.fits(*known));
        class.number_fields();
        Ok(class)
    }

    /// Whether a type has all the fields of the recording, in its order. It may have more.
    fn fits(&self, known: Known) -> bool {
        let subject = (known.make)();
        let mut cells = subject.cells().into_iter();
        self.fields.iter().all(|field| {
            let cell = cells.find(|(name, _)| is_called(&field.name, name));
            cell.is_some_and(|(_, cell)| cell.is_of(&field.kind))
        })
    }

    /// Finds the place of each field in our own type.
    fn number_fields(&mut self) {
        let subject = self.make_bare();
        let cells = subject.cells();
        for field in &mut self.fields {
            let cell = cells
                .iter()
                .position(|(name, _)| is_called(&field.name, name));
            field.cell = cell.expect("made from these fields");
            field.bit = 1 << field.cell;
        }
    }

    fn make_bare(&self) -> Box<dyn Subject> {
        if let Some(known) = self.known {
            return (known.make)();
        }
        let levels = self
            .fields
            .chunk_by(|a, b| a.declared_in == b.declared_in)
            .map(<[_]>::len);
        let fields = self
            .fields
            .iter()
            .map(|field| (field.name.clone(), self.cell(field)));
        Box::new(Dynamic::new(fields.collect(), levels.collect()))
    }

    fn cell(&self, field: &Field) -> Box<dyn Cell> {
        self.structs
            .cell(&field.kind)
            .expect("tried when the class was read")
    }

    /// A new object with the values that a new object had when it was recorded.
    pub(crate) fn make(&self) -> Box<dyn Subject> {
        let mut subject = self.make_bare();
        for field in self.fields.iter().filter(|field| !field.default.is_null()) {
            // A default without a Rust value is left as it is; its steps say so by their rule.
            let _ = field.assign(subject.as_mut(), &field.default);
        }
        subject.clear_dirty_bits();
        subject
    }

    /// Cuts an initial state into the bytes of each cell; ends with the first that cannot be read.
    pub(crate) fn cut<'b>(&self, initial: &'b [u8]) -> Vec<&'b [u8]> {
        let mut subject = self.make_bare();
        let mut reader = NetworkReader::new(initial);
        let mut pieces = Vec::new();
        for (_, cell) in subject.cells_mut() {
            let start = reader.position();
            if cell.read(&mut reader).is_err() {
                break;
            }
            pieces.push(&initial[start..reader.position()]);
        }
        pieces
    }

    pub(crate) fn access(&self) -> Access {
        self.known
            .map_or(Access::to::<Dynamic>(), |known| known.access)
    }

    pub(crate) fn field(&self, name: &str) -> &Field {
        let field = self.fields.iter().find(|field| field.name == name);
        field.unwrap_or_else(|| panic!("no field `{name}`"))
    }

    /// A recorded value as text; values without a Rust value get the rule's name.
    pub(crate) fn show(&self, field: &Field, value: &Json) -> String {
        let mut cell = self.cell(field);
        match cell.assign(value) {
            Ok(()) => cell.show(),
            Err(rule) => rule.to_string(),
        }
    }

    /// Whether the field's type is a struct or class with members.
    pub(crate) fn is_struct(&self, field: &Field) -> bool {
        self.structs.contains(&field.kind)
    }

    /// Whether ours gives other bits than UNet: UNet's collide from the third level on, or with
    /// those of a base that is written by hand.
    pub(crate) fn collides(&self) -> bool {
        self.fields
            .iter()
            .any(|field| field.bit != field.recorded_bit)
    }

    /// The bits that UNet gave to fields.
    pub(crate) fn recorded_bits(&self) -> u64 {
        self.fields
            .iter()
            .fold(0, |bits, field| bits | field.recorded_bit)
    }

    /// Our bits of the fields of UNet's bits. Bits without a field stay as they are where the two
    /// number the fields alike.
    pub(crate) fn our_bits(&self, recorded_bits: u64) -> u64 {
        if !self.collides() {
            return recorded_bits;
        }
        let fields = self
            .fields
            .iter()
            .filter(|field| recorded_bits & field.recorded_bit != 0);
        fields.fold(0, |bits, field| bits | field.bit)
    }
}

impl Field {
    /// `recordings` are lists of steps in which the field's default is looked for.
    fn from_json(json: &Json, recordings: [&[Json]; 2]) -> Self {
        let text = |key| json.at(key).text().to_string();
        let recorded_bit = 1 << json.at("bit").number::<u32>();
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

    pub(crate) fn assign(&self, subject: &mut dyn Subject, value: &Json) -> Result<(), Rule> {
        let mut cells = subject.cells_mut();
        cells[self.cell].1.assign(value)
    }

    /// The field's value as text.
    pub(crate) fn show(&self, subject: &dyn Subject) -> String {
        subject.cells()[self.cell].1.show()
    }

    /// Whether the field's type is a reference to an object.
    pub(crate) fn is_reference(&self) -> bool {
        ["GameObject", "NetworkIdentity", "Transform"].contains(&self.kind.as_str())
    }
}

/// What a new object has in a field: what it still has after an update without it, or after a first
/// step without it. Hooks may write to other fields, so an update that calls none is taken if there
/// is one.
fn default_value<'a>(name: &str, bit: u64, steps: &'a [Json]) -> Option<&'a Json> {
    let fresh = steps
        .iter()
        .filter_map(|step| Some((step, step.get("apply_delta_to_fresh")?)));
    let fresh = fresh.filter(|(step, _)| step.at("dirty_mask").number::<u64>() & bit == 0);
    let called = |fresh: &Json| fresh.get("hook_log").map_or(0, |log| log.items().len());
    let untouched = fresh
        .min_by_key(|(_, fresh)| called(fresh))
        .map(|(_, fresh)| fresh);
    let first = steps
        .first()
        .filter(|step| step.at("set").get(name).is_none());
    untouched.or(first)?.at("state").get(name)
}

/// Whether a name of the recordings stands for one of ours, which is spelt as Rust spells names.
fn is_called(recorded: &str, ours: &str) -> bool {
    let letters = ours.trim_start_matches("r#").chars().filter(|c| *c != '_');
    letters.eq(recorded.chars().map(|c| c.to_ascii_lowercase()))
}
