/**
 * WebDAV servers as people run them, each over a folder of this machine: Apache with Basic and with Digest, nginx with its
 * extension, rclone, and SabreDAV, which Nextcloud and ownCloud are built on. On Debian: apt-get install apache2-bin nginx-core libnginx-mod-http-dav-ext rclone
 * php-cli php-xml php-mbstring php-sabre-dav.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./live-node.ts"
import { until } from "./until.ts"

export const CREDENTIALS = { username: "jürgen", password: "pass wörd:ł/%" }

export interface WebdavServer extends AsyncDisposable {
  /** Of its folder, with a slash at its end. */
  url: string
}

interface Kind {
  /** Undefined where all that is needed is here. */
  lacks(): string | undefined
  /** @returns the command that runs it in the foreground */
  command(place: Place): Promise<string[]>
}

interface Place {
  /** What it serves. */
  folder: string
  /** For its own files. */
  room: string
  port: number
}

const APACHE_MODULES = "/usr/lib/apache2/modules"
const NGINX_MODULE = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
const PHP = "/usr/share/php"
const REALM = "files"

const which = (name: string) => Bun.which(name, { PATH: `${Bun.env.PATH}:/usr/sbin:/usr/local/sbin` })

export const WEBDAV_SERVERS = {
  "Apache with Basic": apache("Basic"),
  "Apache with Digest": apache("Digest"),
  nginx: {
    lacks: () =>
      which("nginx") && existsSync(NGINX_MODULE) ? undefined : "nginx or its extension for WebDAV is not installed",
    async command({ folder, room, port }) {
      const { username, password } = CREDENTIALS
      const hash = await Bun.$`openssl passwd -apr1 ${password}`.quiet().text()
      writeFileSync(join(room, "users"), `${username}:${hash}`)
      const file = join(room, "nginx.conf")
      writeFileSync(
        file,
        `load_module ${NGINX_MODULE};
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${room}/pid;
error_log ${room}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${room}/body; proxy_temp_path ${room}/proxy; fastcgi_temp_path ${room}/fastcgi;
  uwsgi_temp_path ${room}/uwsgi; scgi_temp_path ${room}/scgi;
  server {
    listen 127.0.0.1:${port};
    location /dav/ {
      alias ${folder}/;
      dav_methods PUT DELETE MKCOL COPY MOVE;
      dav_ext_methods PROPFIND OPTIONS;
      auth_basic ${REALM};
      auth_basic_user_file ${room}/users;
    }
  }
}
`,
      )
      return [which("nginx")!, "-c", file, "-g", "daemon off;"]
    },
  },
  rclone: {
    lacks: () => (which("rclone") ? undefined : "rclone is not installed"),
    command: async ({ folder, port }) => {
      const { username, password } = CREDENTIALS
      const address = ["--addr", `127.0.0.1:${port}`, "--baseurl", "dav"]
      const seen = ["--dir-cache-time", "1ms", "--poll-interval", "0", "--config", "/dev/null"]
      return [which("rclone")!, "serve", "webdav", folder, ...address, ...seen, "--user", username, "--pass", password]
    },
  },
  SabreDAV: {
    lacks: () => (which("php") && existsSync(`${PHP}/Sabre/DAV`) ? undefined : "PHP or php-sabre-dav is not installed"),
    async command({ folder, room, port }) {
      const file = join(room, "server.php")
      writeFileSync(file, sabre(folder))
      return [which("php")!, "-S", `127.0.0.1:${port}`, file]
    },
  },
} satisfies Record<string, Kind>

export type WebdavServerName = keyof typeof WEBDAV_SERVERS

/** Serves a folder at `/dav/`; where `lacks()` tells nothing. */
export async function webdavServer(name: WebdavServerName, folder: string): Promise<WebdavServer> {
  const room = mkdtempSync(join(tmpdir(), "carrel-webdav-"))
  chmodSync(room, 0o777) // Apache's workers are another user
  chmodSync(folder, 0o755)
  const port = freePort()
  const process = Bun.spawn(await WEBDAV_SERVERS[name].command({ folder, room, port }), {
    env: { PATH: "/usr/sbin:/usr/bin:/bin" },
    stdout: Bun.file(join(room, "out.log")),
    stderr: Bun.file(join(room, "err.log")),
  })
  const url = `http://127.0.0.1:${port}/dav/`
  await until(async () => {
    if (process.exitCode !== null) throw new Error(`${name} ended: ${await Bun.file(join(room, "err.log")).text()}`)
    return (await fetch(url, { method: "OPTIONS" }).catch(() => undefined)) !== undefined
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.kill()
      await process.exited
      rmSync(room, { recursive: true, force: true })
    },
  }
}

const sabre = (folder: string): string => `<?php
error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', '0');
spl_autoload_register(function ($name) {
  $file = '${PHP}/' . str_replace('\\\\', '/', $name) . '.php';
  if (file_exists($file)) require_once $file;
});
$users = new class extends Sabre\\DAV\\Auth\\Backend\\AbstractBasic {
  protected function validateUserPass($name, $password) {
    return $name === ${inPhp(CREDENTIALS.username)} && $password === ${inPhp(CREDENTIALS.password)};
  }
};
$server = new Sabre\\DAV\\Server(new Sabre\\DAV\\FS\\Directory(${inPhp(folder)}));
$server->setBaseUri('/dav/');
$server->addPlugin(new Sabre\\DAV\\Auth\\Plugin($users, '${REALM}'));
$server->exec();
`

const inPhp = (text: string): string => `base64_decode('${Buffer.from(text).toString("base64")}')`

function apache(scheme: "Basic" | "Digest"): Kind {
  const users = { Basic: "AuthBasicProvider file", Digest: "AuthDigestProvider file\nAuthDigestDomain /dav/" }[scheme]
  return {
    lacks: () =>
      which("apache2") && existsSync(join(APACHE_MODULES, "mod_dav_fs.so")) ? undefined : "apache2 is not installed",
    async command({ folder, room, port }) {
      const { username, password } = CREDENTIALS
      if (scheme === "Digest") {
        const hash = new Bun.CryptoHasher("md5").update(`${username}:${REALM}:${password}`).digest("hex")
        writeFileSync(join(room, "users"), `${username}:${REALM}:${hash}\n`)
      } else {
        const hash = await Bun.$`openssl passwd -apr1 ${password}`.quiet().text()
        writeFileSync(join(room, "users"), `${username}:${hash}`)
      }
      const modules = [
        "mpm_event",
        `auth_${scheme.toLowerCase()}`,
        "authn_core",
        "authn_file",
        "authz_core",
        "authz_user",
      ]
      const file = join(room, "apache.conf")
      mkdirSync(join(room, "lock"))
      chmodSync(join(room, "lock"), 0o777)
      writeFileSync(
        file,
        `ServerRoot ${room}
ServerName localhost
PidFile ${room}/pid
DefaultRuntimeDir ${room}
Listen 127.0.0.1:${port}
ErrorLog ${room}/error.log
${[...modules, "dav", "dav_fs", "alias", "mime"].map(name => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`).join("\n")}
${process.getuid?.() === 0 ? "User www-data\nGroup www-data" : ""}
TypesConfig /dev/null
DavLockDB ${room}/lock/db
Alias /dav ${folder}
<Directory ${folder}>
  Dav On
  Options FollowSymLinks
  AuthType ${scheme}
  AuthName ${REALM}
  ${users}
  AuthUserFile ${room}/users
  Require valid-user
</Directory>
`,
      )
      return [which("apache2")!, "-f", file, "-DFOREGROUND"]
    },
  }
}
