// A text with a place: WIRE.md, section 5, "The text of a schema".

import { WireError } from "./wire.js";

// Most names are of these characters, which the second expression finds more slowly. Each takes at most 1000.
const PLAIN = /[\w./-]{1,1000}(?![\w./\-\x80-\uffff])/y;
const NAME = /[\p{Alphabetic}\p{N}_./-]{1,1000}/uy;
const QUOTED = /(?:[^"\\\n]|\\(?:["\\n]|u\{[\da-f]{1,5}\})){0,1000}/uy;
const NUMBER = /-?\d+/y;

/** Name of a part, and its former names, the newest first. */
export interface Names {
  name: string;
  was: string[];
}

/** List without elements, which many parts of a schema share. */
export const NONE: never[] = [];

/** Most names, types and parameters of a text: they take more memory and time than their bytes. */
const MAX_PARTS = 16_384;

/** Text that is read from its begin to its end. Every method throws a `WireError` with the line and the column. */
export class Text {
  private at = 0;
  private parts = 0;

  constructor(private readonly text: string) {}

  /** Takes this text, if it is the next one. */
  accept(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail(`expected \`${text}\``);
  }

  /** Takes the end of the line. */
  end(): void {
    this.accept("\n") || this.fail("expected the end of the line");
  }

  /** Fails unless all of the text is read. */
  finish(what: string): void {
    if (this.at < this.text.length) this.fail(`expected ${what}`);
  }

  /** Counts a name, a type or a parameter. */
  count(): void {
    if (++this.parts > MAX_PARTS) this.fail(`more than ${MAX_PARTS} names and types`);
  }

  name(): string {
    this.count();
    if (!this.accept('"')) return this.match(PLAIN) ?? this.match(NAME) ?? this.fail("expected a name");
    const quoted = this.match(QUOTED) ?? "";
    if (!this.accept('"')) this.fail("expected the end of a quoted name");
    return quoted.replace(/\\(?:u\{(\w+)\}|(.))/g, (_, code, one) => (code ? String.fromCodePoint(parseInt(code, 16)) : one === "n" ? "\n" : one));
  }

  names(): Names {
    const name = this.name();
    const was: string[] = this.accept(" was ") ? [this.name()] : NONE;
    while (this.accept(" was ")) was.push(this.name());
    return { name, was };
  }

  /** Takes a whole number between two bounds. */
  number(min: number, max: number): number {
    const from = this.at;
    const number = Number(this.match(NUMBER) ?? NaN);
    if (number >= min && number <= max) return number;
    this.at = from;
    return this.fail("expected a number of this range");
  }

  /** Takes a match of a sticky expression. */
  match(expression: RegExp): string | undefined {
    const from = (expression.lastIndex = this.at);
    // Without the list of groups of `exec`.
    if (!expression.test(this.text)) return undefined;
    this.at = expression.lastIndex;
    return this.text.slice(from, this.at);
  }

  fail(what: string): never {
    const before = this.text.slice(0, this.at).split("\n");
    throw new WireError(`line ${before.length}, column ${[...before.at(-1)!].length + 1}: ${what}`);
  }
}
