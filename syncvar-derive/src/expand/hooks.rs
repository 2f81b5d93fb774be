//! `remember_for_hooks` and `changed_since`: how hooks are told of what has not been read as a change; and
//! `INITIAL_HOOKS`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::change::let_base;
use super::previous::{Previous, hooked};
use super::{Method, call, item, place_of, value_item};
use crate::model::{Base, Behaviour, Container, SyncVar, travels};
use crate::names;

/// Remembers some fields, and what the method of the base remembers of them.
pub(super) fn remember_for_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.base.is_none() && !behaviour.has_hooks() {
        return None;
    }
    let previous = Previous::of(behaviour);
    let previous_type = previous.ty();
    let of_base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let of_base = item(base.ty, "NetworkBehaviour", "remember_for_hooks");
        quote!(#of_base(&self.#member, fields))
    });
    let body = match (of_base, &previous) {
        (Some(of_base), Previous::OfBase(_)) => of_base,
        (of_base, _) => {
            let has_own = behaviour.has_hooks();
            let base = of_base.map(|of_base| let_base(&of_base, &previous, has_own));
            let nothing = previous.remembered(|_| quote!(_syncvar::None));
            if has_own {
                let own = hooked(behaviour).map(remember_if_asked);
                quote! {
                    #base
                    let mut previous = #nothing;
                    #(#own)*
                    _syncvar::Some(previous)
                }
            } else {
                quote!(#base _syncvar::Some(#nothing))
            }
        }
    };
    Some(quote! {
        fn remember_for_hooks(&self, fields: u64) -> _syncvar::Option<#previous_type> {
            #body
        }
    })
}

/// The fields marked `initial_hook`, and those of the base.
pub(super) fn initial_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let base = behaviour.base.as_ref();
    let base = base.map(|base| item(base.ty, "NetworkBehaviour", "INITIAL_HOOKS"));
    let own = hooked(behaviour).filter(|sync_var| sync_var.initial_hook);
    let own = own.map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        quote!(Self::#bit)
    });
    let all: Vec<_> = base.into_iter().chain(own).collect();
    (!all.is_empty()).then(|| quote!(const INITIAL_HOOKS: u64 = #(#all)|*;))
}

/// Remembers a field, if that is asked for.
fn remember_if_asked(sync_var: &SyncVar<'_>) -> TokenStream {
    let (bit, kept) = (
        names::bit(&sync_var.member),
        names::previous_member(&sync_var.member),
    );
    let remembered = remember(sync_var);
    quote! {
        if fields & Self::#bit != 0 {
            previous.#kept = #remembered;
        }
    }
}

/// What is remembered of a field.
fn remember(sync_var: &SyncVar<'_>) -> TokenStream {
    let (member, ty) = (&sync_var.member, sync_var.ty.original);
    match (sync_var.ty.container, &sync_var.codec) {
        (Container::SyncVar(value), None) if !travels(value) => {
            let remember = value_item(sync_var, value, "remembered");
            quote!(_syncvar::Some(#remember(&self.#member)))
        }
        (Container::SyncVar(_), _) => {
            let name = Ident::new("remembered", place_of(ty));
            quote!(_syncvar::Some(self.#member.#name()))
        }
        (Container::Collection | Container::Unknown, _) => {
            call(sync_var, &Method::REMEMBERED, None)
        }
    }
}

pub(super) fn changed_since(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.base.is_none() && !behaviour.has_hooks() {
        return None;
    }
    let previous = Previous::of(behaviour);
    let previous_type = previous.ty();
    let own = hooked(behaviour).map(note_change);
    let body = match (behaviour.base.as_ref(), previous.member_of_base()) {
        (Some(base), None) => of_base_since(base, &quote!(previous)),
        (Some(base), Some((kept, false))) => of_base_since(base, &quote!(&mut previous.#kept)),
        (base, of_base) => {
            let base = base.zip(of_base).map(|(base, (kept, _))| {
                let changed = of_base_since(base, &quote!(base));
                quote! {
                    if let _syncvar::Some(base) = &mut previous.#kept {
                        changed_bits |= #changed;
                    }
                }
            });
            quote! {
                let mut changed_bits = 0;
                #base
                #(#own)*
                changed_bits
            }
        }
    };
    Some(quote! {
        fn changed_since(&self, previous: &mut #previous_type) -> u64 {
            #body
        }
    })
}

fn of_base_since(base: &Base<'_>, previous: &TokenStream) -> TokenStream {
    let member = &base.member;
    let changed_since = item(base.ty, "NetworkBehaviour", "changed_since");
    quote!(#changed_since(&self.#member, #previous))
}

/// Notes that a field has changed; what its hook is to be told is left in the member for it. Where the
/// value has another way of being compared, or may have none, that is named.
fn note_change(sync_var: &SyncVar<'_>) -> TokenStream {
    let (member, kept) = (&sync_var.member, names::previous_member(&sync_var.member));
    let bit = names::bit(&sync_var.member);
    let argument = quote!(&mut previous.#kept);
    let has_changed = match sync_var.ty.container {
        Container::SyncVar(value) if !travels(value) || sync_var.codec.is_some() => {
            let same = value_item(sync_var, value, "same");
            return quote! {
                if let _syncvar::Some(#kept) = &previous.#kept {
                    if #same(&self.#member, #kept) {
                        previous.#kept = _syncvar::None;
                    } else {
                        changed_bits |= Self::#bit;
                    }
                }
            };
        }
        Container::SyncVar(_) => {
            let name = Ident::new("has_changed_since", place_of(sync_var.ty.original));
            quote!(self.#member.#name(#argument))
        }
        Container::Collection | Container::Unknown => {
            call(sync_var, &Method::HAS_CHANGED_SINCE, Some(&argument))
        }
    };
    quote! {
        if #has_changed {
            changed_bits |= Self::#bit;
        }
    }
}
