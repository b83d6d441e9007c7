/** How often each name comes up, against the others. */
export type Weights<T extends string> = Readonly<Partial<Record<T, number>>>

/** A stream of draws that is the same for the same keys, on every machine. */
export type Random = {
  /** From 0 up to, not including, 1. */
  unit: () => number
  chance: (share: number) => boolean
  /** A whole number from 0 up to, not including, `limit`. */
  below: (limit: number) => number
  /** Like `below`, with the small numbers far more often: a few people file most bugs. */
  skewed: (limit: number) => number
  pick: <T>(list: readonly T[]) => T
  /** One of the names, as often as its weight says. */
  weighed: <T extends string>(weights: Weights<T>) => T
  /** Log-normal around `median`: half are smaller, few are many times larger. */
  spread: (median: number) => number
  /** Exponential around `mean`: the time until something happens. */
  wait: (mean: number) => number
}

/** Draws that depend on the keys alone, so that one bug can be drawn without drawing those before it. */
export function random(...keys: number[]): Random {
  const unit = uniform(keys.reduce((state, key) => scramble(state ^ scramble(key + 1)), 0x5bd1e995))
  const below = (limit: number) => Math.floor(unit() * limit)
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  return {
    unit,
    below,
    chance: (share) => unit() < share,
    skewed: (limit) => Math.floor(unit() ** 2.5 * limit),
    pick: (list) => at(list, below(list.length)),
    weighed: (weights) => weighed(weights, unit()),
    spread: (median) => median * Math.exp(normal()),
    wait: (mean) => Math.ceil(-Math.log(1 - unit()) * mean),
  }
}

/** The item at `index`, which must exist. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) {
    throw new RangeError(`nothing at ${index} of ${list.length}`)
  }
  return item
}

function uniform(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x9e3779b9) | 0
    return (scramble(state) >>> 0) / 2 ** 32
  }
}

/** Spreads every bit of a 32-bit number over all of them. */
function scramble(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

function weighed<T extends string>(weights: Weights<T>, unit: number): T {
  const names = Object.keys(weights) as T[]
  const total = names.reduce((sum, name) => sum + (weights[name] ?? 0), 0)
  let rest = unit * total
  for (const name of names) {
    rest -= weights[name] ?? 0
    if (rest < 0) {
      return name
    }
  }
  return at(names, names.length - 1)
}
