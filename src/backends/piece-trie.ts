/** All pieces by their UTF-16 units. Edges stand in one open-addressed table: no object per node. */
export class PieceTrie {
  /** Id of the piece that ends at a node; -1 where none does. */
  readonly ids: Int32Array
  private readonly parents: Int32Array
  private readonly units: Uint16Array
  private readonly children: Int32Array
  private readonly mask: number
  private nodes = 1

  constructor(pieces: string[]) {
    const most = pieces.reduce((sum, piece) => sum + piece.length, 1)
    const slots = 2 ** Math.ceil(Math.log2(most * 1.3))
    this.mask = slots - 1
    this.parents = new Int32Array(slots).fill(-1)
    this.units = new Uint16Array(slots)
    this.children = new Int32Array(slots)
    const ids = new Int32Array(most).fill(-1)
    for (const [id, piece] of pieces.entries()) {
      let node = 0
      for (let at = 0; at < piece.length; at++) node = this.grow(node, piece.charCodeAt(at))
      ids[node] = id
    }
    this.ids = ids.slice(0, this.nodes)
  }

  /** The node below by one unit; -1 where no piece goes on so. */
  child(node: number, unit: number): number {
    const slot = this.find(node, unit)
    return this.parents[slot]! < 0 ? -1 : this.children[slot]!
  }

  private grow(node: number, unit: number): number {
    const slot = this.find(node, unit)
    if (this.parents[slot]! >= 0) return this.children[slot]!
    this.parents[slot] = node
    this.units[slot] = unit
    this.children[slot] = this.nodes
    return this.nodes++
  }

  /** The slot of this edge, or the free one where it would stand. */
  private find(node: number, unit: number): number {
    let slot = (Math.imul(Math.imul(node, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> 7) & this.mask
    while (this.parents[slot]! >= 0 && (this.parents[slot] !== node || this.units[slot] !== unit))
      slot = (slot + 1) & this.mask
    return slot
  }
}
