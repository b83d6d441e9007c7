import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { app } from './app.ts'
import { scheduled } from './cron.ts'
import { queue } from './queue/consume.ts'
import { readSettings } from './settings.ts'

// production refuses code made at run time
z.config({ jitless: true })

// an illegal setting stops the Worker before it answers anything
readSettings(env)

export default { fetch: app.fetch, queue, scheduled } satisfies ExportedHandler<Env>
