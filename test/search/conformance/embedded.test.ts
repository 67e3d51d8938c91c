import { TestLibrary } from "../library.ts"
import { conformance } from "./passage-store.ts"

conformance("the store of one machine", TestLibrary.open)
