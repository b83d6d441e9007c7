import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { virtualModule } from './virtual-module.ts'

const ROOT = join(import.meta.dirname, '..')

/** Pages beside those of the reference. */
const OTHERS = ['concepts', 'recipes', 'clients', 'administration', 'operation', 'move']

export const documentationModule = virtualModule(
  'lacewing:documentation',
  () => `export const texts = ${JSON.stringify(readTexts())}`,
)

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
