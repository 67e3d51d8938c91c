/** Where people see a file of a repository in their browser, on servers whose addresses are known. */

const PAGES: readonly { hosts: RegExp; between: string }[] = [
  { hosts: /^github\.com$/, between: "blob" },
  { hosts: /(?:^|\.)gitlab\.[a-z.]+$/, between: "-/blob" },
  { hosts: /^(?:codeberg\.org|gitea\.com)$/, between: "src/branch" },
  { hosts: /^bitbucket\.org$/, between: "src" },
]

/** Undefined for other servers. @param branch whose newest version is shown @param path of the file in the repository */
export function pageOf(repository: string, branch: string, path: string): string | undefined {
  const page = PAGES.find(({ hosts }) => hosts.test(new URL(repository).hostname))
  if (!page) return undefined
  const address = repository.replace(/\/+$/, "").replace(/\.git$/, "")
  return `${address}/${page.between}/${[branch, path].join("/").split("/").map(encodeURIComponent).join("/")}`
}
