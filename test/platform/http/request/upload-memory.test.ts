import { expect, test } from 'vitest'
import { uploadsBusy } from '../../../../src/platform/http/request/faults.ts'
import { UploadMemory } from '../../../../src/platform/http/request/upload-memory.ts'

const MEGABYTE = 1024 * 1024

test('one upload may be larger than its pool, others wait until it is released', () => {
  const [one, other] = [new UploadMemory(false), new UploadMemory(false)]
  one.grow(20 * MEGABYTE)
  expect(() => other.grow(1)).toThrow(expect.objectContaining({ kind: uploadsBusy, status: 503 }))
  one.release()
  other.grow(MEGABYTE)
  other.release()
})

test('uploads of unknown senders take no memory from those of known ones', () => {
  const [unknown, known] = [new UploadMemory(false), new UploadMemory(true)]
  unknown.grow(16 * MEGABYTE)
  expect(() => known.grow(40 * MEGABYTE)).not.toThrow()
  unknown.release()
  known.release()
})
