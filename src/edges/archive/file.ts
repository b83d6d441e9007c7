import type { Ctx } from '../../platform/context.ts'

/** Where the bytes of imported attachments are. */
export function objectKeyOf(digest: string): string {
  return `attachments/${digest}`
}

/** Stores bytes once. False when they are there already; fails when they have another digest. */
export async function storeFile({ env }: Ctx, digest: string, bytes: Uint8Array): Promise<boolean> {
  const object = await env.FILES.put(objectKeyOf(digest), bytes, {
    sha256: digest,
    onlyIf: { etagDoesNotMatch: '*' },
  })
  return object !== null
}
