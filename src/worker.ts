import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { app } from './app.ts'
import { readSettings } from './settings.ts'

// production refuses code made at run time
z.config({ jitless: true })

// an illegal setting stops the Worker before it answers anything
readSettings(env)

export default { fetch: app.fetch } satisfies ExportedHandler<Env>
