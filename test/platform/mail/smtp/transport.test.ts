import { describe, expect, test, vi } from 'vitest'
import type { Ctx } from '../../../../src/platform/context.ts'
import { sendBySmtp } from '../../../../src/platform/mail/smtp/transport.ts'
import { buildMailService } from '../../../support/fakes/mail-service.ts'

/** What a real server answers is tested in test/outside/, since no server can listen inside the runtime. */
const NOBODY = { host: '127.0.0.1', port: 1, isImplicitTls: false, credentials: null }

const content = (to: string) => ({
  from: { name: '', email: 'tracker@mail.test' },
  to,
  subject: 'x',
  text: 'x',
  headers: {},
  messageId: '<x@tracker.test>',
  date: 1,
})

const send = (ctx: Ctx, to: string) =>
  sendBySmtp(ctx, NOBODY, 'tracker.test', content(to), async () => {})

describe('sendBySmtp without a server', () => {
  test('leaves all messages of the invocation for a retry, and logs one failure without an address', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const ctx = buildMailService().ctx()
    const outcomes = await Promise.all(
      ['a@b.test', 'c@d.test', 'e@f.test'].map((to) => send(ctx, to)),
    )
    expect(outcomes).toEqual(['unsent', 'unsent', 'unsent'])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(String(warn.mock.calls[0])).not.toContain('@')
  })

  test('tries again for the next message of the invocation', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const ctx = buildMailService().ctx()
    expect(await send(ctx, 'a@b.test')).toBe('unsent')
    expect(await send(ctx, 'a@b.test')).toBe('unsent')
    expect(warn).toHaveBeenCalledTimes(2)
  })
})
