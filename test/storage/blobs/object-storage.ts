/** What Carrel asks of any object storage: all that it asks of a disk, and what a bucket of a cluster takes beside it. */
import { describe, expect, test } from "bun:test"
import { engineTrouble } from "../../../src/errors.ts"
import { ObjectStore } from "../../../src/storage/blobs/s3/object-store.ts"
import { rejection } from "../../support/rejection.ts"
import { conformance, content, expectNothingOf, piecesOf } from "./conformance.ts"
import { addressIn, openPlace } from "./places.ts"

/** @param url of a bucket that holds nothing below its prefix; undefined where none runs: then all of it is skipped */
export async function objectStorageSuite(name: string, url: string | undefined): Promise<void> {
  const address = url === undefined ? undefined : addressIn(url)
  const blobs = address && (await openPlace(address))

  describe.skipIf(!blobs)(`blobs in ${name}:`, () => conformance(() => blobs!))

  describe.skipIf(!address)(name, () => {
    const place = address!
    const credentials = place && "accessKeyId" in place.credentials ? place.credentials : undefined
    /** A prefix of its own. */
    const under = (name: string) => ({ ...place, prefix: `${place.prefix}/${name}` })

    test("is proven and marked at the first start, and again at each further one", async () => {
      const own = await openPlace(under("marked"))
      await own.prove("clus_one")
      await own.prove("clus_one")
      expect((await Array.fromAsync(own.list("blobs"))).flat()).toEqual([])
      const store = await ObjectStore.open(place)
      const left = (await Array.fromAsync(store.list(`${place.prefix}/marked/`))).flat()
      expect(left.map(({ key }) => key)).toEqual([`${place.prefix}/marked/carrel-cluster.json`])
      expect((await Array.fromAsync(store.unfinished(`${place.prefix}/marked/`))).flat()).toEqual([])
    })

    test("that belongs to another cluster is refused", async () => {
      await (await openPlace(under("taken"))).prove("clus_one")
      expect((await openPlace(under("taken"))).prove("clus_two")).rejects.toThrow("belongs to another cluster")
    })

    test("that nothing marks is refused for a cluster that is in use, and not marked", async () => {
      const elsewhere = await openPlace(under("elsewhere"))
      expect(elsewhere.prove("clus_one", { mayBeNew: false })).rejects.toThrow("is not the one of the cluster")
      await elsewhere.prove("clus_two")
      await elsewhere.prove("clus_two", { mayBeNew: false })
    })

    test("that did not answer at the start is used once it proves to be the cluster's", async () => {
      const own = await openPlace(under("later"))
      own.proveLater("clus_one", { mayBeNew: false })
      const uses = [
        () => own.write("file_1", piecesOf(content(10)), 100),
        () => own.findOriginal("file_1"),
        () => own.ask(),
        () => Array.fromAsync(own.list("blobs")),
      ]
      for (const use of uses) expect(engineTrouble(await rejection(use()))).toBe("blobs")
      const store = await ObjectStore.open(place)
      expect((await Array.fromAsync(store.list(`${place.prefix}/later/`))).flat()).toEqual([])
      await (await openPlace(under("later"))).prove("clus_one")
      for (const use of uses) await use()
    })

    test("of two clusters that begin at once one has it", async () => {
      const proofs = await Promise.allSettled(
        ["clus_one", "clus_two"].map(async id => (await openPlace(under("raced"))).prove(id)),
      )
      expect(proofs.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1)
      const again = await Promise.allSettled(
        ["clus_one", "clus_two"].map(async id => (await openPlace(under("raced"))).prove(id)),
      )
      expect(again.filter(({ status }) => status === "fulfilled").length).toBe(1)
    })

    test("that holds files of nobody known is refused", async () => {
      const own = await openPlace(under("unmarked"))
      await own.write("file_1", piecesOf(content(10)), 100)
      expect(own.prove("clus_one")).rejects.toThrow("holds files already")
    })

    test("without the bucket, or that knows not these credentials, is refused by name", async () => {
      const refusal = async (change: Partial<typeof place>) => {
        const own = await openPlace({ ...under("refused"), ...change })
        return own.prove("clus_one").catch(error => [error.name, error.message].join(": "))
      }
      expect(await refusal({ bucket: "carrel-none" })).toBe(
        "OperatorError: the blob storage: there is no bucket carrel-none",
      )
      expect(await refusal({ credentials: { ...credentials!, accessKeyId: "nobody" } })).toMatch(
        /^OperatorError: the blob storage: it refuses the credentials \((InvalidAccessKeyId|AccessDenied)\)$/,
      )
      expect(await refusal({ credentials: { ...credentials!, secretAccessKey: "wrong" } })).toMatch(
        /^OperatorError: the blob storage: it refuses the credentials \((SignatureDoesNotMatch|AccessDenied)\)$/,
      )
    })

    test("takes a prefix in any script, and with signs that addresses escape", async () => {
      const own = await openPlace(under("Präfix 中文 +&=#'()!*~"))
      await own.prove("clus_one")
      await own.write("file_1", piecesOf(content(9_000_000)), 1e9)
      expect((await own.findOriginal("file_1"))?.size).toBe(9_000_000)
      expect((await Array.fromAsync(own.list("blobs"))).flat().map(({ name }) => name)).toEqual(["file_1"])
      await own.remove("file_1")
      await expectNothingOf(own, "file_1")
    })

    test("that is closed cuts what is under way, and keeps nothing of it", async () => {
      const own = await openPlace(under("closed"))
      const begun = Promise.withResolvers<void>()
      async function* source() {
        yield* piecesOf(content(20_000_000))
        begun.resolve()
        await new Promise(() => {})
      }
      const upload = own.write("file_1", source(), 1e9)
      upload.catch(() => {})
      await begun.promise
      await own.close()
      await expect(upload).rejects.toThrow("closed")
      await expectNothingOf(await openPlace(under("closed")), "file_1")
    })

    test("loses uploads that a dead node began, and those alone that are old enough", async () => {
      const own = await openPlace(under("stale"))
      const store = await ObjectStore.open(place)
      const key = `${place.prefix}/stale/blobs/1x/file_1x`
      await store.part(key, await store.begin(key), 1, content(5_000_000))
      expect(await own.removeUnfinished((await own.now()) - 60_000)).toBe(0)
      expect((await Array.fromAsync(store.unfinished(`${place.prefix}/stale/`))).flat()).toHaveLength(1)
      expect(await own.removeUnfinished((await own.now()) + 60_000)).toBe(1)
      expect((await Array.fromAsync(store.unfinished(`${place.prefix}/stale/`))).flat()).toEqual([])
    })
  })
}
