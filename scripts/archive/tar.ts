import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

const BLOCK = 512
/** The names of an archive: nothing else is unpacked, so that nothing gets outside of the folder. */
const NAME = /^(?:manifest\.json|[a-z_]{1,40}\.ndjson|files\/[0-9a-f]{64})$/
const MAX_MANIFEST = 64 * 1024 * 1024

/** Packs files of a folder, in this order, into a compressed tar archive. Equal files make equal bytes. */
export async function pack(
  folder: string,
  names: readonly string[],
  target: string,
): Promise<void> {
  await pipeline(
    Readable.from(packedBlocks(folder, names)),
    createGzip(),
    createWriteStream(target),
  )
}

async function* packedBlocks(folder: string, names: readonly string[]): AsyncGenerator<Buffer> {
  for (const name of names) {
    const path = join(folder, name)
    const { size } = await stat(path)
    yield header(name, size)
    yield* createReadStream(path)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write(`0000644\0${'0000000\0'.repeat(2)}`, 100)
  // octal up to 8 GB, which no file of an archive reaches as one entry but a part might
  if (size < 8 ** 11) {
    block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  } else {
    block.writeUInt8(0x80, 124)
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(`00000000000\0${' '.repeat(8)}0`, 136)
  block.write('ustar\x0000', 257)
  const sum = [...block].reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/**
 * Unpacks an archive into a folder. `sizeOf` says how long an entry may be, once the manifest is there, which comes
 * first; null for one that is not announced. Throws for everything else.
 */
export async function unpack(
  source: string,
  folder: string,
  readSizes: (manifest: string) => (name: string) => number | null,
): Promise<void> {
  const reader = new BlockReader(createReadStream(source).pipe(createGunzip()))
  let sizeOf: ((name: string) => number | null) | null = null
  const seen = new Set<string>()
  for (;;) {
    const block = await reader.take(BLOCK)
    if (block === null || block.every((byte) => byte === 0)) {
      break
    }
    const { name, size } = readHeader(block)
    if (seen.has(name)) {
      throw new Error(`${name}: stands in the archive twice`)
    }
    seen.add(name)
    if (sizeOf === null && name !== 'manifest.json') {
      throw new Error(`${name}: the first entry must be manifest.json`)
    }
    const announced = sizeOf === null ? Math.min(size, MAX_MANIFEST) : sizeOf(name)
    if (announced === null || size !== announced) {
      throw new Error(
        `${name}: has ${size} bytes, and the manifest announces ${announced ?? 'no such file'}`,
      )
    }
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, 'w')
    try {
      for await (const piece of reader.stream(size)) {
        await file.write(piece)
      }
    } finally {
      await file.close()
    }
    await reader.take((BLOCK - (size % BLOCK)) % BLOCK)
    if (sizeOf === null) {
      const handle = await open(path)
      sizeOf = readSizes(await handle.readFile('utf8'))
      await handle.close()
    }
  }
  reader.end()
}

function readHeader(block: Buffer): { name: string; size: number } {
  const text = (from: number, length: number) =>
    block.toString('latin1', from, from + length).split('\0')[0] ?? ''
  const prefix = text(345, 155)
  const name = `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`.replace(/^\.\//, '')
  const kind = text(156, 1)
  if (!NAME.test(name) || !['', '0'].includes(kind)) {
    throw new Error(`'${name.slice(0, 100)}' is no name of a file in an archive`)
  }
  const isBinary = ((block[124] ?? 0) & 0x80) !== 0
  const size = isBinary ? Number(block.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8)
  if (!Number.isSafeInteger(size)) {
    throw new Error(`${name}: has no size`)
  }
  return { name, size }
}

/** Takes exact numbers of bytes from a stream; at most one piece of it is in memory. */
class BlockReader {
  readonly #stream: Readable
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#stream = stream
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async take(size: number): Promise<Buffer | null> {
    const pieces: Buffer[] = []
    for await (const piece of this.stream(size, true)) {
      pieces.push(piece)
    }
    const taken = Buffer.concat(pieces)
    return taken.length < size ? null : taken
  }

  async *stream(size: number, mayEnd = false): AsyncGenerator<Buffer> {
    let left = size
    while (left > 0) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#pieces.next()
        if (done) {
          if (mayEnd) {
            return
          }
          throw new Error('the archive breaks off')
        }
        this.#rest = value
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  end(): void {
    this.#stream.destroy()
  }
}
