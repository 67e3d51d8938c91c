/** Exact BM25 over a collection in memory, with the product's analyzer: the reference that other rankings are held against. */
import { groupsOf, schemeOf, termsOf } from "../../src/search/text/analyze.ts"

const K1 = 1.2
const B = 0.75

export class ExactBm25 {
  private readonly postings = new Map<string, { document: number; count: number }[]>()
  private readonly lengths: number[] = []
  private readonly meanLength: number

  constructor(private readonly documents: string[]) {
    for (const [document, text] of documents.entries()) this.add(document, termsOf(text, schemeOf(text)))
    this.meanLength = this.lengths.reduce((sum, length) => sum + length, 0) / documents.length
  }

  /** A score for every document, and the share of the query's idf whose words stand in the collection. */
  query(text: string): { scores: Float64Array; bound: number } {
    const scores = new Float64Array(this.documents.length)
    let bound = 0
    for (const { terms, weight } of groupsOf(text)) {
      const counts = new Map<number, number>()
      for (const term of terms)
        for (const { document, count } of this.postings.get(term) ?? [])
          counts.set(document, (counts.get(document) ?? 0) + count)
      const idf = Math.log(1 + (this.documents.length - counts.size + 0.5) / (counts.size + 0.5))
      // A word that the collection does not have cannot be matched by the keyword leg, yet it was asked for.
      bound += weight * idf * (K1 + 1)
      for (const [document, count] of counts) {
        const length = K1 * (1 - B + (B * this.lengths[document]!) / this.meanLength)
        scores[document]! += (weight * idf * count * (K1 + 1)) / (count + length)
      }
    }
    return { scores, bound }
  }

  private add(document: number, terms: string[]): void {
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const list = this.postings.get(term)
      if (list) list.push({ document, count })
      else this.postings.set(term, [{ document, count }])
    }
    this.lengths.push(terms.length)
  }
}
