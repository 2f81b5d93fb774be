//! Classes that refer to objects and components.

use serde_json::json;
use syncvar::prelude::*;

use super::plain::{DocData, EmptyNB};
use crate::golden::log::Log;
use crate::golden::subject::subjects;
use crate::golden::value::Recorded;

/// `tf` is a `Transform`, of which Mirror sends the same as of an identity.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct RefVars {
    #[sync_var(hook = on_id)]
    id: SyncVar<NetRef>,
    #[sync_var(hook = on_go)]
    go: SyncVar<NetRef>,
    #[sync_var(hook = on_nb)]
    nb: SyncVar<BehaviourRef<EmptyNB>>,
    #[sync_var(hook = on_doc)]
    doc: SyncVar<BehaviourRef<DocData>>,
    #[sync_var]
    tf: SyncVar<NetRef>,
    log: Log,
}

impl RefVars {
    fn changed(&self, name: &str, previous: &impl Recorded, value: &impl Recorded) {
        let arguments = json!([name, previous.to_json(), value.to_json()]);
        self.log.write("RefVars", "hook", arguments);
    }

    fn on_id(&mut self, previous: NetRef) {
        self.changed("id", &previous, &*self.id);
    }

    fn on_go(&mut self, previous: NetRef) {
        self.changed("go", &previous, &*self.go);
    }

    fn on_nb(&mut self, previous: BehaviourRef<EmptyNB>) {
        self.changed("nb", &previous, &*self.nb);
    }

    fn on_doc(&mut self, previous: BehaviourRef<DocData>) {
        self.changed("doc", &previous, &*self.doc);
    }
}

subjects! {
    RefVars [id go nb doc tf];
}
