// Made by `syncvar types --typescript`: the schema 6424730b9b4a15bb. Do not edit.

import type { Build } from "syncvar";
import { resolve } from "syncvar/resolution";

export interface Card {
  /** `u8`. */
  suit: number;
  /** `{ 0: u8, 1: {{ 0: u16 }} }`. */
  "odd name": [number, Set<[number]>];
}

export interface Card2 {
  /** `u8`. */
  suit: number;
  /** `u8`. */
  rank: number;
}

export interface Chat {
  /** `String`. */
  text: string;
}

export interface Class {
}

export type Effect =
  | "None"
  | { Burn: { damage: number; seconds: number } }
  | { Push: [number, number] };

export type Gait =
  | "Stand"
  | "Walk"
  | "Unknown";

export interface Move {
  /** `f32`. */
  x: number;
  /** `bool`. */
  jump: boolean;
}

export interface Vector3 {
  /** `f32`. */
  x: number;
  /** `f32`. */
  y: number;
  /** `f32`. */
  z: number;
}

export interface Chest {
  fields: {
    /** `bool`. */
    open: boolean;
    /** `Custom`, which the client cannot read. */
    odd: undefined;
    /** `u8`. */
    behind: number | undefined;
  };
  writes: never;
  commands: {};
  calls: {};
}

export interface Fighter {
  fields: {
    /** `Vector3 as Quantized<-500, 500, 100>`. */
    position: Vector3;
    /** `u64`. */
    id: bigint;
    /** `i32`. */
    health: number;
    /** `u32`, read by the owner. */
    gold: number | undefined;
    /** `f32?`. */
    aim: number | null;
    /** `SyncList<Card>`, read by the owner and its group. */
    cards: Card[] | undefined;
    /** `SyncDictionary<String, [Gait?; 2]>`. */
    scores: Map<string, [Gait | null, Gait | null]>;
    /** `Effect`. */
    effect: Effect;
    /** `Gait`. */
    gait: Gait;
    /** `Class`. */
    class: Class;
  };
  writes: "gold" | "aim" | "gait";
  commands: {
    fire(at: number, argument1: number): void;
    wait(): void;
  };
  calls: {
    reload(rounds: number): void;
    burst(card: Card2): void;
  };
}

export interface Shield {
  fields: {
    /** `f32 as Half`. */
    strength: number | undefined;
    /** `bool`. */
    present: boolean;
  };
  writes: never;
  commands: {};
  calls: {};
}

/** Objects and messages of the game. */
export interface Game {
  prefabs: {
    "chest/large": "Chest";
    fighter: "Fighter" | "Shield";
  };
  behaviours: {
    Chest: Chest;
    Fighter: Fighter;
    Shield: Shield;
  };
  messages: {
    "a chat": Chat;
  };
  input: Move;
}

/** Build of this page: `new Client(url, { build })`. */
export const build: Build<Game> = { schema: `message "a chat" was talk = 50: Chat { text: String }
message input = 48: Move { x: f32, jump: bool }
prefab chest/large was crate 0000000000000000000000000176acd4
  behaviour Chest, channel 0, with data
    class Chest
      open: bool
      odd: Custom
      behind: u8
prefab fighter 0123456789abcdef0123456789abcdef
  behaviour Fighter was Hero, channel 0
    class Entity
      position: Vector3 as Quantized<-500, 500, 100>
      id: u64
    class Fighter
      health was hp was life: i32
      gold: u32, read by the owner, written by the owner and the server, sent once
      aim: f32?, written by the owner
      cards: SyncList<Card { suit: u8, "odd name": { 0: u8, 1: {{ 0: u16 }} } }>, read by the owner and its group
      scores: SyncDictionary<String, [Gait [Stand = 0, Walk was Stroll = 1, Unknown = 2 other]?; 2]>
      effect: Effect [None = 0, Burn = 1 { damage: i32, seconds: f32 }, Push = 2 { 0: u8, 1: u8 }]
      gait: Gait [Stand = 0, Walk was Stroll = 1, Unknown = 2 other], written by the owner
      class: Class { }
      command fire was shoot = CmdFire(at: i32, "by whom": NetId), after the state
      command wait = CmdWait()
      client_rpc reload = RpcReload(rounds: u8)
      sync_event burst = EventBurst(card: Card { suit: u8, rank: u8 })
  behaviour Shield, channel 1, optional
    class Shield
      strength: f32 as Half
    class present
      present: bool
`, resolve };
