/** Lists that are asked for page by page while they are read. */

interface Page<Item> {
  data: Item[]
  pagination: { has_next: boolean }
}

/** Most that the API gives at once. */
const PAGE_SIZE = 100

/** Every item, in the order of the API. */
export async function* everyOf<Item>(
  ask: (page: number, pageSize: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let page = 1; ; page++) {
    const { data, pagination } = await ask(page, PAGE_SIZE)
    yield* data
    if (!pagination.has_next) return
  }
}
