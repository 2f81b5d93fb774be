//! `Origins`: the web pages whose scripts may connect.

use tokio_tungstenite::tungstenite::http::HeaderMap;
use tokio_tungstenite::tungstenite::http::header::ORIGIN;

/// Origins whose pages may connect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// `None` allows all.
    allowed: Option<Vec<String>>,
}

impl Origins {
    pub(crate) fn allow(&mut self, origin: String) {
        self.allowed.get_or_insert_default().push(origin);
    }

    /// Returns whether a request may become a WebSocket. A browser states the origin of the page in each
    /// such request; a native client states none.
    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        headers.get_all(ORIGIN).iter().all(|origin| {
            let same = |it: &String| it.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
            allowed.iter().any(same)
        })
    }
}
