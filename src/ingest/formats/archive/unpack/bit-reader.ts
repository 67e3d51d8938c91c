/** Bits out of bytes. Bzip2 takes the highest bit of a byte first, Deflate the lowest. */
export class BitReader {
  private at = 0
  private bits = 0
  private count = 0
  private readonly highFirst: boolean

  constructor(
    private readonly data: Uint8Array,
    first: "high" | "low",
  ) {
    this.highFirst = first === "high"
  }

  /** Up to 24 bits as a number. @throws Error where the data ends */
  read(wanted: number): number {
    const { highFirst } = this
    while (this.count < wanted) {
      if (this.at >= this.data.length) throw new Error("the data ends early")
      const byte = this.data[this.at++]!
      this.bits = highFirst ? ((this.bits << 8) | byte) >>> 0 : this.bits | (byte << this.count)
      this.count += 8
    }
    this.count -= wanted
    const mask = (1 << wanted) - 1
    if (!highFirst) {
      const value = this.bits & mask
      this.bits >>>= wanted
      return value
    }
    const value = (this.bits >>> this.count) & mask
    this.bits &= (1 << this.count) - 1
    return value
  }

  /** The next whole bytes; bits that are left over are passed by. @throws Error where the data ends */
  bytes(count: number): Uint8Array {
    this.align()
    if (this.at + count > this.data.length) throw new Error("the data ends early")
    this.at += count
    return this.data.subarray(this.at - count, this.at)
  }

  /** Goes on with the next whole byte. */
  align(): void {
    this.at -= this.count >>> 3
    this.bits = 0
    this.count = 0
  }

  /** Whether so many bytes are left. */
  hasMore(bytes: number): boolean {
    return this.data.length - this.at >= bytes
  }
}
