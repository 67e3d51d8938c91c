import { describe, expect, test } from "bun:test"
import { type Fetched, KeptCommits } from "../../../src/sources/connectors/git/kept-commits.ts"
import type { OpenPack } from "../../../src/sources/connectors/git/pack-thread.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"

/** Commits that are fetched at once; `ended` has those that were let go. */
function fetching() {
  const fetches: string[] = []
  const ended: string[] = []
  const fetch = (commit: string) => async (): Promise<Fetched> => {
    fetches.push(commit)
    return { pack: { commit } as unknown as OpenPack, end: async () => void ended.push(commit) }
  }
  return { fetches, ended, fetch }
}

describe("commits that are kept between the slices of a sync", () => {
  test("are fetched once for all that use them, and stay for a while after the last", async () => {
    const { fetches, ended, fetch } = fetching()
    const commits = new KeptCommits(60_000)
    const one = commits.use("place", "c1", fetch("c1"))!
    const two = commits.use("place", "c1", fetch("c1"))!
    expect(await one.pack).toBe(await two.pack)
    one.release()
    two.release()
    await commits.use("place", undefined)!.pack
    expect([fetches, ended]).toEqual([["c1"], []])
  })

  test("go when nobody has used them for a while", async () => {
    const { ended, fetch } = fetching()
    const commits = new KeptCommits(10)
    commits.use("place", "c1", fetch("c1"))!.release()
    await until(() => ended.length > 0)
    expect(commits.use("place", undefined)).toBeUndefined()
  })

  test("go when another one takes their place, once nobody uses them", async () => {
    const { ended, fetch } = fetching()
    const commits = new KeptCommits(60_000)
    const used = commits.use("place", "c1", fetch("c1"))!
    commits.use("place", "c2", fetch("c2"))!.release()
    expect(ended).toEqual([])
    used.release()
    await until(() => ended.length > 0)
    expect(ended).toEqual(["c1"])
    expect(await commits.use("place", undefined)!.pack).toEqual({ commit: "c2" } as unknown as OpenPack)
  })

  test("one that is unused when another one comes goes at once; those of other places stay", async () => {
    const { ended, fetch } = fetching()
    const commits = new KeptCommits(60_000)
    for (const [place, commit] of [
      ["place", "c1"],
      ["other", "c1"],
      ["place", "c2"],
    ] as const)
      commits.use(place, commit, fetch(commit))!.release()
    await until(() => ended.length > 0)
    expect(ended).toEqual(["c1"])
    expect(commits.use("other", "c1")).toBeDefined()
  })

  test("one whose fetch failed is fetched again", async () => {
    const { fetches, fetch } = fetching()
    const commits = new KeptCommits(60_000)
    const failed = commits.use("place", "c1", () => Promise.reject(new Error("no")))!
    await rejection(failed.pack)
    failed.release()
    await commits.use("place", "c1", fetch("c1"))!.pack
    expect(fetches).toEqual(["c1"])
  })
})
