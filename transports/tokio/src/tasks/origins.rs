//! `Origins`: the web pages whose scripts may connect.

/// Origins of web pages, such as `https://game.example`, whose scripts may connect to a port.
///
/// A browser states the origin of a page in each request of the page's scripts; a native client states none.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// `None` allows all.
    allowed: Option<Vec<String>>,
}

impl Origins {
    /// Allows an origin. Without a call, all origins are allowed.
    pub fn allow(&mut self, origin: &str) {
        let origin = origin.trim_end_matches('/').to_owned();
        self.allowed.get_or_insert_default().push(origin);
    }

    /// Returns whether all origins are allowed.
    pub fn allows_all(&self) -> bool {
        self.allowed.is_none()
    }

    /// Returns whether a request with these `Origin` headers may connect.
    pub fn allows<'a>(&self, mut stated: impl Iterator<Item = &'a [u8]>) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        stated.all(|origin| {
            let mut allowed = allowed.iter();
            allowed.any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin))
        })
    }
}
