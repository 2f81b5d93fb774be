//! `remember_for_hooks`, `remember_for_initial_hooks` and `changed_since`: how hooks are told of what has
//! not been read as a change.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::change::let_base;
use super::previous::{Previous, hooked};
use super::{Method, call, item, place_of, value_item};
use crate::model::{Base, Behaviour, Container, SyncVar, travels};
use crate::names;

pub(super) fn remember_for_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    remember_fields(behaviour, "remember_for_hooks", |sync_var| {
        sync_var.has_hook()
    })
}

pub(super) fn remember_for_initial_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    remember_fields(behaviour, "remember_for_initial_hooks", |sync_var| {
        sync_var.initial_hook
    })
}

/// A method that remembers some fields, and what the method of the base remembers.
fn remember_fields(
    behaviour: &Behaviour<'_>,
    method: &str,
    concerned: impl Fn(&SyncVar<'_>) -> bool,
) -> Option<TokenStream> {
    let has_own = behaviour.sync_vars.iter().any(&concerned);
    if behaviour.base.is_none() && !has_own {
        return None;
    }
    let previous = Previous::of(behaviour);
    let previous_type = previous.ty();
    let of_base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let of_base = item(base.ty, "NetworkBehaviour", method);
        quote!(#of_base(&self.#member))
    });
    let body = match (of_base, &previous) {
        (Some(of_base), Previous::OfBase(_)) => of_base,
        (of_base, _) => {
            let base = of_base.map(|of_base| let_base(&of_base, &previous, has_own));
            let remembered = previous.remembered(|sync_var| {
                if concerned(sync_var) {
                    remember(sync_var)
                } else {
                    quote!(_syncvar::None)
                }
            });
            quote!(#base _syncvar::Some(#remembered))
        }
    };
    let method = Ident::new(method, Span::call_site());
    Some(quote! {
        fn #method(&self) -> _syncvar::Option<#previous_type> {
            #body
        }
    })
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
