// Conversions of values between the types of two builds. The rules are those of `syncvar_runtime::translate::conversion`.

import type { MemberSchema, TypeSchema, VariantSchema } from "../parser.js";
import { find } from "./names.js";
import { print } from "./print.js";
import { isTuple, type Leaves, MAX_ZEROS, structure, unknown, weight, zero } from "./zero.js";

/** Value that does not fit the type of its reader. */
export class Unfit extends Error {}

/** Types that no rule converts. */
export class Refusal extends Error {}

/** Place of a value that is converted. */
export interface Place {
  /** Set inside of a collection: a value that does not fit becomes 0. */
  readonly isLenient: boolean;
  /** Set inside of a key: two keys must not become one. */
  readonly isStrict: boolean;
  /** Notes a value that does not fit. */
  readonly note: () => void;
}

/** Conversion of a value. Throws `Unfit`. */
export type Convert = (value: any, place: Place) => any;

/** Member of the writer for one of the reader, and the conversion of its value: 0 without one. */
interface Step {
  found: MemberSchema | undefined;
  convert: Convert;
}

/** Conversion of values that stay as they are. */
export const SAME: Convert = (value) => value;

/** Forms of elements in the client. */
const FORMS = {
  array: (elements: any[]): any => elements,
  bytes: (elements: any[]): any => Uint8Array.from(elements),
  map: (entries: any[]): any => new Map(entries),
  set: (elements: any[]): any => new Set(elements),
};

/** Type with elements. */
interface Elements {
  form: keyof typeof FORMS;
  /** Type of an element or key. */
  element: TypeSchema;
  /** Type of the value of a key. */
  value?: TypeSchema;
  /** Number of the elements of an array. */
  length?: number;
}

const isDistinct = ({ form }: Elements): boolean => form === "map" || form === "set";

/** Builder of conversions. */
export class Conversions {
  constructor(private readonly leaves: Leaves) {}

  /** Returns the conversion of the values of a type. Throws a `Refusal`. */
  of(writer: TypeSchema, reader: TypeSchema): Convert {
    const [from, to] = [uncoded(writer), uncoded(reader)];
    if (to.kind === "optional") {
      if (from.kind !== "optional") return this.of(from, to.of);
      const convert = this.of(from.of, to.of);
      return convert === SAME ? SAME : (value, place) => (value === null ? null : convert(value, place));
    }
    if (from.kind === "optional") {
      const [convert, miss] = [this.of(from.of, to), this.miss(to)];
      return (value, place) => (value === null ? miss(place) : convert(value, place));
    }
    if (from.kind === "struct" && to.kind === "struct") return this.members(from.members, to.members);
    if (from.kind === "enum" && to.kind === "enum") return this.variants(from.variants, to.variants);
    const [parts, others] = [elementsOf(from), elementsOf(to)];
    if (parts && others) return this.elements(writer, reader, parts, others);
    if (parts) return this.first(writer, reader, parts, from.kind === "collection");
    if (others) return this.one(writer, reader, others);
    return this.leaf(from, to) ?? this.vector(from, to) ?? refuse(writer, reader);
  }

  /** Returns the conversion of members by their names: of a struct, a variant or a call. */
  members(from: readonly MemberSchema[], to: readonly MemberSchema[]): Convert {
    const steps = new Map(this.steps(from, to).map((step, at) => [to[at], step]));
    const isSame = from.length === to.length && isTuple(from) === isTuple(to) && to.every((it) => steps.get(it)!.convert === SAME && steps.get(it)!.found?.name === it.name);
    if (isSame) return SAME;
    return (value, place) => structure(to, (member) => {
      const { found, convert } = steps.get(member)!;
      return convert(found && value[found.name], place);
    });
  }

  /** Returns the conversion of the arguments of a call; `undefined` if they stay as they are. */
  arguments(from: readonly MemberSchema[], to: readonly MemberSchema[]): ((values: any[], place: Place) => any[]) | undefined {
    const steps = this.steps(from, to);
    if (from.length === to.length && steps.every(({ found, convert }, at) => found === from[at] && convert === SAME)) return undefined;
    return (values, place) => steps.map(({ found, convert }) => convert(found && values[from.indexOf(found)], place));
  }

  /** Returns a step for each member of the reader. */
  private steps(from: readonly MemberSchema[], to: readonly MemberSchema[]): Step[] {
    let left = MAX_ZEROS;
    return to.map((member) => {
      const step = this.step(from, member, to);
      if (!step.found && (left -= weight(member.schema)) < 0) throw new Refusal(`more than ${MAX_ZEROS} values are missing`);
      return step;
    });
  }

  private step(from: readonly MemberSchema[], member: MemberSchema, to: readonly MemberSchema[]): Step {
    const found = find(member, from, to);
    if (found) return { found, convert: within(member.name, () => this.of(found.schema, member.schema)) };
    const of = (): any => zero(member.schema, this.leaves);
    // Values in arrays are made where they are needed.
    if (weight(member.schema) > MAX_ZEROS || unknown(member.schema, this.leaves) !== undefined) throw new Refusal(`\`${member.name}: ${print(member.schema)}\` has no value where it is missing`);
    return { found, convert: of };
  }

  private variants(from: readonly VariantSchema[], to: readonly VariantSchema[]): Convert {
    const other = to.find((it) => it.isOther);
    const steps = new Map(from.map((variant) => {
      const found = find(variant, to, from);
      const target = found ?? other ?? to[0];
      const convert = target && within(variant.name, () => this.members(found ? variant.members : [], target.members));
      return [variant.name, { isKnown: found !== undefined, target, convert }];
    }));
    const isSame = from.length === to.length && from.every(({ name }) => {
      const step = steps.get(name)!;
      return step.isKnown && step.target.name === name && step.convert === SAME;
    });
    if (isSame) return SAME;
    const miss = this.miss({ kind: "enum", name: "", variants: [...to] });
    return (value, place) => {
      const name = typeof value === "string" ? value : Object.keys(value)[0];
      const step = steps.get(name);
      if (!step?.target || (!step.isKnown && (!step.target.isOther || place.isStrict))) return miss(place);
      if (!step.target.members.length) return step.target.name;
      return { [step.target.name]: step.convert(value[name] ?? {}, place) };
    };
  }

  private elements(from: TypeSchema, to: TypeSchema, parts: Elements, others: Elements): Convert {
    if (!parts.value !== !others.value || (parts.length ?? others.length) !== (others.length ?? parts.length)) refuse(from, to);
    const element = this.of(parts.element, others.element);
    const value = parts.value && others.value ? this.of(parts.value, others.value) : SAME;
    const isSameForm = parts.form === others.form && (others.length === undefined || parts.length !== undefined);
    if (element === SAME && value === SAME && isSameForm) return SAME;
    const miss = this.miss(to);
    return (all, place) => {
      const converted = [...all].flatMap((it) => {
        const key = others.value ? it[0] : it;
        const done = isDistinct(others) ? this.key(element, key, place) : [element(key, place)];
        return others.value ? done.map((key) => [key, value(it[1], place)]) : done;
      });
      return converted.length === (others.length ?? converted.length) ? FORMS[others.form](converted) : miss(place);
    };
  }

  /** Converts a key: one that does not fit is dropped inside of a collection. */
  private key(convert: Convert, key: any, { isLenient, note }: Place): any[] {
    try {
      return [convert(key, { isLenient: false, isStrict: true, note })];
    } catch (error) {
      if (error instanceof Unfit && isLenient) return [];
      throw error;
    }
  }

  /** A sequence to its first element. */
  private first(from: TypeSchema, to: TypeSchema, parts: Elements, isCollection: boolean): Convert {
    if (isDistinct(parts) || parts.length !== undefined || isCollection) refuse(from, to);
    const [convert, miss] = [this.of(parts.element, to), this.miss(to)];
    return (all, place) => (all.length ? convert(all[0], place) : miss(place));
  }

  /** A value to a sequence of one element. */
  private one(from: TypeSchema, to: TypeSchema, others: Elements): Convert {
    if (isDistinct(others) || others.length !== undefined) refuse(from, to);
    const convert = this.of(from, others.element);
    return (value, place) => FORMS[others.form]([convert(value, place)]);
  }

  /** Numbers of another width, and texts with another limit. */
  private leaf(from: TypeSchema, to: TypeSchema): Convert | undefined {
    if (from.kind === "collection" && to.kind === "collection" && from.name === to.name) return SAME;
    if (from.kind === "array" && to.kind === "array" && from.length === to.length) return SAME;
    const limit = textLimit(to);
    if (limit !== undefined && textLimit(from) !== undefined) {
      const miss = this.miss(to);
      return (value, place) => (new TextEncoder().encode(value).length <= limit ? value : miss(place));
    }
    if (from.kind !== "named" || to.kind !== "named") return undefined;
    if (from.name === to.name) return SAME;
    if (/^f(32|64)$/.test(from.name) && /^f(32|64)$/.test(to.name)) return to.name === "f64" ? SAME : this.narrow(to);
    return this.integer(from, to);
  }

  private narrow(to: TypeSchema): Convert {
    const miss = this.miss(to);
    return (value, place) => {
      const narrow = Math.fround(value);
      const isLost = Number.isFinite(value) && !Number.isFinite(narrow);
      return isLost || (place.isStrict && !Object.is(narrow, value)) ? miss(place) : narrow;
    };
  }

  private integer(from: { name: string }, to: TypeSchema & { name: string }): Convert | undefined {
    const pattern = /^(NonZero)?([iu])(8|16|32|64|128)$/i;
    const match = pattern.exec(to.name);
    if (!match || !pattern.test(from.name)) return undefined;
    const [isNonZero, isSigned, bits] = [match[1] !== undefined, /i/i.test(match[2]), Number(match[3])];
    const miss = this.miss(to);
    return (value, place) => {
      const big = BigInt(value);
      const fits = big === (isSigned ? BigInt.asIntN(bits, big) : BigInt.asUintN(bits, big)) && !(isNonZero && !big);
      return !fits ? miss(place) : bits > 32 ? big : Number(big);
    };
  }

  /** Vectors with components of equal names. */
  private vector(from: TypeSchema, to: TypeSchema): Convert | undefined {
    const [a, b] = [from, to].map((it) => (it.kind === "named" ? this.leaves.alias(it.name) : it));
    if (a?.kind !== "struct" || b?.kind !== "struct" || String(a.members.map((it) => it.name)) !== String(b.members.map((it) => it.name))) return undefined;
    try {
      return this.members(a.members, b.members);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** Returns the end of a value that does not fit. */
  private miss(to: TypeSchema): (place: Place) => any {
    return (place) => {
      place.note();
      if (!place.isLenient) throw new Unfit("a value does not fit its type");
      return zero(to, this.leaves);
    };
  }
}

function elementsOf(type: TypeSchema): Elements | undefined {
  switch (type.kind) {
    case "sequence":
      return { form: type.of.kind === "named" && type.of.name === "u8" ? "bytes" : "array", element: type.of };
    case "array":
      return textLimit(type) === undefined ? { form: "array", element: type.of, length: type.length } : undefined;
    case "set":
      return { form: "set", element: type.of };
    case "map":
      return { form: "map", element: type.key, value: type.of };
    case "collection": {
      const [element, value] = type.parts;
      const form = { SyncList: "array", SyncHashSet: "set", SyncSortedSet: "set", SyncDictionary: "map" }[type.name] as Elements["form"] | undefined;
      return form && { form, element, value };
    }
    default:
      return undefined;
  }
}

/** Returns the type behind its codecs, which the client has decoded. */
function uncoded(type: TypeSchema): TypeSchema {
  return type.kind === "encoded" ? uncoded(type.of) : type;
}

/** Longest text of a type in bytes; `undefined` for another type. */
function textLimit(type: TypeSchema): number | undefined {
  if (type.kind === "named" && type.name === "String") return Infinity;
  return type.kind === "array" && type.of.kind === "named" && type.of.name === "FixedString" ? type.length : undefined;
}

function refuse(from: TypeSchema, to: TypeSchema): never {
  throw new Refusal(`\`${print(from)}\` cannot become \`${print(to)}\``);
}

/** Names the member of a refused type. */
function within<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`in \`${name}\`, ${error.message}`) : error;
  }
}
