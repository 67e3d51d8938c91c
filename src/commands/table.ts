/** Every command once: its name, what it is for, and where its code is, which is loaded when it is called. */
import type { Entry } from "./command.ts"

export const COMMANDS: Record<string, Entry> = {
  serve: { summary: "run the daemon", load: () => import("./serve.ts") },
  keys: { summary: "create, list and revoke API keys", load: () => import("./keys.ts") },
  users: {
    summary: "add users, list them, set passwords, print the setup link",
    load: () => import("./users.ts"),
  },
  models: { summary: "list the chat models and whether they answer", load: () => import("./models.ts") },
  packs: {
    summary: "add languages of OCR from a file, list and remove them",
    load: () => import("./packs.ts"),
  },
  doctor: {
    summary: "find what is wrong with an installation, and what to do about it",
    load: () => import("./doctor.ts"),
  },
  health: { summary: "ask whether the daemon is ready", load: () => import("./health.ts") },
  backup: {
    summary: "write a backup, beside a running daemon",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: {
    summary: "create a data directory from a backup",
    load: async () => (await import("./backup.ts")).restore,
  },
  verify: {
    summary: "check that a backup is complete",
    load: async () => (await import("./backup.ts")).verify,
  },
  "verify-receipt": {
    summary: "check the signature of the receipt of a deletion",
    load: () => import("./verify-receipt.ts"),
  },
  move: {
    summary: "move an installation to the engines of several machines, or back",
    load: () => import("./move.ts"),
  },
  rekey: {
    summary: "encrypt what is stored, or change the key file, also while the daemon runs",
    load: () => import("./rekey.ts"),
  },
  reindex: {
    summary: "index every file again, or change the embedding model",
    load: () => import("./reindex.ts"),
  },
  mcp: {
    summary: "give an assistant the library, over standard input and output",
    load: () => import("./mcp.ts"),
  },
  sync: {
    summary: "bring a folder, a bucket or a repository to a daemon, and keep it there in sync",
    load: () => import("./sync.ts"),
  },
  eval: { summary: "measure how well search finds the right files", load: () => import("./eval.ts") },
  settings: {
    summary: "show the settings and where each comes from",
    load: () => import("./settings.ts"),
  },
  licenses: {
    summary: "list the packages inside Carrel and their licenses",
    load: () => import("./licenses.ts"),
  },
  completions: {
    summary: "print what lets a shell complete these commands",
    load: async () => (await import("./completions.ts")).completionsOf(COMMANDS),
  },
  man: {
    summary: "print the manual page",
    load: async () => (await import("./man.ts")).manualOf(COMMANDS),
  },
  version: { summary: "print the version", load: () => import("./version.ts") },
}
