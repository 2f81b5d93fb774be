// Client of `syncvar` for browsers and node.

export { Client, type Events, type Options, type State } from "./client.js";
export { codec } from "./codecs.js";
export { register } from "./leaves.js";
export type { Codec } from "./types.js";
export type { Reader, Writer } from "./wire.js";
export type { Operation } from "./collections.js";
export type { BehaviourTypes, Build, Difference, FieldsOf, GameTypes, Resolution } from "./game.js";
export type { Transport } from "./link.js";
export type { Behaviour, Change, NetworkObject } from "./objects.js";
export type { Rests } from "./settled.js";
export type { BehaviourSchema, CallSchema, FieldSchema, MessageSchema, Prefab, Schema } from "./schema.js";
