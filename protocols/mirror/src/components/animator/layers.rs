//! Layers of an animator, and the messages about their states.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadResult};

/// Smallest change of a weight that is sent.
const SENSITIVITY: f32 = 0.001;
/// Limit by their count on the wire.
const MAX: usize = 255;

/// A state of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnimatorState {
    /// [Hash](super::animator_hash) of its full path.
    pub hash: i32,
    /// Number of its loops, with the fraction of the present one.
    pub normalized_time: f32,
}

/// A transition between two states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnimatorTransition {
    /// Hash of its full path.
    pub hash: i32,
    /// State after it.
    pub next: AnimatorState,
}

/// A layer of an animator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimatorLayer {
    /// Present state.
    pub state: AnimatorState,
    /// Transition that runs.
    pub transition: Option<AnimatorTransition>,
    /// Weight; 1 by default.
    pub weight: f32,
}

impl AnimatorLayer {
    /// Creates a layer in a state.
    pub fn new(state: AnimatorState) -> Self {
        Self {
            state,
            transition: None,
            weight: 1.0,
        }
    }
}

/// Hashes and weight that were sent last.
#[derive(Clone, Copy, Debug, Default)]
struct SentLayer {
    state: i32,
    transition: i32,
    weight: f32,
}

/// State of a layer in a message. The hash 0 leaves the state as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerChange {
    pub(super) layer: i32,
    pub(super) state: AnimatorState,
    pub(super) weight: f32,
}

/// The layers, and their last sent states.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    layers: Vec<AnimatorLayer>,
    sent: Vec<SentLayer>,
}

impl Layers {
    pub(super) fn new(layers: impl IntoIterator<Item = AnimatorLayer>) -> Self {
        let layers: Vec<_> = layers.into_iter().take(MAX).collect();
        let sent = vec![SentLayer::default(); layers.len()];
        Self { layers, sent }
    }

    pub(super) fn all(&self) -> &[AnimatorLayer] {
        &self.layers
    }

    pub(super) fn all_mut(&mut self) -> &mut [AnimatorLayer] {
        &mut self.layers
    }

    /// Returns the changes since the last call. Mirror, `CheckAnimStateChanged`.
    pub(super) fn take_changes(&mut self) -> Vec<LayerChange> {
        let pairs = self.layers.iter().zip(&mut self.sent);
        let changes = { 0.. }.zip(pairs).filter_map(|(index, (layer, sent))| {
            Some(LayerChange {
                layer: index,
                state: sent.change(layer)?,
                weight: sent.weight,
            })
        });
        changes.collect()
    }

    /// Applies a change, if the layer exists.
    pub(super) fn apply(&mut self, change: &LayerChange, is_enabled: bool) {
        let index = usize::try_from(change.layer).ok();
        let Some(layer) = index.and_then(|index| self.layers.get_mut(index)) else {
            tracing::error!(layer = change.layer, "an animator has no such layer");
            return;
        };
        if change.state.hash != 0 && is_enabled {
            layer.state = change.state;
            layer.transition = None;
        }
        layer.weight = change.weight;
    }

    /// Writes all layers, in a transition with the state after it.
    pub(super) fn write(&self, writer: &mut NetworkWriter) {
        let [count, ..] = self.layers.len().to_le_bytes();
        writer.write_u8(count);
        for layer in &self.layers {
            let state = layer.transition.map_or(layer.state, |it| it.next);
            writer.write_u32(state.hash.cast_unsigned());
            writer.write_f32(state.normalized_time);
            writer.write_f32(layer.weight);
        }
    }

    /// Reads all layers. Returns false for the layers of a different animator, which are not read.
    pub(super) fn read(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<bool> {
        let count = usize::from(reader.read_u8()?);
        if count != self.layers.len() {
            let known = self.layers.len();
            tracing::error!(count, known, "an animator has other layers");
            return Ok(false);
        }
        for layer in &mut self.layers {
            layer.state.hash = reader.read_u32()?.cast_signed();
            layer.state.normalized_time = reader.read_f32()?;
            layer.weight = reader.read_f32()?;
            layer.transition = None;
        }
        Ok(true)
    }
}

impl SentLayer {
    /// Returns the state to send for a change of the layer. Its hash is 0 for a transition and for the state
    /// after one, which the receivers reach by themselves.
    fn change(&mut self, layer: &AnimatorLayer) -> Option<AnimatorState> {
        let has_weight = (layer.weight - self.weight).abs() > SENSITIVITY;
        if has_weight {
            self.weight = layer.weight;
        }
        if let Some(transition) = layer.transition {
            let is_new = transition.hash != self.transition;
            if is_new {
                (self.transition, self.state) = (transition.hash, 0);
            }
            return (is_new || has_weight).then(AnimatorState::default);
        }
        if layer.state.hash == self.state {
            return has_weight.then(AnimatorState::default);
        }
        let former = std::mem::replace(&mut self.state, layer.state.hash);
        self.transition = 0;
        Some(if former == 0 {
            AnimatorState::default()
        } else {
            layer.state
        })
    }
}
