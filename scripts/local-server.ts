import type { Miniflare } from 'miniflare'
import { bundleWorker } from './bundle.ts'
import { ensureDevVars } from './dev-vars.ts'
import type { Choice } from './first-administrator.ts'

export type LocalOptions = {
  /** 0 takes any free port. */
  port: number
  host: string
  /** Folder of the data, laid out as wrangler's own `--persist-to`. */
  persistTo: string
  /** Settings, SECRETS_KEY and ADMIN_* by name; they win over wrangler.toml, other names are ignored. */
  vars: Record<string, string | undefined>
  /** Whether to run the very code that is deployed, whose stack traces tell little. */
  minified?: boolean
  /** Where a debugger may look into the runtime, 0 for any free port; nowhere by default. */
  inspectorPort?: number
  /** Called as soon as the first administrator is made, whatever happens afterwards. */
  onCreated?: (administrator: Choice) => void
}

export type LocalServer = {
  url: URL
  miniflare: Miniflare
  /** The schedule of wrangler.toml; nothing fires it by itself. */
  crons: string[]
  stop(): Promise<void>
}

/**
 * The tracker as `npm start` runs it: the Worker in workerd, with the bindings of wrangler.toml
 * simulated on disk, its database up to date and an administrator in it. The port opens
 * when all of that is done. Throws a complaint for an illegal setting, code that does not build, or a
 * port in use.
 */
export async function startLocal(options: LocalOptions): Promise<LocalServer> {
  ensureDevVars()
  const bundling = bundleWorker(options.minified ? 'deployed' : 'readable')
  // a failure counts where the bundle is awaited
  bundling.catch(() => {})
  // the bundler is a process of its own: the second that loading takes passes beside it
  const { openRuntime } = await import('./local-runtime.ts')
  return openRuntime(options, bundling)
}
