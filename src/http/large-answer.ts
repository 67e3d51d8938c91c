/** JSON answers of unbounded lists, written piece by piece: ten thousands of records in one go would hold up everybody else. */

/** Some 200 KB of JSON. */
const RECORDS_PER_PIECE = 250

/** `answer` as JSON; its lists in pieces where they are long. */
export function largeAnswer<Answer extends object>(answer: Answer, status: number): Response {
  const lists = Object.values(answer).filter(Array.isArray)
  if (lists.reduce((sum, { length }) => sum + length, 0) <= RECORDS_PER_PIECE) return Response.json(answer, { status })
  return new Response(streamOf(piecesOf(answer)), { status, headers: { "content-type": "application/json" } })
}

function* piecesOf(answer: object): Generator<string> {
  let separator = "{"
  for (const [name, value] of Object.entries(answer)) {
    yield `${separator}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* itemsOf(value)
    else yield JSON.stringify(value)
    separator = ","
  }
  yield "}"
}

function* itemsOf(list: readonly object[]): Generator<string> {
  yield "["
  for (let at = 0; at < list.length; at += RECORDS_PER_PIECE)
    yield (at > 0 ? "," : "") + JSON.stringify(list.slice(at, at + RECORDS_PER_PIECE)).slice(1, -1)
  yield "]"
}

/** A piece is made when the client is ready for it. */
function streamOf(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}
