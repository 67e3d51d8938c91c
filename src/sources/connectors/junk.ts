/** What nobody means when he names a folder: hidden files, and what programs and systems leave behind. */

const FOLDERS = new Set([
  "node_modules",
  "__pycache__",
  "__macosx",
  "$recycle.bin",
  "system volume information",
  "lost+found",
  "#recycle",
  "@eadir",
  "#snapshot",
])
const FILES = new Set(["thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"])
/** Unfinished downloads, copies of editors, locks of offices. */
const LEFTOVER = /^~\$|^~.*\.tmp$|~$|\.(?:tmp|temp|part|partial|crdownload|download|swp|swo|lock|lck)$/i

export const isJunk = (name: string, isFolder: boolean): boolean => {
  if (name.startsWith(".")) return true
  const folded = name.toLowerCase()
  return isFolder ? FOLDERS.has(folded) : FILES.has(folded) || LEFTOVER.test(name)
}
