/**
 * Landlock: which files this thread, and whatever it executes, may open. Must be set while no other thread exists or
 * right before `execve`, which ends the others: a domain holds for one thread and what comes of it.
 */
import { closeSync, openSync, statSync } from "node:fs"
import { systemCall } from "./linux.ts"
import { MACHINES } from "./system-calls.ts"

const VERSION_FLAG = 1
const RULE_PATH_BENEATH = 1
const O_PATH = 0o10000000

const EXECUTE = 1
const READ_FILE = 4
const READ_DIR = 8
const WRITE_FILE = 2
/** By ABI version: 13 rights on files in the first, then moving between folders, truncating, ioctl on devices. */
const FILE_RIGHTS = [0, 13, 14, 15, 15, 16]
/** Binding and connecting TCP, since version 4. */
const NETWORK_RIGHTS = 3
/** Abstract sockets and signals of processes outside, since version 6. */
const SCOPES = 3

export interface Rights {
  /** Files, or folders with all below them. What does not exist is passed over. */
  readable: string[]
  /** Folders whose names, and those of the folders below, may be listed. */
  listed: string[]
  /** May be executed as well. */
  executable: string[]
  /** Devices and the like that may be written too; no folder is ever writable. */
  writableFiles: string[]
}

/** The version that the kernel speaks; 0 where it has none or it is switched off. */
export function landlockVersion(): number {
  const machine = MACHINES[process.arch]
  if (process.platform !== "linux" || !machine) return 0
  return Math.max(0, systemCall(machine.landlock.createRuleset, 0, 0, VERSION_FLAG))
}

/** Takes every right that this kernel's version knows, but for the given ones. @returns whether it holds */
export function openOnly(rights: Rights, version: number): boolean {
  const machine = MACHINES[process.arch]
  if (!machine || version < 1) return false
  const handled = 2 ** FILE_RIGHTS[Math.min(version, FILE_RIGHTS.length - 1)]! - 1
  const attributes = new BigUint64Array([BigInt(handled), BigInt(NETWORK_RIGHTS), BigInt(SCOPES)])
  const size = version < 4 ? 8 : version < 6 ? 16 : 24
  const ruleset = systemCall(machine.landlock.createRuleset, attributes, size, 0)
  if (ruleset < 0) return false
  const allow = (paths: string[], wanted: number) =>
    paths.every(path => addRule(machine.landlock.addRule, ruleset, path, wanted & handled))
  try {
    return (
      allow(rights.readable, READ_FILE | READ_DIR) &&
      allow(rights.listed, READ_DIR) &&
      allow(rights.executable, READ_FILE | EXECUTE) &&
      allow(rights.writableFiles, READ_FILE | WRITE_FILE) &&
      systemCall(machine.landlock.restrictSelf, ruleset, 0) === 0
    )
  } finally {
    closeSync(ruleset)
  }
}

function addRule(call: number, ruleset: number, path: string, wanted: number): boolean {
  let file: number
  try {
    file = openSync(path, O_PATH)
  } catch {
    return true // not there: nothing to be allowed
  }
  try {
    const rights = statSync(path).isDirectory() ? wanted : wanted & ~READ_DIR
    const rule = new DataView(new ArrayBuffer(12)) // packed in the kernel's header
    rule.setBigUint64(0, BigInt(rights), true)
    rule.setInt32(8, file, true)
    return systemCall(call, ruleset, RULE_PATH_BENEATH, new Uint8Array(rule.buffer), 0) === 0
  } finally {
    closeSync(file)
  }
}
