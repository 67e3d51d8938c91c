/** The installation itself, as its administrators see it: settings, storage, failures, tool servers, packs, models. */
import { Elysia } from "elysia"
import { principalOfUser } from "../../access/user-principal.ts"
import { recentTrouble } from "../../log.ts"
import { contextOf } from "../context.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"
import * as docs from "./installation.docs.ts"

export const installationRoutes = (services: Services) => {
  const { installation, agents, backups, diskUse } = services
  return new Elysia({ prefix: "/external/keys/installation" })
    .use(sessionCaller(services))
    .get("/settings", () => ({ data: [...installation.settings] }), docs.listSettings())
    .get(
      "/storage",
      async () => ({
        directory: installation.directory,
        ...(await diskUse()),
        files: await installation.files(),
      }),
      docs.getStorageUse(),
    )
    .get("/failures", () => ({ data: recentTrouble.list() }), docs.listFailures())
    .get("/tool-servers", async () => ({ data: await agents.toolServers() }), docs.listToolServers())
    .get("/packs", () => ({ data: installation.packs() }), docs.listPacks())
    .get("/backups", () => backups.state(), docs.listBackups())
    .post("/backups", async ({ status }) => status(202, await backups.start()), docs.startBackup())
    .post(
      "/models/test",
      ({ body, request, session }) => {
        const { signal } = contextOf(request).keepOpen()
        return installation.trials.run(principalOfUser(session).view, body.model, signal)
      },
      docs.tryModel(),
    )
}
