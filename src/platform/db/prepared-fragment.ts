import type { SQL } from 'drizzle-orm'
import { RecentValues } from '../lib/isolate.ts'
import { compile } from './compile.ts'
import { appendChunk, emptySql, textChunk, valueChunk } from './drizzle-internals.ts'

type KeyPart = string | number | boolean | null | readonly string[] | readonly number[]

/** Takes the place of the value while a prepared fragment is built. No ID is negative. */
export const PLACEHOLDER = -1

/**
 * Compiles a piece of SQL once, with `PLACEHOLDER` in place of one value, and returns a function that fills
 * the value in: for long pieces that differ between callers in nothing else. Building the columns of a bug
 * takes 0.4 ms, a fifth of reading one, filling the value in 4 µs. Throws for a piece with any other value,
 * because all callers would share it.
 */
export function preparedFragment(piece: SQL): (value: number) => SQL {
  const { sql: text, params } = compile(piece)
  if (params.some((param) => param !== PLACEHOLDER)) {
    throw new Error('A prepared fragment names no value but PLACEHOLDER')
  }
  const [first = '', ...others] = text.split('?1')
  const head = textChunk(first)
  const tails = others.map((other) => textChunk(other))
  return (value) => {
    const filled = emptySql()
    appendChunk(filled, head)
    for (const tail of tails) {
      appendChunk(filled, valueChunk(value))
      appendChunk(filled, tail)
    }
    return filled
  }
}

/**
 * Caches prepared fragments by a key of everything that they depend on beside the value. `build` gets only
 * the key, so that a fragment cannot contain a right of the caller for whom it was built.
 */
export function preparedFragments<Key extends { readonly [part in keyof Key]: KeyPart }>(
  build: (key: Key) => SQL,
  maxFragments: number,
): (key: Key, value: number) => SQL {
  const fragments = new RecentValues<(value: number) => SQL>(maxFragments)
  return (key, value) =>
    fragments.getOrMake(JSON.stringify(key), () => preparedFragment(build(key)))(value)
}
