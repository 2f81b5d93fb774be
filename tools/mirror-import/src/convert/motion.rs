//! Transforms and animators of Mirror, with their settings.

use std::fmt::Write as _;

use syncvar_mirror::components::{CoordinateSpace, TransformSettings};

use super::Converter;
use super::literals::float;
use crate::model::Controller;
use crate::names;
use crate::unity::{Controller as Source, Object, ParameterDefault, Script, Yaml};

const COMPONENTS: &str = "syncvar::mirror::components";
/// Limits of an animator.
const MAX_PARAMETERS: usize = 64;
const MAX_LAYERS: usize = 255;

/// A setting of transforms.
enum Setting<'s> {
    Flag(&'s mut bool),
    Number(&'s mut f32),
}

/// A setting's name in C#, its name in Rust, and its place.
type NamedSource = (
    &'static str,
    &'static str,
    fn(&mut TransformSettings) -> Setting<'_>,
);

const SETTINGS: &[NamedSource] = {
    use Setting::{Flag, Number};
    &[
        ("syncPosition", "sync_position", |it| {
            Flag(&mut it.sync_position)
        }),
        ("syncRotation", "sync_rotation", |it| {
            Flag(&mut it.sync_rotation)
        }),
        ("syncScale", "sync_scale", |it| Flag(&mut it.sync_scale)),
        ("onlySyncOnChange", "only_sync_on_change", |it| {
            Flag(&mut it.only_sync_on_change)
        }),
        ("compressRotation", "compress_rotation", |it| {
            Flag(&mut it.compress_rotation)
        }),
        ("interpolatePosition", "interpolate_position", |it| {
            Flag(&mut it.interpolate_position)
        }),
        ("interpolateRotation", "interpolate_rotation", |it| {
            Flag(&mut it.interpolate_rotation)
        }),
        ("interpolateScale", "interpolate_scale", |it| {
            Flag(&mut it.interpolate_scale)
        }),
        ("timelineOffset", "timeline_offset", |it| {
            Flag(&mut it.timeline_offset)
        }),
        ("positionPrecision", "position_precision", |it| {
            Number(&mut it.position_precision)
        }),
        ("rotationPrecision", "rotation_precision", |it| {
            Number(&mut it.rotation_precision)
        }),
        ("scalePrecision", "scale_precision", |it| {
            Number(&mut it.scale_precision)
        }),
        ("positionSensitivity", "position_sensitivity", |it| {
            Number(&mut it.position_sensitivity)
        }),
        ("rotationSensitivity", "rotation_sensitivity", |it| {
            Number(&mut it.rotation_sensitivity)
        }),
        ("scaleSensitivity", "scale_sensitivity", |it| {
            Number(&mut it.scale_sensitivity)
        }),
        (
            "onlySyncOnChangeCorrectionMultiplier",
            "correction_multiplier",
            |it| Number(&mut it.correction_multiplier),
        ),
        ("bufferResetMultiplier", "buffer_reset_multiplier", |it| {
            Number(&mut it.buffer_reset_multiplier)
        }),
    ]
};

impl Converter<'_, '_> {
    /// Returns the expression that creates an animator with the parameters and layers of its controller.
    pub(super) fn animator(&mut self, root: &Object, script: &Script) -> Result<String, String> {
        let animator = script.values.get("animator").and_then(Yaml::file_id);
        let animator = animator.ok_or("its `animator` is not set")?;
        let guid = root.controller(animator);
        let guid = guid.ok_or("its animator has no controller in this file")?;
        let (file, source) = self
            .assets
            .controller(guid, self.report)
            .ok_or_else(|| format!("the controller with the GUID {guid} is not readable"))?;
        if source.parameters.len() > MAX_PARAMETERS || source.layers.len() > MAX_LAYERS {
            return Err(format!(
                "its controller has more than {MAX_PARAMETERS} parameters or {MAX_LAYERS} layers"
            ));
        }
        if !self.controllers.contains_key(&file) {
            let stem = file.rsplit('/').next().unwrap_or_default();
            let stem = stem.split('.').next().unwrap_or_default();
            let name = names::snake(&names::pascal(stem)) + "_animator";
            let name = self.modules.give(&self.functions.give(&name));
            self.controllers
                .insert(file.clone(), controller(&file, name, &source));
        }
        Ok(format!("{}()", self.controllers[&file].name))
    }
}

/// Returns the expression that creates a transform with the settings of a component, and whether its pose is not read:
/// that of an object of a model.
pub(super) fn transform(
    path: &str,
    root: &Object,
    script: &Script,
) -> Result<(String, bool), String> {
    let values = &script.values;
    let target = match values.get("target").and_then(Yaml::file_id) {
        // Mirror's default.
        None => root.holder(script),
        Some(transform) => root.with_transform(transform),
    };
    let target = target.ok_or("its target is not a transform of the object")?;
    let is_child = !std::ptr::eq(target, root);
    let space = match values.get("coordinateSpace").and_then(Yaml::text) {
        None | Some("0") => CoordinateSpace::Local,
        Some("1") => CoordinateSpace::World,
        Some(other) => return Err(format!("value {other} of `coordinateSpace` is not known")),
    };
    let mut changed = Vec::new();
    if is_child {
        changed.push(format!("target: {COMPONENTS}::TransformTarget::Child"));
    }
    if space == CoordinateSpace::World {
        changed.push(format!(
            "coordinate_space: {COMPONENTS}::CoordinateSpace::World"
        ));
    }
    changed.extend(changed_settings(values)?);
    let mut text = match &changed[..] {
        [] => format!("{path}::default()"),
        changed => format!(
            "{path}::new({COMPONENTS}::TransformSettings {{ {}, ..Default::default() }})",
            changed.join(", ")
        ),
    };
    // The place of the object itself is that of its spawn.
    if is_child && space == CoordinateSpace::Local {
        let [position, rotation, scale] = pose(target)?;
        let fields = [
            position.map(|it| format!("position: {it}")),
            rotation.map(|it| format!("rotation: {it}")),
            scale.map(|it| format!("scale: {it}")),
        ];
        let fields: Vec<String> = fields.into_iter().flatten().collect();
        if !fields.is_empty() {
            let fields = fields.join(", ");
            let _ = write!(
                text,
                ".at({COMPONENTS}::Pose {{ {fields}, ..Default::default() }})"
            );
        }
    }
    let is_of_model = target.pose.get("m_LocalPosition").is_none();
    Ok((text, is_child && is_of_model))
}

/// Returns the settings that differ from Mirror's defaults, as fields.
fn changed_settings(values: &Yaml) -> Result<Vec<String>, String> {
    let defaults = TransformSettings::default();
    let mut changed = Vec::new();
    for (csharp, rust, setting) in SETTINGS {
        let Some(text) = values.get(csharp).and_then(Yaml::text) else {
            continue;
        };
        let mut settings = defaults;
        let written = match setting(&mut settings) {
            Setting::Flag(flag) => {
                *flag = text != "0";
                flag.to_string()
            }
            Setting::Number(number) => {
                let read = finite(text);
                *number = read.ok_or_else(|| format!("value of `{csharp}` is not a number"))?;
                float((*number).into())
            }
        };
        if settings != defaults {
            changed.push(format!("{rust}: {written}"));
        }
    }
    Ok(changed)
}

/// Returns the expressions of an object's position, rotation and scale, without those of the origin.
pub(super) fn pose(object: &Object) -> Result<[Option<String>; 3], String> {
    let part = |key: &str, ty: &str, names: &[&str], origin: &[f32]| {
        let Some(vector) = object.pose.get(key) else {
            return Ok(None);
        };
        let number = |name: &&str| finite(vector.get(name)?.text()?);
        let numbers: Option<Vec<f32>> = names.iter().map(number).collect();
        let numbers = numbers.ok_or_else(|| format!("`{key}` of its transform is not a vector"))?;
        let texts: Vec<String> = numbers.iter().map(|it| float((*it).into())).collect();
        Ok::<_, String>((numbers != origin).then(|| format!("{ty}::new({})", texts.join(", "))))
    };
    let (axes, origin) = (["x", "y", "z"], [0.0, 0.0, 0.0, 1.0]);
    Ok([
        part("m_LocalPosition", "Vector3", &axes, &origin[..3])?,
        part(
            "m_LocalRotation",
            "Quaternion",
            &["x", "y", "z", "w"],
            &origin,
        )?,
        part("m_LocalScale", "Vector3", &axes, &[1.0; 3])?,
    ])
}

fn finite(text: &str) -> Option<f32> {
    text.parse().ok().filter(|number: &f32| number.is_finite())
}

/// Returns the function and constants of a controller.
fn controller(file: &str, name: String, source: &Source) -> Controller {
    let value = |default| match default {
        ParameterDefault::Int(value) => format!("Int({value})"),
        ParameterDefault::Float(value) => format!("Float({})", float(value.into())),
        ParameterDefault::Bool(value) => format!("Bool({value})"),
        ParameterDefault::Trigger => "Trigger".to_owned(),
    };
    let parameters = source.parameters.iter();
    let parameters =
        parameters.map(|it| format!("{COMPONENTS}::AnimatorValue::{}", value(it.default)));
    let layers = source.layers.iter().map(|layer| {
        let state = layer.state.as_deref().map_or_else(
            || "Default::default()".to_owned(),
            |path| format!(
                "{COMPONENTS}::AnimatorState {{ hash: {COMPONENTS}::animator_hash({path:?}), normalized_time: 0.0 }}"
            ),
        );
        let new = format!("{COMPONENTS}::AnimatorLayer::new({state})");
        if (layer.weight - 1.0).abs() < f32::EPSILON {
            return new;
        }
        format!("{COMPONENTS}::AnimatorLayer {{ weight: {}, ..{new} }}", float(layer.weight.into()))
    });
    let mut scope = names::Scope::default();
    let constants = source
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let constant = names::snake(&names::pascal(&parameter.name)).replace("r#", "");
            let constant = scope.give(&constant).to_uppercase();
            let (ty, value) = match parameter.default {
                ParameterDefault::Trigger => (
                    "i32",
                    syncvar_mirror::components::animator_hash(&parameter.name).to_string(),
                ),
                _ => ("usize", index.to_string()),
            };
            [constant, parameter.name.clone(), ty.to_owned(), value]
        });
    Controller {
        name,
        file: file.to_owned(),
        constants: constants.collect(),
        parameters: parameters.collect(),
        layers: layers.collect(),
    }
}
