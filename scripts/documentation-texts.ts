import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')

/** The module that holds the Markdown of the documentation, wherever the Worker is bundled or tested. */
const MODULE = 'lacewing:documentation'

/** Pages beside those of the reference. */
const OTHERS = ['concepts', 'recipes', 'clients', 'administration', 'operation']

/** For the bundler. */
export const documentationTexts: Plugin = {
  name: 'documentation-texts',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^${MODULE}$`)
    onResolve({ filter }, () => ({ path: MODULE, namespace: MODULE }))
    onLoad({ filter: /^/, namespace: MODULE }, () => ({ contents: writeModule() }))
  },
}

/** For the test runner, which loads the sources themselves. */
export function documentationTextsForTests() {
  const id = `\0${MODULE}`
  return {
    name: 'documentation-texts',
    resolveId: (name: string) => (name === MODULE ? id : undefined),
    load: (name: string) => (name === id ? writeModule() : undefined),
  }
}

function writeModule(): string {
  return `export const texts = ${JSON.stringify(readTexts())}`
}

/** By name of the page: that of the file without its ending, `conventions` for the README of the reference. */
function readTexts(): Record<string, string> {
  const reference = readdirSync(join(ROOT, 'docs/reference'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({
      name: name === 'README.md' ? 'conventions' : name.replace('.md', ''),
      file: join(ROOT, 'docs/reference', name),
    }))
  const others = OTHERS.map((name) => ({ name, file: join(ROOT, 'docs', `${name}.md`) }))
  const present = [...reference, ...others].filter(({ file }) => existsSync(file))
  return Object.fromEntries(present.map(({ name, file }) => [name, readFileSync(file, 'utf8')]))
}
