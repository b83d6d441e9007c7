/** True, false or unknown, as in SQL; only what is true is found. */
export type Truth = boolean | null

export function not(truth: Truth): Truth {
  return truth === null ? null : !truth
}

/** False if some is false, else unknown if some is unknown. */
export function allOfTruths(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) {
    return false
  }
  return truths.includes(null) ? null : true
}

export function anyOfTruths(truths: readonly Truth[]): Truth {
  return not(allOfTruths(truths.map(not)))
}
