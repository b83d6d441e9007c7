import type { SQL } from 'drizzle-orm'
import { compile } from './compile.ts'
import { appendChunk, emptySql, textChunk, valueChunk } from './drizzle-internals.ts'

type KeyPart = string | number | boolean | null | readonly string[]

/** Stands for the one value of a prepared fragment while that is built. No ID is negative. */
export const PLACEHOLDER = -1

/**
 * A piece of SQL that is built once, with `PLACEHOLDER` wherever one value stands, and gets that value each
 * time: for long pieces that differ between callers in nothing else. Throws for a piece that names any
 * other value, which would be the same for everybody from then on.
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
 * Prepared fragments by all that they depend on beside the value. `build` gets the key and nothing else, so
 * that what is not in the key cannot be in the fragment, as a right of the caller who came first. More than
 * `most` are not kept.
 */
export function preparedFragments<Key extends { readonly [part in keyof Key]: KeyPart }>(
  build: (key: Key) => SQL,
  most: number,
): (key: Key, value: number) => SQL {
  const fragments = new Map<string, (value: number) => SQL>()
  return (key, value) => {
    const serialized = JSON.stringify(key)
    let fragment = fragments.get(serialized)
    if (fragment === undefined) {
      if (fragments.size >= most) {
        fragments.clear()
      }
      fragment = preparedFragment(build(key))
      fragments.set(serialized, fragment)
    }
    return fragment(value)
  }
}
