import type { Miniflare } from 'miniflare'
import { bundleWorker } from './bundle.ts'
import { ensureDevVars } from './dev-vars.ts'
import type { AdministratorChoice } from './first-administrator.ts'

export type LocalOptions = {
  /** 0 means any free port. */
  port: number
  host: string
  /** Folder of the data, in the layout of wrangler's `--persist-to`. */
  persistTo: string
  /** Settings, SECRETS_KEY and ADMIN_*. They override wrangler.toml; other names are ignored. */
  vars: Record<string, string | undefined>
  /** Whether to run the minified code as deployed, whose stack traces are hard to read. */
  minified?: boolean
  /** Port of the inspector, 0 for any free port; no inspector by default. */
  inspectorPort?: number
  /** Called as soon as the first administrator exists, even if the start fails later. */
  onCreated?: (administrator: AdministratorChoice) => void
}

export type LocalServer = {
  url: URL
  miniflare: Miniflare
  /** The crons of wrangler.toml; the caller has to run them. */
  crons: string[]
  stop(): Promise<void>
}

/**
 * Starts the tracker as `npm start` does: the Worker in workerd, with the bindings of wrangler.toml
 * simulated on disk, a migrated database and an administrator. The port opens when all of that is ready.
 * Throws a CommandError for an illegal setting, a failed build, or an unusable address.
 */
export async function startLocalServer(options: LocalOptions): Promise<LocalServer> {
  ensureDevVars()
  const bundling = bundleWorker(options.minified ? 'deployed' : 'readable')
  // a failure is handled where the bundle is awaited
  bundling.catch(() => {})
  // loading takes a second, in which the bundler runs in its own process
  const { openRuntime } = await import('./local-runtime.ts')
  return openRuntime(options, bundling)
}
