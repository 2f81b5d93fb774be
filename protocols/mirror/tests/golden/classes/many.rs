//! A class with as many variables as there can be.

use syncvar::prelude::*;

use crate::golden::subject::subjects;

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Max64 {
    #[sync_var]
    v00: SyncVar<u8>,
    #[sync_var]
    v01: SyncVar<u8>,
    #[sync_var]
    v02: SyncVar<u8>,
    #[sync_var]
    v03: SyncVar<u8>,
    #[sync_var]
    v04: SyncVar<u8>,
    #[sync_var]
    v05: SyncVar<u8>,
    #[sync_var]
    v06: SyncVar<u8>,
    #[sync_var]
    v07: SyncVar<u8>,
    #[sync_var]
    v08: SyncVar<u8>,
    #[sync_var]
    v09: SyncVar<u8>,
    #[sync_var]
    v10: SyncVar<u8>,
    #[sync_var]
    v11: SyncVar<u8>,
    #[sync_var]
    v12: SyncVar<u8>,
    #[sync_var]
    v13: SyncVar<u8>,
    #[sync_var]
    v14: SyncVar<u8>,
    #[sync_var]
    v15: SyncVar<u8>,
    #[sync_var]
    v16: SyncVar<u8>,
    #[sync_var]
    v17: SyncVar<u8>,
    #[sync_var]
    v18: SyncVar<u8>,
    #[sync_var]
    v19: SyncVar<u8>,
    #[sync_var]
    v20: SyncVar<u8>,
    #[sync_var]
    v21: SyncVar<u8>,
    #[sync_var]
    v22: SyncVar<u8>,
    #[sync_var]
    v23: SyncVar<u8>,
    #[sync_var]
    v24: SyncVar<u8>,
    #[sync_var]
    v25: SyncVar<u8>,
    #[sync_var]
    v26: SyncVar<u8>,
    #[sync_var]
    v27: SyncVar<u8>,
    #[sync_var]
    v28: SyncVar<u8>,
    #[sync_var]
    v29: SyncVar<u8>,
    #[sync_var]
    v30: SyncVar<u8>,
    #[sync_var]
    v31: SyncVar<u8>,
    #[sync_var]
    v32: SyncVar<u8>,
    #[sync_var]
    v33: SyncVar<u8>,
    #[sync_var]
    v34: SyncVar<u8>,
    #[sync_var]
    v35: SyncVar<u8>,
    #[sync_var]
    v36: SyncVar<u8>,
    #[sync_var]
    v37: SyncVar<u8>,
    #[sync_var]
    v38: SyncVar<u8>,
    #[sync_var]
    v39: SyncVar<u8>,
    #[sync_var]
    v40: SyncVar<u8>,
    #[sync_var]
    v41: SyncVar<u8>,
    #[sync_var]
    v42: SyncVar<u8>,
    #[sync_var]
    v43: SyncVar<u8>,
    #[sync_var]
    v44: SyncVar<u8>,
    #[sync_var]
    v45: SyncVar<u8>,
    #[sync_var]
    v46: SyncVar<u8>,
    #[sync_var]
    v47: SyncVar<u8>,
    #[sync_var]
    v48: SyncVar<u8>,
    #[sync_var]
    v49: SyncVar<u8>,
    #[sync_var]
    v50: SyncVar<u8>,
    #[sync_var]
    v51: SyncVar<u8>,
    #[sync_var]
    v52: SyncVar<u8>,
    #[sync_var]
    v53: SyncVar<u8>,
    #[sync_var]
    v54: SyncVar<u8>,
    #[sync_var]
    v55: SyncVar<u8>,
    #[sync_var]
    v56: SyncVar<u8>,
    #[sync_var]
    v57: SyncVar<u8>,
    #[sync_var]
    v58: SyncVar<u8>,
    #[sync_var]
    v59: SyncVar<u8>,
    #[sync_var]
    v60: SyncVar<u8>,
    #[sync_var]
    v61: SyncVar<u8>,
    #[sync_var]
    v62: SyncVar<u8>,
    #[sync_var]
    v63: SyncVar<u8>,
}

subjects! {
    Max64 [
        v00 v01 v02 v03 v04 v05 v06 v07 v08 v09 v10 v11 v12 v13 v14 v15
        v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28 v29 v30 v31
        v32 v33 v34 v35 v36 v37 v38 v39 v40 v41 v42 v43 v44 v45 v46 v47
        v48 v49 v50 v51 v52 v53 v54 v55 v56 v57 v58 v59 v60 v61 v62 v63
    ];
}
