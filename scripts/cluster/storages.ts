/** Storages that speak S3. */
import { ceph } from "./ceph.ts"
import type { Engine } from "./engine.ts"
import { garage } from "./garage.ts"
import { seaweedfs } from "./seaweedfs.ts"

export const STORAGES = { seaweedfs: seaweedfs(), garage, ceph } satisfies Record<string, Engine>

export const isStorage = (name: string): name is keyof typeof STORAGES => Object.hasOwn(STORAGES, name)

/** SeaweedFS, unless `CARREL_TEST_STORAGE` names another, for all tests over engines. @throws Error for an unknown name */
export function usualStorage(name = process.env.CARREL_TEST_STORAGE ?? "seaweedfs"): keyof typeof STORAGES {
  if (isStorage(name)) return name
  throw new Error(`CARREL_TEST_STORAGE is one of ${Object.keys(STORAGES).join(", ")}`)
}
