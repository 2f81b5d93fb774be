#[network_calls]
impl<T: SyncValue> Cell<T> {
    #[command]
    fn store(&mut self, value: T) {}
    #[sync_event]
    fn stored();
}
