import { setupLink, Users, usersAdd, usersGroups, usersList, usersPasswd } from "../access/users.ts"
import { appUrl, type Config } from "../config.ts"
import { OperatorError } from "../errors.ts"
import type { Database } from "../storage/database.ts"
import {
  type Command,
  needAction,
  parseArguments,
  print,
  printJson,
  printTable,
  refuseWords,
  UsageError,
  withExistingDatabase,
  withNewDatabase,
} from "./command.ts"
import { findRunning } from "./running.ts"
import { tellAbout, tellAll } from "./told.ts"

export const HELP = `Usage: carrel users add --email E [--admin] [--workspace NAME] [--name NAME] [--data DIR]
       carrel users list [--data DIR] [--json]
       carrel users groups --email E [--add A,B] [--remove C,D] [--data DIR]
       carrel users passwd --email E [--data DIR]
       carrel users setup-link [--data DIR]

Passwords are asked for, or read from standard input when that is not a terminal. Without --admin a user is a member. Until
there is an administrator the setup link makes one; setup-link prints a new one, and ends those before it. Members see files
whose acl names them (user:ID) or one of their groups (group:NAME); groups prints those of a user, after it changed them.
`

export const run: Command = async ([first, ...rest]) => {
  const action = needAction("users", first, "add, list, groups, passwd or setup-link")
  const { config, words, options } = parseArguments(rest, {
    values: ["email", "workspace", "name", "add", "remove"],
    switches: ["admin", "json"],
  })
  refuseWords(words)
  switch (action) {
    case "add": {
      const email = needEmail(options)
      const password = await readPassword()
      const { user, isClaimed } = await withNewDatabase(config, async database => {
        const user = await usersAdd(database, {
          email,
          password,
          admin: options.has("admin"),
          ...(options.has("workspace") ? { workspace: options.get("workspace")! } : {}),
          ...(options.has("name") ? { name: options.get("name")! } : {}),
        })
        await tellAbout(database, "users add", "user.create", user.id)
        return { user, isClaimed: await new Users(database).isClaimed() }
      })
      print(`${user.id} ${user.email} (${user.role})`)
      if (!isClaimed) process.stderr.write(`${NO_ADMINISTRATOR}\n`)
      return 0
    }
    case "list": {
      const users = await withExistingDatabase(config, usersList)
      if (options.has("json")) printJson(users)
      else
        printTable(
          ["ID", "EMAIL", "NAME", "ROLE", "GROUPS"],
          users.map(user => [user.id, user.email, user.name, user.role, user.groups.join(",")]),
        )
      return 0
    }
    case "groups":
      for (const name of await withExistingDatabase(config, database => changeGroups(database, options))) print(name)
      return 0
    case "passwd": {
      const email = needEmail(options)
      const password = await readPassword()
      await withExistingDatabase(config, database => changePassword(database, email, password))
      print(`the password of ${email} is changed; the user is signed out everywhere`)
      return 0
    }
    case "setup-link": {
      const link = await withExistingDatabase(config, database => newSetupLink(database, config))
      if (!link)
        throw new OperatorError("this installation already has an administrator", {
          hint: "add further users with `carrel users add`, set a password with `carrel users passwd`",
        })
      print(link)
      return 0
    }
    default:
      throw new UsageError(`there is no command "users ${action}"; \`carrel users --help\` lists them`)
  }
}

async function changePassword(database: Database, email: string, password: string): Promise<void> {
  await usersPasswd(database, email, password)
  const { id } = await new Users(database).get(email)
  await tellAbout(database, "users passwd", "user.password", id)
}

/** @returns those that the user is in */
async function changeGroups(database: Database, options: Map<string, string>): Promise<string[]> {
  const user = await new Users(database).get(needEmail(options))
  const change = { add: listOf(options.get("add")), remove: listOf(options.get("remove")) }
  if (change.add.length + change.remove.length === 0) return user.groups
  const groups = await usersGroups(database, user.id, change)
  await tellAbout(database, "users groups", "user.update", user.id)
  return groups
}

async function newSetupLink(database: Database, config: Config): Promise<string | null> {
  const made = await setupLink(database, findRunning(config.data)?.url ?? appUrl(config))
  if (made) await tellAll(database, "users setup-link", "user.invite")
  return made
}

const NO_ADMINISTRATOR =
  "There is no administrator yet: the setup link of the daemon's start, or of `carrel users setup-link`, makes one."

const listOf = (text = ""): string[] => text.split(",").filter(name => name !== "")

function needEmail(options: Map<string, string>): string {
  const email = options.get("email")
  if (!email) throw new UsageError("--email is required")
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
