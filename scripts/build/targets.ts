/** What the executable can be built for. */
export interface Target {
  /** Bun's name of the target. */
  bun: Bun.Build.CompileTarget
  cpu: "x64" | "arm64"
  /** Packages that npm installs on that platform only; a build on another one fetches them into `.build/`. */
  runtime: string
  lancedb: string
}

export const TARGETS = {
  "linux-x64": {
    bun: "bun-linux-x64",
    cpu: "x64",
    runtime: "@oven/bun-linux-x64",
    lancedb: "@lancedb/lancedb-linux-x64-gnu",
  },
  "linux-arm64": {
    bun: "bun-linux-arm64",
    cpu: "arm64",
    runtime: "@oven/bun-linux-aarch64",
    lancedb: "@lancedb/lancedb-linux-arm64-gnu",
  },
} as const satisfies Record<string, Target>

export type TargetName = keyof typeof TARGETS

export const HOST_TARGET = `${process.platform}-${process.arch}`
