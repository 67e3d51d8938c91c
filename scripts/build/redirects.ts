/**
 * Redirects inside dependencies, without which they cannot live in one file: their loaders look for native libraries
 * beside themselves. Every replaced text must be found, so that a changed dependency fails the build and not the user.
 */
import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import type { BunPlugin } from "bun"

interface Redirect {
  /** End of the path of the module inside `node_modules`. */
  module: string
  replace(source: string, loader: string): string
}

const REDIRECTS: Redirect[] = [
  {
    // The generated loader tries packages of all platforms, and a path from the environment before them.
    module: "@lancedb/lancedb/dist/native.js",
    replace: (source, loader) =>
      source.includes("module.exports = nativeBinding;")
        ? `module.exports = require(${loader}).loadNative("lancedb", "lancedb.node");`
        : source,
  },
  {
    module: "onnxruntime-node/dist/binding.js",
    replace: (source, loader) =>
      source.replace(
        /require\(`\.\.\/bin\/napi-v\d+\/[^`]*`\)/,
        `require(${loader}).loadNative("onnxruntime", "onnxruntime_binding.node")`,
      ),
  },
  {
    // Made with createRequire, which the bundler does not follow.
    module: "@huggingface/transformers/dist/transformers.node.mjs",
    replace: source => source.replace('requireFromHere("onnxruntime-node")', 'require("onnxruntime-node")'),
  },
]

/** Optional packages of dependencies that the product never calls. */
const LEFT_OUT = /^openai$/

/** @param lancedb folder of the package that stands in for the project's own; its dependencies are the project's */
export function redirects(project: string, embedded: string, lancedb?: string): BunPlugin {
  const loader = JSON.stringify(join(project, "src/native/native.ts"))
  return {
    name: "one-file",
    setup(build) {
      build.onLoad({ filter: /\/src\/native\/embedded\.ts$/ }, () => ({ loader: "js", contents: embedded }))
      for (const { module, replace } of REDIRECTS)
        build.onLoad({ filter: new RegExp(`/node_modules/${RegExp.escape(module)}$`) }, ({ path }) => {
          const source = readFileSync(path, "utf8")
          const contents = replace(source, loader)
          if (contents === source) throw new Error(`${path} no longer has the text that the build replaces`)
          return { loader: "js", contents }
        })
      if (lancedb)
        build.onResolve({ filter: /^[@a-z]/ }, ({ path, importer }) => {
          if (path === "@lancedb/lancedb") return { path: join(lancedb, "dist/index.js") }
          return importer.startsWith(lancedb) && !LEFT_OUT.test(path) && !isBuiltin(path)
            ? { path: Bun.resolveSync(path, join(project, "node_modules/@lancedb/lancedb/dist")) }
            : undefined
        })
      build.onResolve({ filter: LEFT_OUT }, ({ path }) => ({ path, namespace: "left-out" }))
      build.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
        loader: "js",
        contents: `throw new Error(${JSON.stringify(`${path} is not part of this executable`)})`,
      }))
    },
  }
}
