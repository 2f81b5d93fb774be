//! Policy of a field: in its schema, in snapshots, and as a threshold.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::place_of;
use crate::model::{Policy, Readers, SyncVar};

/// Emits the policy of a restricted field: `.policy(FieldPolicy { .. })`.
pub(super) fn schema(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let policy = &sync_var.policy;
    if !policy.is_restricted() {
        return None;
    }
    let members = members(policy);
    Some(quote! {
        .policy(_syncvar::FieldPolicy {
            #(#members,)*
            .._syncvar::FieldPolicy::DEFAULT
        })
    })
}

/// Returns the members that differ from the default policy.
fn members(policy: &Policy) -> Vec<TokenStream> {
    let mut members = Vec::new();
    match policy.readers {
        Readers::Everyone => {}
        Readers::Owner => members.push(quote!(readers: _syncvar::Readers::Owner)),
        Readers::Others => members.push(quote!(readers: _syncvar::Readers::Others)),
    }
    if policy.owner_writes {
        members.push(quote!(writers: _syncvar::Writers::Owner));
    }
    if policy.server_override {
        members.push(quote!(server_override: true));
    }
    if policy.check.is_some() {
        members.push(quote!(checked: true));
    }
    if policy.initial_only {
        members.push(quote!(initial_only: true));
    }
    if let Some(seconds) = policy.min_interval {
        let duration = duration(seconds);
        members.push(quote!(min_interval: #duration));
    }
    if let Some(seconds) = policy.max_interval {
        let duration = duration(seconds);
        members.push(quote!(max_interval: #duration));
    }
    if policy.threshold.is_some() {
        members.push(quote!(threshold: true));
    }
    members
}

/// Emits a number of seconds, as the attribute gives it, as a `Duration`.
pub(super) fn duration(seconds: f64) -> TokenStream {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 3600 s"
    )]
    let micros = Literal::u64_unsuffixed((seconds * 1e6).round() as u64);
    quote!(_syncvar::Duration::from_micros(#micros))
}

/// Emits the condition of a field with private readers around a line of a snapshot.
pub(super) fn if_readable(sync_var: &SyncVar<'_>, line: &TokenStream) -> TokenStream {
    match sync_var.policy.readers {
        Readers::Everyone => line.clone(),
        Readers::Owner => quote!(if for_owner { #line }),
        Readers::Others => quote!(if !for_owner { #line }),
    }
}

/// Emits the threshold of a field around its access.
pub(super) fn throttled(sync_var: &SyncVar<'_>, access: TokenStream) -> TokenStream {
    let Some(threshold) = &sync_var.policy.threshold else {
        return access;
    };
    // At the function's name, where an error about its arguments belongs.
    let place = place_of(threshold);
    let function = match threshold.get_ident() {
        Some(method) => quote_spanned!(place=> Self::#method),
        None => quote!(#threshold),
    };
    quote!(_syncvar::throttled(#access, #function))
}
