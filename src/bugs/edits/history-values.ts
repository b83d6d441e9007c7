import * as z from 'zod'
import { names } from '../../http/shapes.ts'

/** A list that may also come as one text, cut at `separator`. Null is absent. */
export function delimited(separator: RegExp) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(separator) : (value ?? undefined)),
      names(),
    )
    .transform((list) => list?.map((item) => item.trim()))
    .meta({ type: 'array', items: { type: 'string' } })
}

/** Like `delimited`, where the items of a list may again be several in one text. */
export function words(separator: RegExp) {
  return delimited(separator)
    .transform((list) =>
      list?.flatMap((item) => item.split(separator)).filter((word) => word !== ''),
    )
    .meta({ type: 'array', items: { type: 'string' } })
}
