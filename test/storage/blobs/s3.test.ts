/** The object storage of a cluster, a real one. */
import { storage } from "../../support/engines.ts"
import { objectStorageSuite } from "./object-storage.ts"

await objectStorageSuite("an object storage", await storage())
