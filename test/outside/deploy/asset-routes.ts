import type { Hono } from 'hono'
import { type Account, envelope } from './account.ts'

/** Proves to the platform that the assets of an upload are complete. */
const COMPLETION = 'assets-are-complete'

/** Assets of Workers as wrangler uploads them: only those whose digests the account does not have. */
export function addAssetRoutes(app: Hono, { assets }: Account): void {
  app.post('/workers/scripts/:name/assets-upload-session', async (c) => {
    const { manifest } = await c.req.json<{ manifest: Record<string, { hash: string }> }>()
    const missing = Object.values(manifest)
      .map(({ hash }) => hash)
      .filter((hash) => !assets.has(hash))
    return c.json(envelope({ jwt: COMPLETION, buckets: missing.length === 0 ? [] : [missing] }))
  })
  app.post('/workers/assets/upload', async (c) => {
    for (const [hash, file] of await c.req.formData()) {
      assets.set(hash, atob(typeof file === 'string' ? file : await file.text()))
    }
    return c.json(envelope({ jwt: COMPLETION }), 201)
  })
}
