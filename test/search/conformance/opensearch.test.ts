import { openSearch } from "../../support/engines.ts"
import { librariesIn } from "./opensearch.ts"
import { conformance } from "./passage-store.ts"

const engine = await openSearch()

if (engine) conformance("the store of several machines", librariesIn(engine))
