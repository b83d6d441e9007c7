/// <reference types="vite/types/importMeta.d.ts" />

import { sign } from '@octokit/webhooks-methods'
import { describe, expect, test } from 'vitest'
import { ANYONE, send } from '../support/client.ts'
import { fillBody, fillText, matchAnswer, type Variables } from './answer.ts'
import { type Example, readExamples } from './page.ts'
import { makePageWorld } from './page-world.ts'
import { pages } from './pages.ts'

/** Sends the request of an example, checks its answer, and answers the variables with those captured. */
async function runExample(example: Example, variables: Variables): Promise<Variables> {
  const { method, path, headers, body, answer } = example
  const text = body === undefined ? undefined : JSON.stringify(fillBody(body, variables))
  const filled: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    filled[name] = await signText(fillText(value, variables), text)
  }
  const actual = await send(ANYONE, method, fillText(path, variables), text, filled)
  expect(actual.status, actual.text).toBe(answer.status)
  if (answer.kind === 'text') {
    return matchAnswer(answer.text, actual.text, variables)
  }
  return matchAnswer(JSON.parse(answer.text), actual.body, variables)
}

/** Headers as the page has them; `signed with <key>` becomes the signature of the body. */
async function signText(value: string, body: string | undefined): Promise<string> {
  const [, key] = /^signed with (\S+)$/.exec(value) ?? []
  return key === undefined ? value : sign(key, body ?? '')
}

/** What went wrong in the examples of a page, run from top to bottom in one world. */
async function runPage(markdown: string): Promise<string[]> {
  const failures: string[] = []
  let variables = await makePageWorld()
  for (const example of readExamples(markdown)) {
    try {
      variables = await runExample(example, variables)
    } catch (error) {
      failures.push(`line ${example.line}: ${(error as Error).message}`)
    }
  }
  return failures
}

const [administration = ''] = Object.values(
  import.meta.glob<string>('../../docs/administration.md', {
    query: '?raw',
    eager: true,
    import: 'default',
  }),
)

test('docs/administration.md leads from an empty tracker to a resolved bug in ten calls', async () => {
  expect(readExamples(administration)).toHaveLength(10)
  expect(await runPage(administration)).toEqual([])
})

describe('docs/reference', () => {
  test.each(Object.entries(pages))('%s promises what the service answers', async (_, markdown) => {
    expect(readExamples(markdown).length, 'number of examples').toBeGreaterThan(0)
    expect(await runPage(markdown)).toEqual([])
  })
})
