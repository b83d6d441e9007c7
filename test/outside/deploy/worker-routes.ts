import type { Context, Hono } from 'hono'
import { type Account, type Binding, envelope, type StoredWorker } from './account.ts'
import { PlatformError } from './platform-error.ts'

type Metadata = { bindings: Binding[]; keep_bindings?: string[]; compatibility_date: string }

/** Workers as wrangler calls them: uploads, versions and deployments, secrets, schedules, the subdomain. */
export function addWorkerRoutes(app: Hono, account: Account): void {
  const requireWorker = () => {
    if (account.worker === null) {
      throw new PlatformError(404, 10007, 'This Worker does not exist on your account.')
    }
    return account.worker
  }
  const upload = async (c: Context, worker: StoredWorker) => {
    const form = await c.req.formData()
    const metadata: Metadata = JSON.parse(String(form.get('metadata')))
    const id = crypto.randomUUID()
    const files = new Map<string, string>()
    for (const [name, file] of form) {
      if (name !== 'metadata') {
        files.set(name, typeof file === 'string' ? file : await file.text())
      }
    }
    const bindings = resolveBindings(metadata, deployedBindings(worker))
    worker.versions.push({ id, files, bindings, compatibilityDate: metadata.compatibility_date })
    return id
  }

  app.get('/workers/services/:name', (c) => {
    if (account.worker === null) {
      throw new PlatformError(404, 10090, 'workers.api.error.service_not_found')
    }
    const script = { last_deployed_from: 'wrangler' }
    return c.json(envelope({ default_environment: { environment: 'production', script } }))
  })
  app.put('/workers/scripts/:name', async (c) => {
    const worker = account.worker ?? {
      versions: [],
      deployments: [],
      crons: [],
      isOnSubdomain: false,
      domains: [],
    }
    const id = await upload(c, worker)
    worker.deployments.unshift(id)
    account.worker = worker
    return c.json(envelope({ id: 'lacewing', deployment_id: id.replaceAll('-', '') }))
  })
  app.get('/workers/scripts/:name/versions', (c) =>
    c.json(envelope({ items: requireWorker().versions.map(presentVersion) })),
  )
  app.post('/workers/scripts/:name/versions', async (c) => {
    const id = await upload(c, requireWorker())
    return c.json(envelope({ id, resources: { script: { etag: id } } }))
  })
  app.get('/workers/scripts/:name/versions/:id', (c) => {
    const version = requireWorker().versions.find(({ id }) => id === c.req.param('id'))
    if (version === undefined) {
      throw new PlatformError(404, 10087, 'This version does not exist')
    }
    return c.json(envelope(presentVersion(version)))
  })
  app.get('/workers/scripts/:name/deployments', (c) =>
    c.json(envelope({ deployments: requireWorker().deployments.map(presentDeployment) })),
  )
  app.post('/workers/scripts/:name/deployments', async (c) => {
    const { versions } = await c.req.json()
    requireWorker().deployments.unshift(versions[0].version_id)
    return c.json(envelope(presentDeployment(versions[0].version_id)))
  })
  app.get('/workers/scripts/:name/secrets', (c) =>
    c.json(envelope(deployedBindings(requireWorker()).flatMap(presentSecret))),
  )
  app.get('/workers/scripts/:name/settings', (c) =>
    c.json(envelope({ bindings: deployedBindings(requireWorker()) })),
  )
  app.patch('/workers/scripts/:name/script-settings', (c) => c.json(envelope({})))
  app.put('/workers/scripts/:name/schedules', async (c) => {
    const schedules: { cron: string }[] = await c.req.json()
    requireWorker().crons = schedules.map(({ cron }) => cron)
    return c.json(envelope({ schedules }))
  })
  app.post('/workers/scripts/:name/domains/changeset', (c) =>
    c.json(envelope({ added: [], removed: [], updated: [], conflicting: [] })),
  )
  app.put('/workers/scripts/:name/domains/records', async (c) => {
    const { origins }: { origins: { hostname: string }[] } = await c.req.json()
    requireWorker().domains = origins.map(({ hostname }) => hostname)
    return c.json(envelope({}))
  })
  app.get('/workers/subdomain', (c) => c.json(envelope({ subdomain: 'operator' })))
  app.get('/workers/workers/:name', (c) =>
    c.json(envelope({ name: 'lacewing', subdomain: subdomainOf(requireWorker()) })),
  )
  app.post('/workers/scripts/:name/subdomain', async (c) => {
    const worker = requireWorker()
    worker.isOnSubdomain = (await c.req.json()).enabled
    return c.json(envelope(subdomainOf(worker)))
  })
}

/** The bindings after an upload: its own, and those of the serving version that it keeps. */
function resolveBindings({ bindings, keep_bindings }: Metadata, before: Binding[]): Binding[] {
  const names = new Set(bindings.map(({ name }) => name))
  const kept = before.filter(({ name, type }) => keep_bindings?.includes(type) && !names.has(name))
  const resolved = bindings.map((binding) => {
    const source = before.find(({ name }) => name === binding.name)
    if (binding.type === 'inherit' && source === undefined) {
      throw new PlatformError(400, 10057, `nothing to inherit ${binding.name} from`)
    }
    return binding.type === 'inherit' && source !== undefined ? source : binding
  })
  return [...resolved, ...kept]
}

function deployedBindings({ versions, deployments }: StoredWorker): Binding[] {
  return versions.find(({ id }) => id === deployments[0])?.bindings ?? []
}

/** Secrets cannot be read back. */
function presentSecret({ name, type }: Binding) {
  return type === 'secret_text' ? [{ name, type }] : []
}

function subdomainOf({ isOnSubdomain }: StoredWorker) {
  return { enabled: isOnSubdomain, previews_enabled: isOnSubdomain }
}

const MOMENT = '2030-01-01T00:00:00.000Z'

function presentDeployment(version: string) {
  return {
    id: version,
    created_on: MOMENT,
    author_email: 'operator@example.org',
    source: 'wrangler',
    versions: [{ version_id: version, percentage: 100 }],
  }
}

function presentVersion({ id, bindings }: StoredWorker['versions'][number], place = 0) {
  const metadata = { created_on: MOMENT, author_email: 'operator@example.org', source: 'wrangler' }
  return {
    id,
    number: place + 1,
    metadata,
    resources: { bindings, script: {}, script_runtime: {} },
  }
}
