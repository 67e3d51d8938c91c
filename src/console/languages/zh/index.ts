import { agents } from "./agents.ts"
import { chat } from "./chat.ts"
import { common } from "./common.ts"
import { doors } from "./doors.ts"
import { governance } from "./governance.ts"
import { library } from "./library.ts"
import { overview } from "./overview.ts"
import { search } from "./search.ts"
import { settings } from "./settings.ts"
import { shell } from "./shell.ts"
import { sources } from "./sources.ts"
import { viewer } from "./viewer.ts"

export const texts = {
  ...agents,
  ...chat,
  ...common,
  ...doors,
  ...governance,
  ...overview,
  ...search,
  ...settings,
  ...shell,
  ...sources,
  ...viewer,
  ...library,
}
