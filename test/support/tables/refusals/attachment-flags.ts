import type { DiscussionSenders } from '../../worlds/discussion-world.ts'
import { type Refusal, refused } from './refusal.ts'

/** What an operation on attachments refuses in flags, in the parameter that `body` puts them into. */
export function attachmentFlagRefusals(
  request: string,
  body: (flags: object[]) => object,
): Refusal<keyof DiscussionSenders>[] {
  const of = (code: number, ...flags: object[]) =>
    refused(code, 'author' as const, request, body(flags))
  return [
    of(50, { status: '?' }),
    of(51, { name: 'NoSuch', status: '?' }),
    of(51, { type_id: 999_999_999, status: '+' }),
    of(51, { id: '{foreign}', status: 'X' }),
    of(51, { name: '{review}', status: '?', requestee: 'NoSuch', new: true }),
    of(52, { id: 'one', status: '?' }),
    of(53, ...Array.from({ length: 51 }, () => ({ name: '{review}', status: '?', new: true }))),
    of(129, { name: '{review}' }),
    of(129, { name: '{review}', status: 'granted' }),
    of(129, { name: '{answer}', status: '?' }),
    of(130, { name: '{guarded}', status: '?' }),
    of(130, { name: '{guarded}', status: '+' }),
    of(131, { name: '{impersonal}', status: '?', requestee: '{stranger}' }),
    of(133, { name: '{twin}', status: '?' }),
    of(134, { name: '{retired}', status: '?' }),
    of(
      32_000,
      { name: '{single}', status: '?', new: true },
      { name: '{single}', status: '+', new: true },
    ),
    of(32_000, { name: '{review}', status: '?', requestee: '{disabled}', new: true }),
  ]
}
