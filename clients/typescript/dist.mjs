// Makes `dist`, the content of the package: modules with source maps, and the declarations that they show.

import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
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
const { resolution, ...debugged } = ENTRIES;
const settings = {
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "shared-[hash]",
  external: ["fzstd", "react", "vue"],
  // Names stay: a bundler of the page shortens them, and the maps are smaller.
  minifyWhitespace: true,
  minifySyntax: true,
  format: "esm",
  target: "es2022",
};
// The package has the sources, except those of the resolution: a page meets its code in no debugger, and the package has 150 KB.
await build({ ...settings, entryPoints: debugged, sourcemap: true, sourcesContent: false });
await build({ ...settings, minify: true, entryPoints: { resolution } });
// Nor has it those of the replay, and short modules are read without maps.
for (const name of ["replay", "track", "describe", "react", "vue"]) {
  const { code } = await transform(readFileSync(`dist/${name}.js`, "utf8").replace(/\/\/# sourceMappingURL=.*/, ""), { minify: true, format: "esm", target: "es2022" });
  writeFileSync(`dist/${name}.js`, code);
  rmSync(`dist/${name}.js.map`);
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
