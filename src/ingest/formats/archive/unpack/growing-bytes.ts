/** Output of a decompressor: grows as needed, up to a limit, and repeats what it has. */
export class GrowingBytes {
  length = 0
  private bytes: Uint8Array

  constructor(private readonly limit: number) {
    this.bytes = new Uint8Array(Math.min(limit, 65_536))
  }

  push(byte: number): void {
    if (this.length === this.bytes.length) this.grow()
    this.bytes[this.length++] = byte
  }

  /** Repeats `count` bytes that lie `distance` back. @throws Error where there are none */
  repeat(distance: number, count: number): void {
    if (distance < 1 || distance > this.length) throw new Error("a repetition of nothing")
    for (let i = 0; i < count; i++) this.push(this.bytes[this.length - distance]!)
  }

  /** The byte that lies so far back; 0 before the beginning. */
  back(distance: number): number {
    return distance <= this.length ? this.bytes[this.length - distance]! : 0
  }

  taken(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private grow(): void {
    if (this.length >= this.limit) throw new RangeError("too large")
    const larger = new Uint8Array(Math.min(this.limit, this.bytes.length * 2))
    larger.set(this.bytes)
    this.bytes = larger
  }
}
