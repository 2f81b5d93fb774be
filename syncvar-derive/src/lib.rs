//! placeholder
use proc_macro::TokenStream;

/// placeholder
#[proc_macro_derive(NetworkBehaviour, attributes(sync_var, network_behaviour))]
pub fn derive_network_behaviour(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// placeholder
#[proc_macro_derive(SyncValue, attributes(sync_value))]
pub fn derive_sync_value(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
