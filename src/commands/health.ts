import { appUrl, type Config } from "../config.ts"
import { OperatorError } from "../errors.ts"
import { type Command, parseArguments, print, refuseWords } from "./command.ts"
import { findRunning } from "./running.ts"

/** Longer than the daemon takes for its slowest check, shorter than supervisors wait. */
const ANSWER_MS = 8_000

export const HELP = `Usage: carrel health [--data DIR] [--host ADDRESS] [--port PORT]

Asks the daemon of this machine whether it is ready, as \`GET /readyz\` says it, for the health checks of containers and
supervisors. It takes the address from the same settings as the daemon. Exit status: 0 ready, 1 not.
`

export const run: Command = async args => {
  const { config, words } = parseArguments(args)
  refuseWords(words)
  const url = `${addressOf(config)}/readyz`
  const answer = await fetch(url, {
    signal: AbortSignal.timeout(ANSWER_MS),
    // Its certificate is for the name that browsers use.
    tls: { rejectUnauthorized: false },
  }).catch(error => {
    throw new OperatorError(`no daemon answers at ${url}`, { cause: error })
  })
  if (!answer.ok) throw new OperatorError(`the daemon at ${url} is not ready: ${await answer.text()}`)
  print("ready")
  return 0
}

/** Of the port that the system chose where the settings name none. */
function addressOf(config: Config): string {
  const { port } = config
  const running = port === 0 ? findRunning(config.data) : undefined
  return appUrl({ ...config, app_url: "" }, running ? Number(new URL(running.url).port) : port)
}
