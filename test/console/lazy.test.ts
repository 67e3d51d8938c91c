/** Pages that arrive late, drawn without a browser: effects run when the test says so. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { parseHTML } from "linkedom"
import { type ComponentType, h, options, render } from "preact"
import { fetchAhead, Lazy, type Load } from "../../src/console/lazy.tsx"

const { document } = parseHTML("<!doctype html><body></body>")
const effects: (() => void)[] = []
const settled = () => new Promise(resolve => setTimeout(resolve, 50))

describe("a page that arrives late", () => {
  beforeAll(() => {
    Object.assign(globalThis, { document, requestIdleCallback: (work: () => void) => work() })
    options.requestAnimationFrame = effect => effects.push(effect)
  })
  afterAll(() => {
    delete options.requestAnimationFrame
    for (const name of ["document", "requestIdleCallback"]) Reflect.deleteProperty(globalThis, name)
  })

  test("is shown when it was fetched ahead between its first drawing and the effects of that", async () => {
    const load: Load<object> = async () => (() => h("p", {}, "The page")) as ComponentType<object>
    render(h(Lazy, { load, props: {} }), document.body as unknown as Element)
    expect(document.body.textContent).toBe("")
    fetchAhead([load])
    await settled()
    for (const effect of effects.splice(0)) effect()
    await settled()
    expect(document.body.textContent).toBe("The page")
  })
})
