//! `UntypedClass` from the behaviour of a schema.

use std::any::TypeId;

use super::behaviour::UntypedBehaviour;
use super::class::{UntypedClass, UntypedField};
use super::error::UntypedError;
use super::leak::Leaks;
use crate::behaviour::{Arrival, Presence};
use crate::object::{ComponentLayout, HookContext, SlotInfo};
use crate::schema::{
    BehaviourClass, BehaviourSchema, CallKind, CallSchema, CallTable, FieldSchema, SchemaBehaviour,
    SchemaCall, SchemaClass, SchemaField, SchemaType,
};
use crate::translate::behaviour::{Classes, policy_of};
use crate::translate::layout::{Layout, MAX_ZEROS, Measures};
use crate::{Delivery, MAX_SYNC_VARS};

/// Compiles a behaviour. `take` takes the memory for the constants: its argument is that of the first values.
pub(super) fn class_of(
    behaviour: &SchemaBehaviour,
    take: impl FnOnce(usize) -> Result<(), UntypedError>,
) -> Result<&'static UntypedClass, UntypedError> {
    let layouts = layouts_of(behaviour)?;
    let calls = calls_of(behaviour)?;
    let zeros = layouts.iter().map(|(_, zero)| zero.memory()).sum();
    take(zeros)?;
    let schema = schema_of(behaviour);
    let mut fields = Vec::new();
    let mut layouts = layouts.into_iter();
    for class in &behaviour.classes {
        let own = class.fields.iter().zip(layouts.by_ref());
        fields.extend(own.map(|(field, (layout, zero))| UntypedField {
            name: Leaks::text(&field.names.name),
            place: Leaks::text(&format!("{}.{}", class.name, field.names.name)),
            layout,
            plain: plain_layout_of(field),
            zero,
        }));
    }
    Ok(Box::leak(Box::new(UntypedClass {
        info: info_of(behaviour, schema),
        fields: fields.into(),
        classes: Classes::of(behaviour),
        calls,
    })))
}

/// Returns the layout and the first value of each field, the fields of the bases first.
fn layouts_of(
    behaviour: &SchemaBehaviour,
) -> Result<Vec<(Layout, crate::value::Value)>, UntypedError> {
    let count = behaviour.fields().count();
    let has_presence = !behaviour.is_optional || ends_with_presence(behaviour);
    if count > MAX_SYNC_VARS as usize || !has_presence {
        let place = behaviour.names.name.clone();
        return Err(UntypedError::Invalid { place });
    }
    // One limit for the first values of all fields.
    let mut left = MAX_ZEROS;
    let mut layouts = Vec::with_capacity(count);
    for class in &behaviour.classes {
        for field in &class.fields {
            layouts.push(layout_of(class, field, &mut left)?);
        }
    }
    Ok(layouts)
}

/// Returns the layout of a field without its codec; `None` for a field without a codec of this library.
fn plain_layout_of(field: &SchemaField) -> Option<Layout> {
    let plain = field.value.clone().plain();
    let has_codec = plain != field.value;
    has_codec
        .then(|| Layout::of(&plain, &Measures::default()).ok())
        .flatten()
}

/// Returns whether the last class of a behaviour is the presence of an optional one.
fn ends_with_presence(behaviour: &SchemaBehaviour) -> bool {
    let last = behaviour.classes.last();
    let Some([field]) = last.map(|last| &*last.fields) else {
        return false;
    };
    matches!(&field.value, SchemaType::Named(name) if name == "bool")
}

fn layout_of(
    class: &SchemaClass,
    field: &SchemaField,
    left: &mut usize,
) -> Result<(Layout, crate::value::Value), UntypedError> {
    let place = || format!("{}.{}", class.name, field.names.name);
    let layout = Layout::of(&field.value, &Measures::default());
    let layout = layout.map_err(|error| UntypedError::unknown(&place(), error))?;
    let zero = layout.zero_within(left);
    let zero = zero.ok_or_else(|| UntypedError::NoFirstValue { place: place() })?;
    Ok((layout, zero))
}

/// Returns the layouts of the arguments of each call, and checks that hashes are unique.
fn calls_of(behaviour: &SchemaBehaviour) -> Result<Box<[Box<[Layout]>]>, UntypedError> {
    let mut hashes = Vec::new();
    let mut calls = Vec::new();
    for class in &behaviour.classes {
        for call in &class.calls {
            let place = format!("{}.{}", class.name, call.names.name);
            let hash = CallSchema::hash_of(&class.name, call.kind, &call.unity_name);
            if hashes.contains(&hash) {
                return Err(UntypedError::Invalid { place });
            }
            hashes.push(hash);
            let arguments = call.arguments.iter();
            let layouts = arguments.map(|it| Layout::of(&it.value, &Measures::default()));
            let layouts: Result<_, _> = layouts.collect();
            calls.push(layouts.map_err(|error| UntypedError::unknown(&place, error))?);
        }
    }
    Ok(calls.into())
}

fn schema_of(behaviour: &SchemaBehaviour) -> BehaviourSchema {
    let mut schema: Option<&'static BehaviourSchema> = None;
    let own = behaviour.classes.len().saturating_sub(1);
    let mut built = BehaviourSchema {
        name: name_of(behaviour),
        base: None,
        fields: &[],
    };
    for (index, class) in behaviour.classes.iter().enumerate() {
        let name = if index == own {
            name_of(behaviour)
        } else {
            Leaks::text(&class.name)
        };
        built = BehaviourSchema {
            name,
            base: schema,
            fields: Leaks::list(class.fields.iter().map(field_of).collect()),
        };
        if index != own {
            schema = Some(Box::leak(Box::new(built)));
        }
    }
    built
}

fn name_of(behaviour: &SchemaBehaviour) -> &'static str {
    if behaviour.is_optional {
        Leaks::text(&format!("Optional<{}>", behaviour.names.name))
    } else {
        Leaks::text(&behaviour.names.name)
    }
}

fn field_of(field: &SchemaField) -> FieldSchema {
    FieldSchema::new(
        Leaks::text(&field.names.name),
        Leaks::type_schema(&field.value),
    )
    .was(Leaks::names(&field.names))
    .resendable(true)
    .policy(policy_of(field))
}

fn call_of(class: &'static str, call: &SchemaCall) -> CallSchema {
    let (name, unity_name) = (Leaks::text(&call.names.name), Leaks::text(&call.unity_name));
    let schema = match call.kind {
        // The server checks the owner.
        CallKind::Command => CallSchema::command(class, name, unity_name).for_anyone(),
        CallKind::ClientRpc => CallSchema::client_rpc(class, name, unity_name),
        CallKind::TargetRpc => CallSchema::target_rpc(class, name, unity_name),
        CallKind::SyncEvent => CallSchema::sync_event(class, name, unity_name),
    };
    let schema = schema
        .was(Leaks::names(&call.names))
        .with_arguments(Leaks::members(&call.arguments));
    if call.after_state {
        schema.after_state()
    } else {
        schema
    }
}

/// Returns the table of all calls, the calls of the bases first.
fn table_of(behaviour: &SchemaBehaviour) -> CallTable {
    let mut table = CallTable::NONE;
    for class in &behaviour.classes {
        let name = Leaks::text(&class.name);
        let calls = class.calls.iter().map(|call| call_of(name, call));
        let own = CallTable::new(
            TypeId::of::<UntypedBehaviour>(),
            name,
            Leaks::list(calls.collect()),
        );
        table = own.after(Box::leak(Box::new(table)));
    }
    table
}

fn info_of(behaviour: &SchemaBehaviour, schema: BehaviourSchema) -> SlotInfo {
    SlotInfo {
        class: Box::leak(Box::new(BehaviourClass {
            id: TypeId::of::<UntypedBehaviour>(),
            schema,
        })),
        schema,
        was: Leaks::names(&behaviour.names),
        channel: behaviour.channel,
        redundancy: 0,
        send_interval: None,
        delivery: Delivery::default(),
        arrival: Arrival::default(),
        resendable: true,
        operation_bits: schema.operation_bits(),
        packed: schema.packed_bits(),
        initial_hooks: 0,
        interpolated: 0,
        history: 0,
        on_view: 0,
        policy: schema.policy_bits(),
        hook_context: HookContext::Detached,
        lifecycle: false,
        synchronize: behaviour.has_data,
        on_frame: None,
        calls: table_of(behaviour),
        presence: if behaviour.is_optional {
            Presence::Optional
        } else {
            Presence::Always
        },
        inner: None,
        layout: ComponentLayout::Fields,
    }
}
