import type { Operation } from '../../src/platform/http/operations/operation.ts'
import { namedFaultKinds } from './fault-kinds.ts'

/** A function, an operation or another value of a module. */
type Declaration = {
  readonly path: string
  readonly text: string
  /** The keys of what it names of its own module and of others. */
  readonly named: readonly string[]
}

/** A fault that the verb of an operation may throw, and the functions that lead there, the innermost first. */
type ThrownFault = { readonly name: string; readonly path: string; readonly trail: string }

const FAULTS = new Set(namedFaultKinds.map(([name]) => name))
const BEGINS = /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/
const IMPORTS = /^import (?!type )\{([^}]*)\} from '(\.[^']*)'/gm

/** What the verbs of operations may throw as far as names lead, whether or not a test goes there. */
export class ThrownFaults {
  readonly #declarations: ReadonlyMap<string, Declaration>

  constructor(code: Readonly<Record<string, string>>) {
    this.#declarations = new Map(Object.entries(code).flatMap(([path, text]) => split(path, text)))
  }

  /** Where an operation is declared, perhaps with others, and what its verb may throw. */
  listFor({ summary }: Pick<Operation, 'summary'>) {
    const found = [...this.#declarations].find(([, { text }]) => describes(text, summary))
    if (found === undefined) {
      throw new Error(`No file has the operation '${summary}'`)
    }
    const [declaration, { path }] = found
    const folder = path.replace(/[^/]*$/, '')
    return { declaration, folder, thrown: this.#thrownFrom(declaration) }
  }

  #thrownFrom(operation: string): ThrownFault[] {
    const trails = new Map([[operation, [operation]]])
    for (const [key, trail] of trails) {
      for (const next of this.#declarations.get(key)?.named ?? []) {
        if (this.#declarations.has(next) && !trails.has(next)) {
          trails.set(next, [next, ...trail])
        }
      }
    }
    return [...trails].flatMap(([key, trail]) => {
      const { path = '', text = '' } = this.#declarations.get(key) ?? {}
      return [...text.matchAll(/\bfault\(\s*(\w+)/g)]
        .filter(([, name = '']) => FAULTS.has(name))
        .map(([, name = '']) => ({ name, path, trail: trail.join(' < ') }))
    })
  }
}

/** Whether the summary of an operation stands in the text, if only as a template. */
function describes(text: string, summary: string): boolean {
  const templates = [...text.matchAll(/\bsummary: `(.*)\$\{.*\}(.*)`,\n/g)]
  return (
    text.includes(`'${summary}'`) ||
    templates.some(([, start = '', end = '']) => summary.startsWith(start) && summary.endsWith(end))
  )
}

/** The declarations of a module, each with the text up to the next one. */
function split(path: string, text: string): [string, Declaration][] {
  const keys = new Map<string, string>()
  for (const [, names = '', from = ''] of text.matchAll(IMPORTS)) {
    const file = new URL(from, `file:///${path}`).pathname.slice(1)
    for (const [, name = '', own = name] of names.matchAll(/(\w+)(?: as (\w+))?/g)) {
      keys.set(own, `${file} ${name}`)
    }
  }
  const pieces = text
    .split(/^(?=(?:export )?(?:async )?(?:function|const|class) )/m)
    .flatMap((piece) => {
      const name = BEGINS.exec(piece)?.[1]
      return name === undefined ? [] : [{ name, piece }]
    })
  for (const { name } of pieces) {
    keys.set(name, `${path} ${name}`)
  }
  return pieces.map(({ name, piece }) => {
    const named = new Set(piece.match(/\w+/g))
    return [
      `${path} ${name}`,
      {
        path,
        text: piece,
        named: [...named].flatMap((one) => (one === name ? [] : (keys.get(one) ?? []))),
      },
    ]
  })
}
