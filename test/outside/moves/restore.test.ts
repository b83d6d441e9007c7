import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../../scripts/local/server.ts'
import { ROOT } from '../../../scripts/wrangler.ts'

/** The commands with which an operator brings back what a tracker had in its bucket, as docs/operation.md says. */

const KEY = 'lwAdministratorKeyForThisTestRun00000000'

describe('a backup in the bucket', () => {
  const place = mkdtempSync(join(tmpdir(), 'restored-'))
  const servers: LocalServer[] = []

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(place, { recursive: true, force: true })
  })

  async function start(name: string): Promise<LocalServer> {
    const vars = { ADMIN_LOGIN: 'root@tracker.test', ADMIN_API_KEY: KEY, BACKUP_DAYS: '7' }
    const server = await startLocalServer({
      ...{ port: 0, host: '127.0.0.1', persistTo: join(place, name), vars },
    })
    servers.push(server)
    return server
  }

  async function send({ url }: LocalServer, method: string, path: string, body?: object) {
    const answer = await fetch(`${url.origin}/rest${path}`, {
      method,
      headers: { 'x-tracker-api-key': KEY },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(answer.status, path).toBeLessThan(300)
    return (await answer.json()) as Record<string, unknown>
  }

  /** Runs a command as an operator would; what it printed. */
  function run(...args: string[]): string {
    const command = [join(ROOT, 'scripts/run.js'), ...args, '--key', KEY]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      ...{ cwd: ROOT, encoding: 'utf8' },
    })
    expect(status, `${args.join(' ')}: ${stderr.slice(-500)}`).toBe(0)
    return stdout
  }

  test('becomes an archive, which a new tracker takes and shows without differences', async () => {
    const old = await start('old')
    const at = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    await send(old, 'POST', '/bug', { ...at, summary: 'It broke', description: 'Badly' })
    await send(old, 'POST', '/bug/1/comment', { comment: 'Among us', is_private: true })
    const file = {
      file_name: 'a.txt',
      summary: 'A',
      data: btoa('bytes'),
      content_type: 'text/plain',
    }
    await send(old, 'POST', '/bug/1/attachment', file)
    const worker = await old.miniflare.getWorker()
    await worker.scheduled({ cron: '*/5 * * * *' })
    const { backups } = await send(old, 'GET', '/backup')
    const [backup] = backups as { name: string }[]
    const day = String(backup?.name)

    const archive = join(place, 'archive')
    const said = run('export', archive, '--backup', day, '--url', old.url.origin)
    expect(said).toContain('has 1 bugs and 3 comments')
    const fresh = await start('fresh')
    expect(run('import', archive, '--url', fresh.url.origin)).toContain('Imported 1 bugs')
    expect(run('verify-import', archive, '--url', fresh.url.origin)).toContain('No differences.')
    const downloaded = await send(fresh, 'GET', '/bug/attachment/1')
    const { data } = (downloaded.attachments as Record<string, { data: string }>)['1'] ?? {}
    expect(atob(String(data))).toBe('bytes')
  })
})
