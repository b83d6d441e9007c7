import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import {
  constantMatches,
  generateTracker,
  type Step,
  type Tracker,
} from '../../scripts/generator.ts'

const BATCH = 20

/** Seeds name everything that a tracker holds, so each tracker made here has one of its own. */
let seeds = 710_000
function nextSeed(): number {
  seeds += 1
  return seeds
}

async function load(shape: Tracker): Promise<void> {
  const all = [...generateTracker(shape)]
  for (let first = 0; first < all.length; first += BATCH) {
    const batch = all.slice(first, first + BATCH)
    await env.DB.batch(batch.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
  }
}

async function rows(sql: string, ...params: (string | number)[]) {
  const { results } = await env.DB.prepare(sql)
    .bind(...params)
    .all<Record<string, string | number | null>>()
  return results
}

/** How many bugs of a seed there are, and how many of them meet each condition. */
async function census(seed: number, conditions: Record<string, string>) {
  const counts = Object.entries(conditions).map(
    ([name, condition]) => `count(*) FILTER (WHERE ${condition}) AS ${name}`,
  )
  const [row = {}] = await rows(
    `SELECT count(*) AS bugs, ${counts.join(', ')} FROM bugs b
     JOIN users u ON u.id = b.reporter_id
     JOIN field_values s ON s.id = b.status_id
     JOIN field_values r ON r.id = b.resolution_id
     WHERE u.login GLOB ?1`,
    `p*.s${seed}@example.test`,
  )
  return row
}

function rowsIn(step: Step): unknown[] {
  return typeof step.params[0] === 'string' ? JSON.parse(step.params[0]) : []
}

describe('the generated tracker', () => {
  test('keeps the counters, the comments and the final state of every bug in accord', async () => {
    const seed = nextSeed()
    await load({ bugs: 300, seed })
    const found = await census(seed, {
      comments: `b.comment_count <> (SELECT count(*) FROM comments c WHERE c.bug_id = b.id)`,
      open_comments: `b.public_comment_count <>
        (SELECT count(*) FROM comments c WHERE c.bug_id = b.id AND c.is_private = 0)`,
      groups: `b.group_count <> (SELECT count(*) FROM bug_groups g WHERE g.bug_id = b.id)`,
      numbers: `(SELECT max(number) + 1 FROM comments c WHERE c.bug_id = b.id) <> b.comment_count`,
      descriptions: `NOT EXISTS (SELECT 1 FROM comments c WHERE c.bug_id = b.id AND c.number = 0
        AND c.author_id = b.reporter_id AND c.created_at = b.created_at)`,
      resolutions: `(s.is_open = 1) <> (r.name = '')`,
      duplicates: `(r.name = 'DUPLICATE') <> (b.dupe_of_id IS NOT NULL)`,
      times: `b.changed_at < b.created_at`,
      statuses: `s.name <> coalesce((SELECT h.added FROM history h WHERE h.bug_id = b.id
        AND h.field = 'status' ORDER BY h.id DESC LIMIT 1), s.name)`,
      homes: `(SELECT product_id FROM components WHERE id = b.component_id) <> b.product_id
        OR (SELECT product_id FROM versions WHERE id = b.version_id) <> b.product_id
        OR (SELECT product_id FROM milestones WHERE id = b.milestone_id) <> b.product_id`,
    })
    const { bugs, ...wrong } = found
    expect(bugs).toBe(300)
    expect(Object.entries(wrong).filter(([, count]) => count !== 0)).toEqual([])
  })

  test('has something of every kind', async () => {
    const seed = nextSeed()
    await load({ bugs: 400, seed })
    const has = (table: string, more = '1') =>
      `EXISTS (SELECT 1 FROM ${table} x WHERE x.bug_id = b.id AND ${more})`
    const found = await census(seed, {
      copied: has('bug_cc'),
      marked: has('bug_keywords'),
      restricted: 'b.group_count > 0',
      linked: has('dependencies'),
      attached: has('attachments'),
      flagged: has('flags'),
      changed: has('history'),
      whispered: has('comments', 'x.is_private = 1'),
      told: has('comments', `x.kind = 'has_duplicate'`),
      shown: has('comments', 'x.attachment_id IS NOT NULL'),
    })
    expect(Object.entries(found).filter(([, count]) => count === 0)).toEqual([])
  })

  test('makes members of the group that private bugs are in', async () => {
    const seed = nextSeed()
    await load({ bugs: 50, seed })
    const group = `(SELECT id FROM access_groups WHERE name_fold = 'security-s${seed}')`
    const [row] = await rows(
      `SELECT (SELECT count(*) FROM group_members WHERE group_id = ${group}) AS direct,
        (SELECT count(*) FROM memberships WHERE group_id = ${group}) AS effective`,
    )
    expect(row?.direct).toBeGreaterThan(0)
    expect(row?.effective).toBeGreaterThanOrEqual(Number(row?.direct))
  })

  test('has the same number of matches for the constant search at every size', async () => {
    const matches = async (bugs: number) => {
      const seed = nextSeed()
      await load({ bugs, seed })
      const { product, status } = constantMatches(seed)
      return rows(
        `SELECT b.id, c.name AS component, b.group_count FROM bugs b
        JOIN products p ON p.id = b.product_id
        JOIN components c ON c.id = b.component_id
        JOIN field_values s ON s.id = b.status_id
        WHERE p.name = ?1 AND s.name = ?2`,
        ...[product, status],
      )
    }
    const { component, bugs } = constantMatches()
    for (const found of [await matches(100), await matches(500)]) {
      expect(found).toHaveLength(bugs)
      expect(new Set(found.map((bug) => bug.component))).toEqual(new Set([component]))
      expect(new Set(found.map((bug) => bug.group_count))).toEqual(new Set([0]))
    }
  })

  test('leaves every reference intact beside another tracker', async () => {
    await load({ bugs: 60, seed: nextSeed() })
    await load({ bugs: 60, seed: nextSeed(), products: 12, people: 9 })
    expect(await rows('PRAGMA foreign_key_check')).toEqual([])
  })
})

describe('the statements of a tracker', () => {
  test('are the same for the same shape, and others for another seed', () => {
    const text = (shape: Tracker) => JSON.stringify([...generateTracker(shape)])
    expect(text({ bugs: 300, seed: 5 })).toBe(text({ bugs: 300, seed: 5 }))
    expect(text({ bugs: 300, seed: 5 })).not.toBe(text({ bugs: 300, seed: 6 }))
  })

  test('stay within what D1 takes', () => {
    const all = [...generateTracker({ bugs: 3000 })]
    expect(Math.max(...all.map((step) => step.sql.length))).toBeLessThan(100_000)
    expect(Math.max(...all.map((step) => String(step.params[0] ?? '').length))).toBeLessThan(
      500_000,
    )
    expect(Math.max(...all.map((step) => rowsIn(step).length))).toBeLessThanOrEqual(2000)
  })

  test('draw the constant bugs and the newest ones alike at every size', () => {
    const drawn = (bugs: number, places: (bugs: number) => number[]) => {
      const loads = [...generateTracker({ bugs })].filter(({ sql }) =>
        /^INSERT INTO bugs /.test(sql),
      )
      const all = loads.flatMap((step) => rowsIn(step) as unknown[][])
      return places(bugs).map((place) => all[place]?.slice(3, 20))
    }
    const newest = (bugs: number) => Array.from({ length: 20 }, (_, n) => bugs - 1 - n)
    const constant = (bugs: number) =>
      Array.from({ length: 40 }, (_, n) => Math.floor((n * bugs) / 41))
    expect(drawn(1000, newest)).toEqual(drawn(4000, newest))
    expect(drawn(1000, constant)).toEqual(drawn(4000, constant))
  })

  test('are refused for a tracker too small to hold the constant bugs', () => {
    expect(() => [...generateTracker({ bugs: 40 })]).toThrow(RangeError)
  })
})
