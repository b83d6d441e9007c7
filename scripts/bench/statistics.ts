/** A median, and two standard errors of it: in 19 of 20 runs it is no further from the truth. */
type Quotient = { median: number; error: number }

export function sum(values: Iterable<number>): number {
  return [...values].reduce((all, value) => all + value, 0)
}

/** The value below which a share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

/**
 * The quotients of two lists of values that were measured in turns: their median and its error. A temporary
 * load of the machine slows both values of a pair, so it hardly matters.
 */
export function computeQuotient(values: readonly number[], others: readonly number[]): Quotient {
  const quotients = values.map((value, n) => value / (others[n] ?? Number.NaN))
  const spread = quantile(quotients, 0.75) - quantile(quotients, 0.25)
  // 0.93 quartile ranges per root of the number of pairs are the standard error of a median
  const error = (2 * 0.93 * spread) / Math.sqrt(quotients.length)
  return { median: quantile(quotients, 0.5), error }
}
