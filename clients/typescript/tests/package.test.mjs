// The package: its size, its modules in node, its types in a strict program, its parts in a bundle.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const PAGE = `\
import { Client, type Change } from "syncvar";
import { Track } from "syncvar/track";
import { Predictor } from "syncvar/prediction";
import { describe } from "syncvar/describe";
import { resolve } from "syncvar/resolution";
import { Replay } from "syncvar/replay";

const client = new Client("http://127.0.0.1:7777", { build: { schema: "", resolve } });
const track = new Track(1, client);
client.on("Player.x", (change: Change<number>) => track.add(change.tick, [change.value]));
const predictor = new Predictor(client);
predictor.setInput({ x: 1 });
console.log(describe(client));
const replay = await Replay.open("match.mcap");
replay.on("Car.lap", (change: Change<number>) => console.log(change.value));
await replay.seek(replay.start + 60);
`;

/** A program with the package, as \`npm install\` would make it. */
function install(context) {
  const folder = mkdtempSync(join(tmpdir(), "syncvar-"));
  context.after(() => rmSync(folder, { recursive: true }));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const archive = join(folder, `syncvar-${version}.tgz`);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "syncvar"), { recursive: true });
  execFileSync("tar", ["xzf", archive, "--strip-components=1", "-C", join(modules, "syncvar")]);
  for (const name of ["react", "vue", "@vue", "@types", "csstype", "fzstd"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "page.ts"), PAGE);
  return { folder, archive, run: (program, ...values) => execFileSync(program, values, { cwd: folder, encoding: "utf8" }) };
}

test("the package is small, strict and whole", async (context) => {
  const { folder, archive, run } = install(context);
  const size = readFileSync(archive).length;
  assert.ok(size <= 150_000, `${size} bytes`);
  const files = readdirSync(join(folder, "node_modules/syncvar"));
  assert.deepEqual(files.sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist", "package.json", "src"]);
  const names = Object.keys(exports).filter((it) => !it.endsWith(".json")).map((it) => it.replace(".", "syncvar"));
  const script = `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(await import(name)).length > 0);`;
  assert.deepEqual(run("node", "--input-type=module", "--eval", script).trim().split("\n"), names.map((name) => `${name} true`));
  // Without \`skipLibCheck\`: the declarations are checked, too.
  const adapters = names.filter((it) => /react|vue/.test(it)).map((it, at) => `import * as adapter${at} from "${it}";\nconsole.log(adapter${at});\n`);
  writeFileSync(join(folder, "adapters.ts"), adapters.join(""));
  const lib = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext", "--types", ""];
  run(join(root, "node_modules/.bin/tsc"), ...lib, "page.ts", "adapters.ts");
  for (const [name, call, source] of [["syncvar", "new all.Client('http://a', { payload: new Uint8Array(1e6) })", "client"], ["syncvar/resolution", "all.resolve()", "resolution"]]) {
    const program = `const all = await import("${name}"); try { ${call}; } catch (error) { console.log(error.stack); }`;
    // A source map leads from the module to the line of its source, which the package has.
    const [, file, line] = new RegExp(`\\((.*/src/${source}[.]ts):(\\d+):`).exec(run("node", "--enable-source-maps", "--input-type=module", "--eval", program));
    assert.ok(readFileSync(file, "utf8").split("\n").length > line, file);
  }
  writeFileSync(join(folder, "codec.ts"), 'import { register } from "syncvar";\nconsole.log(register);\n');
  const bundle = (file) => run(join(root, "node_modules/.bin/esbuild"), file, "--bundle", "--minify", "--format=esm", "--log-level=error").length;
  // A part of a module that a page does not use is not in its bundle.
  assert.ok(bundle("page.ts") > 60_000);
  assert.ok(bundle("codec.ts") < 9000, `${bundle("codec.ts")} bytes`);
});
