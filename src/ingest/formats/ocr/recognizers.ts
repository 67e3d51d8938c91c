/** Recognizers that are loaded. Only a few, because each holds its languages' data in memory, 10 to 40 MB. */
import { Lru } from "../../../threads/lru.ts"
import { type Core, type CoreApi, openLanguages, openScripts } from "./core.ts"

/** What pages of one file take by turns: English, their own languages, and one that is tried. */
const LOADED = 3

export class Recognizers {
  private readonly loaded = new Lru<string, CoreApi>({ entries: LOADED })
  private layout: CoreApi | undefined
  private scripts: CoreApi | undefined

  constructor(
    readonly core: Core,
    private readonly fileOf: (language: string) => string,
  ) {}

  /** @throws where the data of a language cannot be loaded */
  open(languages: readonly string[]): CoreApi {
    const key = languages.join("+")
    const known = this.loaded.get(key)
    if (known) return known
    while (this.loaded.size >= LOADED) this.forget([...this.loaded][0]!)
    return this.loaded.set(key, openLanguages(this.core, languages, this.fileOf))
  }

  /** Knows no language. */
  openLayout(): CoreApi {
    if (!this.layout) {
      this.layout = new this.core.TessBaseAPI()
      this.layout.InitForAnalysePage()
    }
    return this.layout
  }

  /** Tells scripts. */
  openScripts(): CoreApi {
    this.scripts ??= openScripts(this.core)
    return this.scripts
  }

  /** Data of a language may have been replaced. */
  forgetAll(): void {
    for (const entry of [...this.loaded]) this.forget(entry)
  }

  private forget([key, api]: [string, CoreApi]): void {
    this.loaded.delete(key)
    api.End()
    this.core.destroy(api)
  }
}
