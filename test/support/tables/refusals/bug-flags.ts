import type { Refusal } from './refusal.ts'

/** What an operation refuses in the flags of a bug; `build` makes its body. */
export function flagRefusals(
  request: string,
  build: (part: object) => object,
): Refusal<'reporter' | 'stranger'>[] {
  return [
    {
      code: 51,
      by: 'reporter',
      request,
      body: build({ flags: [{ name: 'no such flag', status: '?' }] }),
    },
    {
      code: 129,
      by: 'reporter',
      request,
      body: build({ flags: [{ name: '{plain}', status: '!' }] }),
    },
    {
      code: 130,
      by: 'stranger',
      request,
      body: build({ flags: [{ name: '{guarded}', status: '+' }] }),
    },
    {
      code: 131,
      by: 'reporter',
      request,
      body: build({
        flags: [{ name: '{plain}', status: '?', requestee: '{editor}' }],
      }),
    },
    {
      code: 133,
      by: 'reporter',
      request,
      body: build({ flags: [{ name: '{twin}', status: '?' }] }),
    },
    {
      code: 134,
      by: 'reporter',
      request,
      body: build({ flags: [{ name: '{retired}', status: '?' }] }),
    },
    {
      code: 32000,
      by: 'reporter',
      request,
      body: build({ flags: [{ name: '{open}', status: '?', requestee: '{away}' }] }),
    },
    { code: 50, by: 'reporter', request, body: build({ flags: [{ status: '?' }] }) },
  ]
}
