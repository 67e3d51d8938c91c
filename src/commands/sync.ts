import { tokenFromEnvironment } from "../config.ts"
import { secretIn } from "../config-engines.ts"
import { enginesOf } from "../configured-cluster.ts"
import { log } from "../log.ts"
import { durationMs } from "../timing.ts"
import { type Arguments, type Command, parseArguments, UsageError } from "./command.ts"
import { findRunning } from "./running.ts"

export const HELP = `Usage: carrel sync PLACE --url URL [OPTIONS]

Brings the files of a place to a daemon, from any machine, and again only what is new or changed. The daemon remembers what
it has: a run that was stopped, killed or cut off goes on with the next one.

PLACE is a folder, s3://BUCKET/PREFIX?endpoint=URL&region=REGION, or git+https://HOST/REPOSITORY.git?branch=NAME&path=FOLDER.
A user, or the access key of a bucket, stands before the host (git+https://USER@HOST/…); the password, token or secret is in
the file of --password-file. A bucket is otherwise entered with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, where they are set.

The key needs the scopes sources, files:read and files:write. Its token is in CARREL_TOKEN, or in the file of --token-file
(or --token, which every user of this machine sees in the process list). Without --url the daemon of --data is taken.

  --url URL           of the daemon
  --token-file FILE   holds the token of the key
  --token TOKEN       the token itself, in the process list
  --password-file FILE
                      holds the password, token or secret of the place
  --check             compare only, and print what cannot be found there and why
  --dry-run           print what would be done
  --watch             stay, and bring each change soon after it was made; Ctrl-C ends
  --every DURATION    with --watch: look so often at a place that does not tell of changes (default 5m)
  --checksum          tell changes by the bytes, all of which are read, not by time and size: for a folder made anew
  --delete            remove files from the library that the place has no more
  --force             remove also more than a fifth of them; bring again what could not be read
  --name NAME         of the source at the daemon; by default that of the place
  --context ID        where its files are put when the source is made
  --include GLOB      only files that fit, such as '**/*.pdf'; may be given again
  --exclude GLOB      no files that fit; may be given again
  --json              answer as JSON

Exit status: 0 complete, 3 incomplete (some files could not be taken, or with --check not be found), 2 wrong usage,
1 anything else.
`

const SWITCHES = ["check", "dry-run", "watch", "checksum", "delete", "force", "json"]
const VALUES = ["url", "token", "token-file", "password-file", "name", "context", "every"]

export const run: Command = async args => {
  const given = parseArguments(args, { values: VALUES, lists: ["include", "exclude"], switches: SWITCHES })
  const [place, ...rest] = given.words
  if (place === undefined) throw new UsageError("sync: of what? a folder, s3://… or git+https://…")
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}`)
  const { options, lists } = given
  const has = (name: string) => options.has(name)
  const modes = ["check", "dry-run", "watch"].filter(has)
  if (modes.length > 1) throw new UsageError(`--${modes[0]} and --${modes[1]} do not go together`)
  const { sync } = await import("./sync/run.ts")
  return sync({
    place,
    url: daemonOf(given),
    token: tokenOf(given),
    mode: (modes[0] as "check" | "dry-run" | "watch" | undefined) ?? "once",
    passwordFile: options.get("password-file"),
    name: options.get("name"),
    context: options.get("context"),
    include: lists.get("include") ?? [],
    exclude: lists.get("exclude") ?? [],
    checksum: has("checksum"),
    delete: has("delete"),
    force: has("force"),
    asJson: has("json"),
    everyMs: everyOf(options.get("every")),
  })
}

/** @throws UsageError */
function daemonOf({ config, options }: Arguments): URL {
  const given = options.get("url") ?? (enginesOf(config) ? undefined : findRunning(config.data)?.url)
  if (given === undefined)
    throw new UsageError(
      "--url is needed: the address that the daemon prints when it starts, such as http://127.0.0.1:4747",
    )
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError("--url is an address such as http://127.0.0.1:4747")
  return url
}

/** @throws UsageError; ConfigError for a file that cannot be read, or that everybody may read */
function tokenOf({ options }: Arguments): string {
  const file = options.get("token-file")
  if (options.has("token"))
    log.warn("--token is seen by every user of this machine in the process list; CARREL_TOKEN or --token-file hides it")
  const token = options.get("token") ?? (file === undefined ? tokenFromEnvironment() : secretIn(file, "--token-file"))
  if (!token)
    throw new UsageError("a token is needed: put that of a key into CARREL_TOKEN, or into a file for --token-file")
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError("the token is none: it has letters, digits, dots, - and _ only")
  return token
}

/** Between two looks at a place that does not tell of changes. */
const EVERY_MS = 300_000

function everyOf(given: string | undefined): number {
  const ms = given === undefined ? EVERY_MS : durationMs(given)
  if (ms === undefined) throw new UsageError("--every is a number with s, m, h or d, such as 15m")
  return ms
}
