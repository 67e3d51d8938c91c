/** Calls by way of each of the ways that it is given, and says what came of it. */
import { inspect } from "node:util"
import { Carrel } from "@carrel/sdk"

const { CARREL_TEST_WAYS, CARREL_TEST_FILE } = process.env
for (const { url, token, proxy, roots } of JSON.parse(CARREL_TEST_WAYS)) {
  let told = ""
  let came = ""
  try {
    const carrel = new Carrel({ baseUrl: url, token, proxy, tlsRoots: roots, retryMs: 0 })
    told += inspect(carrel, { depth: 9, showHidden: true }) + JSON.stringify(carrel)
    const { files } = await carrel.files.upload(CARREL_TEST_FILE)
    came = (await carrel.files.get(files[0].id)).name
    for await (const text of carrel.conversations.stream({ message: "Hello", model: "builtin/extractive" }).text())
      told += text
  } catch (error) {
    came = error.constructor.name
    told += inspect(error, { depth: 9, showHidden: true }) + String(error) + JSON.stringify(error)
  }
  console.log(JSON.stringify({ came, told }))
}
