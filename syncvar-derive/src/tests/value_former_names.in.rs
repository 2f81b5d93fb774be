#[derive(SyncValue)]
enum Effect {
    #[sync_value(was = "Fire")]
    Burn {
        #[sync_value(was = "hp")]
        damage: u32,
    },
    #[sync_value(other)]
    Unknown,
}
