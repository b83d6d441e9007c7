import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * wrangler.toml without its queue consumers, for tests inside the runtime: there the consumer is called
 * by hand, and a consumer still busy when the tests end would keep the runner from stopping.
 */
export function workerTestConfig(): string {
  const root = join(import.meta.dirname, '../..')
  const text = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  const tables = text.split(/^(?=\[)/m).filter((table) => !table.startsWith('[[queues.consumers]]'))
  const folder = join(root, '.wrangler/test')
  mkdirSync(folder, { recursive: true })
  const target = join(folder, 'wrangler.toml')
  const absolute = tables
    .join('')
    .replace('main = "src/worker.ts"', `main = ${JSON.stringify(join(root, 'src/worker.ts'))}`)
    .replace(
      'migrations_dir = "drizzle"',
      `migrations_dir = ${JSON.stringify(join(root, 'drizzle'))}`,
    )
  writeFileSync(target, absolute)
  return target
}
