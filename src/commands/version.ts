import { VERSION } from "../native/version.ts"
import { type Command, print } from "./command.ts"

export const run: Command = async () => {
  print(VERSION)
  return 0
}
