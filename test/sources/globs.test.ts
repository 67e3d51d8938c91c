/** What `include` and `exclude` leave out as a whole, and what they do not. */
import { describe, expect, test } from "bun:test"
import { leavesOutOf, matcherOf } from "../../src/sources/globs.ts"

describe("nothing below a folder is meant", () => {
  test.each<[string, string[], string[], string]>([
    ["that exclude names", [], ["drafts/"], "drafts/"],
    ["in one that exclude names", [], ["drafts/"], "drafts/2026/may/"],
    ["that a glob of exclude names", [], ["*/cache/**"], "one/cache/"],
    ["that lies anywhere", [], ["**/lost+found/"], "a/b/lost+found/"],
    ["of another beginning than include has", ["docs/", "notes/*.md"], [], "pictures/"],
  ])("%s", (_, include, exclude, folder) => {
    expect(leavesOutOf(include, exclude)(folder)).toBe(true)
    expect(matcherOf(include, exclude)(`${folder}a/b.txt`)).toBe(false)
  })

  test.each<[string, string[], string[], string]>([
    ["without include and exclude", [], [], "docs/"],
    ["that only begins alike", [], ["drafts/"], "drafts-of-ann/"],
    ["of which some files are left out", [], ["drafts/*.tmp", "*.bak"], "drafts/"],
    ["that include leads through", ["docs/plans/*.pdf"], [], "docs/"],
    ["below one that include names", ["docs/"], [], "docs/plans/"],
    ["where include names files wherever they lie", ["*.pdf"], [], "docs/"],
    ["that a choice of include names", ["{docs,notes}/**"], [], "notes/"],
  ])("is not said of a folder %s", (_, include, exclude, folder) => {
    expect(leavesOutOf(include, exclude)(folder)).toBe(false)
  })
})
