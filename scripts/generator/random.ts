/** The relative frequency of each name. */
export type Weights<T extends string> = Readonly<Partial<Record<T, number>>>

/** A stream of random values that is the same for the same keys on every machine. */
export type Random = {
  /** From 0 up to, not including, 1. */
  uniform: () => number
  chance: (share: number) => boolean
  /** A whole number from 0 up to, not including, `limit`. */
  below: (limit: number) => number
  /** Like `below`, but small numbers are far more frequent: a few people file most bugs. */
  skewed: (limit: number) => number
  pick: <T>(list: readonly T[]) => T
  /** One of the names, with the frequency that its weight gives. */
  pickWeighted: <T extends string>(weights: Weights<T>) => T
  /** Log-normal around `median`: half are smaller, few are many times larger, the more the wider it is. */
  logNormal: (median: number, width?: number) => number
  /** Exponential around `mean`: the time until something happens. */
  exponential: (mean: number) => number
}

/** Makes a stream that depends on its keys alone, so that each bug can be drawn without the others. */
export function createRandom(...keys: number[]): Random {
  const uniform = createUniform(
    keys.reduce((state, key) => mixBits(state ^ mixBits(key + 1)), 0x5bd1e995),
  )
  const below = (limit: number) => Math.floor(uniform() * limit)
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    below,
    chance: (share) => uniform() < share,
    skewed: (limit) => Math.floor(uniform() ** 2.5 * limit),
    pick: (list) => itemAt(list, below(list.length)),
    pickWeighted: (weights) => pickByWeight(weights, uniform()),
    logNormal: (median, width = 1) => median * Math.exp(width * normal()),
    exponential: (mean) => Math.ceil(-Math.log(1 - uniform()) * mean),
  }
}

/** The item at `index`. Throws a RangeError when there is none. */
export function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) {
    throw new RangeError(`nothing at ${index} of ${list.length}`)
  }
  return item
}

function createUniform(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x9e3779b9) | 0
    return (mixBits(state) >>> 0) / 2 ** 32
  }
}

/** Spreads every bit of a 32-bit number over all of them. */
function mixBits(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

function pickByWeight<T extends string>(weights: Weights<T>, fraction: number): T {
  const names = Object.keys(weights) as T[]
  const total = names.reduce((sum, name) => sum + (weights[name] ?? 0), 0)
  let rest = fraction * total
  for (const name of names) {
    rest -= weights[name] ?? 0
    if (rest < 0) {
      return name
    }
  }
  return itemAt(names, names.length - 1)
}
