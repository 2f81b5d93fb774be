//! States of the queries of a replicated component.

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{QueryFilter, QueryState};

use crate::{Interpolated, Net, Predicted, Remote, Replicated};

type Changes<C, W, F> = Components<C, (W, F, With<Replicated>)>;
type Written<C> = Components<C, (Changed<C>, With<Remote>)>;
type Components<C, F> = QueryState<(&'static Net, &'static mut C), F>;
type All<C> = QueryState<(Entity, &'static Net, &'static mut C), With<Replicated>>;
type PresentData<C> = (&'static mut C, Has<Predicted>, Has<Interpolated>);
type Present<C> = QueryState<PresentData<C>>;
/// Components of received objects, with the markers of their entities.
pub(super) type PresentQuery<'w, 's, C> = Query<'w, 's, PresentData<C>>;
type Shown<C> = QueryState<(
    &'static Net,
    &'static mut C,
    Has<Predicted>,
    Has<Interpolated>,
)>;

/// States of the queries, which begin with their first use.
pub(super) struct Queries<
    C: Component<Mutability = Mutable>,
    W: QueryFilter + 'static,
    F: QueryFilter + 'static,
> {
    pub(super) changed: Option<Changes<C, W, F>>,
    /// Tables with the component, for their summary ticks.
    pub(super) tables: Option<QueryState<Ref<'static, C>, With<Replicated>>>,
    /// Components of received objects.
    pub(super) present: Option<Present<C>>,
    /// Components that are rewound.
    pub(super) all: Option<All<C>>,
    /// Components of received objects, for the view of a frame.
    pub(super) shown: Option<Shown<C>>,
    /// Components that the owner may have written.
    pub(super) written: Option<Written<C>>,
    /// Entities that send the component.
    pub(super) senders: Option<QueryState<(), (With<C>, F)>>,
}

impl<C, W, F> Default for Queries<C, W, F>
where
    C: Component<Mutability = Mutable>,
    W: QueryFilter + 'static,
    F: QueryFilter + 'static,
{
    fn default() -> Self {
        Self {
            changed: None,
            tables: None,
            present: None,
            all: None,
            shown: None,
            written: None,
            senders: None,
        }
    }
}
