//! Plays random worlds with a page: `clients/typescript/tests/worlds.mjs`.

fn main() {
    // The answers have the messages.
    std::panic::set_hook(Box::new(|_| {}));
    syncvar_testing::pages::serve(std::io::stdin().lock(), std::io::stdout().lock());
}
