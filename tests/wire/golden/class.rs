//! A class of the recordings: its fields as the recorder describes them, and how to make one.

use std::collections::BTreeSet;

use syncvar::wire::NetworkWriter;

use super::cell::{Cell, Structs};
use super::classes::{self, Known};
use super::dynamic::{Dynamic, DynamicField};
use super::field::Field;
use super::recordings;
use super::rule::Rule;
use super::subject::{Reach, Subject, reach};
use syncvar_testing::golden::{Json, Node};

/// The classes with a base that is written by hand, whose fields UNet does not count.
const HAND_WRITTEN_BASE: [&str; 1] = ["FromManual"];

pub(crate) struct Class {
    pub(crate) fields: Vec<Field>,
    /// The channel of its updates.
    pub(crate) channel: u8,
    structs: Structs,
    /// The Rust type of that name, if its fields are those of the recording.
    known: Option<Known>,
}

impl Class {
    /// The class of this name in the recordings that came with this repository, or the rule by
    /// which it cannot be made.
    pub(crate) fn named(name: &str) -> Result<Self, Rule> {
        let structs = Structs::from_json(recordings::behaviours().at("structs"));
        let known = classes::find(name);
        match recordings::class(name) {
            Some(json) => Self::from_json(json, &structs, known),
            None => Ok(Self {
                fields: Vec::new(),
                channel: 0,
                structs,
                known: Some(known.unwrap_or_else(|| panic!("no class `{name}`"))),
            }),
        }
    }

    /// The class, or the rule by which it cannot be made. A known type stands for it if it has the
    /// recorded fields.
    pub(crate) fn from_json(
        json: &Json,
        structs: &Structs,
        known: Option<Known>,
    ) -> Result<Self, Rule> {
        let steps = json.at("steps").items();
        let own = recordings::class(json.at("class").text()).map(|own| own.at("steps").items());
        let recordings = [steps, own.unwrap_or_default()];
        let fields = json.at("fields").items().iter();
        let fields = fields.map(|field| Field::from_json(field, recordings));
        let mut class = Self {
            fields: fields.collect(),
            channel: json.at("channel").number(),
            structs: structs.clone(),
            known: None,
        };
        for field in &class.fields {
            structs.cell(&field.kind)?;
        }
        class.known = known.filter(|known| class.fits(*known));
        class.number_fields();
        class.verify_bits(json.at("class").text());
        Ok(class)
    }

    /// UNet numbers the fields of each level one after the other, behind those of the direct base
    /// alone; so a field has another bit than ours only where two share one, or where the base is
    /// written by hand.
    fn verify_bits(&self, name: &str) {
        let mut base_field_count = 0;
        for level in self.fields.chunk_by(|a, b| a.declared_in == b.declared_in) {
            let first = level[0].recorded_bit;
            let follows = first == 1 || first == 1 << base_field_count;
            let bits = level.iter().map(|field| field.recorded_bit);
            let in_order = bits.zip(0..).all(|(bit, index)| bit == first << index);
            assert!(follows && in_order, "the bits of {name} are none of UNet's");
            base_field_count = level.len();
        }
        let bits: BTreeSet<_> = self.fields.iter().map(|field| field.recorded_bit).collect();
        let may_differ = bits.len() < self.fields.len() || HAND_WRITTEN_BASE.contains(&name);
        assert!(
            may_differ || !self.collides(),
            "{name} has other bits, of which none collide"
        );
    }

    /// Whether no Rust type has this name and these fields.
    pub(crate) fn is_stand_in(&self) -> bool {
        self.known.is_none()
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
        let fields = self.fields.iter().map(|field| DynamicField {
            name: field.name.clone(),
            cell: self.cell(field),
            has_hook: field.has_hook,
        });
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
            field.store(subject.as_mut(), &field.default);
        }
        subject
    }

    /// An object that has been brought to the recorded values and dirty bits of a step.
    pub(crate) fn make_as_in(&self, step: &Json) -> Box<dyn Subject> {
        let mut subject = self.make();
        self.store(subject.as_mut(), step.at("state"));
        subject.set_dirty_bit(self.our_bits(step.at("dirty_mask").number()));
        subject
    }

    /// Stores the values of a recorded state; nothing is dirty then.
    pub(crate) fn store(&self, subject: &mut dyn Subject, state: &Json) {
        for field in &self.fields {
            field.store(subject, state.at(&field.name));
        }
        subject.clear_dirty_bits();
    }

    /// The way to behaviours of this class.
    pub(crate) fn reach(&self) -> &'static dyn Reach {
        self.known.map_or(reach::<Dynamic>(), |known| known.reach)
    }

    pub(crate) fn field(&self, name: &str) -> &Field {
        let field = self.fields.iter().find(|field| field.name == name);
        field.unwrap_or_else(|| panic!("no field `{name}`"))
    }

    /// A recorded value as text, or the rule by which Rust does not have it.
    pub(crate) fn try_show(&self, field: &Field, value: &Json) -> Result<String, Rule> {
        let mut cell = self.cell(field);
        cell.store(value)?;
        Ok(cell.show())
    }

    /// A recorded value as text; the name of the rule where Rust does not have it.
    pub(crate) fn show(&self, field: &Field, value: &Json) -> String {
        self.try_show(field, value)
            .unwrap_or_else(|rule| rule.to_string())
    }

    /// Whether Rust has all the values of a recorded state, or the rule by which it has not.
    pub(crate) fn can_have(&self, state: &Json) -> Result<(), Rule> {
        let mut values = self
            .fields
            .iter()
            .map(|field| self.try_show(field, state.at(&field.name)));
        values.try_for_each(|value| value.map(drop))
    }

    /// The values of a subject as text, in the order of the fields.
    pub(crate) fn show_all(&self, subject: &dyn Subject) -> Vec<String> {
        self.fields
            .iter()
            .map(|field| field.show(subject))
            .collect()
    }

    /// The rule by which UNet leaves dirty bits on a client.
    pub(crate) fn why_dirty_on_client(&self) -> Option<Rule> {
        if self.fields.iter().any(|field| field.has_hook) {
            Some(Rule::HooksAfterApply)
        } else {
            self.fields
                .iter()
                .any(Field::is_reference)
                .then_some(Rule::ReferencesAreIds)
        }
    }

    /// Whether the field's type is a struct or class with members.
    pub(crate) fn is_struct(&self, field: &Field) -> bool {
        self.structs.contains(&field.kind)
    }

    /// Whether ours gives other bits than UNet, whose collide: from the third level on, or with
    /// those of a base that is written by hand.
    pub(crate) fn collides(&self) -> bool {
        self.fields
            .iter()
            .any(|field| field.bit != field.recorded_bit)
    }

    /// Our bits of the lists. Ours sends what has changed in one, UNet all that is in it.
    pub(crate) fn list_bits(&self) -> u64 {
        let lists = self
            .fields
            .iter()
            .filter(|field| self.cell(field).is_list());
        lists.fold(0, |bits, field| bits | field.bit)
    }

    /// The rule by which ours has other dirty bits than UNet after the same actions.
    /// `unknown` are bits without a field that UNet has been given.
    pub(crate) fn why_other_bits(&self, recorded: u64, ours: u64, unknown: u64) -> Option<Rule> {
        let of_fields = recorded & self.recorded_bits();
        if recorded != of_fields | unknown {
            None
        } else if self.collides() && self.as_recorded(ours) == of_fields {
            Some(Rule::CollidingBits)
        } else {
            (of_fields == ours).then_some(Rule::UnknownDirtyBits)
        }
    }

    /// UNet's bits of the fields of our bits.
    pub(crate) fn as_recorded(&self, bits: u64) -> u64 {
        let fields = self.fields.iter().filter(|field| bits & field.bit != 0);
        fields.fold(0, |bits, field| bits | field.recorded_bit)
    }

    /// What UNet writes as the delta of a step: at each class level the whole mask, then the fields
    /// whose bits are set, however many share one.
    pub(crate) fn recorded_delta(&self, step: &Json) -> Vec<u8> {
        let subject = self.make_as_in(step);
        self.recorded_delta_of(subject.as_ref(), step.at("dirty_mask").number())
    }

    /// What UNet writes for the values of a subject with these dirty bits of its own.
    pub(crate) fn recorded_delta_of(&self, subject: &dyn Subject, dirty_bits: u64) -> Vec<u8> {
        let mut cells = subject.cells().into_iter().enumerate();
        let mut writer = NetworkWriter::new();
        for field_count in subject.levels() {
            writer.write_packed_u64(dirty_bits);
            for (index, (_, cell)) in cells.by_ref().take(field_count) {
                if dirty_bits & self.recorded_bit_at(index) != 0 {
                    cell.write(&mut writer);
                }
            }
        }
        writer.as_bytes().to_vec()
    }

    /// UNet's bit of the field in this place of our own type.
    pub(crate) fn recorded_bit_at(&self, index: usize) -> u64 {
        let field = self.fields.iter().find(|field| field.cell == index);
        field.map_or(1 << index, |field| field.recorded_bit)
    }

    /// Our bits of the fields.
    pub(crate) fn bits(&self) -> u64 {
        self.fields.iter().fold(0, |bits, field| bits | field.bit)
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

/// Whether a name of the recordings stands for one of ours, which is spelt as Rust spells names.
fn is_called(recorded: &str, ours: &str) -> bool {
    let ours = ours.trim_start_matches("r#").replace('_', "");
    ours.eq_ignore_ascii_case(recorded)
}

/// A recorded class that is known by name is that type: no stand-in, and with its settings.
#[test]
fn known_classes_are_those_that_were_recorded() {
    let structs = Structs::from_json(recordings::behaviours().at("structs"));
    for json in recordings::behaviours().at("classes").items() {
        let name = json.at("class").text();
        let Ok(class) = Class::from_json(json, &structs, classes::find(name)) else {
            continue;
        };
        assert!(class.known.is_some(), "{name} is known by name");
        let (channel, send_interval) = class.make().settings();
        assert_eq!(channel, class.channel, "channel of {name}");
        assert_eq!(
            send_interval,
            std::time::Duration::from_secs_f64(json.at("send_interval").seconds()),
            "send interval of {name}"
        );
    }
}
