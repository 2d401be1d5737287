import { Packr } from 'msgpackr'

// Plain MessagePack maps: any process of any version reads them. Credits (bigint) and bytes travel
// as what they are, which JSON cannot do without a second pass over every message.
const packr = new Packr({ useRecords: false, int64AsType: 'bigint' })

export const encode = (message: unknown): Uint8Array => packr.pack(message)
export const decode = (data: Uint8Array): unknown =>
  data.length === 0 ? undefined : packr.unpack(data)
