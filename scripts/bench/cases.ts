import type { Runner, Target } from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

/** A scenario by one caller: those who have no key cannot write. */
export type Case = {
  scenario: Scenario
  who: 'anyone' | 'with a key'
  headers: Target['headers']
  writes: boolean
}

export function casesOf({ at, apiKey }: DataSet): Case[] {
  const authorization = `Bearer ${apiKey}`
  return SCENARIOS.flatMap((scenario) => {
    const writes = scenario.request(at, 0).method !== 'GET'
    const keyed: Case = { scenario, who: 'with a key', headers: { authorization }, writes }
    return writes ? [keyed] : [{ scenario, who: 'anyone', headers: {}, writes }, keyed]
  })
}

/** One that asks a server for a case again and again. */
export function runnerOf({ scenario, headers }: Case, origin: string, { at }: DataSet): Runner {
  let sent = 0
  const next = () => {
    sent += 1
    return scenario.request(at, sent)
  }
  return { target: { origin, headers }, next }
}
