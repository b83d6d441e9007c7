import type { PropsWithChildren } from 'hono/jsx'

/** Why something was not done; nothing where there is no reason. */
export function Refusal({ message }: { message: string | null | undefined }) {
  return message ? (
    <p class="notice refusal" role="alert">
      {message}
    </p>
  ) : null
}

/** What has become of a form, or what had no effect. */
export function NoticeLine({ children }: PropsWithChildren) {
  return (
    <p class="notice" role="status">
      {children}
    </p>
  )
}

/** What stands ahead of a page that a form has led back to. */
export function Saved({ url }: { url: URL }) {
  return url.searchParams.has('done') ? <NoticeLine>Saved.</NoticeLine> : null
}
