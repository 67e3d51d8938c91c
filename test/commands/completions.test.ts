/** What shells complete and what the manual says is what the commands take; it is tried in the shells themselves. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { grammarOf } from "../../src/commands/manual/grammar.ts"
import { COMMANDS } from "../../src/commands/table.ts"
import { rejection } from "../support/rejection.ts"
import { carrel } from "./carrel.ts"

const grammar = await grammarOf(COMMANDS)
const places = grammar.places.filter(({ command }) => command !== "help")

describe("of every command", () => {
  const refusal = async (command: string, words: string[]) => {
    const { run } = await COMMANDS[command]!.load()
    return (await rejection(run(words))).message
  }

  test.each(places.map(place => [[place.command, place.action].filter(Boolean).join(" "), place] as const))(
    "%s takes the options that its help names, with a value or without",
    async (_, { command, action, options }) => {
      for (const { flag, value } of options.filter(({ flag }) => flag !== "--help")) {
        const words = action === undefined ? [flag] : [action, flag]
        if (value) expect(await refusal(command, words)).toContain(`${flag}`)
        if (value) expect(await refusal(command, words)).toContain("needs a value")
        const unknown = [...words, ...(value ? ["1"] : []), "--no-such-option"]
        expect(await refusal(command, unknown)).toContain("unknown option --no-such-option")
      }
    },
  )

  test("the help names every option that is its own", async () => {
    const folder = join(import.meta.dir, "../../src/commands")
    for (const file of new Glob("*.ts").scanSync({ cwd: folder })) {
      const code = await Bun.file(join(folder, file)).text()
      const taken = [...code.matchAll(/\b(?:values|lists|switches|VALUES|SWITCHES)(?:: | = )\[([^\]]*)\]/g)]
      const names = taken.flatMap(([, list]) => [...list!.matchAll(/"([a-z-]+)"/g)].map(([, name]) => `--${name}`))
      const command = file.replace(".ts", "")
      const own = places.filter(place => place.command === command).flatMap(({ options }) => options)
      expect([file, names.filter(name => !own.some(({ flag }) => flag === name))]).toEqual([file, []])
    }
  })

  test("a command that has actions names all of them", () => {
    const actions = Object.fromEntries(grammar.commands.map(({ name, actions }) => [name, actions]))
    expect(actions).toMatchObject({
      keys: ["create", "list", "revoke"],
      users: ["add", "list", "groups", "passwd", "setup-link"],
      packs: ["list", "add", "remove", "verify"],
      backup: [],
      serve: [],
    })
  })
})

const folder = mkdtempSync(join(tmpdir(), "carrel-completions-"))
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(join(folder, shell), (await carrel(["completions", shell])).out)
  mkdirSync(join(folder, "work/pack folder"), { recursive: true })
  writeFileSync(join(folder, "work/pack one.zip"), "")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Complete = (line: string) => Promise<string[]>

async function lines(argv: string[], env: Record<string, string> = {}): Promise<string[]> {
  const child = Bun.spawn(argv, {
    cwd: join(folder, "work"),
    env: { PATH: Bun.env.PATH!, HOME: folder, LC_ALL: "C.UTF-8", TERM: "dumb", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, err]).toEqual([0, ""])
  return out.split("\n").filter(line => line !== "")
}

/** As readline calls it: the words of the line, split at "=" too. */
const inBash: Complete = line => {
  const words = line.split(/ |(?<==)|(?==)/).map(word => `'${word}'`)
  return lines([
    "bash",
    "--norc",
    "-c",
    `source "$0"; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _carrel; printf '%s\\n' "\${COMPREPLY[@]}"`,
    join(folder, "bash"),
  ])
}

const inFish: Complete = async line =>
  (await lines(["fish", "--no-config", "-c", `source ${join(folder, "fish")}; complete -C '${line}'`])).map(
    found => found.split("\t")[0]!,
  )

/**
 * In a terminal of its own, where every match that is added is printed instead. What is typed is echoed, once or twice: the marks
 * that are waited for are written in pieces there, and stand whole in what is printed alone.
 */
const inZsh: Complete = async line => {
  const script = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= PS2=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit && compinit -u -D; source ${join(folder, "zsh")}'
zpty -w shell 'compadd() { [[ \${@[(I)-[OAD]]} -ne 0 ]] && { builtin compadd "$@"; return }; local -a found; builtin compadd -O found "$@"; print -l "<"\${^found}">"; builtin compadd "$@" }'
zpty -w shell 'list() { compstate[insert]= ; _main_complete; print "<en""d>"; exit }; zle -C list list-choices list; bindkey "^I" list; print "<rea""dy>"'
zpty -m -r shell out '*<ready>*'
zpty -w -n shell $'${line}\\t'
zpty -m -r shell out '*<end>*'
print -r -- $out`
  const out = await lines(["zsh", "-f", "-c", script])
  const found = [...out.join("\n").matchAll(/<([^<>\s][^<>\r\n]*)>/g)].map(([, word]) => word!)
  return [...new Set(found)].filter(word => word !== "end")
}

const SHELLS: Record<string, Complete> = { bash: inBash, zsh: inZsh, fish: inFish }

for (const [shell, complete] of Object.entries(SHELLS)) {
  const isHere = Bun.which(shell) !== null
  if (!isHere) console.warn(`skipped: completions for ${shell}, which is not installed`)
  describe.skipIf(!isHere)(`${shell} completes`, () => {
    test("commands", async () => {
      const found = await complete("carrel ")
      expect(found).toEqual(expect.arrayContaining(Object.keys(COMMANDS)))
      expect(await complete("carrel verify")).toEqual(expect.arrayContaining(["verify", "verify-receipt"]))
      expect(await complete("carrel verify")).not.toContain("serve")
    })

    test("actions, and what each of them alone takes", async () => {
      expect(await complete("carrel keys ")).toEqual(expect.arrayContaining(["create", "list", "revoke"]))
      expect(await complete("carrel keys cr")).not.toContain("list")
      const create = (await complete("carrel keys create --")).map(option => option.replace(/=$/, ""))
      expect(create).toEqual(expect.arrayContaining(["--name", "--scopes", "--headers", "--data"]))
      expect(create).not.toContain("--port")
      expect((await complete("carrel keys list --")).join(" ")).not.toContain("--headers")
    })

    test("every setting of serve", async () => {
      const found = (await complete("carrel serve --")).map(option => option.replace(/=$/, ""))
      expect(found).toEqual(expect.arrayContaining(["--data", "--port", "--offline", "--tls-cert", "--node-name"]))
      expect(found.length).toBeGreaterThan(60)
    })

    test("values of a choice, and those alone", async () => {
      expect((await complete("carrel serve --log-level ")).sort()).toEqual(["debug", "error", "info", "warn"])
      expect(await complete("carrel eval questions.json --tier q")).toEqual(["quality"])
      expect((await complete("carrel completions ")).filter(word => !word.startsWith("-")).sort()).toEqual([
        "bash",
        "fish",
        "zsh",
      ])
    })

    test("files where a file is meant, folders where a folder is", async () => {
      const named = (found: string[]) => found.map(word => word.replaceAll("\\", "").replace(/\/$/, "")).sort()
      expect(named(await complete("carrel packs add pack"))).toEqual(["pack folder", "pack one.zip"])
      expect(named(await complete("carrel serve --data pack"))).toEqual(["pack folder"])
      expect(named(await complete("carrel keys revoke pack"))).toEqual([])
      expect(named(await complete("carrel keys create --name pack"))).toEqual([])
    })
  })
}

test("a shell that it does not know is wrong usage", async () => {
  const { code, err } = await carrel(["completions", "tcsh"])
  expect([code, err]).toEqual([2, "carrel: completions: for which shell? bash, zsh, fish\n"])
})

describe("the manual page", () => {
  let page: string
  beforeAll(async () => {
    page = (await carrel(["man"])).out
  })

  test.skipIf(!Bun.which("man") || !Bun.which("groff"))("is shown by man without a warning", async () => {
    const file = join(folder, "carrel.1")
    writeFileSync(file, page)
    const child = Bun.spawn(["man", "--warnings", "--encoding=UTF-8", "--local-file", file], {
      env: { PATH: Bun.env.PATH!, LC_ALL: "C.UTF-8", MANWIDTH: "80", TERM: "dumb" },
      stdout: "pipe",
      stderr: "pipe",
    })
    const [shown, warned] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect([await child.exited, warned]).toEqual([0, ""])
    expect(shown).toContain("carrel - an AI workspace that you run yourself")
    expect(shown).toMatch(/^ {7}carrel keys create --name NAME \[--workspace NAME\]/m)
    expect(shown).toMatch(/^ {7}--rate-limit-per-minute N$/m)
    expect(shown.split("\n").filter(line => line.length > 80)).toEqual([])
  })

  test("has every command and every setting", () => {
    for (const name of Object.keys(COMMANDS)) expect(page).toContain(`.SS "carrel ${name.replaceAll("-", "\\-")}"`)
    const serve = places.find(({ command }) => command === "serve")!
    for (const { flag } of serve.options.filter(({ flag }) => flag !== "--help"))
      expect(page).toContain(`.B "${flag.replaceAll("-", "\\-")}`)
  })
})
