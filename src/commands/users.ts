import { appUrl } from "../config.ts"
import { setupLink, usersAdd, usersList, usersPasswd } from "../keys/users.ts"
import {
  type Command,
  parseArguments,
  print,
  printJson,
  printTable,
  UsageError,
  withDatabase,
  withExistingDatabase,
} from "./command.ts"

const HELP = `Usage: carrel users add --email E [--admin] [--workspace NAME] [--name NAME] [--data DIR]
       carrel users list [--data DIR] [--json]
       carrel users passwd --email E [--data DIR]
       carrel users setup-link [--data DIR]

Passwords are asked for, or read from standard input when that is no terminal.
`

export const run: Command = async ([action, ...rest]) => {
  const { config, options } = parseArguments(rest, {
    values: ["email", "workspace", "name"],
    switches: ["admin", "json", "help"],
  })
  if (action === undefined || action === "help" || action === "--help" || action === "-h" || options.has("help")) {
    print(HELP)
    return 0
  }
  switch (action) {
    case "add": {
      const email = needEmail(options)
      const password = await readPassword()
      const user = await withDatabase(config, database =>
        usersAdd(database, {
          email,
          password,
          admin: options.has("admin"),
          ...(options.has("workspace") ? { workspace: options.get("workspace")! } : {}),
          ...(options.has("name") ? { name: options.get("name")! } : {}),
        }),
      )
      print(`${user.id} ${user.email} (${user.role})`)
      return 0
    }
    case "list": {
      const users = await withExistingDatabase(config, usersList)
      if (options.has("json")) printJson(users)
      else
        printTable(
          ["ID", "EMAIL", "NAME", "ROLE"],
          users.map(user => [user.id, user.email, user.name, user.role]),
        )
      return 0
    }
    case "passwd": {
      const email = needEmail(options)
      const password = await readPassword()
      await withExistingDatabase(config, database => usersPasswd(database, email, password))
      print(`the password of ${email} is changed; the user is signed out everywhere`)
      return 0
    }
    case "setup-link": {
      const link = await withDatabase(config, database => setupLink(database, appUrl(config)))
      if (!link)
        throw new UsageError("this installation has its first administrator; add further users with `carrel users add`")
      print(link)
      return 0
    }
    default:
      throw new UsageError(`there is no command "users ${action}"\n\n${HELP}`)
  }
}

function needEmail(options: Map<string, string>): string {
  const email = options.get("email")
  if (!email) throw new UsageError("--email is needed")
  return email
}

/** One line: typed without echo at a terminal, else the first line of standard input. */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await Bun.stdin.text()).split(/\r?\n/)[0]!
  process.stderr.write("Password: ")
  process.stdin.setRawMode(true)
  let typed = ""
  try {
    for await (const chunk of process.stdin) {
      for (const char of (chunk as Buffer).toString("utf8")) {
        if (char === "\r" || char === "\n") return typed
        if (char === "\u0003") throw new UsageError("cancelled")
        typed = char === "\u007f" || char === "\b" ? typed.slice(0, -1) : typed + char
      }
    }
    return typed
  } finally {
    process.stdin.setRawMode(false)
    process.stdin.pause()
    process.stderr.write("\n")
  }
}
