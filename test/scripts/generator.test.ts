import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import {
  describeConstantSearch,
  generateTracker,
  type Statement,
  type Tracker,
} from '../../scripts/generator.ts'

const BATCH = 20

/** The names in a tracker contain its seed, so each test uses a new one. */
let lastSeed = 710_000
function nextSeed(): number {
  lastSeed += 1
  return lastSeed
}

async function insertTracker(shape: Tracker): Promise<void> {
  const all = [...generateTracker(shape)]
  for (let first = 0; first < all.length; first += BATCH) {
    const batch = all.slice(first, first + BATCH)
    await env.DB.batch(batch.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
  }
}

async function selectRows(sql: string, ...params: (string | number)[]) {
  const { results } = await env.DB.prepare(sql)
    .bind(...params)
    .all<Record<string, string | number | null>>()
  return results
}

/** Counts the bugs of a seed, and those of them that meet each condition. */
async function countBugs(seed: number, conditions: Record<string, string>) {
  const counts = Object.entries(conditions).map(
    ([name, condition]) => `count(*) FILTER (WHERE ${condition}) AS ${name}`,
  )
  const [row = {}] = await selectRows(
    `SELECT count(*) AS bugs, ${counts.join(', ')} FROM bugs b
     JOIN users u ON u.id = b.reporter_id
     JOIN field_values s ON s.id = b.status_id
     JOIN field_values r ON r.id = b.resolution_id
     WHERE u.login GLOB ?1`,
    `p*.s${seed}@example.test`,
  )
  return row
}

function parseRows(statement: Statement): unknown[] {
  return typeof statement.params[0] === 'string' ? JSON.parse(statement.params[0]) : []
}

describe('a generated tracker', () => {
  test('has counters, comments and a final state of every bug that agree', async () => {
    const seed = nextSeed()
    await insertTracker({ bugs: 300, seed })
    const found = await countBugs(seed, {
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
      parts: `(SELECT product_id FROM components WHERE id = b.component_id) <> b.product_id
        OR (SELECT product_id FROM versions WHERE id = b.version_id) <> b.product_id
        OR (SELECT product_id FROM milestones WHERE id = b.milestone_id) <> b.product_id`,
    })
    const { bugs, ...wrong } = found
    expect(bugs).toBe(300)
    expect(Object.entries(wrong).filter(([, count]) => count !== 0)).toEqual([])
  })

  test('has bugs with every kind of detail', async () => {
    const seed = nextSeed()
    await insertTracker({ bugs: 400, seed })
    const has = (table: string, more = '1') =>
      `EXISTS (SELECT 1 FROM ${table} x WHERE x.bug_id = b.id AND ${more})`
    const found = await countBugs(seed, {
      cc: has('bug_cc'),
      keywords: has('bug_keywords'),
      groups: 'b.group_count > 0',
      dependencies: has('dependencies'),
      attachments: has('attachments'),
      flags: has('flags'),
      history: has('history'),
      private_comments: has('comments', 'x.is_private = 1'),
      duplicates: has('comments', `x.kind = 'has_duplicate'`),
      attachment_comments: has('comments', 'x.attachment_id IS NOT NULL'),
    })
    expect(Object.entries(found).filter(([, count]) => count === 0)).toEqual([])
  })

  test('gives the group of the restricted bugs direct and effective members', async () => {
    const seed = nextSeed()
    await insertTracker({ bugs: 50, seed })
    const group = `(SELECT id FROM access_groups WHERE name_fold = 'security-s${seed}')`
    const [row] = await selectRows(
      `SELECT (SELECT count(*) FROM group_members WHERE group_id = ${group}) AS direct,
        (SELECT count(*) FROM memberships WHERE group_id = ${group}) AS effective`,
    )
    expect(row?.direct).toBeGreaterThan(0)
    expect(row?.effective).toBeGreaterThanOrEqual(Number(row?.direct))
  })

  test('has the same number of matches of the constant search at every size', async () => {
    const matches = async (bugs: number) => {
      const seed = nextSeed()
      await insertTracker({ bugs, seed })
      const { product, status } = describeConstantSearch(seed)
      return selectRows(
        `SELECT b.id, c.name AS component, b.group_count FROM bugs b
        JOIN products p ON p.id = b.product_id
        JOIN components c ON c.id = b.component_id
        JOIN field_values s ON s.id = b.status_id
        WHERE p.name = ?1 AND s.name = ?2`,
        ...[product, status],
      )
    }
    const { component, bugs } = describeConstantSearch()
    for (const found of [await matches(100), await matches(500)]) {
      expect(found).toHaveLength(bugs)
      expect(new Set(found.map((bug) => bug.component))).toEqual(new Set([component]))
      expect(new Set(found.map((bug) => bug.group_count))).toEqual(new Set([0]))
    }
  })

  test('keeps every foreign key valid beside another tracker', async () => {
    await insertTracker({ bugs: 60, seed: nextSeed() })
    await insertTracker({ bugs: 60, seed: nextSeed(), products: 12, people: 9 })
    expect(await selectRows('PRAGMA foreign_key_check')).toEqual([])
  })
})

describe('a realistic tracker', () => {
  test('has comments of 500 bytes, ten for each bug, and duplicates in other words', async () => {
    const seed = nextSeed()
    const all = [...generateTracker({ bugs: 1300, seed, isRealistic: true })]
    await env.DB.batch(
      // what comes later is referred to
      [{ sql: 'PRAGMA defer_foreign_keys = on', params: [] }, ...all].map(({ sql, params }) =>
        env.DB.prepare(sql).bind(...params),
      ),
    )
    expect(await selectRows('PRAGMA foreign_key_check')).toEqual([])
    const [found] = await selectRows(
      `SELECT avg(iif(b.id < least.id + 500, b.comment_count, NULL)) AS comments,
        (SELECT avg(length(body)) FROM comments WHERE bug_id >= min(b.id) AND body <> '') AS bytes,
        count(*) FILTER (WHERE (r.name = 'DUPLICATE') <> (b.dupe_of_id IS NOT NULL)) AS wrong,
        sum((SELECT count(*) FROM comments c WHERE c.bug_id = b.id AND c.kind = 'has_duplicate')) AS told,
        count(b.dupe_of_id) AS duplicates
      FROM bugs b JOIN users u ON u.id = b.reporter_id JOIN field_values r ON r.id = b.resolution_id
        JOIN bugs least ON least.alias_fold = ?2
      WHERE u.login GLOB ?1`,
      ...[`p*.s${seed}@example.test`, `first-s${seed}`],
    )
    expect(Math.abs(Number(found?.comments) - 9.9)).toBeLessThan(1.5)
    expect(Math.abs(Number(found?.bytes) - 499)).toBeLessThan(50)
    expect(found?.wrong).toBe(0)
    expect(Number(found?.duplicates)).toBeGreaterThan(0)
    expect(found?.told).toBe(found?.duplicates)
    const pairs = await selectRows(
      `SELECT b.summary_fold AS own, o.summary_fold AS original FROM bugs b
        JOIN bugs o ON o.id = b.dupe_of_id JOIN users u ON u.id = b.reporter_id WHERE u.login GLOB ?1`,
      `p*.s${seed}@example.test`,
    )
    for (const { own, original } of pairs) {
      const words = new Set(String(original).split(' '))
      expect(own).not.toBe(original)
      expect(
        String(own)
          .split(' ')
          .some((word) => words.has(word)),
      ).toBe(true)
    }
  })
})

describe('generateTracker', () => {
  test('returns the same statements for the same shape, and others for another seed', () => {
    const text = (shape: Tracker) => JSON.stringify([...generateTracker(shape)])
    expect(text({ bugs: 300, seed: 5 })).toBe(text({ bugs: 300, seed: 5 }))
    expect(text({ bugs: 300, seed: 5 })).not.toBe(text({ bugs: 300, seed: 6 }))
  })

  test('returns statements within the limits of D1', () => {
    const all = [...generateTracker({ bugs: 3000 })]
    expect(Math.max(...all.map((statement) => statement.sql.length))).toBeLessThan(100_000)
    expect(
      Math.max(...all.map((statement) => String(statement.params[0] ?? '').length)),
    ).toBeLessThan(500_000)
    expect(Math.max(...all.map((statement) => parseRows(statement).length))).toBeLessThanOrEqual(
      2000,
    )
  })

  test('draws the same constant bugs and the same newest bugs at every size', () => {
    const bugRows = (bugs: number, indexes: (bugs: number) => number[]) => {
      const inserts = [...generateTracker({ bugs })].filter(({ sql }) =>
        /^INSERT INTO bugs /.test(sql),
      )
      const all = inserts.flatMap((statement) => parseRows(statement) as unknown[][])
      return indexes(bugs).map((index) => all[index]?.slice(3, 20))
    }
    const newest = (bugs: number) => Array.from({ length: 20 }, (_, n) => bugs - 1 - n)
    const constant = (bugs: number) =>
      Array.from({ length: 40 }, (_, n) => Math.floor((n * bugs) / 41))
    expect(bugRows(1000, newest)).toEqual(bugRows(4000, newest))
    expect(bugRows(1000, constant)).toEqual(bugRows(4000, constant))
  })

  test('throws a RangeError for a tracker that is too small for the constant bugs', () => {
    expect(() => [...generateTracker({ bugs: 40 })]).toThrow(RangeError)
  })
})
