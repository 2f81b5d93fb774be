//! Pages by path.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

/// Pages by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    pages: BTreeMap<String, Page>,
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
