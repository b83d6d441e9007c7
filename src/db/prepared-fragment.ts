import { Param, SQL, StringChunk } from 'drizzle-orm'
import { compile } from './compile.ts'

/** Stands for the value of a template while that is built. No ID is negative. */
export const PLACEHOLDER = -1

/**
 * A piece of SQL that is put together once, with `HOLE` wherever one value stands, and gets that value
 * each time: for long pieces that differ between callers in nothing else. Throws for a piece that names
 * any other value, which would be the same for everybody from then on.
 */
export function preparedFragment(piece: SQL): (value: number) => SQL {
  const { sql: text, params } = compile(piece)
  if (params.some((param) => param !== PLACEHOLDER)) {
    throw new Error('A template names one value')
  }
  const [first = '', ...others] = text.split('?1')
  const head = new StringChunk(first)
  const tails = others.map((other) => new StringChunk(other))
  return (value) => new SQL([head, ...tails.flatMap((tail) => [new Param(value), tail])])
}
