import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDatabaseFiles, openStateFolder } from '../../scripts/local/state.ts'
import { createVisitor, expectSuccess } from '../support/clients/visitor.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { fileBug, LOGINS, startTracker, waitForMails } from './mailing-tracker.ts'
import { type RunningServer, startServer } from './running-server.ts'

const KEY = 'lwAdministratorWhoseTrackerStartsAgain00'
const READER = 'ann@example.test'
const FAR = 4_000_000_000

let mails: MailServer
let server: RunningServer
let settings: Record<string, string>

beforeAll(async () => {
  mails = await startMailServer()
  settings = {
    ADMIN_LOGIN: 'root@tracker.example',
    ADMIN_API_KEY: KEY,
    SECRETS_KEY: 'the secret of a tracker that starts again',
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'tracker@mail.test',
    BASE_URL: 'https://bugs.example.test',
  }
  server = await startServer(settings)
})

afterAll(async () => {
  await server?.kill()
  rmSync(server?.folder, { recursive: true, force: true })
  await mails.stop()
})

/** Prolongs the leases of the notices so that nobody outlives them, and returns how many there are. */
function prolongLeases(): number {
  const state = openStateFolder(join(server.folder, 'state'))
  return findDatabaseFiles(state).reduce((count, file) => {
    const database = new DatabaseSync(file)
    const { changes } = database
      .prepare('UPDATE notices SET lease_until = ? WHERE lease_until IS NOT NULL')
      .run(FAR)
    database.close()
    return count + Number(changes)
  }, 0)
}

test('a start waits for no lease of the tracker that was killed before it', async () => {
  const admin = createVisitor(server.url, KEY)
  await expectSuccess(admin.post('/user', { email: READER, password: 'a good password' }))
  const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
  mails.rules.refuseData = () => 'hang'
  await expectSuccess(admin.post('/bug', { ...place, summary: 'It broke', cc: [READER] }))
  await waitForMails(mails, 1)
  await server.kill()
  expect(prolongLeases()).toBe(1)

  delete mails.rules.refuseData
  server = await startServer(settings, server.folder)
  await waitForMails(mails, 2)
  expect(mails.received.map(({ to }) => to)).toEqual([[READER], [READER]])
})

test('the runtime that replaces a killed one waits for none of its leases', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-replaced-'))
  const tracker = await startTracker(folder, `smtp://127.0.0.1:${mails.port}`)
  mails.received.length = 0
  mails.rules.refuseData = () => 'hang'
  await fileBug(tracker, { cc: LOGINS.slice(0, 1) })
  await waitForMails(mails, 1)
  const [notice] = await tracker.query('SELECT lease_until FROM notices')

  // the only runtime that this process has started
  execFileSync('pkill', ['-KILL', '-P', String(process.pid), 'workerd'])
  delete mails.rules.refuseData
  await waitForMails(mails, 2)
  expect(Date.now() / 1000).toBeLessThan(Number(notice?.lease_until))
  await tracker.server.stop()
  rmSync(folder, { recursive: true, force: true })
})
