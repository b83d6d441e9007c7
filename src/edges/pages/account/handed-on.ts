import * as z from 'zod'
import { seal, unseal } from '../../../platform/lib/crypto/secrets.ts'
import type { PageRequest } from '../page.ts'

/** Seconds between two steps of one form. */
const MAX_AGE = 600

const enrolment = z.object({
  secret: z.string(),
  uri: z.string(),
  recovery_codes: z.array(z.string()),
})

/** A second factor that waits for its first code. */
export type Enrolment = z.output<typeof enrolment>

const handedOn = z.object({
  purpose: z.literal('second factor'),
  until: z.number(),
  /** Of somebody who is not signed in yet. */
  login: z.string(),
  password: z.string(),
  enrolment: enrolment.optional(),
})

/** What one step of signing in, or of a second factor, hands on to the next. */
export type HandedOn = Omit<z.output<typeof handedOn>, 'purpose' | 'until'>

/** The value of a hidden field, which only this service can read. */
export function handOn({ ctx }: Pick<PageRequest, 'ctx'>, step: HandedOn): Promise<string> {
  const text = JSON.stringify({ ...step, purpose: 'second factor', until: ctx.now + MAX_AGE })
  return seal(text, ctx.env.SECRETS_KEY)
}

/** What a hidden field says; null for one that is too old, or that this service has not made. */
export async function readHandedOn(
  { ctx }: Pick<PageRequest, 'ctx'>,
  value: string,
): Promise<HandedOn | null> {
  const text = await unseal(value, ctx.env.SECRETS_KEY)
  const parsed = text === null ? undefined : handedOn.safeParse(JSON.parse(text)).data
  return parsed === undefined || parsed.until < ctx.now ? null : parsed
}
