/** Starts one machine alone and prints how many modules of the engines' drivers that loaded. */
import { startTestApp } from "../support/app.ts"

const app = await startTestApp()
const drivers = Object.keys(require.cache).filter(path => /\/node_modules\/(?:@aws-sdk|@smithy|pg)\//.test(path))
await app.stop()
console.log(drivers.length)
