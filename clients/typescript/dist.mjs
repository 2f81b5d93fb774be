// Makes `dist`, the content of the package: modules with source maps, and the declarations that they show.

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { build, transform } from "esbuild";

/** Modules of the package by their names. */
const ENTRIES = {
  syncvar: "src/index.ts",
  prediction: "src/predictor.ts",
  resolution: "src/resolution.ts",
  track: "src/track.ts",
  replay: "src/replay.ts",
  describe: "src/describe.ts",
  react: "src/react.ts",
  vue: "src/vue.ts",
};
const TYPES = "dist/types";

process.chdir(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname));
rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: ENTRIES,
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "shared-[hash]",
  external: ["fzstd", "react", "vue"],
  // Names stay: a bundler of the page shortens them.
  minifyWhitespace: true,
  minifySyntax: true,
  format: "esm",
  target: "es2022",
  sourcemap: true,
  sourcesContent: false,
});
// The package has the sources, except those of the replay: it has 150 KB.
const { code } = await transform(readFileSync("dist/replay.js", "utf8").replace(/\/\/# sourceMappingURL=.*/, ""), { minify: true, format: "esm", target: "es2022" });
writeFileSync("dist/replay.js", code);
rmSync("dist/replay.js.map");
for (const name of readdirSync("dist").filter((it) => it.endsWith(".map"))) {
  const file = join("dist", name);
  const map = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(decode(map.mappings).map(byLine)) }));
}
execFileSync("node_modules/.bin/tsc", ["-p", "tsconfig.dist.json"], { stdio: "inherit" });

const shown = new Set();
const open = Object.values(ENTRIES).map((it) => resolve(it.replace(/^src/, TYPES).replace(/ts$/, "d.ts")));
while (open.length) {
  const file = open.pop();
  if (shown.has(file)) continue;
  shown.add(file);
  for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g)) open.push(join(dirname(file), `${path}.d.ts`));
}
for (const name of readdirSync(TYPES, { recursive: true })) {
  if (name.endsWith(".d.ts") && !shown.has(resolve(TYPES, name))) rmSync(join(TYPES, name));
}
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join("../..", licence), licence);

/** Returns the first place of each line of the sources: a debugger steps by lines, and the columns are three quarters of a map. */
function byLine(places) {
  const isNew = ([, source, line], at) => !at || source !== places[at - 1][1] || line !== places[at - 1][2];
  return places.filter(isNew).map((it) => it.slice(0, 4));
}
