//! Policy of a field: in its schema, in snapshots, and as a threshold.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::place_of;
use crate::model::{Behaviour, Policy, Readers, SyncVar};

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
        Readers::Group => members.push(quote!(readers: _syncvar::Readers::Group)),
        Readers::Server => members.push(quote!(readers: _syncvar::Readers::Server)),
    }
    match (policy.owner_writes, policy.server_override) {
        (false, _) => {}
        (true, false) => members.push(quote!(writers: _syncvar::Writers::Owner)),
        (true, true) => members.push(quote!(writers: _syncvar::Writers::OwnerAndServer)),
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

/// Selection of the fields in a snapshot by its reader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// Every field.
    All,
    /// By `for_owner`: the reader owns the object.
    ByOwner,
    /// By `role`: the reader owns the object, is in its group, or neither.
    ByRole,
}

impl Selection {
    /// Returns the selection of a class, without its base.
    pub(super) fn of(behaviour: &Behaviour<'_>) -> Self {
        if behaviour.has_readers(Readers::Group) {
            Self::ByRole
        } else if behaviour.has_readers(Readers::Owner) || behaviour.has_readers(Readers::Others) {
            Self::ByOwner
        } else {
            Self::All
        }
    }

    /// Emits the line that writes the reader.
    pub(super) fn write(self) -> Option<TokenStream> {
        match self {
            Self::All => None,
            Self::ByOwner => Some(quote!(let for_owner = writer.write_for_owner();)),
            Self::ByRole => Some(quote!(let role = writer.write_role();)),
        }
    }

    /// Emits the line that reads the reader.
    pub(super) fn read(self, place: &str) -> Option<TokenStream> {
        match self {
            Self::All => None,
            Self::ByOwner => Some(quote!(let for_owner = reader.read_for_owner().at(#place)?;)),
            Self::ByRole => Some(quote!(let role = reader.read_role().at(#place)?;)),
        }
    }

    /// Emits the condition of a field around its line of a snapshot.
    pub(super) fn if_readable(self, sync_var: &SyncVar<'_>, line: &TokenStream) -> TokenStream {
        let for_owner = match self {
            Self::ByRole => quote!(role.is_owner()),
            Self::All | Self::ByOwner => quote!(for_owner),
        };
        match sync_var.policy.readers {
            Readers::Everyone => line.clone(),
            Readers::Owner => quote!(if #for_owner { #line }),
            Readers::Others => quote!(if !#for_owner { #line }),
            Readers::Group => quote!(if role.reads_group() { #line }),
            Readers::Server => TokenStream::new(),
        }
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
