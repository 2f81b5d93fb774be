//! Shadows of components that wrap a vector.

/// Declares a shadow with one field, and implements it for a component.
macro_rules! shadow_of_vector {
    ($(#[$doc:meta])* $shadow:ident of $component:ident, $vector:ident { $($axis:ident),* } $(, $rules:tt)?) => {
        $(#[$doc])*
        #[derive(NetworkBehaviour, Clone, Default)]
        #[network_behaviour(crate = syncvar, channel = unreliable)]
        pub struct $shadow {
            #[sync_var $($rules)?]
            value: SyncVar<$vector>,
        }

        impl ShadowOf<$component> for $shadow {
            type Before = $component;

            fn write(&mut self, component: &mut $component, _: u64, _: &NetEntities) {
                $(let $axis = component.$axis;)*
                self.value.set($vector { $($axis),* });
            }

            fn create(&mut self, _: &NetEntities) -> $component {
                let $vector { $($axis),* } = *self.value;
                $component([$($axis),*].into())
            }

            fn read(
                &mut self,
                component: &mut $component,
                fields: u64,
                entities: &NetEntities,
            ) -> Option<$component> {
                let new = self.create(entities);
                let differs = fields != 0 && new != *component;
                differs.then(|| ::std::mem::replace(component, new))
            }
        }
    };
}
pub(crate) use shadow_of_vector;
