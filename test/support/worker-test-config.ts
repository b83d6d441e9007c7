import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LEFT_OUT = ['[[queues.consumers]]', '[build]', '[[rules]]', '[assets]']

/**
 * wrangler.toml without its queue consumers and its build, for tests inside the runtime: there the consumer is called
 * by hand, and a consumer still busy when the tests end would keep the runner from stopping. The runner loads the
 * sources themselves.
 */
export function workerTestConfig(): string {
  const root = join(import.meta.dirname, '../..')
  const text = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  const tables = text
    .split(/^(?=\[)/m)
    .filter((table) => !LEFT_OUT.some((heading) => table.startsWith(heading)))
  const folder = join(root, '.wrangler/test')
  mkdirSync(folder, { recursive: true })
  const target = join(folder, 'wrangler.toml')
  const absolute = tables
    .join('')
    .replace(
      'main = "dist/worker.mjs"\nno_bundle = true',
      `main = ${JSON.stringify(join(root, 'src/worker.ts'))}`,
    )
    .replace(
      'migrations_dir = "drizzle"',
      `migrations_dir = ${JSON.stringify(join(root, 'drizzle'))}`,
    )
  writeFileSync(target, absolute)
  return target
}
