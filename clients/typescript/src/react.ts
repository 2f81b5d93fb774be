// Hooks for React: a component is drawn again when the object or the field that it shows changes.

import { useCallback, useRef, useSyncExternalStore } from "react";
import type { Client } from "./client.js";
import type { BehaviourTypes, FieldsOf, GameTypes } from "./game.js";
import type { Behaviour, NetworkObject } from "./objects.js";
import { watch } from "./watch.js";

/** Returns the object of an id while it is there. A change of its owner draws the component again, too. */
export function useObject<G extends GameTypes = any>(client: Client<G>, id: number): NetworkObject<G> | undefined {
  const version = useRef(0);
  const subscribe = useCallback((notify: () => void) => watch(client, id, "", () => {
    version.current++;
    notify();
  }), [client, id]);
  useSyncExternalStore(subscribe, () => version.current, () => 0);
  return client.objects.get(id);
}

/** Returns the value of a field; `undefined` without the behaviour. */
export function useField<T extends BehaviourTypes = any, Name extends keyof T["fields"] & string = any>(
  client: Client<any>,
  behaviour: Behaviour<T> | undefined,
  name: Name,
): FieldsOf<T["fields"]>[Name] | undefined {
  const subscribe = useCallback((notify: () => void) => (behaviour ? watch(client, behaviour, name, notify) : () => {}), [client, behaviour, name]);
  const read = (): any => behaviour?.fields[name];
  return useSyncExternalStore(subscribe, read, read);
}
