// Resolution: the schema of a server with the names and values of a page of another build. The client reads and writes by the
// layout of the server; only names and values differ, and what the server lacks has the value 0. The differences are those of
// `syncvar_runtime::translate::resolve`, word for word.

import type { Collection } from "./collections.js";
import type { Difference, Resolution } from "./game.js";
import { KEEP } from "./keep.js";
import { type Convert, Conversions, type Place, Refusal, SAME, Unfit } from "./resolution/conversion.js";
import { find, pairs } from "./resolution/names.js";
import { print, signature } from "./resolution/print.js";
import { type Leaves, mentions, unknown, zero } from "./resolution/zero.js";
import type { TypeSchema } from "./parser.js";
import type { BehaviourSchema, CallSchema, FieldSchema, MessageSchema, Prefab, Schema } from "./schema.js";
import type { Codec, Type } from "./types.js";

/** Message of the inputs. */
const INPUT = "input";

/** Returns the schema of a server with the names and values of a page, and the differences. */
export function resolve(own: Schema, server: Schema, leaves: Leaves): Resolution {
  const resolver = new Resolver(own, leaves);
  return { schema: resolver.schema(server), differences: resolver.differences };
}

/** Types of a part on the server and on the page. */
interface Typed {
  schema: TypeSchema;
  type: Type;
}

class Resolver {
  readonly differences: Difference[] = [];
  private readonly conversions: Conversions;

  constructor(
    private readonly own: Schema,
    private readonly leaves: Leaves,
  ) {
    this.conversions = new Conversions(leaves);
  }

  schema(server: Schema): Schema {
    const messages = this.messages(server.messages);
    const found = new Map<Prefab, Prefab>();
    const prefabs = server.prefabs.map((prefab) => {
      const place = `prefab \`${prefab.name}\``;
      const own = find(prefab, this.own.prefabs, server.prefabs);
      if (!own || [...found.values()].includes(own)) {
        this.add(place, "extra");
        return prefab;
      }
      found.set(prefab, own);
      this.compareNames(place, prefab, own);
      return this.prefab(place, prefab, own);
    });
    const known = new Set(found.values());
    for (const it of this.own.prefabs) if (!known.has(it)) this.add(`prefab \`${it.name}\``, "missing");
    return { hash: server.hash, prefabs, messages };
  }

  private add(place: string, kind: Exclude<Difference["kind"], "renamed" | "converted" | "refused">): void {
    const texts = {
      extra: "only the server has it",
      missing: "only the client has it",
      moved: "its place or its rules differ, and those of the server apply",
    };
    this.differences.push({ place, kind, text: texts[kind] });
  }

  private compareNames(place: string, server: { name: string }, own: { name: string }): void {
    if (server.name !== own.name) this.differences.push({ place, kind: "renamed", text: `its name on the client is \`${own.name}\`` });
  }

  private compareTypes(place: string, server: string, own: string): void {
    if (server !== own) this.differences.push({ place, kind: "converted", text: `\`${server}\` of the server is converted to \`${own}\`` });
  }

  private refuse(place: string, reason: string): void {
    this.differences.push({ place, kind: "refused", text: `refused: ${reason}` });
  }

  /** Runs a part of the resolution, whose refusal is a difference. */
  private attempt<T>(place: string, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(place, error.message);
      return undefined;
    }
  }

  private messages(server: MessageSchema[]): MessageSchema[] {
    const plans = server.map((message) => {
      const place = `message \`${message.name}\``;
      const own = find(message, this.own.messages, server);
      if (!own) {
        this.add(place, "extra");
        return { message };
      }
      this.compareNames(place, message, own);
      this.compareTypes(place, print(message.schema), print(own.schema));
      // The inputs have one direction.
      const read = message.name === INPUT ? SAME : this.attempt(place, () => this.conversions.of(message.schema, own.schema));
      return { message, own, read };
    });
    for (const own of this.own.messages) {
      const place = `message \`${own.name}\``;
      const partner = find(own, server, this.own.messages);
      if (partner) this.attempt(place, () => this.conversions.of(own.schema, partner.schema));
      else this.add(place, "missing");
    }
    return plans.map(({ message, own, read }) => (own && read ? { ...message, name: own.name, type: this.converted(message, own, read) } : message));
  }

  private prefab(place: string, server: Prefab, own: Prefab): Prefab {
    const found = pairs(server.behaviours, own.behaviours);
    const behaviours = server.behaviours.map((it) => this.behaviour(`${place}, behaviour \`${it.name}\``, it, found.get(it)));
    const known = new Set(found.values());
    const missing = own.behaviours.filter((it) => !known.has(it));
    for (const it of missing) this.add(`${place}, behaviour \`${it.name}\``, "missing");
    const calls = this.calls(place, found);
    this.checkPositions(place, server, own, found);
    // Without fields on the wire they change no byte.
    const empty = missing.map((it) => ({ ...it, fields: [], calls: [], classes: [], isOptional: false, hasData: false, initial: this.initial(it.fields) }));
    const resolved = behaviours.map((it, at) => ({ ...it, calls: calls.get(server.behaviours[at]) ?? it.calls }));
    return { ...server, name: own.name, behaviours: [...resolved, ...empty] };
  }

  /** Refuses references to behaviours where their positions differ: the position is on the wire. */
  private checkPositions(place: string, server: Prefab, own: Prefab, found: Map<BehaviourSchema, BehaviourSchema>): void {
    const isMoved = [...found].some(([a, b]) => server.behaviours.indexOf(a) !== own.behaviours.indexOf(b));
    if (isMoved && mentions(this.own, "BehaviourRef")) this.refuse(place, "the positions of the behaviours differ, and a `BehaviourRef` names a behaviour by its position");
  }

  private initial(fields: readonly FieldSchema[]): Record<string, any> {
    return Object.fromEntries(fields.map((it) => [it.name, zero(it.schema, this.leaves)]));
  }

  private behaviour(place: string, server: BehaviourSchema, own: BehaviourSchema | undefined): BehaviourSchema {
    if (!own) {
      this.add(place, "extra");
      for (const it of server.fields) this.attempt(fieldPlace(place, it), () => this.checkKnown(it.schema));
      return server;
    }
    this.compareNames(place, server, own);
    if (server.isOptional !== own.isOptional) this.refuse(place, "the behaviour is optional in one of the builds");
    const found = fieldPairs(server, own);
    this.compareFields(place, server, own, found);
    if (hasRules(server, own, found) || server.hasData !== own.hasData) this.add(place, "moved");
    const fields = isDirect(server, own, found, this.conversions)
      ? server.fields.map((it) => ({ ...it, name: found.get(it)!.name }))
      : this.fields(place, server, own, found);
    const changed = [...found].filter(([a, b]) => print(a.schema) !== print(b.schema)).map(([, it]) => it);
    const known = new Set(found.values());
    return { ...server, name: own.name, fields, initial: this.initial([...own.fields.filter((it) => !known.has(it)), ...changed]) };
  }

  private compareFields(of: string, server: BehaviourSchema, own: BehaviourSchema, found: Map<FieldSchema, FieldSchema>): void {
    server.fields.forEach((field, at) => {
      const place = fieldPlace(of, field);
      const target = found.get(field);
      if (!target) return this.add(place, "extra");
      this.compareNames(place, field, target);
      this.compareTypes(place, print(field.schema), print(target.schema));
      if (own.fields.indexOf(target) !== at || rulesOf(field) !== rulesOf(target)) this.add(place, "moved");
    });
    const known = new Set(found.values());
    for (const it of own.fields) if (!known.has(it)) this.add(fieldPlace(of, it), "missing");
  }

  /** Returns the fields of the server with the names and values of the page. */
  private fields(of: string, server: BehaviourSchema, own: BehaviourSchema, found: Map<FieldSchema, FieldSchema>): FieldSchema[] {
    const reads = new Map(server.fields.map((field) => [field, this.attempt(fieldPlace(of, field), () => this.plan(field, found.get(field)))]));
    // A field that the server does not let an owner write may have no way back.
    const partners = new Map([...found].filter(([it]) => it.byOwner).map(([it, target]) => [target, it]));
    for (const field of own.fields) this.attempt(fieldPlace(of, field), () => this.plan(field, partners.get(field)));
    return server.fields.map((field) => {
      const [target, read] = [found.get(field), reads.get(field)];
      return target && read ? { ...field, name: target.name, type: this.converted(field, target, read) } : field;
    });
  }

  /** Returns the conversion of the values of a field; values without a target are skipped. */
  private plan(from: FieldSchema, to: FieldSchema | undefined): Convert {
    const convert = to ? this.conversions.of(from.schema, to.schema) : SAME;
    this.checkKnown(from.schema);
    return convert;
  }

  /** Refuses a type whose values the client can neither read nor skip. */
  private checkKnown(type: TypeSchema): void {
    const name = unknown(type, this.leaves);
    if (name !== undefined) throw new Refusal(`the layout of the type \`${name}\` is unknown`);
  }

  /** Returns the type of a server's values with those of the page. */
  private converted(server: Typed, own: Typed, read: Convert): Type {
    const { schema, type } = server;
    const write = this.back(own.schema, schema);
    if (read === SAME && write === SAME && print(schema) === print(own.schema)) return type;
    let isUnfit = false;
    const place = (isLenient: boolean, isStrict = false): Place => ({ isLenient, isStrict, note: () => void (isUnfit = true) });
    const takeUnfit = (): boolean => {
      const was = isUnfit;
      isUnfit = false;
      return was;
    };
    const values = own.type;
    const { collection } = type;
    // A collection of the page is lenient, whatever the server has.
    if (!collection || schema.kind !== "collection") return { ...codec(type, read, write, place(own.schema.kind === "collection")), values, takeUnfit };
    const parts = own.schema.kind === "collection" && kindOf(own.schema.name) === kindOf(schema.name) ? own.schema.parts : undefined;
    const made = parts ? this.remade(collection, schema.parts, parts, place) : shadowed(collection, (value) => read(value, place(true)), write);
    return { read: made.read, write: made.write, collection: made, values, takeUnfit };
  }

  /** Returns the conversion for the server; without a rule each value is unfit. */
  private back(own: TypeSchema, server: TypeSchema): Convert {
    try {
      return this.conversions.of(own, server);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return () => {
        throw new Unfit(error.message);
      };
    }
  }

  /** Returns a collection whose operations have the elements of the page. */
  private remade(of: Collection, server: TypeSchema[], own: TypeSchema[], place: (isLenient: boolean, isStrict?: boolean) => Place): Collection {
    const hasKeys = of.kind !== "list";
    return of.remade((part, at) => {
      return codec(part, this.conversions.of(server[at], own[at]), this.back(own[at], server[at]), hasKeys && !at ? place(false, true) : place(true));
    });
  }

  /** Returns the calls of the server's behaviours with the names and arguments of the page. */
  private calls(place: string, found: Map<BehaviourSchema, BehaviourSchema>): Map<BehaviourSchema, CallSchema[]> {
    const resolved = new Map<CallSchema, CallSchema>();
    for (const [server, own] of found) {
      for (const call of server.calls) {
        if (call.kind === "command") continue;
        const at = `${place}, behaviour \`${server.name}\`, call \`${call.name}\``;
        const partner = this.partner(at, call, [server.calls, own.calls], "extra");
        const plan = partner && this.call(at, call, partner, call, partner);
        if (plan) resolved.set(call, { ...call, name: partner.name, ...plan });
      }
    }
    for (const [server, own] of [...found].sort(([, a], [, b]) => this.position(a) - this.position(b))) {
      for (const call of own.calls) {
        if (call.kind !== "command") continue;
        const at = `${place}, behaviour \`${own.name}\`, call \`${call.name}\``;
        const partner = this.partner(at, call, [own.calls, server.calls], "missing");
        const plan = partner && this.call(at, call, partner, partner, call);
        if (plan) resolved.set(partner, { ...partner, name: call.name, ...plan });
      }
    }
    return new Map([...found.keys()].map((it) => [it, it.calls.map((call) => resolved.get(call) ?? call)]));
  }

  /** Returns the position of a behaviour of the page on its object. */
  private position(behaviour: BehaviourSchema): number {
    return Math.max(...this.own.prefabs.map((it) => it.behaviours.indexOf(behaviour)));
  }

  /** Returns the call of the receiver for one of the sender. */
  private partner(place: string, call: CallSchema, [sender, receiver]: [CallSchema[], CallSchema[]], lacking: "extra" | "missing"): CallSchema | undefined {
    const partner = find(call, receiver, sender);
    if (!partner) {
      this.add(place, lacking);
      return undefined;
    }
    const group = ({ kind }: CallSchema): string => (kind === "target_rpc" ? "client_rpc" : kind);
    if (group(call) === group(partner)) return partner;
    this.refuse(place, `a \`${call.kind}\` cannot become a \`${partner.kind}\``);
    return undefined;
  }

  /** Returns the plan of a call of a sender. */
  private call(place: string, sender: CallSchema, receiver: CallSchema, server: CallSchema, own: CallSchema): Pick<CallSchema, "count" | "convert"> | undefined {
    this.compareNames(place, sender, receiver);
    const isCommand = sender.kind === "command";
    return this.attempt(place, () => {
      const convert = this.conversions.arguments(sender.parameters, receiver.parameters);
      if (convert) this.compareTypes(place, signature(server), signature(own));
      const note = (): void => {};
      const run = convert && ((values: any[]) => convert(values, { isLenient: false, isStrict: false, note }));
      return { count: own.parameters.length, convert: isCommand ? run && ((values) => sent(() => run(values))) : run };
    });
  }
}

const fieldPlace = (behaviour: string, field: FieldSchema): string => `${behaviour}, field \`${field.name}\``;

const rulesOf = ({ readers, byOwner, byServer, isInitial }: FieldSchema): string => String([readers, byOwner, byServer, isInitial]);

/** Returns the fields of the page by those of the server: in the class of the same name first, then in any class. */
function fieldPairs(server: BehaviourSchema, own: BehaviourSchema): Map<FieldSchema, FieldSchema> {
  const inClass = pairs(server.fields, own.fields, (a, b) => a.className === b.className);
  const [rest, free] = [server.fields.filter((it) => !inClass.has(it)), own.fields.filter((it) => ![...inClass.values()].includes(it))];
  return new Map([...inClass, ...pairs(rest, free, () => true, server.fields)]);
}

/** Returns whether the channel or the rules of the page's fields differ. */
function hasRules(server: BehaviourSchema, own: BehaviourSchema, found: Map<FieldSchema, FieldSchema>): boolean {
  const rules = new Map([...found].map(([a, b]) => [b, rulesOf(a)]));
  const none = rulesOf({ readers: "all", byOwner: false, byServer: true, isInitial: false } as FieldSchema);
  return server.channel !== own.channel || own.fields.some((it) => (rules.get(it) ?? none) !== rulesOf(it));
}

/** Returns whether the state of a behaviour has the same bytes and rules in both builds. */
function isDirect(server: BehaviourSchema, own: BehaviourSchema, found: Map<FieldSchema, FieldSchema>, conversions: Conversions): boolean {
  const isSame = (field: FieldSchema, at: number): boolean => {
    const target = found.get(field);
    try {
      return target !== undefined && target === own.fields[at] && rulesOf(field) === rulesOf(target) && hasSameBytes(field.schema, target.schema, conversions);
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
  return server.fields.length === own.fields.length && String(server.classes) === String(own.classes) && server.isOptional === own.isOptional && server.fields.every(isSame);
}

function hasSameBytes(server: TypeSchema, own: TypeSchema, conversions: Conversions): boolean {
  return print(server) === print(own) || (conversions.of(server, own) === SAME && conversions.of(own, server) === SAME);
}

/** Returns the kind of a collection, whose operations those of the same kind have. */
function kindOf(name: string): string {
  return name === "SyncList" || name === "SyncDictionary" ? name : "set";
}

/** Returns a codec of the server with the values of the page. */
function codec(of: Codec, read: Convert, write: Convert, place: Place): Codec {
  return {
    read(reader) {
      const value = of.read(reader);
      try {
        return read(value, place);
      } catch (error) {
        if (error instanceof Unfit) return KEEP;
        throw error;
      }
    },
    write: (writer, value) => of.write(writer, sent(() => write(value, { ...place, isLenient: false }))),
  };
}

/** Returns a collection whose field is of another kind on the page: the operations change the server's value, and the whole value follows. */
function shadowed(of: Collection, read: (value: any) => any, write: Convert): Collection {
  const origins = new WeakMap<object, any>();
  const back = (value: any): any => sent(() => write(value, { isLenient: false, isStrict: false, note: () => {} }));
  const settle = (value: any): any => {
    const settled = read(value);
    origins.set(settled, value);
    return settled;
  };
  return {
    ...of,
    read: (reader) => settle(of.read(reader)),
    write: (writer, value) => of.write(writer, back(value)),
    copy: (value) => of.copy(origins.get(value) ?? back(value)),
    apply: (reader, value, kind, position) => of.apply(reader, value, kind, position),
    settle,
  };
}

/** Converts a value for the server. */
function sent<T>(convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    throw error instanceof Unfit ? new RangeError(": it does not fit its type on the server") : error;
  }
}
