//! What is emitted for fields that have rules: their schema, the conditions in a full state, and
//! `write_fields`, `read_fields` and `is_beyond_threshold`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::{Method, deserialize, item, place_of, serialize, value_item};
use crate::model::{Behaviour, Container, Readers, Rules, SyncVar};
use crate::names;

/// The schema of a field: that of what it holds, and its rules around it if there are any.
pub(super) fn schema(sync_var: &SyncVar<'_>, schema: TokenStream) -> TokenStream {
    let rules = &sync_var.rules;
    if !rules.any() {
        return schema;
    }
    let members = members(rules);
    quote! {
        _syncvar::TypeSchema::Ruled {
            rules: _syncvar::FieldRules {
                #(#members,)*
                .._syncvar::FieldRules::USUAL
            },
            value: &#schema,
        }
    }
}

/// Those members that are not the usual ones.
fn members(rules: &Rules) -> Vec<TokenStream> {
    let mut members = Vec::new();
    match rules.readers {
        Readers::Everyone => {}
        Readers::Owner => members.push(quote!(readers: _syncvar::Readers::Owner)),
        Readers::Others => members.push(quote!(readers: _syncvar::Readers::Others)),
    }
    if rules.owner_writes {
        members.push(quote!(writers: _syncvar::Writers::Owner));
    }
    if rules.server_override {
        members.push(quote!(server_override: true));
    }
    if rules.initial_only {
        members.push(quote!(initial_only: true));
    }
    if let Some(seconds) = rules.min_interval {
        let duration = duration(seconds);
        members.push(quote!(min_interval: #duration));
    }
    if let Some(seconds) = rules.max_interval {
        let duration = duration(seconds);
        members.push(quote!(max_interval: #duration));
    }
    if rules.threshold.is_some() {
        members.push(quote!(threshold: true));
    }
    members
}

/// A number of seconds, as the attribute gives it.
pub(super) fn duration(seconds: f64) -> TokenStream {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 3600 s"
    )]
    let micros = Literal::u64_unsuffixed((seconds * 1e6).round() as u64);
    quote!(_syncvar::Duration::from_micros(#micros))
}

/// A line of a full state, for those who may read the field.
pub(super) fn if_readable(sync_var: &SyncVar<'_>, line: &TokenStream) -> TokenStream {
    match sync_var.rules.readers {
        Readers::Everyone => line.clone(),
        Readers::Owner => quote!(if for_owner { #line }),
        Readers::Others => quote!(if !for_owner { #line }),
    }
}

pub(super) fn write_fields(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let body = for_each_field(
        behaviour,
        |function, member| quote!(#function(&self.#member, writer, fields);),
        "write_fields",
        |sync_var| {
            let write = serialize::write(behaviour, sync_var, &Method::WRITE_FULL);
            quote!(#write;)
        },
    )?;
    Some(quote! {
        fn write_fields(&self, writer: &mut _syncvar::NetworkWriter, fields: u64) {
            #body
        }
    })
}

pub(super) fn read_fields(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let body = for_each_field(
        behaviour,
        |function, member| quote!(#function(&mut self.#member, reader, fields)?;),
        "read_fields",
        |sync_var| {
            let read = deserialize::read(behaviour, sync_var, &Method::READ_FULL);
            quote!(#read;)
        },
    )?;
    Some(quote! {
        fn read_fields(
            &mut self,
            reader: &mut _syncvar::NetworkReader<'_>,
            fields: u64,
        ) -> _syncvar::Result<(), _syncvar::ReadError> {
            #body
            _syncvar::Ok(())
        }
    })
}

/// A call for the base, and a line for each field.
fn for_each_field(
    behaviour: &Behaviour<'_>,
    call: impl FnOnce(TokenStream, &syn::Member) -> TokenStream,
    name: &str,
    line: impl Fn(&SyncVar<'_>) -> TokenStream,
) -> Option<TokenStream> {
    let base = behaviour.base.as_ref();
    let base = base.map(|base| call(item(base.ty, "NetworkBehaviour", name), &base.member));
    let lines: Vec<_> = behaviour
        .sync_vars
        .iter()
        .map(|sync_var| {
            let (bit, line) = (names::bit(&sync_var.member), line(sync_var));
            quote!(if fields & Self::#bit != 0 { #line })
        })
        .collect();
    (base.is_some() || !lines.is_empty()).then(|| quote!(#base #(#lines)*))
}

pub(super) fn is_beyond_threshold(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let fields: Vec<_> = behaviour.sync_vars.iter().filter_map(of_field).collect();
    let base = behaviour.base.as_ref().map(|base| {
        let (member, function) = (
            &base.member,
            item(base.ty, "NetworkBehaviour", "is_beyond_threshold"),
        );
        quote!(#function(&self.#member, last_sent, field))
    });
    if fields.is_empty() && base.is_none() {
        return None;
    }
    let otherwise = base.unwrap_or_else(|| quote!(true));
    Some(quote! {
        fn is_beyond_threshold(
            &self,
            last_sent: &mut _syncvar::NetworkReader<'_>,
            field: u64,
        ) -> bool {
            #(#fields)*
            #otherwise
        }
    })
}

/// Asks the user's function about one field.
fn of_field(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let threshold = sync_var.rules.threshold.as_ref()?;
    let Container::SyncVar(value) = sync_var.ty.container else {
        return None;
    };
    let (member, bit) = (&sync_var.member, names::bit(&sync_var.member));
    let read = value_item(sync_var, value, "read");
    let function = match threshold.get_ident() {
        Some(method) => quote!(Self::#method),
        None => quote!(#threshold),
    };
    // A function that takes something else is told so at its name.
    let place = place_of(threshold);
    let kept = Ident::new("last_sent", place);
    let now = quote_spanned!(place=> &self.#member);
    let answer = quote_spanned!(place=> #function(&#kept, #now));
    Some(quote! {
        if field == Self::#bit {
            return match #read(last_sent) {
                _syncvar::Ok(#kept) => #answer,
                _syncvar::Err(_) => true,
            };
        }
    })
}
