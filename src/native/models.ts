/** The models that ship with the product, as a folder of model folders, and the packs that a build was given. */
import { fileURLToPath } from "node:url"
import { groups } from "./embedded.ts"
import { unpackedGroup } from "./native.ts"
import { COMPILED } from "./self.ts"

/** Call `useNativeDirectory` first. Unpacks at first use, so it may block for some 100 ms once per version. */
export function builtinModelsDirectory(): string {
  return COMPILED ? unpackedGroup("models") : fileURLToPath(new URL("../../models", import.meta.url))
}

export const hasBuiltinPacks = groups.packs !== undefined

/** A folder of packs, as `packs add` leaves them; undefined where the build was given none. As `builtinModelsDirectory`. */
export const builtinPacksDirectory = (): string | undefined => (hasBuiltinPacks ? unpackedGroup("packs") : undefined)
