import type { SQL } from 'drizzle-orm'
import { compile } from './compile.ts'
import { appendChunk, emptySql, textChunk, valueChunk } from './drizzle-internals.ts'

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
