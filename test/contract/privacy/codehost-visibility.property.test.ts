import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../scripts/generator/random.ts'
import { attachments } from '../../../src/platform/db/schema/bugs.ts'
import { db, jsonList } from '../../../src/platform/db/sql.ts'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { buildPullRequest, buildPush } from '../../support/builders/codehost-events.ts'
import { NOW } from '../../support/builders/unique.ts'
import { expectFault, get } from '../../support/client.ts'
import { applyWaitingPushes, sendEvent } from '../../support/codehost.ts'
import { execute, type Row } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'
import { type DrawnBatch, drawBatch } from '../../support/worlds/drawn-batch.ts'
import type { DrawnBug, DrawnPerson } from '../../support/worlds/drawn-world.ts'

/**
 * In random worlds everybody owns the key of a code host, which reports pull requests and pushes about bugs
 * seen and hidden. `VISIBILITY_SEED` repeats a run.
 */

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = 6
const PULL_REQUESTS = 15
const PUSHES = 4
const MISSING = 987_654_321

/** A link to a pull request that is attached to a bug already. */
type DrawnLink = {
  readonly id: number
  readonly bug: DrawnBug
  readonly submitter: number
  readonly isPrivate: boolean
  readonly isObsolete: boolean
}

type Hosts = DrawnBatch & { readonly bugs: readonly DrawnBug[]; readonly r: Random }

async function drawHosts(number: number): Promise<Hosts> {
  const batch = await drawBatch({ seed: SEED, number, worlds: WORLDS })
  await execute(sql`INSERT INTO group_members (user_id, group_id, source)
    SELECT person.value, g.id, 'direct' FROM access_groups g
      JOIN ${jsonList(batch.people.map(({ id }) => id))} person
    WHERE g.role = 'codehost-webhook-bot'`)
  const bugs = batch.worlds.flatMap((world) => world.bugs)
  return { ...batch, bugs, r: createRandom(SEED, number) }
}

async function insertLink(
  address: string,
  { bug, submitter, isPrivate, isObsolete }: Omit<DrawnLink, 'id'>,
): Promise<number> {
  const [row] = await execute(
    db
      .insert(attachments)
      .values({
        ...{ bugId: bug.id, submitterId: submitter, isPrivate, isObsolete, linkUrl: address },
        ...{ createdAt: NOW, changedAt: NOW, fileName: 'pr', summary: 'PR', summaryFold: 'pr' },
        ...{ contentType: env.LINK_CONTENT_TYPE, size: 1, objectKey: address, sha256: '' },
      })
      .returning({ id: attachments.id }),
  )
  return Number(row?.id)
}

/** Some links to one pull request, on a bug and on others. */
async function drawLinks({ r, bugs, people }: Hosts, bug: DrawnBug, address: string) {
  const links: DrawnLink[] = []
  for (const place of [bug, bug, r.pick(bugs), r.pick(bugs), r.pick(bugs)]) {
    if (r.chance(0.5)) {
      const link = {
        bug: place,
        submitter: r.pick(people).id,
        isPrivate: r.chance(0.4),
        isObsolete: r.chance(0.3),
      }
      links.push({ ...link, id: await insertLink(address, link) })
    }
  }
  return links
}

function seesLink({ oracle }: Hosts, who: DrawnPerson, link: DrawnLink): boolean {
  const isInsider = who.roles.some((role) => role === 'insider' || role === 'admin')
  return (
    oracle.sees(who, link.bug.id) && (!link.isPrivate || isInsider || link.submitter === who.id)
  )
}

/** The links of a pull request, by ID. */
function loadLinks(address: string): Promise<Row[]> {
  return execute(
    sql`SELECT id, bug_id, is_obsolete FROM attachments WHERE link_url = ${address} ORDER BY id`,
  )
}

/** Everything that an event may write: the links of a pull request, comments and statuses. */
async function loadTraces({ bugs }: Hosts, address: string): Promise<unknown> {
  const ids = jsonList(bugs.map(({ id }) => id))
  return [
    await loadLinks(address),
    await execute(sql`SELECT id FROM comments WHERE bug_id IN ${ids}`),
    await execute(sql`SELECT id, status_id, revision FROM bugs WHERE id IN ${ids}`),
  ]
}

async function open(who: DrawnPerson, bugId: number, number: number) {
  const { status, body } = await sendEvent(
    who,
    'pull_request',
    buildPullRequest(`Bug ${bugId}: A title`, { number }),
  )
  expect(status).toBe(200)
  return body
}

describe('a code host knows no more than its account', () => {
  test(`of pull requests, in ${WORLDS} worlds of seed ${SEED}`, async () => {
    const hosts = await drawHosts(3000)
    const { people, oracle, r, bugs } = hosts
    let count = 0
    for (const who of people) {
      for (let n = 0; n < PULL_REQUESTS; n += 1) {
        count += 1
        const bug = r.pick(bugs)
        const number = SEED * 1000 + count
        const address = `https://github.com/example/browser/pull/${number}`
        const links = await drawLinks(hosts, bug, address)
        const before = await loadTraces(hosts, address)
        const answer = await open(who, bug.id, number)
        if (!oracle.sees(who, bug.id)) {
          const missing = JSON.stringify(await open(who, MISSING, number))
          expect(JSON.stringify(answer)).toBe(missing.replace(String(MISSING), String(bug.id)))
          expect(await loadTraces(hosts, address)).toEqual(before)
          continue
        }
        const known = links.filter((link) => seesLink(hosts, who, link))
        const own = known.filter((link) => link.bug === bug)
        const existing = own.find(({ isObsolete }) => !isObsolete) ?? own[0]
        expect(answer).toEqual({ error: 0, id: existing?.id ?? expect.any(Number) })
        const expected = links.map((link) => {
          const isMoved = known.includes(link) && link.bug !== bug
          const isObsolete = link !== existing && (link.isObsolete || isMoved)
          return { id: link.id, bug_id: link.bug.id, is_obsolete: isObsolete ? 1 : 0 }
        })
        expect(await loadLinks(address)).toEqual([
          ...expected,
          ...(existing === undefined ? [{ id: answer.id, bug_id: bug.id, is_obsolete: 0 }] : []),
        ])
      }
    }
  })

  test(`of pushes, and tells nobody else, in ${WORLDS} worlds of seed ${SEED}`, async () => {
    const hosts = await drawHosts(3001)
    const { people, oracle, r, bugs } = hosts
    const byLogin = new Map(people.map((one) => [one.login, one]))
    let hiddenCount = 0
    let mailCount = 0
    for (const who of people) {
      for (let n = 0; n < PUSHES; n += 1) {
        const named = [...new Set([r.pick(bugs), r.pick(bugs), r.pick(bugs)])]
        const ids = [...named.map(({ id }) => id), MISSING]
        const { body } = await sendEvent(
          who,
          'push_comment',
          buildPush(ids.map((id) => `Bug ${id} - Done by ${who.id}.${n}`)),
        )
        // the same for every bug, seen or hidden
        const texts = named.map(({ id }) => body.bugs[id][0].text)
        expect(Object.keys(body.bugs)).toHaveLength(named.length)
        expect(
          new Set(texts.map((text, at) => text.replace(`Bug ${ids[at]} `, 'Bug N '))).size,
        ).toBe(1)

        await applyWaitingPushes(...ids)
        const written = await execute(sql`SELECT body, is_private FROM comments
          WHERE author_id = ${who.id} AND bug_id IN ${jsonList(ids)} AND body LIKE ${`%by ${who.id}.${n}%`}`)
        expect(written.map((row) => row.body).sort()).toEqual(texts.sort())
        expect(written.every((row) => row.is_private === 0)).toBe(true)

        const notices = await execute(sql`SELECT id FROM notices
          WHERE author_id = ${who.id} AND bug_id IN ${jsonList(ids)} AND done_at IS NULL`)
        const box = buildMailService()
        await deliverNotices(box.ctx(), { ids: notices.map(({ id }) => Number(id)) })
        for (const { to, headers, subject, text } of box.sent) {
          const reader = byLogin.get(to)
          const told = [...`${subject}\n${text}`.matchAll(/\bbug (\d+)\b/gi)].map(([, id]) =>
            Number(id),
          )
          for (const id of new Set([Number(headers['X-Tracker-ID']), ...told])) {
            expect(reader !== undefined && oracle.sees(reader, id), `${to} reads of ${id}`).toBe(
              true,
            )
          }
        }
        mailCount += box.sent.length
        for (const { id } of named.filter((bug) => !oracle.sees(who, bug.id))) {
          hiddenCount += 1
          expectFault(await get(who, `/rest/bug/${id}`), 401, 102)
          expectFault(await get(who, `/rest/bug/${id}/comment`), 401, 102)
        }
      }
    }
    expect(hiddenCount).toBeGreaterThan(0)
    expect(mailCount).toBeGreaterThan(0)
  })
})
