/** What the examples of a page have captured so far: names without `$`. */
export type Variables = Readonly<Record<string, unknown>>

const REST = '…'
const WHOLE = /^\$([A-Z][A-Z0-9_]*)$/
const WITHIN = /\$([A-Z][A-Z0-9_]*)/g

/** A difference between the answer and the page: its place, and the actual value. */
export class Mismatch extends Error {
  override name = 'Mismatch'
}

/** Puts variables into the text of a path or header. Throws for one that nothing has captured. */
export function fillText(text: string, variables: Variables): string {
  return text.replace(WITHIN, (_, name: string) => String(known(name, variables)))
}

/** Puts variables into a body: a text that is one variable becomes its value, a number stays one. */
export function fillBody(body: unknown, variables: Variables): unknown {
  if (typeof body === 'string') {
    const name = WHOLE.exec(body)?.[1]
    return name === undefined ? fillText(body, variables) : known(name, variables)
  }
  if (Array.isArray(body)) {
    return body.map((one) => fillBody(one, variables))
  }
  if (isObject(body)) {
    const filled = Object.entries(body).map(([name, value]) => [
      fillText(name, variables),
      fillBody(value, variables),
    ])
    return Object.fromEntries(filled)
  }
  return body
}

/**
 * Holds an answer against what a page promises and answers the variables with those captured on the way.
 * Throws `Mismatch` at the first difference.
 */
export function matchAnswer(
  promised: unknown,
  actual: unknown,
  variables: Variables,
  place = 'answer',
): Variables {
  if (typeof promised === 'string') {
    return matchText(promised, actual, variables, place)
  }
  if (Array.isArray(promised)) {
    if (!Array.isArray(actual)) {
      throw mismatch(place, actual)
    }
    return matchItems(promised, actual, variables, place)
  }
  if (isObject(promised)) {
    return matchMembers(promised, actual, variables, place)
  }
  if (promised !== actual) {
    throw mismatch(place, actual)
  }
  return variables
}

function matchText(
  promised: string,
  actual: unknown,
  variables: Variables,
  place: string,
): Variables {
  if (promised === REST) {
    return variables
  }
  const name = WHOLE.exec(promised)?.[1]
  if (name !== undefined) {
    if (!(name in variables)) {
      return { ...variables, [name]: actual }
    }
    // IDs are numbers in objects and digits in records of changes
    if (String(variables[name]) !== String(actual)) {
      throw mismatch(place, actual)
    }
    return variables
  }
  const pattern = promised.split(REST).map((part) => escapePattern(fillText(part, variables)))
  if (typeof actual !== 'string' || !new RegExp(`^${pattern.join('.*')}$`, 's').test(actual)) {
    throw mismatch(place, actual)
  }
  return variables
}

/** `…` matches any number of items. */
function matchItems(
  promised: unknown[],
  actual: unknown[],
  variables: Variables,
  place: string,
): Variables {
  const [first, ...others] = promised
  if (promised.length === 0) {
    if (actual.length > 0) {
      throw mismatch(`${place}, further items`, actual)
    }
    return variables
  }
  if (first !== REST) {
    if (actual.length === 0) {
      throw new Mismatch(`${place}: ${JSON.stringify(first)} is missing`)
    }
    const captured = matchAnswer(first, actual[0], variables, `${place}[]`)
    return matchItems(others, actual.slice(1), captured, place)
  }
  let failure = new Mismatch(`${place}: no items fit`)
  for (let skipped = 0; skipped <= actual.length; skipped += 1) {
    try {
      return matchItems(others, actual.slice(skipped), variables, place)
    } catch (error) {
      failure = error instanceof Mismatch ? error : failure
    }
  }
  throw failure
}

/** The member `"…": "…"` allows members that the page does not name. */
function matchMembers(
  promised: Record<string, unknown>,
  actual: unknown,
  variables: Variables,
  place: string,
): Variables {
  if (!isObject(actual)) {
    throw mismatch(place, actual)
  }
  const { [REST]: rest, ...named } = promised
  const entries = Object.entries(named).map(([name, value]): [string, unknown] => [
    fillText(name, variables),
    value,
  ])
  const expected = new Set(entries.map(([name]) => name))
  const further = Object.keys(actual).filter((name) => !expected.has(name))
  if (rest === undefined && further.length > 0) {
    throw new Mismatch(`${place}: further members ${further.join(', ')}`)
  }
  return entries.reduce((captured, [name, value]) => {
    if (!(name in actual)) {
      throw new Mismatch(`${place}.${name} is missing`)
    }
    return matchAnswer(value, actual[name], captured, `${place}.${name}`)
  }, variables)
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function known(name: string, variables: Variables): unknown {
  if (!(name in variables)) {
    throw new Error(`nothing has captured $${name}`)
  }
  return variables[name]
}

function mismatch(place: string, actual: unknown): Mismatch {
  return new Mismatch(`${place} is ${JSON.stringify(actual)}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
