import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { CommandError } from './command.ts'
import { ROOT } from './wrangler.ts'

type Consumer = {
  queue: string
  max_batch_size: number
  max_batch_timeout: number
  max_retries?: number
  dead_letter_queue?: string
}

/** What wrangler.toml says, as far as scripts ask. */
export type WranglerToml = {
  name: string
  compatibility_date: string
  compatibility_flags: string[]
  d1_databases: { binding: string; database_name: string }[]
  r2_buckets: { binding: string; bucket_name: string }[]
  queues: { producers: { binding: string; queue: string }[]; consumers: Consumer[] }
  ratelimits: {
    name: string
    namespace_id: string
    simple: { limit: number; period: number }
  }[]
  send_email: { name: string }[]
  triggers: { crons: string[] }
  vars: Record<string, string>
  workers_dev: boolean
  routes?: { pattern: string; custom_domain: boolean }[]
}

/** Throws a CommandError with the place of a mistake. */
export function readWranglerToml(): WranglerToml {
  const file = join(ROOT, 'wrangler.toml')
  try {
    return parse(readFileSync(file, 'utf8')) as unknown as WranglerToml
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
