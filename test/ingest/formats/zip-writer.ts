import { deflateRawSync } from "node:zlib"

export interface Member {
  name: string
  content: Uint8Array | string
  /** Stored instead of deflated. */
  stored?: boolean
  /** Only marked as encrypted. */
  encrypted?: boolean
  /** Told instead of the true size. */
  declaredSize?: number
  /** Written instead of `name`, as bytes of no told code page. */
  rawName?: Uint8Array
  /** Fields beside the name, in the directory only. */
  extra?: Uint8Array
}

/** A ZIP file of the given members. `truncateDirectory` leaves the central directory out. */
export function writeZip(members: Member[], truncateDirectory = false): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, rawName, extra = Buffer.alloc(0), content, stored, encrypted, declaredSize } of members) {
    const bytes = Buffer.from(content as string)
    const data = stored ? bytes : deflateRawSync(bytes)
    const label = Buffer.from(rawName ?? Buffer.from(name))
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE((rawName ? 0 : 0x800) | (encrypted ? 1 : 0), 2)
    fields.writeUInt16LE(stored ? 0 : 8, 4)
    fields.writeUInt32LE(Bun.hash.crc32(bytes), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(declaredSize ?? bytes.length, 18)
    fields.writeUInt16LE(label.length, 22)
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, label, data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    const listed = Buffer.from(fields)
    listed.writeUInt16LE(extra.length, 24)
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), listed, tail, label, extra]))
    parts.push(local)
    offset += local.length
  }
  if (truncateDirectory) return Buffer.concat(parts)
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listing, end])
}
