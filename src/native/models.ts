/** The models that ship with the product, as a folder of model folders. */
import { fileURLToPath } from "node:url"
import { unpackedGroup } from "./native.ts"
import { COMPILED } from "./self.ts"

/** Call `useNativeDirectory` first. Unpacks at first use, so it may block for some 100 ms once per version. */
export function builtinModelsDirectory(): string {
  return COMPILED ? unpackedGroup("models") : fileURLToPath(new URL("../../models", import.meta.url))
}
