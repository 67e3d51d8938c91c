/** What the executable can be built for. */
export interface Target {
  /** Bun's name of the target. */
  bun: Bun.Build.CompileTarget
  platform: "linux" | "darwin" | "win32"
  cpu: "x64" | "arm64"
  /** Packages that npm installs on that platform only; a build on another one fetches them into `.build/`. */
  runtime: string
  lancedb: string
  /** Where the registry has it for that platform in an older version alone, whose own code is built in with it. */
  lancedbVersion?: string
}

/** Without macOS on x64: onnxruntime-node has no library for it. The ones for macOS and Windows have never been run. */
export const TARGETS = {
  "linux-x64": {
    bun: "bun-linux-x64",
    platform: "linux",
    cpu: "x64",
    runtime: "@oven/bun-linux-x64",
    lancedb: "@lancedb/lancedb-linux-x64-gnu",
  },
  "linux-arm64": {
    bun: "bun-linux-arm64",
    platform: "linux",
    cpu: "arm64",
    runtime: "@oven/bun-linux-aarch64",
    lancedb: "@lancedb/lancedb-linux-arm64-gnu",
    lancedbVersion: "0.31.0",
  },
  "darwin-arm64": {
    bun: "bun-darwin-arm64",
    platform: "darwin",
    cpu: "arm64",
    runtime: "@oven/bun-darwin-aarch64",
    lancedb: "@lancedb/lancedb-darwin-arm64",
    lancedbVersion: "0.31.0",
  },
  "win32-x64": {
    bun: "bun-windows-x64",
    platform: "win32",
    cpu: "x64",
    runtime: "@oven/bun-windows-x64",
    lancedb: "@lancedb/lancedb-win32-x64-msvc",
    lancedbVersion: "0.31.0",
  },
} as const satisfies Record<string, Target>

export type TargetName = keyof typeof TARGETS

export const HOST_TARGET = `${process.platform}-${process.arch}`

/** Name of the executable in `dist/`. */
export const executableName = (target: string): string =>
  `carrel${target === HOST_TARGET ? "" : `-${target}`}${target.startsWith("win32") ? ".exe" : ""}`
