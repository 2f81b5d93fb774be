//! Pages by path.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};

/// Pages by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    pages: BTreeMap<String, Page>,
    /// Lines of the head of each answer, of the program.
    headers: Vec<(String, String)>,
}

/// Answer to a request for a path.
#[derive(Clone)]
pub(crate) struct Page {
    pub(crate) content_type: String,
    body: Arc<dyn Fn() -> Bytes + Send + Sync>,
}

impl Site {
    pub(crate) fn add(&mut self, path: &str, page: Page) {
        self.pages.insert(path.to_owned(), page);
    }

    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Returns the lines of the program for the head of an answer.
    ///
    /// # Errors
    ///
    /// When a name or a value has a character that HTTP forbids.
    pub(crate) fn head(&self) -> io::Result<String> {
        let mut head = String::new();
        for (name, value) in self.headers.iter().map(|(name, value)| (&**name, &**value)) {
            let (is_name, is_value) = (HeaderName::try_from(name), HeaderValue::try_from(value));
            if is_name.is_err() || is_value.is_err() {
                let message = format!("`{name}: {value}` is no header of HTTP");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            head.extend([name, ": ", value, "\r\n"]);
        }
        Ok(head)
    }

    pub(crate) fn page(&self, path: &str) -> Option<&Page> {
        self.pages.get(path)
    }
}

impl Page {
    pub(crate) fn new(
        content_type: &str,
        body: impl Fn() -> Bytes + Send + Sync + 'static,
    ) -> Self {
        Self {
            content_type: content_type.to_owned(),
            body: Arc::new(body),
        }
    }

    pub(crate) fn body(&self) -> Bytes {
        (self.body)()
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Page").field(&self.content_type).finish()
    }
}
