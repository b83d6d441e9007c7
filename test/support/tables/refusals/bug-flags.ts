import { type Refusal, refused } from './refusal.ts'

/** What an operation refuses in the flags of a bug; `build` makes its body. */
export function flagRefusals(
  request: string,
  build: (part: object) => object,
): Refusal<'reporter' | 'stranger'>[] {
  return [
    refused(51, 'reporter', request, build({ flags: [{ name: 'no such flag', status: '?' }] })),
    refused(129, 'reporter', request, build({ flags: [{ name: '{plain}', status: '!' }] })),
    refused(130, 'stranger', request, build({ flags: [{ name: '{guarded}', status: '+' }] })),
    refused(
      131,
      'reporter',
      request,
      build({
        flags: [{ name: '{plain}', status: '?', requestee: '{editor}' }],
      }),
    ),
    refused(133, 'reporter', request, build({ flags: [{ name: '{twin}', status: '?' }] })),
    refused(134, 'reporter', request, build({ flags: [{ name: '{retired}', status: '?' }] })),
    refused(
      32000,
      'reporter',
      request,
      build({ flags: [{ name: '{open}', status: '?', requestee: '{away}' }] }),
    ),
    refused(50, 'reporter', request, build({ flags: [{ status: '?' }] })),
  ]
}
