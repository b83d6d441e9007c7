import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { app } from './app.ts'
import { scheduled } from './cron.ts'
import { withSingleSlashes } from './platform/http/request/single-slashes.ts'
import { readSettings } from './platform/settings/settings.ts'
import { queue } from './queue.ts'

// production forbids code generation, which zod uses otherwise
z.config({ jitless: true })

// invalid settings stop the Worker before it serves a request
readSettings(env)

export default {
  fetch: (request, env, context) => app.fetch(withSingleSlashes(request), env, context),
  queue,
  scheduled,
} satisfies ExportedHandler<Env>
