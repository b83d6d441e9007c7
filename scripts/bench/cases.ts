import type { Runner, Target } from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import { signEvent } from './later-work.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

/** A scenario for one kind of caller. Writes need an API key. */
export type Case = {
  scenario: Scenario
  who: 'anyone' | 'with a key'
  headers: Target['headers']
  writes: boolean
}

/** Every scenario whose name contains `only`, with an API key, and the reads without one too. */
export function listCases({ landmarks, apiKey }: DataSet, only = ''): Case[] {
  const authorization = `Bearer ${apiKey}`
  return SCENARIOS.filter(({ name }) => name.includes(only)).flatMap((scenario) => {
    const writes = scenario.request(landmarks, 0).method !== 'GET'
    const keyed: Case = { scenario, who: 'with a key', headers: { authorization }, writes }
    return writes ? [keyed] : [{ scenario, who: 'anyone', headers: {}, writes }, keyed]
  })
}

/** Makes the runner that sends the requests of a case to a server, whose CPU time counts if its `pid` is given. */
export function createRunner(
  { scenario, headers }: Case,
  origin: string,
  { landmarks, botKey }: DataSet,
  pid: number | null = null,
): Runner {
  let sent = 0
  const next = () => {
    sent += 1
    const request = scenario.request(landmarks, sent)
    return request.event === undefined
      ? request
      : { ...request, headers: signEvent(request, botKey) }
  }
  return { target: { origin, headers, pid }, next }
}
