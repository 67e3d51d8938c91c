/** The storages that people have beside the one that all tests run on, each where its programs are installed. */
import { ceph } from "../../../scripts/cluster/ceph.ts"
import { garage } from "../../../scripts/cluster/garage.ts"
import { ownEngine } from "../../support/engines.ts"
import { objectStorageSuite } from "./object-storage.ts"

for (const [name, engine] of Object.entries({ Garage: garage, Ceph: ceph }))
  await objectStorageSuite(name, (await ownEngine(name, engine))?.blob_url.replace("?", "/tests?"))
