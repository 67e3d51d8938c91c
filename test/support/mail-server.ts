/** Dovecot with a mailbox of its own, on loopback ports, for tests. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { ImapFlow } from "imapflow"
import { selfSigned } from "./self-signed.ts"
import { until } from "./until.ts"

const DOVECOT = Bun.which("dovecot", { PATH: `${process.env.PATH}:/usr/sbin` })

if (DOVECOT === null) console.error("no dovecot here: tests of imap sources skip")
export const hasDovecot = DOVECOT !== null

export const LOGIN = { username: "someone@example.org", password: "correct-horse" }

export class DovecotServer {
  private readonly folder = mkdtempSync(join(tmpdir(), "carrel-dovecot-"))
  private child: Bun.Subprocess | undefined
  private readonly certificate = selfSigned("localhost")
  readonly port = freePort()
  readonly tlsPort = freePort()

  /** To be believed by who connects to `localhost`. */
  get ca(): string {
    return this.certificate.cert
  }

  /** The same in a file, once it was started. */
  get caFile(): string {
    return join(this.folder, "cert.pem")
  }

  /** @param startTls whether the plain port offers it */
  async start({ startTls = true } = {}): Promise<void> {
    const path = join(this.folder, "dovecot.conf")
    for (const name of ["run", "mail"]) mkdirSync(join(this.folder, name), { recursive: true })
    for (const name of ["", "mail"]) chmodSync(join(this.folder, name), 0o777)
    writeFileSync(join(this.folder, "cert.pem"), this.certificate.cert)
    writeFileSync(join(this.folder, "key.pem"), this.certificate.key)
    writeFileSync(path, this.settings(startTls))
    this.child = Bun.spawn([DOVECOT!, "-F", "-c", path], { stdout: "ignore", stderr: "ignore" })
    await until(async () => (await answers(this.port)) && (await answers(this.tlsPort)))
  }

  /** Breaks the connections too. */
  async stop(): Promise<void> {
    const { pid } = this.child!
    const serving = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    this.child!.kill()
    await this.child!.exited
    for (const each of serving)
      try {
        process.kill(each, "SIGKILL")
      } catch {
        // it ended with its parent
      }
    await until(async () => !(await answers(this.port)))
  }

  async close(): Promise<void> {
    if (this.child && this.child.exitCode === null) await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Does something in a mailbox as its owner would; a mailbox that is not there is made. */
  async as<T>(mailbox: string, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      ...{ host: "127.0.0.1", port: this.port, secure: false, doSTARTTLS: false, logger: false as const },
      auth: { user: LOGIN.username, pass: LOGIN.password },
    })
    await client.connect()
    try {
      if (mailbox !== "INBOX") await client.mailboxCreate(mailbox)
      await client.mailboxOpen(mailbox)
      return await work(client)
    } finally {
      await client.logout()
    }
  }

  private settings(startTls: boolean): string {
    const { uid, gid, username } = userInfo()
    // The server gives no mail to the administrator of the machine.
    const [mailUid, mailGid] = uid === 0 ? [65_534, 65_534] : [uid, gid]
    const own =
      uid === 0
        ? ""
        : `default_login_user = ${username}\ndefault_internal_user = ${username}\nservice anvil {\n chroot =\n}\nservice imap-login {\n chroot =\n}`
    return `
base_dir = ${this.folder}/run
log_path = ${this.folder}/log
protocols = imap
listen = 127.0.0.1
${own}
service imap-login {
  inet_listener imap {
    port = ${this.port}
  }
  inet_listener imaps {
    port = ${this.tlsPort}
    ssl = yes
  }
}
# Many wrong passwords from one place slow nobody down.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
ssl = ${startTls ? "yes" : "no"}
ssl_cert = <${this.folder}/cert.pem
ssl_key = <${this.folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:${this.folder}/mail/%u
passdb {
  driver = static
  args = password=${LOGIN.password}
}
userdb {
  driver = static
  args = uid=${mailUid} gid=${mailGid} home=${this.folder}/mail
}
namespace inbox {
  inbox = yes
}
`
  }
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  server.stop(true)
  return server.port
}

async function answers(port: number): Promise<boolean> {
  try {
    ;(await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })).end()
    return true
  } catch {
    return false
  }
}
