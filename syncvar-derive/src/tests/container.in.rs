#[derive(NetworkBehaviour)]
struct Round {
    #[sync_var(hook = on_score)]
    score: Score,
    #[sync_var]
    clock: Countdown,
}
