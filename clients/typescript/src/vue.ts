// References for Vue: values that follow an object or a field as long as the component is there.

import { getCurrentScope, onScopeDispose, type ShallowRef, shallowRef, triggerRef } from "vue";
import type { Client } from "./client.js";
import type { BehaviourTypes, FieldsOf, GameTypes } from "./game.js";
import type { Behaviour, NetworkObject } from "./objects.js";
import { watch } from "./watch.js";

/** Follows the object of an id while it is there, and its owner. */
export function useObject<G extends GameTypes = any>(client: Client<G>, id: number): Readonly<ShallowRef<NetworkObject<G> | undefined>> {
  const object = shallowRef(client.objects.get(id));
  follow(watch(client, id, "", () => {
    object.value = client.objects.get(id);
    triggerRef(object);
  }));
  return object;
}

/** Follows the value of a field. */
export function useField<T extends BehaviourTypes = any, Name extends keyof T["fields"] & string = any>(
  client: Client<any>,
  behaviour: Behaviour<T>,
  name: Name,
): Readonly<ShallowRef<FieldsOf<T["fields"]>[Name]>> {
  const value: ShallowRef = shallowRef(behaviour.fields[name]);
  follow(watch(client, behaviour, name, () => (value.value = behaviour.fields[name])));
  return value;
}

/** Ends with the component. */
function follow(end: () => void): void {
  if (getCurrentScope()) onScopeDispose(end);
}
