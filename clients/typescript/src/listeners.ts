// Listeners of the program.

/** Code of the program that hears an event. */
export type Listener = (...values: any[]) => void;

/** Listeners by the name of their event. */
export class Listeners {
  /** Number of changes of the lists. */
  revision = 0;
  private readonly byName = new Map<string, Set<Listener>>();

  /** Adds a listener. Returns a function that removes it. */
  on(name: string, listener: Listener): () => void {
    const listeners = this.byName.get(name) ?? new Set();
    this.byName.set(name, listeners.add(listener));
    this.revision++;
    return () => {
      listeners.delete(listener);
      this.revision++;
    };
  }

  /** Returns the listeners of an event, if it has any. */
  of(name: string): ReadonlySet<Listener> | undefined {
    const listeners = this.byName.get(name);
    return listeners?.size ? listeners : undefined;
  }

  emit(name: string, ...values: any[]): void {
    const listeners = this.of(name);
    if (listeners) for (const listener of listeners) guarded(() => listener(...values));
  }
}

/** Runs code of the program, whose error is not one of the connection. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(error);
  }
}
